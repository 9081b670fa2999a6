// Refunds of payments: ordered for a merchant, listed, shown.

import { randomUUID } from 'node:crypto';
import {
  findOperatorRefund,
  listOperatorRefunds,
  type OperatorRefund,
} from '../db/operator-refunds';
import { findRefundsToFollow } from '../db/refunds';
import type { OperatorIntent } from '../db/operator-intents';
import { IDEMPOTENCY_KEY_PATTERN, refundWorkflowId } from '../domain/ids';
import { refundableMinor } from '../domain/intent';
import type { JsonValue } from '../domain/json';
import { formatAmount } from '../domain/money';
import { presentRefund, REFUND_STATUSES, type RefundStatus } from '../domain/refund';
import { refundPayment, type OrderedRefund } from '../use-cases/refunds';
import { awaitsApproval } from './approvals';
import type { Command } from './command';
import { CommandError } from './error';
import { amountText, describeWorkflow } from './intent-text';
import { INTENT_NAME, requireIntent, requireUser } from './lookups';
import type { Options } from './options';
import { table } from './table';
import { wakePaymentRefund } from './refund-wakeup';
import { readWorkflowState } from './temporal';
import { printable } from './terminal';

const DEFAULT_ROWS = 25;
const MAX_ROWS = 1_000;
const LONGEST_REASON = 500;

const refundsList: Command = {
  usage:
    'refunds list [--user U] [--environment live|test] [--status S] [--intent ID_OR_CODE_OR_REFERENCE] [--limit N]',
  summary: 'List refunds of payments, newest first',
  async run({ db, options }) {
    const username = options.optional('user');
    const intent = options.optional('intent');
    const isEverywhere = options.optional('environment') === undefined;
    const refunds = await listOperatorRefunds(
      db,
      {
        user_id: username === undefined ? undefined : (await requireUser(db, username)).id,
        environment: isEverywhere ? undefined : options.environment(),
        status: readStatus(options.optional('status')),
        intent_id: intent === undefined ? undefined : (await requireIntent(db, intent)).id,
      },
      options.count('limit', DEFAULT_ROWS, MAX_ROWS),
    );
    return {
      json: { refunds: refunds.map(presentForOperator) },
      text: refunds.length === 0 ? 'There are no such refunds.' : refundTable(refunds),
    };
  },
};

function readStatus(word: string | undefined): RefundStatus | undefined {
  if (word === undefined) return undefined;
  const status = REFUND_STATUSES.find((one) => one === word);
  if (status === undefined) {
    throw new CommandError('usage', `--status must be one of ${REFUND_STATUSES.join(', ')}`);
  }
  return status;
}

export function refundTable(refunds: readonly OperatorRefund[]): string {
  return table([
    ['REFUND', 'STATUS', 'AMOUNT', 'ENVIRONMENT', 'MERCHANT', 'PAYMENT', 'ORDERED', 'DETAIL'],
    ...refunds.map((refund) => [
      refund.reference,
      refund.status,
      amountText(refund.amount_minor, refund.currency),
      refund.environment,
      refund.username,
      refund.payment_reference,
      refund.created_at,
      printable(refund.detail ?? ''),
    ]),
  ]);
}

/** The API's fields, and those by which an operator finds the refund in other places. */
export function presentForOperator(refund: OperatorRefund): Record<string, JsonValue> {
  return {
    ...presentRefund(refund),
    username: refund.username,
    payment_reference: refund.payment_reference,
    gateway: refund.gateway,
    provider_payment_id: refund.provider_payment_id,
    gateway_refund_id: refund.gateway_refund_id,
    gateway_status: refund.gateway_status,
    detail: refund.detail,
    asks: refund.asks,
    asked_at: refund.asked_at,
    idempotency_key: refund.idempotency_key,
    request_id: refund.request_id,
  };
}

const refundsShow: Command = {
  usage: 'refunds show ID_OR_REFERENCE',
  summary: "Show a refund, the gateway's last word about it, and its workflow",
  async run(context) {
    const { argument } = context.options;
    const refund = await findOperatorRefund(context.db, argument);
    if (!refund) throw new CommandError('refund_not_found', `There is no refund ${argument}`);
    const { id, environment, username, status, reference } = refund;
    const workflow = await readWorkflowState(context, refundWorkflowId(environment, id));
    const shown = presentForOperator(refund);
    const rows = Object.entries(shown).flatMap(([name, value]) =>
      value === null || ['reference', 'amount', 'currency', 'status'].includes(name)
        ? []
        : [[name, typeof value === 'object' ? JSON.stringify(value) : String(value)]],
    );
    return {
      json: { refund: shown, workflow: { ...workflow } },
      text: [
        `${reference}: ${amountText(refund.amount_minor, refund.currency)} back to a customer of ${username} (${environment}), ${status}`,
        table(rows),
        describeWorkflow(workflow),
      ].join('\n\n'),
    };
  },
};

const refundsCreate: Command = {
  usage: `refunds create ${INTENT_NAME} [--amount A] [--reason R] [--key K]`,
  summary:
    "Give a payment back for its merchant, from the merchant's wallet; all that is left without --amount. Repeating it with the same --key makes no second refund",
  async run(context) {
    const { db, options, actor } = context;
    const intent = await requireIntent(db, options.argument);
    const { environment, currency } = intent;
    const { id: user_id } = await requireUser(db, intent.username);
    const amount = readAmount(options, intent);
    const idempotency_key = readKey(options);
    const { errorDocsUrl } = await import('../api/docs/paths.js');
    const ordered = await refundPayment(
      { db, actor, error_docs_url: errorDocsUrl(context.config.public_url) },
      {
        ...{ environment, user_id, currency, idempotency_key },
        intent_id: intent.id,
        amount_minor: amount.toString(),
        reason: readReason(options),
      },
    );
    if (!ordered.ok) {
      throw 'approval' in ordered ? awaitsApproval(ordered) : refusal(ordered.error, intent);
    }
    for (const refund of await findRefundsToFollow(db, [ordered.id])) {
      await wakePaymentRefund(context, refund);
    }
    const refund = (await findOperatorRefund(db, ordered.id))!;
    return {
      json: presentForOperator(refund),
      text: `Ordered ${refund.reference}: ${amountText(amount, currency)} of ${intent.reference} back to the customer. To see what became of it: refunds show ${refund.reference}`,
    };
  },
};

function readAmount(options: Options, intent: OperatorIntent): bigint {
  if (options.optional('amount') !== undefined) return options.amount(intent.currency);
  const left = refundableMinor(intent);
  // Something, so that the database says what is wrong.
  return left > 0n ? left : intent.amount_minor;
}

function readKey(options: Options): string {
  const key = options.optional('key') ?? randomUUID();
  if (IDEMPOTENCY_KEY_PATTERN.test(key)) return key;
  throw new CommandError('usage', '--key must be 1 to 255 printable ASCII characters');
}

function readReason(options: Options): string | null {
  const reason = options.optional('reason') ?? '';
  if (reason.length <= LONGEST_REASON) return reason === '' ? null : reason;
  throw new CommandError('usage', `--reason must have at most ${LONGEST_REASON} characters`);
}

type Refused = Exclude<Extract<OrderedRefund, { readonly ok: false }>['error'], undefined>;

function refusal(error: Refused, intent: OperatorIntent): CommandError {
  const { status, currency } = intent;
  const texts: Readonly<Record<Refused, string>> = {
    insufficient_funds: "The balance of the merchant's wallet is too low for this refund",
    account_frozen: 'The account is frozen: nothing leaves its wallets',
    payment_intent_not_refundable: `This payment intent is ${status}: only a payment that has succeeded can be refunded`,
    refund_exceeds_payment: `At most ${formatAmount(refundableMinor(intent))} ${currency} of this payment can still be refunded`,
    key_reused: 'This --key was used for another refund of the merchant',
  };
  return new CommandError(error === 'key_reused' ? 'idempotency_key_reuse' : error, texts[error]);
}

export const refundCommands = [refundsCreate, refundsList, refundsShow];

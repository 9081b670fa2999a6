// Refunds of payments: ordered for a merchant, listed, shown, and ended when the gateway never made
// them.

import { randomUUID } from 'node:crypto';
import {
  findOperatorRefund,
  listOperatorRefunds,
  type OperatorRefund,
} from '../../db/refunds/operator-refunds';
import type { OperatorIntent } from '../../db/payment-intents/operator-intents';
import { ERRORS } from '../../domain/errors';
import { pursuitWorkflowId } from '../../domain/ids';
import { refundableMinor } from '../../domain/intent';
import { formatAmount } from '../../domain/money';
import { REFUND_STATUSES } from '../../domain/refund';
import {
  failUnmadeRefund,
  refundPayment,
  type EndedRefund,
  type OrderedRefund,
} from '../../use-cases/refunds/by-operator';
import { awaitsApproval } from './approvals';
import { command, group, run } from '../command';
import {
  environmentFilter,
  idempotencyKey,
  limitOption,
  readAmount,
  readNeededReason,
  readReason,
  userFilter,
  wordOption,
} from '../options';
import { CommandError } from '../error';
import { amountText, describeWorkflow, fieldRows } from '../intent-text';
import { INTENT_ARGUMENT, requireIntent, requireRefund, requireUser } from '../lookups';
import { gatewayIsAsked, presentForOperator, refundAtGateway, refundTable } from '../refund-text';
import { table } from '../table';
import { pursueFrom } from '../pursuit-wakeup';
import { readWorkflowState } from '../temporal';

type Refused = Exclude<Extract<OrderedRefund, { readonly ok: false }>['error'], undefined>;

function refusal(error: Refused, intent: OperatorIntent): CommandError {
  const { status, currency } = intent;
  const texts: Readonly<Record<Refused, string>> = {
    insufficient_funds: "The balance of the merchant's wallet is too low for this refund",
    account_frozen: 'The account is frozen: nothing leaves its wallets',
    kyc_required:
      'The identity check of the account is not approved, or no longer: no live money leaves its wallets',
    payment_intent_not_refundable: `This payment intent is ${status}: only a payment that has succeeded can be refunded`,
    refund_exceeds_payment: `At most ${formatAmount(refundableMinor(intent))} ${currency} of this payment can still be refunded`,
    too_many_refunds: ERRORS.too_many_refunds.message,
    payment_disputed: ERRORS.payment_disputed.message,
    limit_exceeded: 'The refund is above a limit of the account (users limits)',
    key_reused: 'This --key was used for another refund of the merchant',
  };
  return new CommandError(error === 'key_reused' ? 'idempotency_key_reuse' : error, texts[error]);
}

const STILL_PENDING = [
  'refund_pending',
  'The gateway may still make it. Look there: if it has made none, and never will, add --gateway-made-no-refund',
] as const;

function notFailed(
  error: Extract<EndedRefund, { readonly ok: false }>['error'],
  { gateway_refund_id }: OperatorRefund,
): CommandError {
  switch (error) {
    case 'at_gateway':
      return refundAtGateway(gateway_refund_id!);
    case 'succeeded':
      return new CommandError('refund_succeeded', 'The gateway has made this refund');
    case 'failed':
      return new CommandError('refund_failed', 'It failed before: the merchant has the money');
    case 'limit_exceeded':
      return new CommandError(error, 'The wallet is too full to take the money back');
    case 'gateway_is_asked':
      return gatewayIsAsked();
  }
}

export const refunds = group([
  command(
    'create',
    "Give a payment back for its merchant, from the merchant's wallet; all that is left without --amount. Repeating it with the same --key makes no second refund",
  )
    .argument(INTENT_ARGUMENT, 'of the payment')
    .option('--amount <amount>', 'otherwise all that is left')
    .option('--reason <reason>', 'why: for the audit log', readReason)
    .option('--key <key>', 'an idempotency key', idempotencyKey('key'))
    .action(
      run(async (context, name, options) => {
        const { db, actor } = context;
        const intent = await requireIntent(context, name);
        const { environment, currency } = intent;
        const { id: user_id } = await requireUser(db, intent.username);
        const amount_minor =
          options.amount === undefined ? null : readAmount(options.amount, currency).toString();
        const { key: idempotency_key = randomUUID(), reason } = options;
        context.note(`Idempotency key: ${idempotency_key}`);
        const { errorDocsUrl } = await import('../../domain/docs-paths.js');
        const ordered = await refundPayment(
          { db, actor, error_docs_url: errorDocsUrl(context.config.public_url) },
          {
            environment,
            user_id,
            currency,
            idempotency_key,
            intent_id: intent.id,
            amount_minor,
            reason: reason || null,
          },
        );
        if (!ordered.ok) {
          throw 'approval' in ordered ? awaitsApproval(ordered) : refusal(ordered.error, intent);
        }
        await pursueFrom(context)('refund', [ordered.id]);
        const refund = (await findOperatorRefund(db, ordered.id))!;
        return {
          json: presentForOperator(refund),
          text: `Ordered ${refund.reference}: ${amountText(refund.amount_minor, currency)} of ${intent.reference} back to the customer. To see what became of it: refunds show ${refund.reference}`,
        };
      }),
    ),
  command('list', 'List refunds of payments, newest first')
    .addOption(userFilter)
    .addOption(environmentFilter)
    .addOption(wordOption('--status <status>', 'in this state only', REFUND_STATUSES))
    .option(`--intent ${INTENT_ARGUMENT}`, 'of this payment only')
    .addOption(limitOption)
    .action(
      run(async (context, options) => {
        const { db } = context;
        const { user: username, environment, status, intent, limit } = options;
        const found = await listOperatorRefunds(
          db,
          {
            user_id: username === undefined ? undefined : (await requireUser(db, username)).id,
            environment,
            status,
            intent_id: intent === undefined ? undefined : (await requireIntent(context, intent)).id,
          },
          limit,
        );
        return {
          json: { refunds: found.map(presentForOperator) },
          text: found.length === 0 ? 'There are no such refunds.' : refundTable(found),
        };
      }),
    ),
  command('show', "Show a refund, the gateway's last word about it, and its workflow")
    .argument('<id-or-reference>', 'of the refund')
    .action(
      run(async (context, argument) => {
        const refund = await requireRefund(context.db, argument);
        const { id, environment, username, status, reference } = refund;
        const workflow = await readWorkflowState(
          context,
          pursuitWorkflowId('refund', environment, id),
        );
        const shown = presentForOperator(refund);
        return {
          json: { refund: shown, workflow: { ...workflow } },
          text: [
            `${reference}: ${amountText(refund.amount_minor, refund.currency)} back to a customer of ${username} (${environment}), ${status}`,
            table(fieldRows(shown, ['reference', 'amount', 'currency', 'status'])),
            describeWorkflow(workflow),
          ].join('\n\n'),
        };
      }),
    ),
  command(
    'fail',
    'End a refund that the gateway never made: the money goes back to the wallet of the merchant, who owes it to the customer still',
  )
    .argument('<id-or-reference>', 'of the refund')
    .requiredOption(
      '--reason <reason>',
      'why: for the merchant, and the audit log',
      readNeededReason,
    )
    .option('--gateway-made-no-refund', 'the gateway has made no refund, and never will')
    .option('--gateway-refund <id>', 'the gateway has this refund of it, and will never make it')
    .action(
      run(async (context, argument, options) => {
        const { db, actor } = context;
        const { reason } = options;
        const refund = await requireRefund(db, argument);
        const gateway_refund = options.gatewayRefund ?? null;
        const has_looked = options.gatewayMadeNoRefund === true || gateway_refund !== null;
        if (refund.status === 'pending' && !has_looked) throw new CommandError(...STILL_PENDING);
        const ended = await failUnmadeRefund({ db, actor }, refund, { reason, gateway_refund });
        if (!ended.ok) {
          if ('approval' in ended) throw awaitsApproval(ended);
          throw notFailed(ended.error, await requireRefund(db, refund.id));
        }
        await pursueFrom(context)('refund', [refund.id]);
        const { amount_minor, currency, username, reference } = refund;
        return {
          json: presentForOperator(await requireRefund(db, refund.id)),
          text: `Ended ${reference}: ${amountText(amount_minor, currency)} is in the wallet of ${username} again`,
        };
      }),
    ),
]);

// Payouts: ordered, cancelled and approved with a merchant's key; listed, shown and settled for operators.

import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { randomUUID } from 'node:crypto';
import {
  findOperatorPayout,
  listOperatorPayouts,
  listPayoutsInDoubt,
  type OperatorPayout,
} from '../../db/payouts/operator-payouts';
import { listPayoutTimeline } from '../../db/payouts/payouts';
import type { Db } from '../../db/connect';
import { pursuitWorkflowId, plainReference } from '../../domain/ids';
import { Decimal, renderJson, withFields, type JsonText } from '../../domain/json';
import { formatAmount } from '../../domain/money';
import { NAME_CHECKS, PAYOUT_STATUSES } from '../../domain/payout';
import { settlePayout, type SettledPayout } from '../../use-cases/payouts/by-operator';
import { awaitsApproval } from './approvals';
import { command, group, run, runAlone } from '../command';
import type { CommandResult } from '../context';
import { CommandError } from '../error';
import { amountText, describeTimeline, describeWorkflow, fieldRows } from '../intent-text';
import { requireUser } from '../lookups';
import {
  accepted,
  apiOption,
  openMerchantApi,
  type ApiAnswer,
  type MerchantApi,
} from '../merchant-api';
import {
  currencyOption,
  environmentFilter,
  idempotencyKey,
  limitOption,
  readAmount,
  readReason,
  userFilter,
  wordOption,
} from '../options';
import { pursueFrom } from '../pursuit-wakeup';
import { secretFromStdin, secretInPlain } from '../secret-input';
import { table } from '../table';
import { readWorkflowState } from '../temporal';
import { printable } from '../terminal';

const PAYOUT_ARGUMENT = '<id-or-reference>';

/** Where the response leaves open whether it was ordered, the error says how to repeat it and pay only once. */
async function orderOnce(api: MerchantApi, body: string, key: string): Promise<ApiAnswer> {
  const unknown = (code: string, message: string) =>
    new CommandError(
      code,
      `${message}. The payout may have been ordered: repeat the command with --idempotency-key ${key}, and it pays only once`,
    );
  const answer = await api
    .call('POST', '/payouts', body, { 'Idempotency-Key': key })
    .catch((error: CommandError) => {
      throw unknown(error.code, error.message);
    });
  if (answer.status < 500) return answer;
  const { code = 'failed', message } = answer.json.error ?? {};
  throw unknown(code, message ?? `The API responded with status ${answer.status}`);
}

function payoutResult(answer: ApiAnswer): CommandResult {
  const payout = accepted(answer);
  const { reference, status, stage, amount, fee, currency, destination } = payout;
  const state = stage === null ? status : `${status} (${stage})`;
  const to = destination.phone ?? destination.account;
  return {
    json: payout,
    text: `${reference}: ${amount} ${currency} to ${to}, fee ${fee}, ${state}`,
  };
}

/** A decision about one's own payout, by the API. */
function decision(name: 'cancel' | 'approve', summary: string): CommandUnknownOpts {
  return command(name, summary)
    .argument(PAYOUT_ARGUMENT, 'of the payout')
    .addOption(apiOption)
    .addOption(secretFromStdin('key', 'the key'))
    .addOption(secretInPlain('key'))
    .action(
      runAlone(async (printer, named, options) => {
        const api = await openMerchantApi(printer, options);
        const path = `/payouts/${encodeURIComponent(named)}/${name}`;
        return payoutResult(await api.call('POST', path, '{}'));
      }),
    );
}

const payoutsCancel = decision(
  'cancel',
  'Take back a payout that is not sent yet, by the API, with a key of the merchant',
);

const payoutsApprove = decision(
  'approve',
  'Approve a payout that another owner has ordered, by the API, with a key that its approver made',
);

function payoutTable(payouts: readonly OperatorPayout[]): string {
  return table([
    ['PAYOUT', 'STATUS', 'AMOUNT', 'ENVIRONMENT', 'MERCHANT', 'TO', 'ORDERED', 'DETAIL'],
    ...payouts.map((payout) => [
      payout.reference,
      stateOf(payout),
      amountText(payout.amount_minor, payout.currency),
      payout.environment,
      payout.username,
      payout.phone ?? `…${payout.account_end}`,
      payout.created_at,
      printable(doubtOf(payout)),
    ]),
  ]);
}

const stateOf = ({ status, stage }: OperatorPayout): string =>
  stage === null ? status : `${status} (${stage})`;

function doubtOf({ unsettled_minor, currency, detail }: OperatorPayout): string {
  if (unsettled_minor === 0n) return detail ?? '';
  return `loss of ${amountText(unsettled_minor, currency)}: losses settle`;
}

/** Adds to the API's fields those by which an operator finds the payout in other places. */
function presentForOperator(payout: OperatorPayout): JsonText {
  return withFields(payout, {
    username: payout.username,
    is_in_doubt: payout.is_in_doubt,
    unsettled_loss: new Decimal(formatAmount(payout.unsettled_minor)),
    detail: payout.detail,
    asks: payout.asks,
    asked_at: payout.asked_at,
    idempotency_key: payout.idempotency_key,
    request_id: payout.request_id,
  });
}

async function requirePayout(db: Db, name: string): Promise<OperatorPayout> {
  const payout = await findOperatorPayout(db, plainReference(name));
  if (!payout) throw new CommandError('payout_not_found', `There is no payout ${name}`);
  return payout;
}

function notSettled(
  error: Extract<SettledPayout, { readonly ok: false }>['error'],
  { provider_payment_id, status }: OperatorPayout,
): CommandError {
  switch (error) {
    case 'at_provider': {
      const id = printable(provider_payment_id ?? '');
      return new CommandError(
        'payout_at_provider',
        `The provider has it as ${id}. Look there what became of it, and add --provider-payment ${id}`,
      );
    }
    case 'gateway_is_asked':
      return new CommandError(
        error,
        'The provider was asked about this payout less than half a minute ago, and may be paying it. At first it is asked often: look there again in a few minutes, and repeat the command',
      );
    case 'limit_exceeded':
      return new CommandError(error, 'The wallet is too full to take the money back');
    case 'not_asked':
      return new CommandError(
        'payout_not_sent',
        'Nothing was asked of its provider yet: its merchant can cancel it, and by itself it ends in time',
      );
    default:
      return new CommandError('payout_not_pending', `This payout is ${status}`);
  }
}

export const payouts = group([
  command(
    'create',
    'Pay a phone or a bank account out of a wallet, by the API, with a key of the merchant. Repeating it with the same --idempotency-key makes no second payout',
  )
    .requiredOption('--amount <amount>', 'what the recipient gets, such as 25.00')
    .addOption(currencyOption)
    .option('--phone <phone>', 'the recipient, such as +221770000100')
    .option('--account <account>', 'the recipient: a bank account')
    .option('--bank-code <code>', 'of the bank account')
    .option('--name <name>', 'the name of the recipient; of a bank account it is required')
    .addOption(wordOption('--name-check <how>', 'what another name leads to', NAME_CHECKS))
    .option('--no-confirm', 'stop for a look at the name that was found')
    .option('--description <description>', 'the recipient sees it if the operator can show it')
    // --key is the secret one.
    .option('--idempotency-key <key>', 'an idempotency key', idempotencyKey('idempotency-key'))
    .addOption(apiOption)
    .addOption(secretFromStdin('key', 'the key'))
    .addOption(secretInPlain('key'))
    .action(
      runAlone(async (printer, options) => {
        const { currency, phone, account, bankCode, name, nameCheck, confirm, description } =
          options;
        if ((phone === undefined) === (account === undefined)) {
          throw new CommandError('usage', 'Either --phone or --account is required');
        }
        if (account !== undefined && name === undefined) {
          throw new CommandError('usage', '--name is required: the holder of the bank account');
        }
        const amount = new Decimal(formatAmount(readAmount(options.amount, currency)));
        const destination =
          account === undefined
            ? { type: 'mobile_money', phone }
            : { type: 'bank', account, name, bank_code: bankCode };
        const body = renderJson({
          amount,
          currency,
          destination,
          name: account === undefined ? name : undefined,
          name_check: nameCheck,
          confirm,
          description,
        });
        const api = await openMerchantApi(printer, options);
        const key = options.idempotencyKey ?? randomUUID();
        printer.note(`Idempotency key: ${key}`);
        return payoutResult(await orderOnce(api, body, key));
      }),
    ),
  command('list', 'List payouts, newest first')
    .addOption(userFilter)
    .addOption(environmentFilter)
    .addOption(wordOption('--status <status>', 'in this state only', PAYOUT_STATUSES))
    .option('--in-doubt', 'only what an operator has to look at, oldest first')
    .addOption(limitOption)
    .action(
      run(async ({ db }, { user: username, environment, status, inDoubt, limit }) => {
        const user_id = username === undefined ? undefined : (await requireUser(db, username)).id;
        if (inDoubt && (username ?? environment ?? status) !== undefined) {
          throw new CommandError('usage', '--in-doubt lists those of all accounts');
        }
        const found = inDoubt
          ? await listPayoutsInDoubt(db, limit)
          : await listOperatorPayouts(db, { user_id, environment, status }, limit);
        return {
          json: { payouts: found.map(presentForOperator) },
          text: found.length === 0 ? 'There are no such payouts.' : payoutTable(found),
        };
      }),
    ),
  command('show', 'Show a payout, what has happened to it, and its workflow')
    .argument(PAYOUT_ARGUMENT, 'of the payout')
    .action(
      run(async (context, name) => {
        const payout = await requirePayout(context.db, name);
        const { id, environment, username, reference, currency } = payout;
        const [workflow, timeline] = await Promise.all([
          readWorkflowState(context, pursuitWorkflowId('payout', environment, id)),
          listPayoutTimeline(context.db, id),
        ]);
        const shown = presentForOperator(payout);
        return {
          json: {
            payout: shown,
            timeline: timeline.map((entry) => ({ ...entry })),
            workflow: { ...workflow },
          },
          text: [
            `${reference}: ${amountText(payout.amount_minor, currency)} paid out by ${username} (${environment}), ${stateOf(payout)}`,
            table(fieldRows(shown, ['reference', 'amount', 'currency', 'status'])),
            describeTimeline(timeline),
            describeWorkflow(workflow),
          ].join('\n\n'),
        };
      }),
    ),
  payoutsCancel,
  payoutsApprove,
  command(
    'settle',
    'Say what became of a payout whose provider does not: paid, or not paid and its money back in the wallet',
  )
    .argument(PAYOUT_ARGUMENT, 'of the payout')
    .option('--paid', 'the provider has paid it')
    .option('--not-paid', 'the provider has not paid it, and never will')
    .option(
      '--provider-payment <id>',
      "the provider's id of it, where it has one: who decides has looked there",
    )
    .option('--reason <reason>', 'why: for the merchant, and the audit log', readReason)
    .action(
      run(async (context, name, options) => {
        const { db, actor } = context;
        const { paid: is_paid = false, notPaid = false, reason = '' } = options;
        if (is_paid === notPaid)
          throw new CommandError('usage', 'Give either --paid or --not-paid');
        const { id } = await requirePayout(db, name);
        const provider_payment = options.providerPayment ?? null;
        const settled = await settlePayout(
          { db, actor },
          { payout: id, is_paid, provider_payment, reason },
        );
        if (!settled.ok) {
          if ('approval' in settled) throw awaitsApproval(settled);
          throw notSettled(settled.error, await requirePayout(db, id));
        }
        await pursueFrom(context)('payout', [id]);
        const payout = await requirePayout(db, id);
        const { reference, username, currency, amount_minor, fee_minor } = payout;
        const text = is_paid
          ? `Settled ${reference}: ${amountText(amount_minor, currency)} was paid`
          : `Settled ${reference}: ${amountText(amount_minor + fee_minor, currency)} is in the wallet of ${username} again`;
        return { json: presentForOperator(payout), text };
      }),
    ),
]);

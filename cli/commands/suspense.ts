// Money in suspense, which no intent could take: listed, accepted for the merchant, refunded, or
// closed.

import type { Db } from '../../db/connect';
import { findSuspense, listSuspense, type SuspenseItem } from '../../db/suspense/suspense';
import { isUuid, pursuitWorkflowId } from '../../domain/ids';
import type { JsonValue } from '../../domain/json';
import { amountJson, formatAmount } from '../../domain/money';
import { acceptItem, closeItem, refundItem, type ClosedItem } from '../../use-cases/suspense';
import { awaitsApproval } from './approvals';
import { command, group, run } from '../command';
import { CommandError } from '../error';
import { amountText } from '../intent-text';
import { readReason, shortText } from '../options';
import { pursuerOf } from '../pursuit-wakeup';
import { gatewayIsAsked, refundAtGateway } from '../refund-text';
import { table } from '../table';
import { printable } from '../terminal';
import { withTemporal } from '../temporal';
import { waitUntil } from '../wait';

/** Several calls of the gateway fit into it; the workflow continues for as long as it takes. */
const ANSWERED_WITHIN_MS = 30_000;

/** Says what has become of the latest order, in the gateway's words. */
function refundText({ refund }: SuspenseItem): string {
  if (refund === null) return '';
  return refund.detail === null ? refund.status : `${refund.status}: ${printable(refund.detail)}`;
}

function refundedText({ amount_minor, currency, resolved_at, reference }: SuspenseItem): string {
  return `Refunded ${amountText(amount_minor, currency)} at ${resolved_at}. ${reference}`;
}

function pendingText({ amount_minor, currency, refund, ...item }: SuspenseItem): string {
  const why = refund?.detail ? `: ${printable(refund.detail)}` : '';
  return (
    `The gateway has the refund of ${amountText(amount_minor, currency)} and has not finished it${why}. ` +
    `The item stays refunding until then, which may take days; ${workflowOf(item)} follows it.`
  );
}

function workflowOf({ environment, id }: Pick<SuspenseItem, 'environment' | 'id'>): string {
  return pursuitWorkflowId('suspense-refund', environment, id);
}

function unanswered(item: SuspenseItem): CommandError {
  return new CommandError(
    'refund_under_way',
    `The refund is ordered, and the gateway has not answered yet; its workflow ${workflowOf(item)} continues. Repeat the command to see the result`,
  );
}

async function notClosed(
  db: Db,
  id: string,
  error: Extract<ClosedItem, { readonly ok: false }>['error'],
): Promise<CommandError> {
  switch (error) {
    case 'refunding':
      return new CommandError(
        'suspense_refunding',
        'A refund is under way. Look at the gateway: if it has made none, and never will, close the item with --gateway-made-no-refund',
      );
    case 'at_gateway':
      return refundAtGateway((await findSuspense(db, id))!.refund!.refund_id!);
    case 'gateway_is_asked':
      return gatewayIsAsked();
    default:
      return refusal(error);
  }
}

const REFUSALS = {
  not_found: ['suspense_not_found', 'There is no such item in suspense'],
  no_merchant: [
    'no_merchant',
    'The money belongs to no payment intent of ours, so no merchant can have it: refund it with suspense refund',
  ],
  limit_exceeded: [
    'limit_exceeded',
    'It is above a limit of the account (users limits): accept it when there is room, or raise the limit',
  ],
  not_closable: [
    'intent_not_closable',
    'Its payment intent has ended, or has another currency, so it cannot end with this money: accept it without --closes-intent',
  ],
  accepted: ['suspense_accepted', 'It was accepted before'],
  refunding: ['suspense_refunding', 'It is being refunded: suspense refund continues the refund'],
  refunded: ['suspense_refunded', 'It was refunded before'],
  closed: [
    'suspense_closed',
    'It was closed before, because it was paid back outside of the gateway',
  ],
} as const;

function refusal(error: keyof typeof REFUSALS): CommandError {
  const [code, message] = REFUSALS[error];
  return new CommandError(code, message);
}

function present({ amount_minor, refund, ...item }: SuspenseItem): Record<string, JsonValue> {
  return { ...item, refund: refund && { ...refund }, amount: amountJson(amount_minor) };
}

export const suspense = group([
  command(
    'list',
    'List money that waits for a decision, live money first, then the oldest; with --all the decided items too, the newest first',
  )
    .option('--all', 'the decided ones too')
    .action(
      run(async ({ db }, options) => {
        const items = await listSuspense(db, options.all === true);
        const rows = items.map((item) => [
          item.id,
          item.status,
          amountText(item.amount_minor, item.currency),
          item.environment,
          item.username ?? '(none)',
          item.reason,
          item.intent_id ?? '(unknown)',
          item.created_at,
          refundText(item),
        ]);
        const header = ['ID', 'STATUS', 'AMOUNT', 'ENVIRONMENT', 'MERCHANT', 'REASON', 'INTENT'];
        return {
          json: { items: items.map(present) },
          text:
            items.length === 0
              ? 'Nothing is in suspense.'
              : table([[...header, 'RECEIVED', 'REFUND'], ...rows]),
        };
      }),
    ),
  command(
    'accept',
    "Credit the money to the merchant's wallet; with --closes-intent its payment link ends as succeeded with what arrived",
  )
    .argument('<id>', 'of the item')
    .option('--closes-intent', 'end its payment link with this money')
    .option('--reason <reason>', 'why: for the audit log', readReason)
    .action(
      run(async (context, id, options) => {
        const { db, system, actor } = context;
        const { reason = '' } = options;
        const { pay_url_base } = system;
        const closes_intent = options.closesIntent ? { pay_url_base } : undefined;
        const accepted = await acceptItem({ db, actor, reason, closes_intent }, id);
        if (!accepted.ok)
          throw 'approval' in accepted ? awaitsApproval(accepted) : refusal(accepted.error);
        const { item, reference, balance_minor } = accepted;
        const { username, environment, currency, amount_minor } = item;
        return {
          json: {
            ...present(item),
            accepted_as: reference,
            balance: amountJson(balance_minor),
          },
          text: `Credited ${amountText(amount_minor, currency)} to ${username} (${environment}); the balance is ${formatAmount(balance_minor)} ${currency}. ${reference}`,
        };
      }),
    ),
  command(
    'refund',
    'Have the gateway refund the money; repeating it continues the same refund, or orders another one after a failure',
  )
    .argument('<id>', 'of the item')
    .option('--reason <reason>', 'why: for the audit log', readReason)
    .action(
      run(async (context, id, { reason = '' }) => {
        const { db } = context;
        // The connection comes before the order: a refund without a workflow would not be followed.
        const refunded = await withTemporal(context, async (client) => {
          const pursue = await pursuerOf(context, client);
          const waitFor = <T>(look: () => Promise<T | undefined>): Promise<T | undefined> =>
            waitUntil(ANSWERED_WITHIN_MS, look);
          return refundItem({ db, actor: context.actor, reason, pursue, waitFor }, id);
        });
        if (!refunded.ok) {
          if ('approval' in refunded) throw awaitsApproval(refunded);
          if (refunded.error === 'unanswered') throw unanswered((await findSuspense(db, id))!);
          if (refunded.error !== 'gateway_refused') throw refusal(refunded.error);
          const message = `The gateway made no refund, and the item is held again: ${refunded.message}`;
          throw new CommandError('gateway_refused', message);
        }
        const { item, is_pending } = refunded;
        return { json: present(item), text: is_pending ? pendingText(item) : refundedText(item) };
      }),
    ),
  command(
    'close',
    'Close an item whose money was paid back outside of the gateway; REF names that payment',
  )
    .argument('<id>', 'of the item')
    .requiredOption('--reason <reason>', 'why: for the audit log', readReason)
    .requiredOption('--reference <ref>', 'of that payment', shortText('reference', 200))
    .option('--gateway-made-no-refund', 'the gateway has made no refund, and never will')
    .option('--gateway-refund <id>', 'the gateway has this refund of it, and will never make it')
    .action(
      run(async ({ db, actor }, id, options) => {
        const { reason, reference, gatewayRefund: gateway_refund = null } = options;
        const has_looked = options.gatewayMadeNoRefund === true || gateway_refund !== null;
        const order = isUuid(id) && has_looked ? (await findSuspense(db, id))?.refund : null;
        const closed = await closeItem({ db }, id, {
          reason,
          reference,
          unmade_order: order?.number ?? null,
          gateway_refund,
          actor,
        });
        if (!closed.ok) {
          if ('approval' in closed) throw awaitsApproval(closed);
          throw await notClosed(db, id, closed.error);
        }
        const { item } = closed;
        const amount = amountText(item.amount_minor, item.currency);
        const paid_by = printable(item.closed_reference!);
        return {
          json: present(item),
          text: `Closed: ${amount} was paid back by hand (${paid_by}). ${item.reference}`,
        };
      }),
    ),
]);

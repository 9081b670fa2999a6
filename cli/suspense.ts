// Money in suspense, which no intent could take: listed, accepted for the merchant, or refunded.

import { listSuspense, type SuspenseItem } from '../db/suspense';
import { suspenseRefundWorkflowId } from '../domain/ids';
import type { JsonValue } from '../domain/json';
import { amountJson, formatAmount } from '../domain/money';
import { acceptItem, refundItem, type RefundResult } from '../use-cases/suspense';
import type { Command, CommandContext } from './command';
import { CommandError } from './error';
import { amountText } from './intent-text';
import { table } from './table';
import { chainOf, isOutOfTime, withTemporal } from './temporal';

/** Time for several calls of the gateway; the workflow continues for as long as it takes. */
const REFUND_WITHIN_MS = 30_000;

const suspenseList: Command = {
  usage: 'suspense list [--all]',
  summary: 'List money that waits for a decision, oldest first; with --all the decided items too',
  async run({ db, options }) {
    const items = await listSuspense(db, options.has('all'));
    const rows = items.map((item) => [
      item.id,
      item.status,
      amountText(item.amount_minor, item.currency),
      item.environment,
      item.username ?? '(nobody)',
      item.reason,
      item.intent_id ?? '(unknown)',
      item.created_at,
    ]);
    const header = ['ID', 'STATUS', 'AMOUNT', 'ENVIRONMENT', 'MERCHANT', 'REASON', 'INTENT'];
    return {
      json: { items: items.map(present) },
      text:
        items.length === 0 ? 'Nothing is in suspense.' : table([[...header, 'RECEIVED'], ...rows]),
    };
  },
};

const suspenseAccept: Command = {
  usage: 'suspense accept --id ID',
  summary: "Credit the money to the merchant's wallet",
  async run({ db, options }) {
    const accepted = await acceptItem({ db }, options.required('id'));
    if (!accepted.ok) throw refusal(accepted.error);
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
  },
};

const suspenseRefund: Command = {
  usage: 'suspense refund --id ID',
  summary: 'Have the gateway refund the money; repeating it continues the same refund',
  async run(context) {
    const { db, options } = context;
    const id = options.required('id');
    const refund = (item_id: string): Promise<RefundResult> => startRefund(context, item_id);
    const refunded = await refundItem({ db, refund }, id);
    if (!refunded.ok) {
      if (refunded.error === 'in_progress') throw inProgress(id);
      if (refunded.error !== 'gateway_refused') throw refusal(refunded.error);
      const message = `The gateway refused: ${refunded.message}`;
      throw new CommandError('gateway_refused', message);
    }
    const { item } = refunded;
    return {
      json: present(item),
      text: `Refunded ${amountText(item.amount_minor, item.currency)} at ${item.resolved_at}. ${item.reference}`,
    };
  },
};

async function startRefund(context: CommandContext, item_id: string): Promise<RefundResult> {
  const { task_queue } = context.config;
  const { refundSuspense } = await import('../temporal/suspense.js');
  try {
    await withTemporal(context, (client) => {
      const deadline = Date.now() + REFUND_WITHIN_MS;
      return refundSuspense(client, { task_queue, item_id, deadline });
    });
    return { result: 'finished' };
  } catch (error) {
    if (isOutOfTime(error)) return { result: 'in_progress' };
    const message = gatewayRefusal(error);
    if (message === undefined) throw error;
    return { result: 'refused', message };
  }
}

/** The gateway's own message, which the failures of the activity and the workflow wrap. */
function gatewayRefusal(error: unknown): string | undefined {
  const refused = chainOf(error).find(
    (cause) => (cause as { type?: unknown }).type === 'gateway_refused',
  );
  return refused?.message;
}

function inProgress(id: string): CommandError {
  return new CommandError(
    'refund_under_way',
    `The refund is not finished yet; its workflow ${suspenseRefundWorkflowId(id)} continues. Repeat the command to see the result`,
  );
}

const REFUSALS = {
  not_found: ['suspense_not_found', 'There is no such item in suspense'],
  no_merchant: [
    'no_merchant',
    'The money belongs to no payment intent of ours, so no merchant can have it: refund it with suspense refund',
  ],
  balance_limit: ['balance_limit', 'The wallet cannot hold that much'],
  accepted: ['suspense_accepted', 'It was accepted before'],
  refunding: ['suspense_refunding', 'It is being refunded: suspense refund continues the refund'],
  refunded: ['suspense_refunded', 'It was refunded before'],
} as const;

function refusal(error: keyof typeof REFUSALS): CommandError {
  const [code, message] = REFUSALS[error];
  return new CommandError(code, message);
}

function present({ amount_minor, ...item }: SuspenseItem): Record<string, JsonValue> {
  return { ...item, amount: amountJson(amount_minor) };
}

export const suspenseCommands = [suspenseList, suspenseAccept, suspenseRefund];

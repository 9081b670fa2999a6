// Money that no intent could take: listed, accepted for the merchant, or given back by the gateway.

import type { Client } from '@temporalio/client';
import { acceptSuspense, findSuspense, listSuspense, type SuspenseItem } from '../db/suspense';
import { suspenseRefundWorkflowId, UUID_PATTERN } from '../domain/ids';
import type { JsonValue } from '../domain/json';
import { amountJson, formatAmount } from '../domain/money';
import { CommandError, table, type Command, type CommandContext } from './command';
import { isOutOfTime, withTemporal } from './temporal';

const CHECK_VIOLATION = '23514';
/** Several tries of the gateway; the workflow goes on for as long as it takes. */
const REFUND_WITHIN_MS = 30_000;

export const suspenseList: Command = {
  usage: 'suspense list [--all]',
  summary: 'List money that waits for a decision, oldest first; with --all the decided too',
  options: [],
  flags: ['all'],
  async run({ db, options }) {
    const items = await listSuspense(db, options.has('all'));
    const rows = items.map((item) => [
      item.id,
      item.status,
      amountText(item),
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

export const suspenseAccept: Command = {
  usage: 'suspense accept --id ID',
  summary: "Credit the money to the merchant's wallet",
  options: ['id'],
  async run(context) {
    const item = await requireItem(context);
    const { id, status, username, currency, environment } = item;
    if (status !== 'held') throw notHeld(status);
    if (username === null) {
      throw new CommandError(
        'no_merchant',
        'It names no intent of ours, so nobody can have it: suspense refund gives it back',
      );
    }
    const { reference, balance_minor } = await accept(context, id);
    return {
      json: {
        ...present((await findSuspense(context.db, id))!),
        accepted_as: reference,
        balance: amountJson(balance_minor),
      },
      text: `Credited ${amountText(item)} to ${username} (${environment}); the balance is ${formatAmount(balance_minor)} ${currency}. ${reference}`,
    };
  },
};

async function accept({ db }: CommandContext, id: string): ReturnType<typeof acceptSuspense> {
  try {
    return await acceptSuspense(db, id);
  } catch (error) {
    if ((error as { code?: unknown }).code !== CHECK_VIOLATION) throw error;
    const { status } = (await findSuspense(db, id))!;
    // Somebody else decided a moment ago.
    if (status !== 'held') throw notHeld(status);
    throw new CommandError('balance_limit', 'The wallet cannot hold that much');
  }
}

const NOT_HELD = {
  accepted: 'It was accepted before',
  refunding: 'It is being refunded: ask suspense refund again to go on with it',
  refunded: 'It was refunded before',
} as const;

function notHeld(status: Exclude<SuspenseItem['status'], 'held'>): CommandError {
  return new CommandError(`suspense_${status}`, NOT_HELD[status]);
}

export const suspenseRefund: Command = {
  usage: 'suspense refund --id ID',
  summary: 'Have the gateway give the money back; asking again goes on with the same refund',
  options: ['id'],
  async run(context) {
    const item = await requireItem(context);
    if (item.status === 'accepted') throw notHeld(item.status);
    if (item.status !== 'refunded') {
      await withTemporal(context, (client) => refund(client, context.config.task_queue, item.id));
    }
    const after = (await findSuspense(context.db, item.id))!;
    if (after.status !== 'refunded') throw notHeld(after.status as 'accepted');
    return {
      json: present(after),
      text: `Refunded ${amountText(after)} at ${after.resolved_at}. ${after.reference}`,
    };
  },
};

/** One refund, however often it is asked for: one workflow at a time, and one key at the gateway. */
async function refund(client: Client, taskQueue: string, item_id: string): Promise<void> {
  const workflowId = suspenseRefundWorkflowId(item_id);
  try {
    await client.connection.withDeadline(Date.now() + REFUND_WITHIN_MS, async () => {
      const handle = await client.workflow.start('suspenseRefund', {
        workflowId,
        taskQueue,
        args: [item_id],
        workflowIdConflictPolicy: 'USE_EXISTING',
        // After a refusal it may be asked for again.
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      });
      await handle.result();
    });
  } catch (error) {
    if (isOutOfTime(error)) {
      throw new CommandError(
        'refund_under_way',
        `It is not done yet, and ${workflowId} goes on with it: ask again, or look at it in Temporal's UI`,
      );
    }
    throw refusalIn(error) ?? error;
  }
}

/** The gateway's own words, from under the failures of the workflow and its activity. */
function refusalIn(error: unknown): CommandError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { type } = cause as { type?: unknown };
    if (type === 'gateway_refused') {
      return new CommandError('gateway_refused', `The gateway refused: ${cause.message}`);
    }
  }
  return undefined;
}

const UUID = new RegExp(UUID_PATTERN);

async function requireItem({ db, options }: CommandContext): Promise<SuspenseItem> {
  const id = options.required('id');
  const item = UUID.test(id) ? await findSuspense(db, id) : undefined;
  if (!item) throw new CommandError('suspense_not_found', 'There is no such item in suspense');
  return item;
}

function present({ amount_minor, ...item }: SuspenseItem): Record<string, JsonValue> {
  return { ...item, amount: amountJson(amount_minor) };
}

function amountText({ amount_minor, currency }: SuspenseItem): string {
  return `${formatAmount(amount_minor)} ${currency}`;
}

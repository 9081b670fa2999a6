// Has the workflow of a payout look at it now, for a command that has ended it.

import { findPayoutToFollow, type PayoutToFollow } from '../db/payouts/payouts';
import type { CommandContext } from './context';
import { withTemporal } from './temporal';

const WAKE_WITHIN_MS = 5_000;

export async function wakePayoutById(context: CommandContext, id: string): Promise<void> {
  const payout = await findPayoutToFollow(context.db, id);
  if (payout) await wakePayout(context, payout);
}

/** Without Temporal its workflow sees it when it asks the next time. */
export async function wakePayout(context: CommandContext, payout: PayoutToFollow): Promise<void> {
  const { createPayoutWaker } = await import('../temporal/payouts.js');
  try {
    await withTemporal(context, (client) => {
      const send = createPayoutWaker(client, context.config.task_queue);
      return client.connection.withDeadline(Date.now() + WAKE_WITHIN_MS, () => send(payout));
    });
  } catch (error) {
    context.note(
      `The payout has ended; its workflow sees it when Temporal is back: ${String(error)}`,
    );
  }
}

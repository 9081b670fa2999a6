// Has the workflow of a refund look at it now, for a command that has ordered or ended it.

import { findRefundsToFollow, type RefundToFollow } from '../db/refunds/refunds';
import type { CommandContext } from './context';
import { withTemporal } from './temporal';

const WAKE_WITHIN_MS = 5_000;

export async function wakePaymentRefundById(context: CommandContext, id: string): Promise<void> {
  for (const refund of await findRefundsToFollow(context.db, [id])) {
    await wakePaymentRefund(context, refund);
  }
}

/** Wakes the refund's workflow. The sweeper starts it when Temporal is away. */
export async function wakePaymentRefund(
  context: CommandContext,
  refund: RefundToFollow,
): Promise<void> {
  const { createPaymentRefundWaker } = await import('../temporal/refunds.js');
  try {
    await withTemporal(context, (client) => {
      const send = createPaymentRefundWaker(client, context.config.task_queue);
      return client.connection.withDeadline(Date.now() + WAKE_WITHIN_MS, () => send(refund));
    });
  } catch (error) {
    const what =
      refund.status === 'pending'
        ? 'The refund is ordered; it is made when Temporal is back'
        : 'The refund has ended; its workflow sees it when Temporal is back';
    context.note(`${what}: ${String(error)}`);
  }
}

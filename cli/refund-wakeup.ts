// Has the workflow of a refund ask the gateway now, for a command that has ordered it.

import type { RefundToFollow } from '../db/refunds';
import type { CommandContext } from './context';
import { withTemporal } from './temporal';

const WAKE_WITHIN_MS = 5_000;

/** When Temporal is away, the sweeper starts it. */
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
    context.note(`The refund is ordered; it is made when Temporal is back: ${String(error)}`);
  }
}

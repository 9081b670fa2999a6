// Wakes the workflows of webhook endpoints after a command has queued deliveries.

import { CommandError } from './error';
import { withTemporal, type TemporalContext } from './temporal';

const WAKE_WITHIN_MS = 5_000;

/**
 * Returns false when Temporal cannot be reached: the workers then find the deliveries within
 * seconds.
 */
export async function wakeEndpoints(
  context: TemporalContext,
  ids: readonly string[],
): Promise<boolean> {
  if (ids.length === 0) return true;
  const { createEndpointWaker } = await import('../temporal/webhook-endpoints.js');
  let is_woken = true;
  try {
    await withTemporal(context, (client) =>
      client.connection.withDeadline(Date.now() + WAKE_WITHIN_MS, async () => {
        const waker = createEndpointWaker({
          temporal: client,
          task_queue: context.config.task_queue,
          onError: () => {
            is_woken = false;
          },
        });
        waker.wake(ids);
        await waker.flush();
      }),
    );
    return is_woken;
  } catch (error) {
    // Temporal is away, but the command's changes are committed.
    if (error instanceof CommandError) return false;
    throw error;
  }
}

/** A line to append to a command's text. */
export function wakeText(is_woken: boolean): string {
  return is_woken
    ? ''
    : '\nTemporal cannot be reached: workers start by themselves within seconds.';
}

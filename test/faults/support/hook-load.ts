// Events committed at a fixed pace as ends of intents commit them.

import { setInterval as ticks } from 'node:timers/promises';
import { addEvents } from '../../support/webhooks';
import type { ExperimentContext } from './experiment';
import type { Hook } from './hooks';
import type { Load } from './load';
import { createRandom } from './random';
import { FAULT_SEED } from './settings';

/** Commits. False when the commit failed: whether it was made is seen in the table. */
export async function publish(
  { cluster }: ExperimentContext,
  hooks: readonly Hook[],
  count = 1,
): Promise<boolean> {
  try {
    await addEvents(cluster.database, hooks, count);
    return true;
  } catch {
    return false;
  }
}

export interface HookLoadOptions {
  readonly hooks: readonly Hook[];
  readonly per_second?: number;
}

const PER_SECOND = 40;
/** Postgres may be away: what could not be committed is not waited for. */
const MAX_UNDER_WAY = 60;

export function startHookLoad(
  context: ExperimentContext,
  { hooks, per_second = PER_SECOND }: HookLoadOptions,
): Load {
  const random = createRandom(FAULT_SEED, `${context.code} events`);
  const under_way = new Set<Promise<void>>();
  const clock = new AbortController();
  let failed = 0;
  const pace = async (): Promise<void> => {
    for await (const _ of ticks(1_000 / per_second)) {
      if (clock.signal.aborted) return;
      if (under_way.size >= MAX_UNDER_WAY) continue;
      const publishing = publish(context, [random.pick(hooks)])
        .then((isCommitted) => {
          if (!isCommitted) failed += 1;
        })
        .finally(() => under_way.delete(publishing));
      under_way.add(publishing);
    }
  };
  const pacing = pace();
  return {
    async stop() {
      clock.abort();
      await pacing;
      await Promise.all(under_way);
      if (failed > 0) context.note('failed_commits', failed);
    },
  };
}

// Events committed at a fixed pace as ends of intents commit them, and their endpoints woken as the
// service's processes do; some are not woken, as when a process dies between its commit and its signal.

import { setInterval as ticks } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { createEndpointWaker } from '../../../temporal/webhook-endpoints';
import { addEvents } from '../../support/webhooks';
import { TASK_QUEUE } from './cluster';
import type { ExperimentContext } from './experiment';
import type { Hook } from './hooks';
import type { Load } from './load';
import { createRandom } from './random';
import { FAULT_SEED } from './settings';

export interface Publisher {
  /** Commits, and wakes the endpoints unless `is_untold`. False when the commit failed. */
  publish(hooks: readonly Hook[], options?: PublishOptions): Promise<boolean>;
  wake(hooks: readonly Hook[]): void;
}

export interface PublishOptions {
  readonly count?: number;
  readonly is_untold?: boolean;
}

/** Keeps a client of Temporal for as long as the experiment goes on. */
export async function openPublisher(context: ExperimentContext): Promise<Publisher> {
  const { cluster } = context;
  const connection = await Connection.connect({ address: cluster.temporal_address });
  let failed_wakes = 0;
  const waker = createEndpointWaker({
    temporal: new Client({ connection }),
    task_queue: TASK_QUEUE,
    onError: () => {
      failed_wakes += 1;
    },
  });
  context.onEnd(async () => {
    await waker.flush();
    if (failed_wakes > 0) context.note('failed_wakes', failed_wakes);
    await connection.close();
  });
  return {
    async publish(hooks, { count = 1, is_untold = false } = {}) {
      try {
        const { wake } = await addEvents(cluster.database, hooks, count);
        if (!is_untold) waker.wake(wake);
        return true;
      } catch {
        // Whether it was committed is seen in the table.
        return false;
      }
    },
    wake(hooks) {
      waker.wake(hooks.map(({ id }) => id));
    },
  };
}

export interface HookLoadOptions {
  readonly hooks: readonly Hook[];
  readonly per_second?: number;
  /** How many of them are committed without waking their endpoint. */
  readonly untold_share?: number;
}

const PER_SECOND = 40;
const UNTOLD_SHARE = 0.1;
/** Postgres may be away: what could not be committed is not waited for. */
const MAX_UNDER_WAY = 60;

export function startHookLoad(
  context: ExperimentContext,
  publisher: Publisher,
  { hooks, per_second = PER_SECOND, untold_share = UNTOLD_SHARE }: HookLoadOptions,
): Load {
  const random = createRandom(FAULT_SEED, `${context.code} events`);
  const under_way = new Set<Promise<void>>();
  const clock = new AbortController();
  let failed = 0;
  const pace = async (): Promise<void> => {
    for await (const _ of ticks(1_000 / per_second)) {
      if (clock.signal.aborted) return;
      if (under_way.size >= MAX_UNDER_WAY) continue;
      const options = { is_untold: random.chance(untold_share) };
      const publishing = publisher
        .publish([random.pick(hooks)], options)
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

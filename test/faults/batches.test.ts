// A bulk transfer of 10,000, and a payout batch, while what carries them out is killed: each item is posted once, or
// paid once, none is lost, and the batch comes to its end by itself.

import { setTimeout as delay } from 'node:timers/promises';
import { MAX_STEP_ITEMS } from '../../domain/batch-limits';
import { waitFor } from '../support/wait';
import {
  judgeBulk,
  judgePayoutBulk,
  lookAtBulk,
  orderBulk,
  orderPayoutBulk,
  OVER_WITHIN_MS,
} from './support/bulk';
import { useCluster, type ExperimentContext } from './support/experiment';
import type { Cluster } from './support/cluster';

const ITEMS = 10_000;
const PAYOUTS = 150;

async function untilBegun(context: ExperimentContext, id: string): Promise<void> {
  await waitFor(async () => {
    const row = await lookAtBulk(context, id);
    return row !== undefined && (row.completed > 0 || row.status !== 'processing');
  }, OVER_WITHIN_MS);
}

async function countPosting({ cluster }: ExperimentContext): Promise<number> {
  const { rows } = (await cluster.db.raw(
    `select 1 from pg_stat_activity where query like '%advance_transfer_batch%' and state <> 'idle'
        and pid <> pg_backend_pid()`,
  )) as { rows: unknown[] };
  return rows.length;
}

/** Waits until a payout batch is within one of its two steps, or past it. Returns how many items were done. */
async function untilStep(
  { cluster }: ExperimentContext,
  id: string,
  step: string,
): Promise<number> {
  interface Row {
    readonly id: string;
    readonly step: string | null;
    readonly next_index: number;
  }
  return waitFor(async () => {
    // Undefined while Postgres is away.
    const found = cluster.db<Row>('payout_batches').where({ id }).first();
    const row = await found.catch(() => undefined);
    if (row === undefined) return undefined;
    const isPast = row.step === null || (row.step === 'send' && step === 'check');
    const isThere = row.step === step && row.next_index > 0;
    return (isThere || isPast) && { done: row.next_index };
  }, OVER_WITHIN_MS).then(({ done }) => done);
}

/** Waits until the one statement of an atomic batch runs, or is over. */
async function untilPosting(context: ExperimentContext, id: string): Promise<void> {
  await waitFor(async () => {
    const row = await lookAtBulk(context, id);
    return (await countPosting(context)) > 0 || (row && row.status !== 'processing');
  }, OVER_WITHIN_MS);
}

describe('batches', () => {
  const experiment = useCluster();

  experiment(
    'F1 a bulk transfer loses and doubles nothing when workers are killed',
    async (context) => {
      const { cluster } = context;
      const ordered = await orderBulk(context, ITEMS);
      await untilBegun(context, ordered.id);
      for (const worker of cluster.workers) {
        await worker.kill();
        await delay(100);
      }
      await Promise.all(cluster.workers.map((worker) => worker.start()));
      await judgeBulk(context, ordered);
    },
  );

  experiment('F2 a bulk transfer goes on when the API that took it is killed', async (context) => {
    const { cluster } = context;
    const ordered = await orderBulk(context, ITEMS);
    // The API may not even have started the workflow's first task.
    await cluster.apis[0]!.kill();
    await untilBegun(context, ordered.id);
    await cluster.apis[1]!.kill();
    await Promise.all(cluster.apis.map((api) => api.start()));
    await judgeBulk(context, ordered);
  });

  experiment('F3 a bulk transfer goes on when Temporal is killed', async (context) => {
    const { cluster } = context;
    const ordered = await orderBulk(context, ITEMS);
    await untilBegun(context, ordered.id);
    await cluster.temporal.kill();
    await cluster.temporal.start();
    await judgeBulk(context, ordered);
  });

  experiment(
    'F4 a bulk transfer loses and doubles nothing when Postgres is killed',
    async (context) => {
      const { cluster } = context;
      const ordered = await orderBulk(context, ITEMS);
      await untilBegun(context, ordered.id);
      await cluster.postgres.kill();
      await cluster.postgres.start();
      await judgeBulk(context, ordered);
    },
  );

  experiment('F4 an atomic one is posted once and whole', async (context) => {
    const { cluster } = context;
    const ordered = await orderBulk(context, MAX_STEP_ITEMS, 'atomic');
    await untilPosting(context, ordered.id);
    await cluster.postgres.kill();
    await cluster.postgres.start();
    await judgeBulk(context, ordered);
  });

  experiment(
    'F6 an atomic one is posted once and whole when every process stands still',
    async (context) => {
      const { cluster } = context;
      const processes = [...cluster.workers, ...cluster.apis];
      const ordered = await orderBulk(context, MAX_STEP_ITEMS, 'atomic');
      await untilPosting(context, ordered.id);
      for (const one of processes) one.freeze();
      // Postgres goes on alone: with the one statement, or with the end of its session.
      await waitFor(async () => (await countPosting(context)) === 0, OVER_WITHIN_MS);
      for (const one of processes) one.thaw();
      await judgeBulk(context, ordered);
    },
  );

  const VICTIMS: Readonly<Record<string, (cluster: Cluster) => readonly Victim[]>> = {
    'F1 workers are': ({ workers }) => workers,
    'F2 APIs are': ({ apis }) => apis,
    'F3 Temporal is': ({ temporal }) => [temporal],
    'F4 Postgres is': ({ postgres }) => [postgres],
    'F9 the operator is': ({ gateway }) => [gateway],
  };
  for (const [who, victimsOf] of Object.entries(VICTIMS)) {
    const [code, ...words] = who.split(' ');
    const title = `${code} a payout batch pays each item once when ${words.join(' ')} killed`;
    experiment(title, async (context) => {
      const victims = victimsOf(context.cluster);
      const ordered = await orderPayoutBulk(context, PAYOUTS);
      let started: Promise<unknown> = Promise.resolve();
      for (const step of ['check', 'send']) {
        // The first that is up again goes on at once: the next kill finds it at work.
        context.note(`killed_in_${step}_at`, await untilStep(context, ordered.id, step));
        await started;
        await Promise.all(victims.map((victim) => victim.kill()));
        started = Promise.all(victims.map((victim) => victim.start()));
      }
      await started;
      context.healed_at = Date.now();
      await judgePayoutBulk(context, ordered);
    });
  }
});

interface Victim {
  kill(): Promise<void>;
  start(): Promise<void>;
}

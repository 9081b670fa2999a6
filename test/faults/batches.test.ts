// A bulk transfer of 10,000 while what carries it out is killed: each item is posted once, none is lost, and
// the batch comes to its end by itself.

import { setTimeout as delay } from 'node:timers/promises';
import { verifyLedger } from '../../db/verify';
import { waitFor } from '../support/wait';
import { useCluster, type ExperimentContext } from './support/experiment';
import { buildUsers, type FundedUser } from './support/users';

const ITEMS = 10_000;
const RECIPIENTS = 20;
/** On a machine that does other work, too. */
const OVER_WITHIN_MS = 120_000;

interface Ordered {
  readonly id: string;
  readonly sender: FundedUser;
  readonly recipients: readonly FundedUser[];
}

interface Row {
  readonly status: string;
  readonly completed: number;
  readonly failed: number;
}

/** Not of the experiment's own users, whose money is counted by the load. */
async function order(
  { cluster }: ExperimentContext,
  mode: 'independent' | 'atomic' = 'independent',
): Promise<Ordered> {
  const [sender, ...recipients] = await buildUsers(cluster.db, 1 + RECIPIENTS);
  const transfers = Array.from({ length: ITEMS }, (_, i) => ({
    to_username: recipients[i % RECIPIENTS]!.username,
    currency: 'EUR',
    amount: 0.01,
    // Half of them are also single transfers' keys.
    ...(i % 2 === 0 ? { idempotency_key: `item-${i}` } : {}),
  }));
  const response = await fetch(`${cluster.apis[0]!.base_url}/transfer-batches`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${sender!.keys.live}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': 'wages',
    },
    body: JSON.stringify({ transfers, mode }),
  });
  const { id } = (await response.json()) as { readonly id: string };
  expect([response.status, id]).toEqual([202, expect.any(String)]);
  return { id, sender: sender!, recipients };
}

/** Undefined while Postgres is away. */
async function look({ cluster }: ExperimentContext, id: string): Promise<Row | undefined> {
  return cluster.db<Row & { id: string }>('transfer_batches').where({ id }).first().catch(noRow);
}

const noRow = (): undefined => undefined;

async function untilBegun(context: ExperimentContext, id: string): Promise<void> {
  await waitFor(async () => {
    const row = await look(context, id);
    return row !== undefined && (row.completed > 0 || row.status !== 'processing');
  }, OVER_WITHIN_MS);
}

async function judge(context: ExperimentContext, { id, sender, recipients }: Ordered) {
  const { cluster } = context;
  const row = await waitFor(async () => {
    const found = await look(context, id);
    return found !== undefined && found.status !== 'processing' && found;
  }, OVER_WITHIN_MS);
  expect(row).toMatchObject({ status: 'completed', completed: ITEMS, failed: 0 });
  const balance = async ({ id: user_id }: FundedUser): Promise<bigint> => {
    const wallet = { user_id, environment: 'live', currency: 'EUR', kind: 'wallet' };
    const found = await cluster.db('ledger_accounts').where(wallet).first('balance_minor');
    return (found as { balance_minor: bigint }).balance_minor;
  };
  expect(sender.funds.EUR - (await balance(sender))).toBe(BigInt(ITEMS));
  for (const recipient of recipients) {
    expect((await balance(recipient)) - recipient.funds.EUR).toBe(BigInt(ITEMS / RECIPIENTS));
  }
  const [posted] = await cluster.db('transfers').where({ batch_id: id }).count();
  expect(Number(posted!['count'])).toBe(ITEMS);
  expect(await verifyLedger(cluster.db)).toEqual([]);
}

describe('batches', () => {
  const experiment = useCluster();

  experiment(
    'F1 a bulk transfer loses and doubles nothing when workers are killed',
    async (context) => {
      const { cluster } = context;
      const ordered = await order(context);
      await untilBegun(context, ordered.id);
      for (const worker of cluster.workers) {
        await worker.kill();
        await delay(100);
      }
      await Promise.all(cluster.workers.map((worker) => worker.start()));
      await judge(context, ordered);
    },
  );

  experiment('F2 a bulk transfer goes on when the API that took it is killed', async (context) => {
    const { cluster } = context;
    const ordered = await order(context);
    // At once: it may not even have started the workflow's first task.
    await cluster.apis[0]!.kill();
    await untilBegun(context, ordered.id);
    await cluster.apis[1]!.kill();
    await Promise.all(cluster.apis.map((api) => api.start()));
    await judge(context, ordered);
  });

  experiment('F3 a bulk transfer goes on when Temporal is killed', async (context) => {
    const { cluster } = context;
    const ordered = await order(context);
    await untilBegun(context, ordered.id);
    await cluster.temporal.kill();
    await cluster.temporal.start();
    await judge(context, ordered);
  });

  experiment(
    'F4 a bulk transfer loses and doubles nothing when Postgres is killed',
    async (context) => {
      const { cluster } = context;
      const ordered = await order(context);
      await untilBegun(context, ordered.id);
      await cluster.postgres.kill();
      await cluster.postgres.start();
      await judge(context, ordered);
    },
  );

  experiment('F4 an atomic one is posted once and whole', async (context) => {
    const { cluster } = context;
    const ordered = await order(context, 'atomic');
    // In the middle of its one transaction.
    await waitFor(async () => {
      const { rows } = (await cluster.db.raw(
        `select 1 from pg_stat_activity where query like '%post_atomic_items%' and pid <> pg_backend_pid()`,
      )) as { rows: unknown[] };
      const row = await look(context, ordered.id);
      return rows.length > 0 || row?.status !== 'processing';
    }, OVER_WITHIN_MS);
    await cluster.postgres.kill();
    await cluster.postgres.start();
    await judge(context, ordered);
  });
});

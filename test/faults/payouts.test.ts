// Payouts are ordered, sent and settled while everything around them is killed, frozen and cut off: no order is paid
// twice, each ends as the operator says, and every unit is somewhere.

import { randomUUID } from 'node:crypto';
import { ENVIRONMENTS } from '../../domain/environment';
import type { Faults } from '../../dev/simulators/gateway/faults';
import { setFaults } from '../support/sandbox-gateway';
import { waitFor } from '../support/wait';
import type { Cluster } from './support/cluster';
import { underLoad, useCluster, type ExperimentContext } from './support/experiment';
import { buildMerchants, createPayouts, runPayout, type PayoutRecord } from './support/payout-load';
import { percentile } from './support/percentile';
import { frozen, killed, pause } from './support/plan';
import { FAULT_SECONDS } from './support/settings';

async function spoil({ gateway }: Cluster, faults: Partial<Faults>): Promise<void> {
  for (const environment of ENVIRONMENTS) await setFaults(gateway, environment, faults);
}

/** Longer than a heartbeat's time: what a frozen process was doing is given to another one. */
const FROZEN_MS = [6_000, 9_000] as const;
/** Longer than an order may be late. */
const LATE_MS = [11_000, 14_000] as const;

describe('payouts', () => {
  const experiment = useCluster();

  /** Again and again for as long as the load lasts, once at least. */
  const underFaults = (
    title: string,
    fault: (context: ExperimentContext) => Promise<void>,
    is_gateway_hit = false,
  ): void =>
    experiment(title, async (context) => {
      let faults = 0;
      const plan = async ({ until }: { readonly until: number }): Promise<void> => {
        do {
          await pause(context.random, 300, 1_500);
          await fault(context);
          faults += 1;
        } while (Date.now() < until);
      };
      await underLoad(context, plan, { callers: 4, payout_options: {}, is_gateway_hit });
      context.note('faults_made', faults);
    });

  underFaults('F31 none is paid twice when workers and APIs are killed', async (context) => {
    const { cluster, random } = context;
    const victims = [
      random.pick(cluster.workers),
      ...(random.chance(0.6) ? [random.pick(cluster.apis)] : []),
    ];
    await killed(random, victims, 0, 800);
  });

  underFaults('F31 none is paid twice when processes are frozen', async (context) => {
    const { cluster, random } = context;
    const victims = [random.pick(cluster.workers), random.pick(cluster.apis)];
    for (const victim of victims) victim.freeze();
    const [from, to] = random.chance(0.5) ? FROZEN_MS : LATE_MS;
    await pause(random, from, to);
    for (const victim of victims) victim.thaw();
  });

  underFaults('F31 none is paid twice when Temporal is killed or frozen', async (context) => {
    const { cluster, random } = context;
    if (random.chance(0.5)) {
      await killed(random, [cluster.temporal], 500, 3_000);
    } else {
      await frozen(random, [cluster.temporal], 2_000, 5_000);
    }
  });

  underFaults('F31 none is paid twice when Postgres is killed or frozen', async (context) => {
    const { cluster, random } = context;
    if (random.chance(0.7)) {
      await killed(random, [cluster.postgres], 0, 1_500);
    } else {
      await frozen(random, [cluster.postgres], 1_000, 4_000);
    }
  });

  underFaults(
    'F31 none is paid twice when the operator is killed or frozen',
    async ({ cluster, random }) => {
      const { gateway } = cluster;
      if (random.chance(0.6)) {
        await killed(random, [gateway], 0, 2_000);
      } else {
        await frozen(random, [gateway], 1_000, 4_000);
      }
    },
    true,
  );

  underFaults(
    'F31 none is paid twice over a bad line to the operator',
    async ({ cluster, random }) => {
      const { calls, notifications } = cluster.links;
      const line = random.chance(0.7) ? calls : notifications;
      line.set(
        random.pick([
          { line: 'cut' } as const,
          { line: 'silent' } as const,
          { delay_ms: random.integer(100, 1_500) },
          { loseAnswer: () => random.chance(0.5) },
        ]),
      );
      await pause(random, 500, 3_000);
      line.set({});
    },
    true,
  );

  underFaults(
    'F31 none is paid twice by a slow or failing operator',
    async ({ cluster, random }) => {
      const only = random.pick(['payout', 'find_payout', 'cancel_payout', 'check_payout'] as const);
      await spoil(
        cluster,
        random.pick([
          { only, fail: '5xx' } as const,
          { only, fail: '5xx', after_work: true } as const,
          { only, fail: 'reset', after_work: true } as const,
          { only, fail: 'hang' } as const,
          { only, answer_after_timeout: true },
          { only, delay_ms: 3_000 },
        ]),
      );
      await pause(random, 500, 3_000);
      await spoil(cluster, {});
    },
    true,
  );

  experiment('F31 a slow operator of payouts delays no other caller', async (context) => {
    const { cluster, random } = context;
    context.onEnd(() => spoil(cluster, {}));
    const span = FAULT_SECONDS * 1_000;
    let slow_since = Infinity;
    let slow_until = Infinity;
    const plan = async (): Promise<void> => {
      await pause(random, span, span);
      slow_since = Date.now();
      for (const fault of [{ delay_ms: 30_000 }, { fail: 'hang' } as const]) {
        await spoil(cluster, fault);
        await pause(random, span / 2, span);
      }
      slow_until = Date.now();
      await spoil(cluster, {});
    };
    // The load is as small as before: otherwise the retries would be measured.
    const payout_options = { per_second: 4, max_under_way: 20 };
    await underLoad(context, plan, { callers: 4, payout_options, is_gateway_hit: true });
    const transfers = context.records.flatMap(({ attempts }) => attempts);
    const timesOf = (from: number, to: number): number[] =>
      transfers.filter(({ at }) => at >= from && at < to).map(({ ms }) => ms);
    const calm = percentile(timesOf(0, slow_since), 0.95);
    const slow = percentile(timesOf(slow_since, slow_until), 0.95);
    context.note('calm_p95_ms', Math.round(calm));
    context.note('slow_p95_ms', Math.round(slow));
    const failed = transfers.filter(({ status }) => status === undefined || status >= 500);
    if (failed.length > 0) context.faults.push(`${failed.length} transfers failed beside it`);
    if (slow > 5 * calm + 1_000) context.faults.push(`transfers took ${slow} ms, not ${calm} ms`);
  });

  /** Orders of one merchant, all at once, to both APIs. */
  async function orderAtOnce(
    context: ExperimentContext,
    records: readonly PayoutRecord[],
  ): Promise<void> {
    const { cluster, client, payouts } = context;
    payouts.push(...records);
    const give_up_at = Date.now() + 60_000;
    const options = { client, apis: cluster.apis, give_up_at };
    await Promise.all(records.map((record) => runPayout(record, options)));
    context.healed_at = Date.now();
  }

  const plain = {
    environment: 'sandbox',
    phone: '+221770000100',
    is_confirmed: false,
    is_canceled: false,
    is_repeated: false,
  } as const;

  experiment('F31 one key sent 64 times at once is paid once', async (context) => {
    const [merchant] = await buildMerchants(context.cluster);
    const make = createPayouts([merchant!], context.random);
    const one = { ...make(), ...plain };
    const copies = Array.from({ length: 64 }, (_, first_api) => ({ ...one, first_api }));
    await orderAtOnce(context, copies);
    expect(copies[0]!.final?.status).toBe(201);
    expect(new Set(copies.map(({ final }) => final?.text)).size).toBe(1);
  });

  experiment('F31 64 orders over a wallet for ten are ten payouts', async (context) => {
    const [merchant] = await buildMerchants(context.cluster);
    const make = createPayouts([merchant!], context.random);
    const amount = Number(merchant!.funds.XOF) / 100 / 10;
    const orders = Array.from({ length: 64 }, () => ({ ...make(), ...plain, amount }));
    await orderAtOnce(context, orders);
    expect(orders.filter(({ final }) => final?.status === 201)).toHaveLength(10);
  });

  /** Every process dies when `hasHappened`, and others go on. */
  const whenAllDie = (
    title: string,
    {
      before,
      hasHappened,
    }: {
      readonly before: (cluster: Cluster) => Promise<void>;
      readonly hasHappened: (row: Readonly<Record<string, unknown>>) => boolean;
    },
  ): void =>
    experiment(title, async (context) => {
      const { cluster, client } = context;
      const [merchant] = await buildMerchants(cluster);
      const key = randomUUID();
      const record = { ...createPayouts([merchant!], context.random)(), ...plain, key };
      context.payouts.push(record);
      await before(cluster);
      await runPayout(record, { client, apis: cluster.apis, give_up_at: Date.now() + 60_000 });
      expect(record.final?.status).toBe(201);
      await waitFor(async () => {
        const { rows } = await cluster.database.owner.raw(
          'select * from payouts where idempotency_key = ?',
          [record.key],
        );
        return hasHappened(rows[0]);
      });
      await Promise.all([...cluster.apis, ...cluster.workers].map((process) => process.kill()));
      await cluster.heal();
      await spoil(cluster, {});
      context.healed_at = Date.now();
    });

  whenAllDie('F31 one that was reserved is paid although its process died before the start', {
    before: ({ temporal }) => temporal.kill(),
    hasHappened: ({ asks }) => asks === 0,
  });

  whenAllDie('F31 one that the operator has paid is settled although every process died before', {
    before: (cluster) => spoil(cluster, { only: 'payout', fail: 'hang', after_work: true }),
    hasHappened: ({ asks, stage }) => asks === 1 && stage === 'unknown',
  });
});

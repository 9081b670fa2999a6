// Payment intents are created, paid, left alone and cancelled while everything around them is
// killed, frozen and cut off. Transfers go on beside them, over the same wallets.

import { ENVIRONMENTS } from '../../domain/environment';
import type { Faults } from '../../dev/simulators/gateway/faults';
import { actAt, listPayments, setFaults } from '../support/sandbox-gateway';
import { waitFor } from '../support/wait';
import { GATEWAY_TIMEOUT_MS } from './support/cluster';
import {
  underLoad,
  useCluster,
  type ExperimentContext,
  type UnderLoadOptions,
} from './support/experiment';
import type { LinkFaults } from './support/link';
import { plainOrder } from './support/orders';
import type { FundedUser } from './support/users';
import { percentile } from './support/percentile';
import { frozen, killed, killWorkers, pause } from './support/plan';
import { startReaders } from './support/readers';
import { FAULT_SECONDS } from './support/settings';
import { orderRecordOf, readCreated, runOrder } from './support/run-order';

/** Payment intents are most of the load here. */
const TRANSFER_CALLERS = 3;

describe('payment intents', () => {
  const experiment = useCluster();

  const withOrders = ({ users }: ExperimentContext): UnderLoadOptions => ({
    callers: TRANSFER_CALLERS,
    order_options: { merchants: users },
    length: 2,
  });

  experiment('F1 payments are booked once when workers are killed', async (context) => {
    await underLoad(context, ({ until }) => killWorkers(context, until), withOrders(context));
  });

  experiment(
    'F1 an expiry under way goes on elsewhere when its process is killed',
    async (context) => {
      const { cluster, client, users, orders } = context;
      const { apis, workers, gateway } = cluster;
      await setFaults(gateway, 'sandbox', { fail: 'hang', only: 'close' });
      const [merchant] = users as [FundedUser];
      const record = orderRecordOf(plainOrder({ key: 'expiring', merchant, expires_in: 3 }));
      orders.push(record);
      await runOrder(record, { client, apis, give_up_at: Date.now() + 30_000 });
      const { id } = readCreated(record.final!);
      await waitFor(async () => {
        const row = await cluster.db('payment_intents').where({ id }).first('checks');
        return Number(row?.checks) > 0;
      });
      // Any of the processes may have it.
      await Promise.all([...apis, ...workers].map((process) => process.kill()));
      await setFaults(gateway, 'sandbox', {});
      await cluster.heal();
      context.healed_at = Date.now();
    },
  );

  experiment('F3 no expiry and no payment is lost while Temporal is away', async (context) => {
    const { cluster, random } = context;
    const { temporal } = cluster;
    await underLoad(
      context,
      async () => {
        await pause(random, 1_500, 2_500);
        await killed(random, [temporal], 3_000, 5_000);
        await pause(random, 3_000, 4_000);
        await frozen(random, [temporal], 6_000, 7_000);
      },
      withOrders(context),
    );
  });

  experiment(
    'F3 a payment is taken while Temporal is frozen, and applied later',
    async (context) => {
      const { cluster, client, users, orders } = context;
      const { apis, gateway, temporal } = cluster;
      const [merchant] = users as [FundedUser];
      const record = orderRecordOf(plainOrder({ key: 'paid-meanwhile', merchant }));
      orders.push(record);
      await runOrder(record, { client, apis, give_up_at: Date.now() + 30_000 });
      temporal.freeze();
      await actAt(readCreated(record.final!).checkout_url, 'pay');
      await waitFor(async () => (await listPayments(gateway, 'sandbox')).undelivered === 0, 20_000);
      temporal.thaw();
      context.healed_at = Date.now();
    },
  );

  experiment('F4 no expiry and no payment is lost while Postgres is away', async (context) => {
    const { cluster, random } = context;
    const { postgres } = cluster;
    await underLoad(
      context,
      async () => {
        await pause(random, 1_500, 2_500);
        await killed(random, [postgres], 6_000, 8_000);
        await pause(random, 2_000, 3_000);
        await frozen(random, [postgres], 5_000, 7_000);
      },
      withOrders(context),
    );
  });

  experiment('F7 payments are booked once over a bad line to the gateway', async (context) => {
    const { cluster, random } = context;
    const { links } = cluster;
    const lines = Object.values(links);
    const bad: Record<string, () => Partial<LinkFaults>> = {
      cut: () => ({ line: 'cut' }),
      silent: () => ({ line: 'silent' }),
      slow: () => ({ delay_ms: random.integer(200, GATEWAY_TIMEOUT_MS) }),
      lossy: () => ({ loseAnswer: () => random.chance(0.3) }),
    };
    const plan = async ({ until }: { readonly until: number }): Promise<void> => {
      do {
        await pause(random, 300, 1_000);
        const line = random.pick(lines);
        line.set(bad[random.pick(Object.keys(bad))]!());
        await pause(random, 500, 4_000);
        line.set({});
      } while (Date.now() < until);
    };
    const before = links.calls.broken() + links.notifications.broken();
    await underLoad(context, plan, { ...withOrders(context), is_gateway_hit: true });
    context.note('broken', links.calls.broken() + links.notifications.broken() - before);
  });

  experiment('F9 a slow, failing or silent gateway delays no other caller', async (context) => {
    const { cluster, client, users, random } = context;
    // Half of them sell; the others transfer and read, and have nothing to do with the gateway.
    const [merchants, others] = [users.slice(0, 4), users.slice(4)];
    const modes: readonly Partial<Faults>[] = [
      { delay_ms: 30_000 },
      { fail: '5xx' },
      { fail: 'reset' },
      { fail: 'reset', after_work: true },
      { fail: 'hang' },
      { answer_after_timeout: true },
    ];
    const switchTo = async (faults: Partial<Faults>): Promise<void> => {
      for (const environment of ENVIRONMENTS) await setFaults(cluster.gateway, environment, faults);
    };
    const readers = startReaders({ cluster, client, users: others });
    context.onEnd(async () => void (await readers.stop()));
    context.onEnd(() => switchTo({}));
    let failing_since = 0;
    const third = (FAULT_SECONDS * 1000) / 3;
    const plan = async (): Promise<void> => {
      await pause(random, 3 * third, 3 * third);
      failing_since = Date.now();
      for (const mode of modes) {
        await switchTo(mode);
        await pause(random, third, 2 * third);
      }
      await switchTo({});
    };
    await underLoad(context, plan, {
      ...withOrders(context),
      users: others,
      // Both halves have as few: otherwise more and more merchants would retry, and the comparison
      // would measure their processor time.
      order_options: { merchants, max_under_way: 20 },
      is_gateway_hit: true,
    });
    const reads = await readers.stop();
    const transfers = context.records.flatMap((record) => record.attempts);
    for (const [what, calls] of Object.entries({ reads, transfers })) {
      const timesOf = (isMeant: (at: number) => boolean): number[] =>
        calls.filter(({ at }) => isMeant(at)).map(({ ms }) => ms);
      const calm = percentile(
        timesOf((at) => at < failing_since),
        0.95,
      );
      const failing = percentile(
        timesOf((at) => at >= failing_since && at < context.healed_at),
        0.95,
      );
      context.note(`${what}_p95_ms_calm`, calm);
      context.note(`${what}_p95_ms_failing`, failing);
      context.note(`${what}_p95_ratio`, Math.round((100 * failing) / Math.max(1, calm)) / 100);
      // A request that waited for the gateway would wait until its timeout.
      if (failing >= GATEWAY_TIMEOUT_MS) context.faults.push(`${what}: p95 was ${failing} ms`);
    }
    for (const { path, status } of reads) {
      if (status !== 200) context.faults.push(`GET ${path} answered ${status}`);
    }
    const told = new Set(context.orders.flatMap((it) => it.attempts.map(({ status }) => status)));
    expect([...told]).toEqual(expect.arrayContaining([201, 502, 504]));
  });
});

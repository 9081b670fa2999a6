// All faults at random, and all kinds of load, for as long as one likes:
//
//   npm run faults -- --seed 7 --minutes 30

import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Faults } from '../../dev/simulators/gateway/faults';
import { environmentsOf, setFaults } from '../support/sandbox-gateway';
import { judgeBulk, orderBulk, type OrderedBulk } from './support/bulk';
import type { Cluster, System } from './support/cluster';
import { underLoad, useCluster, type ExperimentContext } from './support/experiment';
import { pause } from './support/plan';
import { END_SESSIONS } from './support/sessions';
import { whyNoDisks, type SmallDisk } from './support/small-disk';
import type { Random } from './support/random';
import { FAULT_SECONDS, NEMESIS_SECONDS } from './support/settings';

const MINUTE_MS = 60_000;
const BULK_ITEMS = 400;
const PAYOUTS_PER_SECOND = 4;
const FROZEN_IS_AWAY = { connectionTimeoutMillis: 1_000, query_timeout: 1_000 };

async function spoilGateway({ gateway }: System, faults: Partial<Faults>): Promise<void> {
  for (const environment of environmentsOf(gateway)) await setFaults(gateway, environment, faults);
}

/** Each may happen at any moment, beside any other; `heal` undoes it. */
type Nemeses = Readonly<Record<string, () => Promise<void> | void>>;

function nemesesOfAll(system: System, random: Random) {
  return {
    ended_sessions: async () => {
      const { owner_url } = system.database;
      const client = new Client({ connectionString: owner_url, ...FROZEN_IS_AWAY });
      // Postgres may be down or frozen by now.
      await client
        .connect()
        .then(() => client.query(END_SESSIONS))
        .catch(() => undefined);
      // Not awaited: one that never got through has nothing to end.
      void client.end().catch(() => undefined);
    },
    failing_gateway: () =>
      spoilGateway(system, { fail: random.pick(['5xx', 'reset', 'hang'] as const) }),
  };
}

function nemesesOfCluster(cluster: Cluster, random: Random): Nemeses {
  const { apis, workers, temporal, postgres, gateway, links, lines, disks } = cluster;
  const processes = [...apis, ...workers];
  const { ended_sessions, failing_gateway } = nemesesOfAll(cluster, random);
  const anyLine = () => random.pick([...Object.values(lines), ...Object.values(links)]);
  return {
    killed_process: () => random.pick(processes).kill(),
    killed_gateway: () => gateway.kill(),
    killed_temporal: () => temporal.kill(),
    killed_postgres: () => postgres.kill(),
    frozen_process: () => random.pick(processes).freeze(),
    frozen_temporal: () => temporal.freeze(),
    frozen_postgres: () => postgres.freeze(),
    frozen_gateway: () => gateway.freeze(),
    stopped_process: async () => {
      const process = random.pick(processes);
      // A frozen one hears nothing.
      process.thaw();
      await process.terminate();
    },
    cut_line: () => anyLine().set({ line: 'cut' }),
    silent_line: () => anyLine().set({ line: 'silent' }),
    slow_line: () => anyLine().set({ delay_ms: random.integer(50, 400) }),
    lost_answers: () => links.calls.set({ loseAnswer: () => random.chance(0.3) }),
    wrong_clock: () =>
      cluster.setClock(
        random.pick(processes).name,
        random.pick([-60, -10, 10, 60].map((minutes) => minutes * MINUTE_MS)),
      ),
    ended_sessions,
    // A seed has another plan without disks that can be filled (small-disk.ts).
    ...(disks ? { full_disk: () => random.pick(Object.values(disks) as SmallDisk[]).fill() } : {}),
    failing_gateway,
  };
}

async function wreak<S extends System>(
  context: ExperimentContext<S>,
  nemeses: Nemeses,
): Promise<void> {
  const { cluster, random, users } = context;
  const names = Object.keys(nemeses);
  const counts = new Map<string, number>();
  const bulks: OrderedBulk[] = [];
  // The folder that a failure keeps says what was done, and what it waited for at last.
  const note = (step: string): void =>
    appendFileSync(join(cluster.folder, 'nemesis.log'), `${new Date().toISOString()} ${step}\n`);
  const heal = async (): Promise<void> => {
    note('heal');
    await cluster.heal();
    await spoilGateway(cluster, {});
  };
  await underLoad(
    context,
    async ({ until }) => {
      do {
        note('order a bulk transfer');
        bulks.push(await orderBulk(context, BULK_ITEMS));
        for (let left = random.integer(1, 3); left > 0; left -= 1) {
          const name = random.pick(names);
          counts.set(name, (counts.get(name) ?? 0) + 1);
          note(name);
          // A gateway that is down cannot be told to fail.
          await Promise.resolve(nemeses[name]!()).catch((error: unknown) => {
            if (cluster.gateway.isRunning()) throw error;
          });
          await pause(random, 200, 2_500);
        }
        await heal();
        await pause(random, 500, 2_000);
      } while (Date.now() < until);
    },
    {
      length: NEMESIS_SECONDS / FAULT_SECONDS,
      order_options: { merchants: users },
      payout_options: { per_second: PAYOUTS_PER_SECOND },
      is_gateway_hit: true,
    },
  );
  note('judge');
  for (const bulk of bulks) await judgeBulk(context, bulk);
  context.note('bulk_transfers', bulks.length * BULK_ITEMS);
  for (const [name, count] of counts) context.note(name, count);
}

describe('everything', () => {
  const experiment = useCluster({
    lines: true,
    clocks: true,
    disks: whyNoDisks() === undefined,
  });
  experiment('F5 nothing is lost or doubled, whatever happens', (context) =>
    wreak(context, nemesesOfCluster(context.cluster, context.random)),
  );
});

// A Postgres of three hosts fails over under load, in twenty rounds: npm run test:failover. Each round is judged as a fault
// experiment is: every answer is compared with the books, and the books with themselves.

import { setTimeout as delay } from 'node:timers/promises';
import { isFinal, type OperationRecord } from '../faults/support/caller';
import { judgeBulk, orderBulk, type OrderedBulk } from '../faults/support/bulk';
import { startCluster, type Cluster } from '../faults/support/cluster';
import { underLoad, useSystem, type ExperimentContext } from '../faults/support/experiment';
import { pause } from '../faults/support/plan';
import { waitFor } from '../support/wait';
import { openPatroni, type Patroni } from './support/cluster';
import { writeFigures, type Figure } from './support/figures';
import type { Direction, Node } from './support/nodes';
import { startWitness } from './support/witness';

/** Workflows that were under way come back after timeouts of seconds, and three servers want a processor as well. */
const SLOWNESS = 4;
const FROZEN_MS = 60_000;
const FULL_MS = 20_000;
const GONE_MS = 15_000;
const LAG_MS = 5_000;
const TEMPORAL_AWAY_MS = 5_000;
const BULK_ITEMS = 200;
const START_LIMIT_MS = 300_000;

let patroni: Patroni;

const experiment = useSystem(
  () =>
    startCluster({
      openPostgres: async (folder) => (patroni = await openPatroni(folder)),
      slowness: SLOWNESS,
    }),
  START_LIMIT_MS,
);

/** Every transfer's final answer with 200: when it came, and when it was asked for. */
function answersOf(records: readonly OperationRecord[]) {
  return records.flatMap(({ attempts }) =>
    attempts
      .filter((attempt) => isFinal(attempt) && attempt.status === 200)
      .slice(0, 1)
      .map(({ at, ms }) => ({ asked_at: at, answered_at: at + ms })),
  );
}

/** The longest time from this moment on in which no transfer was answered. */
function longestGap(records: readonly OperationRecord[], from: number): number {
  const moments = answersOf(records)
    .map(({ answered_at }) => answered_at)
    .filter((at) => at > from)
    .sort((one, other) => one - other);
  return moments.reduce(
    ({ last, longest }, at) => ({ last: at, longest: Math.max(longest, at - last) }),
    { last: from, longest: 0 },
  ).longest;
}

interface Fault {
  /** Given the primary. Resolves when the fault is there. */
  readonly strike: (primary: Node, context: ExperimentContext) => Promise<void> | void;
  /** Writes stop until it is undone, so many ms later: what counts is the time from then on. */
  readonly undone_after_ms?: number;
  /** It stays for so long, though another host has taken over. */
  readonly stays_ms?: number;
}

const cut = (direction: Direction): Fault => ({ strike: (primary) => primary.cut(direction) });

const killed_postgres: Fault = { strike: (primary) => primary.killPostgres() };
const killed_host: Fault = { strike: (primary) => primary.kill() };
const switchover: Fault = { strike: () => patroni.switchover() };
const frozen: Fault = { strike: (primary) => primary.freeze(), stays_ms: FROZEN_MS };
const full_disk: Fault = { strike: (primary) => primary.disk.fill(), undone_after_ms: FULL_MS };
const both_standbys: Fault = {
  async strike() {
    const { sync, other } = await patroni.standbys();
    await Promise.all([sync.kill(), other.kill()]);
  },
  undone_after_ms: GONE_MS,
};
const lagging_standby: Fault = {
  async strike(primary) {
    const { other } = await patroni.standbys();
    other.freezeReceiver();
    await delay(1_000);
    await primary.kill();
    // With one host dead and another behind, the third has no standby, and answers no write until the other one goes on.
    await delay(LAG_MS);
    other.thaw();
  },
};
const withTemporal = ({ strike }: Fault): Fault => ({
  async strike(primary, context) {
    const { temporal } = context.cluster;
    await Promise.all([temporal.kill(), strike(primary, context)]);
    await delay(TEMPORAL_AWAY_MS);
    await temporal.start();
  },
});

const ROUNDS: readonly (readonly [title: string, fault: Fault])[] = [
  ['Postgres of the primary killed', killed_postgres],
  ['host of the primary killed', killed_host],
  ['switchover', switchover],
  ['primary frozen for 60 s, and back', frozen],
  ['line of the primary cut both ways', cut('both ways')],
  ['line cut, nothing leaves the primary', cut('from it')],
  ['line cut, nothing reaches the primary', cut('to it')],
  ['disk of the primary full', full_disk],
  ['both standbys gone', both_standbys],
  ['a standby that lags, and the host of the primary killed', lagging_standby],
  ['Postgres of the primary killed, and Temporal', withTemporal(killed_postgres)],
  ['switchover, and Temporal killed', withTemporal(switchover)],
  ['Postgres of the primary killed', killed_postgres],
  ['host of the primary killed', killed_host],
  ['switchover', switchover],
  ['line of the primary cut both ways', cut('both ways')],
  ['Postgres of the primary killed', killed_postgres],
  ['host of the primary killed, and Temporal', withTemporal(killed_host)],
  ['primary frozen for 60 s, and back', frozen],
  ['Postgres of the primary killed', killed_postgres],
];

const figures: Figure[] = [];

describe('a Postgres that fails over', () => {
  ROUNDS.forEach(([title, fault], index) => {
    experiment(`H${index + 1} ${title}`, (context) => strike(context, title, fault));
  });

  afterAll(() => {
    // A part of the rounds, or some that failed, tell nothing about the whole.
    if (figures.length === ROUNDS.length) writeFigures(figures);
  });
});

async function strike(context: ExperimentContext<Cluster>, title: string, fault: Fault) {
  const { records, random, users, faults } = context;
  const [one, other, ...rest] = users;
  let bulk: OrderedBulk | undefined;
  let counted_from = 0;
  await underLoad(
    context,
    async () => {
      const witness = startWitness(context, [one!, other!]);
      context.onEnd(async () => void (await witness.stop()));
      await pause(random, 2_000, 4_000);
      bulk = await orderBulk(context, BULK_ITEMS);
      const primary = await patroni.primary();
      const struck_at = Date.now();
      await fault.strike(primary, context);
      counted_from = struck_at;
      if (fault.undone_after_ms === undefined) {
        // Until then the primary may have answered: some faults take a moment.
        await awaitWrites(records, Date.now());
        await delay(Math.max(0, struck_at + (fault.stays_ms ?? 0) - Date.now()));
      } else {
        await delay(fault.undone_after_ms);
        counted_from = Date.now();
      }
      await context.cluster.heal();
      await awaitWrites(records, Date.now());
      context.note('pages_read', await witness.stop());
    },
    {
      users: rest,
      order_options: { merchants: rest, per_second: 2 },
      payout_options: { per_second: 1 },
      is_gateway_hit: true,
    },
  );
  const outage_ms = longestGap(records, counted_from);
  context.note('outage_ms', outage_ms);
  await judgeBulk(context, bulk!);
  if (faults.length === 0) figures.push({ title, outage_ms });
}

/** A transfer that was asked for after this moment was answered. */
async function awaitWrites(records: readonly OperationRecord[], after: number): Promise<void> {
  await waitFor(() => answersOf(records).some(({ asked_at }) => asked_at > after));
}

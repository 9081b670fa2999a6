// F30: load of every kind, nothing goes wrong, and nothing goes on growing that should not:
//
//   npm run faults -- --soak --minutes 60

import { judgeBulk, orderBulk, type OrderedBulk } from './support/bulk';
import { underLoad, useCluster, type ExperimentContext } from './support/experiment';
import { takeSample, type Sample } from './support/gauges';
import { findGrowth, findGrowthPer, type Growth, type GrowthRule } from './support/growth';
import { pause } from './support/plan';
import { FAULT_SECONDS, SOAK_SECONDS } from './support/settings';

/** A process is still warming up in a shorter run, which only shows its figures. */
const JUDGED_FROM_SECONDS = 300;
const SAMPLES = 240;
const BULK_EVERY = 12;
const BULK_ITEMS = 400;
/** Steady, and not all that the machine can do: it does the checks as well. */
const CALLERS = 4;
const ORDERS_PER_SECOND = 4;
const PAYOUTS_PER_SECOND = 2;

/** The beginning of a name selects its rule; figures are megabytes, or pieces. */
const RULES: readonly (readonly [name: string, unit: string, rule: GrowthRule])[] = [
  ['memory of ', 'MB', { share: 0.1, besides: 16 }],
  // Each action of a schedule, one in two seconds here, makes the server connect to itself, for five minutes.
  ['descriptors of temporal', '', { share: 0, besides: 300 }],
  ['descriptors of ', '', { share: 0, besides: 20 }],
  ['sessions of ', '', { share: 0, besides: 5 }],
  ['open workflows', '', { share: 0.5, besides: 50 }],
  ['size of temporal.db-wal', 'MB', { share: 0, besides: 32 }],
  ['size of pg_wal', 'MB', { share: 0, besides: 128 }],
  ['size of the error logs', 'MB', { share: 0, besides: 1 }],
];

/** These keep what happened: each operation may add as much as before. */
const PER_OPERATION: readonly string[] = [
  'size of the database',
  'size of temporal.db',
  'size of the access logs',
];
const AS_BEFORE: GrowthRule = { share: 0.5, besides: 1_024 };

/** Judges each figure over all samples. */
function judgeSamples(samples: readonly Sample[], operations: readonly number[]): Growth[] {
  const names = [...samples[0]!.keys()];
  return names.map((name) => {
    const values = samples.map((sample) => sample.get(name)!);
    if (PER_OPERATION.includes(name))
      return findGrowthPer({ name, unit: 'bytes an operation', values }, operations, AS_BEFORE);
    const [, unit, rule] = RULES.find(([beginning]) => name.startsWith(beginning))!;
    return findGrowth({ name, unit, values }, rule);
  });
}

function countOperations({ records, orders, payouts }: ExperimentContext): number {
  return records.length + orders.length + payouts.length;
}

describe('the rule of a soak', () => {
  const minutes = Array.from({ length: 30 }, (_, minute) => minute);
  const memory = (values: readonly number[]): Growth =>
    findGrowth({ name: 'memory', unit: 'MB', values }, RULES[0]![2]);

  it('finds what grows all the time, and nothing that only goes up and down', () => {
    expect(memory(minutes.map((minute) => 100 + 4 * minute)).grows).toBe(true);
    expect(memory(minutes.map((minute) => 100 + 30 * (minute % 3))).grows).toBe(false);
    expect(memory(minutes.map((minute) => Math.min(160, 100 + 8 * minute))).grows).toBe(false);
  });

  it('finds that each operation adds more than before', () => {
    const judge = (values: readonly number[]): Growth =>
      findGrowthPer({ name: 'size', unit: 'bytes', values }, minutes, AS_BEFORE);
    expect(judge(minutes.map((minute) => 5_000 * minute)).grows).toBe(false);
    expect(judge(minutes.map((minute) => 300 * minute * minute)).grows).toBe(true);
  });
});

describe('a soak', () => {
  const experiment = useCluster();

  experiment('F30 nothing goes on growing under steady load', async (context) => {
    const { cluster, random, users, faults } = context;
    const bulks: OrderedBulk[] = [];
    const samples: Sample[] = [];
    const operations: number[] = [];
    const every_ms = (SOAK_SECONDS * 1_000) / SAMPLES;
    await underLoad(
      context,
      async ({ until }) => {
        for (let turn = 0; Date.now() < until; turn += 1) {
          if (turn % BULK_EVERY === 0) bulks.push(await orderBulk(context, BULK_ITEMS));
          samples.push(await takeSample(cluster));
          operations.push(countOperations(context));
          await pause(random, every_ms, every_ms);
        }
      },
      {
        callers: CALLERS,
        length: SOAK_SECONDS / FAULT_SECONDS,
        order_options: { merchants: users, per_second: ORDERS_PER_SECOND },
        payout_options: { per_second: PAYOUTS_PER_SECOND },
      },
    );
    for (const bulk of bulks) await judgeBulk(context, bulk);
    context.note('bulk_transfers', bulks.length * BULK_ITEMS);
    context.note('samples', samples.length);
    const is_judged = SOAK_SECONDS >= JUDGED_FROM_SECONDS;
    for (const growth of judgeSamples(samples, operations)) {
      const words = describeGrowth(growth);
      process.stdout.write(`${words}\n`);
      if (growth.grows && is_judged) faults.push(`grows: ${words}`);
    }
    if (!is_judged) process.stdout.write(`Not judged: below ${JUDGED_FROM_SECONDS} seconds.\n`);
  });
});

function describeGrowth({ name, unit, from, to }: Growth): string {
  return `${name}: ${Math.round(from)} → ${Math.round(to)} ${unit}`.trimEnd();
}

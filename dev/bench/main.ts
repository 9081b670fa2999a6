// `npm run bench [-- --json]`: every figure beside its floor, measured in turns
// in one run, because on a shared machine only ratios mean something. docs/performance.md explains them.

import { cpus } from 'node:os';
import { Client } from 'pg';
import { onStage, type BenchUser, type Stage } from './contestants';
import type { LoadJob } from './load';
import { createGuards } from './guards';
import { fillHistory, instantBefore } from './history';
import { measureIntents } from './intents';
import { measurePayouts } from './payouts';
import { inRounds, medians, ratio, type RoundPlan, type Rounds } from './rounds';
import { median, round, type Summary } from './stats';
import { describeWebhooks, measureWebhooks, WEBHOOK_PLAN } from './webhooks';

const JOB = { warmup_seconds: 1.5, seconds: 5 };
const PLAN: RoundPlan = { ...JOB, rounds: 3 };
const CLIENTS = [1, 16, 64, 256];
/** Neighbours take minutes: `npm run bench:webhooks` has them too. */
const WEBHOOKS = { ...WEBHOOK_PLAN, steady: 500, neighbour_rounds: 0 };
const READ_CLIENTS = 16;
/** Clients at which transfers go also back and forth between two users. */
const HOT_CLIENTS = 64;
const HISTORY_ROWS = { small: 100, large: 1_000_000 } as const;

async function measureAll(stage: Stage, log: Log) {
  const transfers = await measureTransfers(stage, log);
  const guards = await measureGuards(stage, log);
  const reads = await measureReads(stage, log);
  const intents = await measureIntents(stage, PLAN, log);
  const payouts = await measurePayouts(stage, PLAN, log);
  const webhooks = await measureWebhooks(stage, WEBHOOKS, log);
  const history = await measureHistory(stage, log);
  const ratios = {
    ...webhooks.ratios,
    transfer_p50_1_to_floor: ratio(transfers, 'transfer_1', 'floor_1', 'p50_ms'),
    transfer_rate_16_to_floor: ratio(transfers, 'transfer_16', 'floor_16', 'rate'),
    transfer_rate_64_to_floor: ratio(transfers, 'transfer_64', 'floor_64', 'rate'),
    transfer_rate_256_to_floor: ratio(transfers, 'transfer_256', 'floor_256', 'rate'),
    hot_rate_64_to_rate_64: ratio(transfers, 'hot_64', 'transfer_64', 'rate'),
    limited_rate_64_to_plain: ratio(guards, 'limited_64', 'plain_64', 'rate'),
    charged_rate_64_to_plain: ratio(guards, 'charged_64', 'plain_64', 'rate'),
    watched_rate_64_to_plain: ratio(guards, 'watched_64', 'plain_64', 'rate'),
    all_guards_rate_64_to_plain: ratio(guards, 'guarded_64', 'plain_64', 'rate'),
    reads_to_bare_route: Math.min(
      ratio(reads, 'wallets', 'bare', 'rate'),
      ratio(reads, 'transactions', 'bare', 'rate'),
    ),
    transactions_to_bare_page: ratio(reads, 'transactions', 'bare_page', 'rate'),
    // An empty workflow's first answer and the gateway's own time are what a creation must cost.
    intent_creation_to_floor: round(
      median(
        intents.map(
          ({ create_1, gateway_1, floor_1 }) =>
            (create_1!.p50_ms - gateway_1!.p50_ms) / floor_1!.p50_ms,
        ),
      ),
    ),
    settlement_p50_to_floor: ratio(intents, 'settle_1', 'floor_1', 'p50_ms'),
    settlement_p99_to_floor: ratio(intents, 'settle_1', 'floor_1', 'p99_ms'),
    payout_order_rate_16_to_floor: ratio(payouts, 'order_16', 'floor_16', 'rate'),
    payout_rate_16_to_floor: ratio(payouts, 'payout_16', 'floor_16', 'rate'),
    transactions_1e6_to_100: Math.max(
      ratio(history, 'large_first', 'small_first', 'p50_ms'),
      ratio(history, 'large_deep', 'small_deep', 'p50_ms'),
    ),
  };
  return {
    ratios,
    conditions: { node: process.version, cores: cpus().length, ...PLAN },
    transfers: medians(transfers),
    guards: medians(guards),
    reads: medians(reads),
    intents: medians(intents),
    payouts: medians(payouts),
    webhooks,
    history: medians(history),
  };
}

type Log = (text: string) => void;

async function measureTransfers(stage: Stage, log: Log): Promise<Rounds> {
  const hot = stage.users.slice(0, 2);
  return inRounds(PLAN, log, async (measure) => {
    for (const clients of CLIENTS) {
      const job = { ...JOB, clients };
      await measure(`floor_${clients}`, () => stage.floor(job));
      await measure(`transfer_${clients}`, () => load(stage, job, 'transfer'));
      if (clients !== HOT_CLIENTS) continue;
      await measure(`hot_${clients}`, () => load(stage, { ...job, users: hot }, 'transfer'));
    }
  });
}

/** Transfers among accounts with all limits, with a general fee and its tax, with twenty rules, and with all of it. */
async function measureGuards(stage: Stage, log: Log): Promise<Rounds> {
  const half = stage.users.length / 2;
  const [plain, limited] = [stage.users.slice(0, half), stage.users.slice(half)];
  const job = { ...JOB, clients: HOT_CLIENTS };
  const owner = new Client({ connectionString: stage.owner_url });
  await owner.connect();
  const guards = createGuards(owner, 'XOF');
  await guards.limit(limited);
  const rounds = await inRounds(PLAN, log, async (measure) => {
    const transfers = (name: string, users: readonly BenchUser[]) =>
      measure(name, () => load(stage, { ...job, users }, 'transfer'));
    await transfers('plain_64', plain);
    await transfers('limited_64', limited);
    await guards.charge(1);
    await transfers('charged_64', plain);
    await guards.charge(0);
    await guards.watch(true);
    await transfers('watched_64', plain);
    await guards.charge(1);
    await transfers('guarded_64', limited);
    await guards.charge(0);
    await guards.watch(false);
  });
  await owner.end();
  return rounds;
}

async function measureReads(stage: Stage, log: Log): Promise<Rounds> {
  const job = { ...JOB, clients: READ_CLIENTS };
  const bare_page = `/page?owner=${stage.users[0]!.id}`;
  return inRounds(PLAN, log, async (measure) => {
    await measure('bare', () => load(stage, job, { path: '/' }, stage.bare_port));
    await measure('bare_page', () => load(stage, job, { path: bare_page }, stage.bare_port));
    for (const name of ['wallets', 'transactions']) {
      await measure(name, () => load(stage, job, { path: `/api/public/v1/${name}` }));
    }
  });
}

/** Histories of one hundred and of a million rows: a page must not care. */
async function measureHistory(stage: Stage, log: Log): Promise<Rounds> {
  const [small, large] = stage.users as readonly BenchUser[] as [BenchUser, BenchUser];
  log('making a history of a million transactions …');
  await fillHistory(stage.owner_url, small.id, HISTORY_ROWS.small);
  await fillHistory(stage.owner_url, large.id, HISTORY_ROWS.large);
  const page = (user: BenchUser, query = '') => {
    const job = { ...JOB, clients: 1, keys: [user.test_key] };
    return () => load(stage, job, { path: `/api/public/v1/transactions${query}` });
  };
  // Rows are a second apart up to HISTORY_END: the small history's middle, the large one's far end.
  const deep = (rows: number): string => `?cursor=${instantBefore(rows)}`;
  return inRounds(PLAN, log, async (measure) => {
    await measure('small_first', page(small));
    await measure('large_first', page(large));
    await measure('small_deep', page(small, deep(HISTORY_ROWS.small / 2)));
    await measure('large_deep', page(large, deep(HISTORY_ROWS.large - 1000)));
  });
}

type Load = Partial<LoadJob> &
  Pick<LoadJob, 'clients' | 'warmup_seconds' | 'seconds'> & {
    readonly users?: readonly BenchUser[];
  };

const load = (
  stage: Stage,
  { users = stage.users, ...job }: Load,
  target: LoadJob['target'],
  port = stage.api_port,
): Promise<Summary> =>
  stage.load({
    port,
    target,
    keys: users.map((user) => user.live_key),
    usernames: users.map((user) => user.username),
    ...job,
  });

/** Lists the costs of the processes that had something to do with it. */
function costs({ processor_ms = {} }: Pick<Summary, 'processor_ms'>): string {
  const parts = Object.entries(processor_ms).filter(([, ms]) => ms >= 0.005);
  if (parts.length === 0) return '';
  return `   costs ${parts.map(([of, ms]) => `${of} ${ms}`).join(', ')} ms`;
}

function readable(report: Awaited<ReturnType<typeof measureAll>>): string {
  const { floor_1: _, ...intents } = report.intents;
  const { floor_16: _floor, ...payouts } = report.payouts;
  const rest = { ...report.reads, ...intents, ...payouts, ...report.history };
  const all = { ...report.transfers, ...report.guards, ...rest };
  const rows = Object.entries(all).map(
    ([name, figures]) =>
      `  ${name.padEnd(14)} ${String(figures.rate).padStart(10)}/s   p50 ${figures.p50_ms} ms   p95 ${figures.p95_ms} ms   p99 ${figures.p99_ms} ms${costs(figures)}`,
  );
  const ratios = Object.entries(report.ratios).map(
    ([name, value]) => `  ${name.padEnd(28)} ${value}`,
  );
  return [
    'Ratios',
    ...ratios,
    '',
    'Absolute, medians of the rounds',
    ...rows,
    '',
    ...describeWebhooks(report.webhooks),
  ].join('\n');
}

onStage(measureAll, readable).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});

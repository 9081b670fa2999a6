// `npm run bench [-- --quick] [--json]`: every figure beside its floor, measured in turns
// in one run, because on a shared machine only ratios mean something. docs/performance.md explains them.

import { randomUUID } from 'node:crypto';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { postTransfers } from '../../db/transfers/transfers';
import type { TransferRequest } from '../../domain/transfer';
import { makeTransferReference } from '../../secrets/random';
import { runClosedLoop } from './closed-loop';
import { onStage, type BenchUser, type Stage } from './contestants';
import type { LoadJob, LoadResult } from './load';
import { fillHistory, instantBefore } from './history';
import { measureIntents } from './intents';
import { measurePayouts } from './payouts';
import { weigh } from './processor';
import { inRounds, line, medians, ratio, type RoundPlan, type Rounds } from './rounds';
import { median, round, type Summary } from './stats';
import {
  describeWebhooks,
  measureWebhooks,
  WEBHOOK_PLAN,
  type WebhookFigures,
  type WebhookPlan,
} from './webhooks';

interface Plan extends RoundPlan {
  readonly clients: readonly number[];
  readonly webhooks: WebhookPlan;
}

const QUICK: Plan = {
  rounds: 3,
  warmup_seconds: 1.5,
  seconds: 5,
  clients: [1, 16, 64, 256],
  // Neighbours take minutes: `npm run bench:webhooks` has them too.
  webhooks: { ...WEBHOOK_PLAN, steady: 500, neighbour_rounds: 0 },
};
const FULL: Plan = {
  rounds: 5,
  warmup_seconds: 3,
  seconds: 12,
  clients: [1, 16, 64, 256],
  webhooks: WEBHOOK_PLAN,
};
const READ_CLIENTS = 16;
/** Clients at which transfers go also back and forth between two users. */
const HOT_CLIENTS = 64;
const HISTORY_ROWS = { small: 100, large: 1_000_000 } as const;

async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
    },
  });
  const plan = options.quick ? QUICK : FULL;
  await onStage((stage, log) => measureAll(stage, plan, log), readable);
}

async function measureAll(stage: Stage, plan: Plan, log: (text: string) => void) {
  const transfers = await measureTransfers(stage, plan, log);
  const reads = await measureReads(stage, plan, log);
  const intents = await measureIntents(stage, plan, log);
  const payouts = await measurePayouts(stage, plan, log);
  const webhooks = await measureWebhooks(stage, plan.webhooks, log);
  const history = await measureHistory(stage, plan, log);
  const ratios = {
    ...webhooks.ratios,
    transfer_p50_1_to_floor: ratio(transfers, 'transfer_1', 'floor_1', 'p50_ms'),
    transfer_rate_16_to_floor: ratio(transfers, 'transfer_16', 'floor_16', 'rate'),
    transfer_rate_64_to_floor: ratio(transfers, 'transfer_64', 'floor_64', 'rate'),
    transfer_rate_256_to_floor: ratio(transfers, 'transfer_256', 'floor_256', 'rate'),
    hot_rate_64_to_rate_64: ratio(transfers, 'hot_64', 'transfer_64', 'rate'),
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
    conditions: { node: process.version, cores: cpus().length, ...plan },
    transfers: medians(transfers),
    reads: medians(reads),
    intents: medians(intents),
    payouts: medians(payouts),
    webhooks,
    history: medians(history),
  };
}

async function measureTransfers(
  stage: Stage,
  plan: Plan,
  log: (t: string) => void,
): Promise<Rounds> {
  return inRounds(plan, async (figures) => {
    for (const clients of plan.clients) {
      const job = { clients, warmup_seconds: plan.warmup_seconds, seconds: plan.seconds };
      figures[`floor_${clients}`] = await weigh(stage.pids, job, () => stage.ask('floor', job));
      figures[`transfer_${clients}`] = await load(stage, job, 'transfer');
      if (clients === HOT_CLIENTS) {
        figures[`hot_${clients}`] = await load(
          stage,
          { ...job, users: stage.users.slice(0, 2) },
          'transfer',
        );
      }
      figures[`sql_${clients}`] = await runSqlFloor(stage, { ...job, seconds: plan.seconds / 2 });
      log(
        line(`transfers, ${clients} clients`, figures, [
          `floor_${clients}`,
          `transfer_${clients}`,
          ...(clients === HOT_CLIENTS ? [`hot_${clients}`] : []),
          `sql_${clients}`,
        ]),
      );
    }
  });
}

async function measureReads(stage: Stage, plan: Plan, log: (t: string) => void): Promise<Rounds> {
  const job = { clients: READ_CLIENTS, warmup_seconds: plan.warmup_seconds, seconds: plan.seconds };
  return inRounds(plan, async (figures) => {
    figures['bare'] = await load(stage, job, { path: '/' }, stage.bare_port);
    const owner = stage.users[0]!.id;
    figures['bare_page'] = await load(
      stage,
      job,
      { path: `/page?owner=${owner}` },
      stage.bare_port,
    );
    figures['wallets'] = await load(stage, job, { path: '/api/public/v1/wallets' });
    figures['transactions'] = await load(stage, job, { path: '/api/public/v1/transactions' });
    log(line('reads, 16 clients', figures, ['bare', 'bare_page', 'wallets', 'transactions']));
  });
}

/** Histories of one hundred and of a million rows: a page must not care. */
async function measureHistory(stage: Stage, plan: Plan, log: (t: string) => void): Promise<Rounds> {
  const [small, large] = stage.users as readonly BenchUser[] as [BenchUser, BenchUser];
  log('making a history of a million transactions …');
  await fillHistory(stage.owner_url, small.id, HISTORY_ROWS.small);
  await fillHistory(stage.owner_url, large.id, HISTORY_ROWS.large);
  const job = { clients: 1, warmup_seconds: plan.warmup_seconds, seconds: plan.seconds };
  const page = async (user: BenchUser, cursor?: string): Promise<Summary> =>
    load(
      stage,
      { ...job, keys: [user.test_key] },
      { path: `/api/public/v1/transactions${cursor === undefined ? '' : `?cursor=${cursor}`}` },
    );
  return inRounds(plan, async (figures) => {
    figures['small_first'] = await page(small);
    figures['large_first'] = await page(large);
    // Rows are a second apart up to HISTORY_END: the small history's middle, the large one's far end.
    figures['small_deep'] = await page(small, instantBefore(HISTORY_ROWS.small / 2));
    figures['large_deep'] = await page(large, instantBefore(HISTORY_ROWS.large - 1000));
    log(line('history', figures, ['small_first', 'large_first', 'small_deep', 'large_deep']));
  });
}

type Load = Partial<LoadJob> &
  Pick<LoadJob, 'clients' | 'warmup_seconds' | 'seconds'> & {
    readonly users?: readonly BenchUser[];
  };

async function load(
  stage: Stage,
  { users = stage.users, ...job }: Load,
  target: LoadJob['target'],
  port = stage.api_port,
): Promise<Summary> {
  return weigh(stage.pids, job, async () => {
    const result = await stage.ask<LoadResult>('load', {
      port,
      target,
      keys: users.map((user) => user.live_key),
      usernames: users.map((user) => user.username),
      ...job,
    });
    if (result.failures > 0) {
      throw new Error(`${result.failures} requests failed: ${result.first_failure}`);
    }
    return result.summary;
  });
}

/** The posting function alone, called as the activity calls it, without workflow and HTTP. */
async function runSqlFloor(
  stage: Stage,
  job: { clients: number; warmup_seconds: number; seconds: number },
): Promise<Summary> {
  const pick = (): BenchUser => stage.users[Math.floor(Math.random() * stage.users.length)]!;
  return runClosedLoop({
    ...job,
    async once() {
      const sender = pick();
      let recipient = pick();
      while (recipient === sender) recipient = pick();
      const request: TransferRequest = {
        reference: makeTransferReference(),
        environment: 'live',
        sender_id: sender.id,
        sender_username: sender.username,
        key: randomUUID(),
        fingerprint: { amount: '0', currency: '0', to_username: '0' },
        request_id: 'bench',
        accept_before: new Date(Date.now() + 60_000).toISOString(),
        to_username: recipient.username,
        currency: 'XOF',
        amount_minor: '10000',
      };
      const [result] = await postTransfers(stage.db, [request], 'http://127.0.0.1/docs/errors');
      if (result?.outcome !== 'completed') throw new Error(`posting failed: ${result?.outcome}`);
    },
  });
}

/** Lists the costs of the processes that had something to do with it. */
function costs({ processor_ms = {} }: Pick<Summary, 'processor_ms'>): string {
  const parts = Object.entries(processor_ms).filter(([, ms]) => ms >= 0.005);
  if (parts.length === 0) return '';
  return `   costs ${parts.map(([of, ms]) => `${of} ${ms}`).join(', ')} ms`;
}

function readable(report: {
  readonly ratios: Record<string, number>;
  readonly transfers: ReturnType<typeof medians>;
  readonly reads: ReturnType<typeof medians>;
  readonly intents: ReturnType<typeof medians>;
  readonly payouts: ReturnType<typeof medians>;
  readonly webhooks: WebhookFigures;
  readonly history: ReturnType<typeof medians>;
}): string {
  const { floor_1: _, ...intents } = report.intents;
  const { floor_16: _floor, ...payouts } = report.payouts;
  const rest = { ...report.reads, ...intents, ...payouts, ...report.history };
  const all = { ...report.transfers, ...rest };
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

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});

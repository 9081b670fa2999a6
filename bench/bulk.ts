// A batch of 10,000 transfers through the API, from its request to its end, beside the posting function that
// 16 clients call for one transfer each.

import type { Stage } from './contestants';
import { weigh } from './processor';
import { median, round, type Summary } from './stats';

const ITEMS = 10_000;
/** Polling costs the processors, too. */
const POLL_MS = 25;
const CLIENTS = 16;

export interface BulkReport {
  /** Items a second, of each round. */
  readonly rates: readonly number[];
  readonly sql_16: readonly number[];
  /** What one item cost each process, in ms; medians. */
  readonly processor_ms: Readonly<Record<string, number>>;
  /** The time from the request to its 202. */
  readonly accepted_ms: number;
  readonly ratios: { readonly bulk_rate_to_sql_16: number; readonly bulk_per_second: number };
}

export interface BulkOptions {
  readonly rounds: number;
  readonly seconds: number;
  readonly log: (text: string) => void;
  /** The posting function alone. */
  readonly runSqlFloor: (job: {
    readonly clients: number;
    readonly warmup_seconds: number;
    readonly seconds: number;
  }) => Promise<Summary>;
}

export async function measureBulk(
  stage: Stage,
  { rounds, seconds, log, runSqlFloor }: BulkOptions,
): Promise<BulkReport> {
  const runs: { readonly bulk: Run; readonly sql: number }[] = [];
  // The first meets cold plans and caches.
  await runBatch(stage);
  for (let i = 0; i < rounds; i += 1) {
    const { rate: sql } = await runSqlFloor({ clients: CLIENTS, warmup_seconds: 1, seconds });
    const bulk = await weighBatch(stage);
    runs.push({ bulk, sql });
    log(`bulk: ${bulk.rate}/s, accepted after ${bulk.accepted_ms} ms; sql_16 ${sql}/s`);
  }
  return {
    rates: runs.map(({ bulk }) => bulk.rate),
    sql_16: runs.map(({ sql }) => sql),
    processor_ms: Object.fromEntries(
      COSTING.map((name) => [name, median(runs.map(({ bulk }) => bulk.costs[name] ?? 0))]),
    ),
    accepted_ms: median(runs.map(({ bulk }) => bulk.accepted_ms)),
    ratios: {
      bulk_per_second: median(runs.map(({ bulk }) => bulk.rate)),
      bulk_rate_to_sql_16: round(median(runs.map(({ bulk, sql }) => bulk.rate / sql))),
    },
  };
}

interface Run {
  readonly rate: number;
  readonly accepted_ms: number;
  readonly costs: Readonly<Record<string, number>>;
}

const COSTING = ['temporal', 'api', 'postgres'] as const;

async function weighBatch(stage: Stage): Promise<Run> {
  let accepted_ms = 0;
  const loop = async (): Promise<Summary> => {
    const run = await runBatch(stage);
    ({ accepted_ms } = run);
    const seconds = ITEMS / run.rate;
    const unmeasured = { p50_ms: Number.NaN, p95_ms: Number.NaN, p99_ms: Number.NaN };
    return { count: ITEMS, seconds, rate: run.rate, ...unmeasured };
  };
  const { rate, processor_ms = {} } = await weigh(stage.pids, { warmup_seconds: 0 }, loop);
  return { rate, accepted_ms, costs: processor_ms };
}

async function runBatch({ api_port, users }: Stage): Promise<Pick<Run, 'rate' | 'accepted_ms'>> {
  const [sender, ...recipients] = users;
  const transfers = Array.from({ length: ITEMS }, (_, i) => ({
    to_username: recipients[i % recipients.length]!.username,
    currency: 'XOF',
    amount: 1,
  }));
  const url = `http://127.0.0.1:${api_port}/api/public/v1/transfer-batches`;
  const headers = {
    Authorization: `Bearer ${sender!.live_key}`,
    'Content-Type': 'application/json',
  };
  const body = JSON.stringify({ transfers });
  const began = performance.now();
  const accepted = await fetch(url, { method: 'POST', headers, body });
  const { id } = (await accepted.json()) as { readonly id: string };
  const accepted_ms = round(performance.now() - began);
  if (accepted.status !== 202) throw new Error(`the batch was answered ${accepted.status}`);
  for (;;) {
    const batch = (await (await fetch(`${url}/${id}`, { headers })).json()) as {
      readonly status: string;
      readonly completed: number;
    };
    if (batch.status !== 'processing') {
      if (batch.completed !== ITEMS) throw new Error(`of the batch ${batch.completed} completed`);
      return { rate: round((ITEMS * 1_000) / (performance.now() - began)), accepted_ms };
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

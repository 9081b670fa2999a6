// A steady hundred transfers a second: what it costs all processes together, and how Temporal's memory and
// file grow. A closed loop cannot say this: there the faster service gets more to do.

import { randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Stage } from './contestants';
import { openConnection, type HttpConnection } from './http-client';
import { timesOf } from './processor';
import { round, summarize, type Summary } from './stats';

export interface SteadyPlan {
  readonly rate: number;
  readonly seconds: number;
  /** Seconds that are not counted: connections, code and caches become warm. */
  readonly warmup_seconds: number;
}

export const STEADY_PLAN: SteadyPlan = { rate: 100, seconds: 45, warmup_seconds: 5 };

export interface SteadyFigures {
  /** Processor seconds per second, of everything that is needed in production. */
  readonly cores: number;
  readonly cores_of: Readonly<Record<string, number>>;
  /** Growth of Temporal's file, the write-ahead log not counted. */
  readonly temporal_bytes_per_transfer: number;
  /** Memory at the end, pages of the file that are mapped into memory included. */
  readonly temporal_resident_mb: number;
  /** Memory without the mapped file: what the system cannot take back. */
  readonly temporal_anonymous_mb: number;
  readonly latency: Summary;
}

const SERVING = ['api', 'temporal', 'postgres'] as const;
const MB = 1024 * 1024;

/** Reads /proc: undefined on other systems than Linux. */
export async function measureSteady(
  stage: Stage,
  plan: SteadyPlan,
  log: (text: string) => void,
): Promise<SteadyFigures | undefined> {
  if (process.platform !== 'linux') return undefined;
  log(`steady: ${plan.rate} transfers a second for ${plan.seconds} s …`);
  const pool: HttpConnection[] = [];
  try {
    await sendEvenly(stage, pool, { ...plan, seconds: plan.warmup_seconds });
    const size = (): number => statSync(stage.temporal_file).size;
    const [times, bytes, started] = [timesOf(stage.pids), size(), performance.now()];
    const latency = await sendEvenly(stage, pool, plan);
    const elapsed_ms = performance.now() - started;
    const after = timesOf(stage.pids);
    const cores_of = Object.fromEntries(
      [...SERVING, 'bench' as const].map((name) => [
        name,
        round((after[name]! - times[name]!) / elapsed_ms),
      ]),
    );
    const figures: SteadyFigures = {
      cores: round(SERVING.reduce((sum, name) => sum + cores_of[name]!, 0)),
      cores_of,
      temporal_bytes_per_transfer: Math.round((size() - bytes) / latency.count),
      temporal_resident_mb: memoryOf(stage.pids.temporal, 'VmRSS'),
      temporal_anonymous_mb: memoryOf(stage.pids.temporal, 'RssAnon'),
      latency,
    };
    log(describeSteady(figures));
    return figures;
  } finally {
    for (const connection of pool) connection.close();
  }
}

/** Names the figures as the table of ratios has them. */
export function steadyKeys(figures: SteadyFigures | undefined): Record<string, number> {
  if (figures === undefined) return {};
  return {
    steady_100_cores: figures.cores,
    temporal_bytes_per_transfer_steady_100: figures.temporal_bytes_per_transfer,
    temporal_resident_mb: figures.temporal_resident_mb,
  };
}

export function describeSteady(figures: SteadyFigures): string {
  const { cores, cores_of, latency } = figures;
  const parts = SERVING.map((name) => `${name} ${cores_of[name]}`).join(', ');
  return [
    `steady ${latency.rate}/s: ${cores} cores (${parts})`,
    `Temporal ${figures.temporal_bytes_per_transfer} bytes of file a transfer`,
    `${figures.temporal_resident_mb} MB resident, ${figures.temporal_anonymous_mb} of them its own`,
    `p50 ${latency.p50_ms} ms, p99 ${latency.p99_ms} ms`,
  ].join('; ');
}

/** Sends as independent callers do: at random moments, exactly `rate × seconds` times. */
async function sendEvenly(
  stage: Stage,
  pool: HttpConnection[],
  { rate, seconds }: Pick<SteadyPlan, 'rate' | 'seconds'>,
): Promise<Summary> {
  const moments = Array.from({ length: rate * seconds }, () => Math.random() * seconds * 1000);
  moments.sort((a, b) => a - b);
  const begin = performance.now();
  const sent: Promise<number>[] = [];
  for (const moment of moments) {
    const wait_ms = begin + moment - performance.now();
    if (wait_ms > 1) await delay(wait_ms);
    // Counted from the moment at which it should have been sent.
    sent.push(sendOne(stage, pool).then(() => performance.now() - begin - moment));
  }
  return summarize(await Promise.all(sent), seconds);
}

async function sendOne({ api_port, users }: Stage, pool: HttpConnection[]): Promise<void> {
  const connection = pool.pop() ?? (await openConnection(api_port));
  const sender = Math.floor(Math.random() * users.length);
  const step = 1 + Math.floor(Math.random() * (users.length - 1));
  const recipient = users[(sender + step) % users.length]!;
  const { status, body } = await connection.send(
    `POST /api/public/v1/transfers HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${users[sender]!.live_key}\r\nContent-Type: application/json\r\nIdempotency-Key: ${randomUUID()}`,
    JSON.stringify({ to_username: recipient.username, currency: 'XOF', amount: 100 }),
  );
  pool.push(connection);
  if (status !== 200) throw new Error(`a transfer failed: ${status} ${body}`);
}

function memoryOf(pid: number, field: 'VmRSS' | 'RssAnon'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1];
  return Math.round((Number(kilobytes) * 1024) / MB);
}

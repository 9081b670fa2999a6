// Processor time, which a busy machine stretches less than the clock: what an operation costs each
// process. From /proc, so on Linux only.

import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { round, type Summary } from './stats';

export type Pids = Readonly<Record<string, number> & { postgres: number }>;

/** Clock ticks of /proc, everywhere. */
const TICKS_PER_SECOND = 100;

/** What a process has used since its start, in milliseconds. */
function timeOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name, in parentheses, may contain anything: field 3 follows the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // utime, stime, cutime, cstime
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return (ticks * 1000) / TICKS_PER_SECOND;
}

/** Zero once it has ended: then it is in the time of its parent. */
function timeOfConnection(pid: number): number {
  try {
    return timeOf(pid);
  } catch {
    return 0;
  }
}

/** Returns the time of each part. That of Postgres includes its connections: each is a process. */
export function timesOf({ postgres, ...others }: Pids): Readonly<Record<string, number>> {
  const connections = readFileSync(`/proc/${postgres}/task/${postgres}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
    .map((pid) => timeOfConnection(Number(pid)));
  return {
    ...Object.fromEntries(Object.entries(others).map(([name, pid]) => [name, timeOf(pid)])),
    postgres: connections.reduce((sum, ms) => sum + ms, timeOf(postgres)),
  };
}

/** Adds to a loop's summary what one operation cost each process, in milliseconds. */
export async function weigh<Of extends Summary>(
  pids: Pids,
  { warmup_seconds }: { readonly warmup_seconds: number },
  loop: () => Promise<Of>,
): Promise<Of> {
  if (process.platform !== 'linux') return loop();
  const before = timesOf(pids);
  const summary = await loop();
  const after = timesOf(pids);
  // The warm-up is not counted, but paid for.
  const operations = summary.rate * (summary.seconds + warmup_seconds);
  const spent = Object.entries(after).map(
    ([name, ms]) => [name, round((ms - before[name]!) / operations)] as const,
  );
  return { ...summary, processor_ms: Object.fromEntries(spent) };
}

/** The cost of one of several operations. */
export interface Cost {
  readonly processor_us: number;
  readonly us: number;
  readonly wal_bytes: number;
}

type Ask = (text: string) => Promise<{ readonly rows: readonly unknown[] }>;

/** The write-ahead log from its beginning on. */
export async function walBytes(ask: Ask): Promise<number> {
  const { rows } = await ask(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes`,
  );
  return (rows[0] as { readonly bytes: number }).bytes;
}

/** @param ask the connection that does all of the work: each is a process */
export async function costOf(
  ask: Ask,
  operations: number,
  work: () => Promise<unknown>,
): Promise<Cost> {
  const { rows } = await ask('select pg_backend_pid() as pid');
  const { pid } = rows[0] as { readonly pid: number };
  const wal = await walBytes(ask);
  const [processor_ms, start] = [timeOf(pid), performance.now()];
  await work();
  const ms = performance.now() - start;
  return {
    processor_us: round(((timeOf(pid) - processor_ms) * 1_000) / operations),
    us: round((ms * 1_000) / operations),
    wal_bytes: round(((await walBytes(ask)) - wal) / operations),
  };
}

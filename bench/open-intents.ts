// `npm run bench:open-intents -- --count N [--expiring M] [--json]`, and a part of the bench: many open
// intents made by the real path, what they cost while they wait, and M of them, a tenth if not said
// otherwise, expiring within one second.

import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { onStage, type Stage } from './contestants';
import { connect, createIntent } from './intents';
import { round, summarize, type Summary } from './stats';

export interface OpenIntentsReport {
  readonly count: number;
  readonly created_per_second: number;
  /** Growth of resident memory per open intent, in bytes. */
  readonly bytes_per_open_intent: Readonly<Record<'api' | 'temporal', number>>;
  readonly resident_mb: Readonly<Record<'api' | 'temporal', number>>;
  readonly expired: number;
  /** Intents that ended too early, by the database's clock; must be 0. */
  readonly early: number;
  /** The time from the first of them being due until the last was done. */
  readonly all_done_seconds: number;
  readonly expiries_per_second: number;
  /**
   * The time from the first being due until Temporal had ended the workflows; null when not
   * awaited.
   */
  readonly workflows_done_seconds: number | null;
  readonly lateness: Summary;
}

export interface OpenIntentsOptions {
  readonly count: number;
  /** The number of them that expire within one second. */
  readonly expiring: number;
  readonly awaits_workflows: boolean;
  readonly log: (text: string) => void;
}

const LOOK_MS = 1_000;
const CLIENTS = 16;
const SHARE = 0.1;
/** How much slower than the others those may be made that expire together. */
const SLACK = 1.3;
/** The last of those that expire together is made this long before. */
const MARGIN_SECONDS = 5;

export async function measureOpenIntents(
  stage: Stage,
  { count, expiring, awaits_workflows, log }: OpenIntentsOptions,
): Promise<OpenIntentsReport> {
  const before = memoryOf(stage);
  const started = performance.now();
  await makeMany(stage, count - expiring, log, () => ({}));
  const rate = (count - expiring) / ((performance.now() - started) / 1000);
  log(`${count - expiring} intents open, ${round(rate)}/s`);
  const due = Date.now() + (expiring / rate) * 1000 * SLACK + MARGIN_SECONDS * 1000;
  await makeMany(stage, expiring, log, () => ({
    expires_in: Math.max(3, Math.round((due - Date.now()) / 1000)),
  }));
  const after = memoryOf(stage);
  // Looking is work, and not what is measured.
  await delay(due - Date.now());
  const lateness = await awaitExpiry(stage, expiring);
  log(`${expiring} expired together: ${lateness.expiries_per_second}/s`);
  if (awaits_workflows) await awaitWorkflows(stage, due);
  const workflows_done_seconds = awaits_workflows ? round((Date.now() - due) / 1000) : null;
  const perIntent = (part: 'api' | 'temporal'): number =>
    Math.round((after[part] - before[part]) / count);
  return {
    count,
    created_per_second: round(rate),
    bytes_per_open_intent: { api: perIntent('api'), temporal: perIntent('temporal') },
    resident_mb: { api: megabytes(after.api), temporal: megabytes(after.temporal) },
    workflows_done_seconds,
    ...lateness,
  };
}

/** Those that were due then. Temporal's list is a moment behind. */
async function awaitWorkflows({ temporal_address }: Stage, due: number): Promise<void> {
  const connection = await Connection.connect({ address: temporal_address });
  const { workflow } = new Client({ connection });
  const last = new Date(due + LOOK_MS).toISOString();
  const query = `WorkflowType = 'paymentIntent' AND ExecutionStatus = 'Running' AND PaymentExpiresAt < '${last}'`;
  try {
    while ((await workflow.count(query)).count > 0) await delay(LOOK_MS);
  } finally {
    await connection.close();
  }
}

async function makeMany(
  stage: Stage,
  count: number,
  log: (text: string) => void,
  fields: () => Readonly<Record<string, unknown>>,
): Promise<void> {
  const connections = await connect(stage, CLIENTS);
  let left = count;
  await Promise.all(
    connections.map(async (connection) => {
      while (left > 0) {
        left -= 1;
        if (left % 5_000 === 0) log(`${left} more to be made`);
        await createIntent(stage, connection, { ...fields(), metadata: { bench: 'open' } }, 5);
      }
    }),
  );
  for (const connection of connections) connection.close();
}

type Expiry = Pick<
  OpenIntentsReport,
  'expired' | 'early' | 'all_done_seconds' | 'expiries_per_second' | 'lateness'
>;

async function awaitExpiry({ db }: Stage, expiring: number): Promise<Expiry> {
  const EXPIRING = `metadata ->> 'bench' = 'open' and expires_at < created_at + interval '23 hours'`;
  for (;;) {
    const { rows } = (await db.raw(
      `select count(*)::int as done from payment_intents where status = 'expired' and ${EXPIRING}`,
    )) as { rows: { done: number }[] };
    if (rows[0]!.done >= expiring) break;
    await delay(LOOK_MS);
  }
  const { rows } = (await db.raw(
    `select (extract(epoch from expired_at - expires_at) * 1000)::float8 as late_ms,
            (extract(epoch from expired_at) * 1000)::float8 as done_ms,
            (extract(epoch from expires_at) * 1000)::float8 as due_ms
       from payment_intents where status = 'expired' and ${EXPIRING}`,
  )) as { rows: { late_ms: number; done_ms: number; due_ms: number }[] };
  const seconds =
    (Math.max(...rows.map(({ done_ms }) => done_ms)) -
      Math.min(...rows.map(({ due_ms }) => due_ms))) /
    1000;
  const late = rows.map(({ late_ms }) => late_ms);
  return {
    expired: rows.length,
    early: late.filter((ms) => ms < 0).length,
    all_done_seconds: round(seconds),
    expiries_per_second: round(rows.length / seconds),
    lateness: summarize(late, seconds),
  };
}

/** Resident memory in bytes. */
function memoryOf({ pids }: Stage): Record<'api' | 'temporal', number> {
  const resident = (pid: number): number => {
    const [, kilobytes = '0'] =
      /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) * 1024;
  };
  return { api: resident(pids.api), temporal: resident(pids.temporal) };
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}

export function describeOpenIntents(report: OpenIntentsReport): string[] {
  const { bytes_per_open_intent: bytes, lateness } = report;
  return [
    `${report.count} open intents, made at ${report.created_per_second}/s`,
    `  ${bytes.api} bytes each in the API process, ${bytes.temporal} in the Temporal server`,
    `  ${report.expired} expiring together: all done in ${report.all_done_seconds} s, ${report.expiries_per_second}/s, ${report.early} early, p50 ${lateness.p50_ms} ms late, p99 ${lateness.p99_ms} ms`,
  ];
}

function readCount(option: string): number | undefined {
  const place = process.argv.indexOf(option);
  if (place === -1) return undefined;
  const count = Number(process.argv[place + 1]);
  if (!Number.isSafeInteger(count) || count < 1) throw new Error(`${option} is no number`);
  return count;
}

async function main(): Promise<void> {
  const count = readCount('--count') ?? 0;
  if (count < 10) throw new Error('--count N is required, at least 10');
  const expiring = readCount('--expiring') ?? Math.round(count * SHARE);
  if (expiring >= count) throw new Error('--expiring M must be less than --count N');
  await onStage(
    (stage, log) => measureOpenIntents(stage, { count, expiring, awaits_workflows: true, log }),
    (report) => describeOpenIntents(report).join('\n'),
  );
}

if (require.main === module) {
  main().catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
}

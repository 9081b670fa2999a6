// `npm run bench:temporal [-- --quick] [--json]`: what a transfer costs with the real Temporal server on Postgres, as it
// is deployed, beside the dev server of `npm start`. Two API processes with the same settings and the same
// ledger, in turns; the servers that are not asked sit idle. Takes three minutes.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connectDatabase } from '../db/connect';
import { acquirePrograms } from '../dev/topology/programs';
import { startTopology, type Topology } from '../dev/topology/topology';
import { pickPort, startOnFreePort } from '../embedded/ports';
import { startTemporal } from '../embedded/temporal';
import { acquireTemporalBinary } from '../embedded/temporal-binary';
import { askChild, makeUsers, startChild, stopChild, urlOf, type BenchUser } from './contestants';
import type { LoadResult } from './load';
import { timesOf, weigh, type Pids } from './processor';
import { inRounds, line, medians, ratio, type Figures, type Rounds } from './rounds';
import { median, round, type Summary } from './stats';

const IS_QUICK = process.argv.includes('--quick');
const PLAN = IS_QUICK
  ? { rounds: 2, warmup_seconds: 1, seconds: 3 }
  : { rounds: 3, warmup_seconds: 1, seconds: 5 };
const CLIENTS = [1, 16, 64];
const IDLE_SECONDS = 5;

type Closers = (() => Promise<unknown> | void)[];

interface Contestant {
  readonly port: number;
  readonly pids: Pids;
}

interface Stage {
  readonly ask: (job: object) => Promise<LoadResult>;
  readonly users: readonly BenchUser[];
  readonly contestants: Readonly<Record<'dev' | 'real', Contestant>>;
}

async function main(): Promise<void> {
  const log = (text: string): void => void process.stderr.write(`${text}\n`);
  const closers: Closers = [];
  const close = async (): Promise<void> => {
    while (closers.length > 0) await closers.pop()!();
  };
  try {
    const stage = await setStage(closers, log);
    const idle = await measureIdle(stage.contestants.real.pids);
    const rounds = await inRounds(PLAN, async (figures) => {
      for (const clients of CLIENTS) {
        for (const name of ['dev', 'real'] as const) {
          figures[`${name}_${clients}`] = await load(stage, name, clients);
        }
        log(line(`${clients} clients`, figures, [`dev_${clients}`, `real_${clients}`]));
      }
    });
    const report = { ratios: ratiosOf(rounds), figures: medians(rounds), idle };
    const is_json = process.argv.includes('--json');
    process.stdout.write(`${is_json ? JSON.stringify(report) : readable(report)}\n`);
  } finally {
    await close();
  }
}

async function setStage(closers: Closers, log: (text: string) => void): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'payment-bench-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const options = { env: process.env, log };
  const programs = await acquirePrograms(join(folder, 'tools'), options);
  const topology = await startTopology({
    ...{ folder, programs, say: log, first_port: 14_000 },
    // The users of the bench are rich.
    variables: { APPROVAL_ABOVE_XOF: 'off' },
  });
  closers.push(() => topology.stop());
  const binary = await acquireTemporalBinary(options);
  const dev = await startOnFreePort(17_233, (port) =>
    startTemporal({
      ...{ binary, port, ui_port: null, namespace: 'default', say: log },
      database_file: join(folder, 'temporal.db'),
      log_file: join(folder, 'logs', 'temporal-dev.log'),
    }),
  );
  closers.push(() => dev.stop());
  const users = await makeBenchUsers(topology);
  const pidOf = (name: string): number =>
    topology.processes.find((process) => process.name === name)!.pid()!;
  const cluster = topology.processes.filter(({ name }) => name.startsWith('temporal-'));
  const postgres = pidOf('postgres');
  const real_api = await startApi(topology, closers, {});
  const dev_api = await startApi(topology, closers, {
    TEMPORAL_ADDRESS: dev.address,
    TEMPORAL_NAMESPACE: 'default',
  });
  const child = await startChild(join(__dirname, 'load.js'), process.env, null);
  closers.push(() => stopChild(child));
  return {
    users,
    ask: (job) => askChild<LoadResult>(child, job),
    contestants: {
      dev: { port: dev_api.port, pids: { api: dev_api.pid, temporal: dev.pid, postgres } },
      real: {
        port: real_api.port,
        pids: {
          ...Object.fromEntries(cluster.map(({ name }) => [name, pidOf(name)])),
          ...{ api: real_api.pid, postgres },
        },
      },
    },
  };
}

/** As docker-compose.yml sets it up, without a proxy in front of it or in front of Temporal. */
async function startApi(
  topology: Topology,
  closers: Closers,
  settings: Readonly<Record<string, string>>,
): Promise<{ readonly port: number; readonly pid: number }> {
  const port = await pickPort(13_000);
  const env = {
    ...topology.environment('api'),
    TEMPORAL_ADDRESS: topology.frontend_addresses[0]!,
    // It would refuse plain HTTP.
    NODE_ENV: 'development',
    // Not the queue of the topology's own processes.
    TASK_QUEUE: 'bench',
    PORT: String(port),
    ACCESS_LOG_FILE: join(topology.folder, 'logs', `access-${port}.log`),
    ...settings,
  };
  const api = join(__dirname, '..', 'bin', 'api.js');
  const child = await startChild(api, env, `${urlOf(port)}/api/public/v1/health`);
  closers.push(() => stopChild(child));
  return { port, pid: child.pid! };
}

async function makeBenchUsers(topology: Topology): Promise<BenchUser[]> {
  const { DATABASE_URL } = topology.environment('api') as { readonly DATABASE_URL: string };
  const db = connectDatabase({ url: DATABASE_URL, pool_size: 2, name: 'bench' });
  const owner_url = topology.superuser_url('payments');
  const owner = connectDatabase({ url: owner_url, pool_size: 2, name: 'bench-owner' });
  try {
    return await makeUsers(db, owner);
  } finally {
    await Promise.all([db.destroy(), owner.destroy()]);
  }
}

async function load(stage: Stage, name: 'dev' | 'real', clients: number): Promise<Summary> {
  const { port, pids } = stage.contestants[name];
  const summary = await weigh(pids, PLAN, async () => {
    const result = await stage.ask({
      ...{ port, clients, target: 'transfer' },
      ...{ warmup_seconds: PLAN.warmup_seconds, seconds: PLAN.seconds },
      keys: stage.users.map((user) => user.live_key),
      usernames: stage.users.map((user) => user.username),
    });
    if (result.failures > 0) {
      throw new Error(`${result.failures} requests failed: ${result.first_failure}`);
    }
    return result.summary;
  });
  return { ...summary, processor_ms: together(summary.processor_ms ?? {}) };
}

/** Temporal's processes as one. */
function together(of: Readonly<Record<string, number>>): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [name, ms] of Object.entries(of)) {
    const part = name.startsWith('temporal') ? 'temporal' : name;
    sums[part] = round((sums[part] ?? 0) + ms);
  }
  return sums;
}

/** Milliseconds of processor time a second with nothing to do: it is part of every turn. */
async function measureIdle(pids: Pids): Promise<Record<string, number>> {
  if (process.platform !== 'linux') return {};
  const before = timesOf(pids);
  await delay(IDLE_SECONDS * 1000);
  const after = timesOf(pids);
  return together(
    Object.fromEntries(
      Object.entries(after).map(([name, ms]) => [name, (ms - before[name]!) / IDLE_SECONDS]),
    ),
  );
}

function ratiosOf(rounds: Rounds): Record<string, number> {
  const pairs = CLIENTS.flatMap((clients) =>
    (['p50_ms', 'rate'] as const).map(
      (figure) =>
        [
          `${figure === 'rate' ? 'rate' : 'p50'}_${clients}_real_to_dev`,
          ratio(rounds, `real_${clients}`, `dev_${clients}`, figure),
        ] as const,
    ),
  );
  const processor = CLIENTS.map((clients) => {
    const spent = (figures: Figures, name: string): number =>
      Object.values(figures[name]!.processor_ms ?? {}).reduce((sum, ms) => sum + ms, 0);
    const each = rounds.map(
      (figures) => spent(figures, `real_${clients}`) / spent(figures, `dev_${clients}`),
    );
    return [`processor_${clients}_real_to_dev`, round(median(each))] as const;
  });
  return Object.fromEntries([...pairs, ...processor]);
}

function readable(report: {
  readonly ratios: Record<string, number>;
  readonly figures: ReturnType<typeof medians>;
  readonly idle: Record<string, number>;
}): string {
  const costs = (of: Readonly<Record<string, number>> = {}): string =>
    Object.entries(of)
      .map(([name, ms]) => `${name} ${ms}`)
      .join(', ');
  return [
    'Ratios, the real server over the dev server',
    ...Object.entries(report.ratios).map(([name, value]) => `  ${name.padEnd(28)} ${value}`),
    '',
    'Absolute, medians of the rounds',
    ...Object.entries(report.figures).map(
      ([name, it]) =>
        `  ${name.padEnd(8)} ${it.rate}/s   p50 ${it.p50_ms} ms   p99 ${it.p99_ms} ms   costs ${costs(it.processor_ms)} ms`,
    ),
    '',
    `Idle, ms of processor time a second: ${costs(report.idle)}`,
  ].join('\n');
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});

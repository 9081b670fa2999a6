// Starts what is measured: its own Postgres and Temporal in a temporary folder, and each contestant
// as a process of its own. Only one works at a time; the others sit idle.

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { createApiKey } from '../../db/keys/api-keys';
import { connectDatabase, type Db } from '../../db/connect';
import { migrate } from '../../db/schema/migrate';
import { createUser, setKycStatus } from '../../db/accounts/users';
import { creditWallet } from '../../db/ledger/wallets';
import { pickPort, startOnFreePort } from '../embedded/ports';
import { startPostgres } from '../embedded/postgres';
import { startTemporal } from '../embedded/temporal';
import { acquireTemporalBinary } from '../embedded/temporal-binary';
import type { Environment } from '../../domain/environment';
import { SCOPES } from '../../domain/scopes';
import { makeApiKey } from '../../secrets/api-key';
import { makeAdjustmentReference } from '../../secrets/random';
import type { FloorJob } from './floor';
import type { LoadJob, LoadResult } from './load';
import { weigh, type Pids } from './processor';
import type { Receipt } from './receiver';
import type { Summary } from './stats';
import { makeSealingKey } from '../../secrets/keyring';

/** Each runs as a process of its own. */
type Contestant = 'api' | 'gateway' | 'floor' | 'bare' | 'load';

export type Stage = Awaited<ReturnType<typeof setStage>>;

export interface BenchUser {
  readonly id: string;
  readonly username: string;
  readonly live_key: string;
  readonly test_key: string;
}

const USERS = 100;
const FUNDS_MINOR = 100_000_000_000n;
/** Transfers move live money, payouts that of the sandbox. */
const SOURCES = [
  ['live', 'operator'],
  ['sandbox', 'sandbox_source'],
] as const;
const UNLIMITED = 100_000_000;
const APP_PASSWORD = 'bench';
const ACTOR = 'bench';
const GATEWAY_SECRETS = {
  live: 'the-live-secret-of-the-bench',
  sandbox: 'the-sandbox-secret-of-the-bench',
} as const;

type Closers = (() => Promise<unknown> | void)[];

/** Sets the stage, measures on it, and prints what was found: JSON with `--json`. Ctrl-C clears the stage. */
export async function onStage<Report>(
  measure: (stage: Stage, log: (text: string) => void) => Promise<Report>,
  describe: (report: Report) => string,
): Promise<void> {
  const log = (text: string): void => void process.stderr.write(`${text}\n`);
  const stage = await setStage(log);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void stage.close().finally(() => process.exit(130)));
  }
  try {
    const report = await measure(stage, log);
    const is_json = process.argv.includes('--json');
    process.stdout.write(`${is_json ? JSON.stringify(report) : describe(report)}\n`);
  } finally {
    await stage.close();
  }
}

async function setStage(log: (text: string) => void) {
  const directory = mkdtempSync(join(tmpdir(), 'payment-bench-'));
  const closers: Closers = [() => rmSync(directory, { recursive: true, force: true })];
  log('starting Postgres and Temporal …');
  const { postgres, temporal } = await startStores(directory, closers, log);
  const { owner_url, app_url } = await makeDatabase(postgres);
  const db = connectDatabase({ url: app_url, pool_size: 70, name: 'bench' });
  closers.push(() => db.destroy());
  const owner = connectDatabase({ url: owner_url, pool_size: 2, name: 'bench-owner' });
  const users = await makeUsers(db, owner).finally(() => void owner.destroy());

  const secrets_key = makeSealingKey();
  const env = {
    ...process.env,
    DATABASE_URL: app_url,
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: 'default',
    HOST: '127.0.0.1',
    SECRETS_KEYS: secrets_key,
    WEBHOOK_ALLOWED_ADDRESSES: '127.0.0.1',
  };
  const ports = {
    gateway: await pickPort(13_200),
    api: await pickPort(13_000),
    bare: await pickPort(13_100),
  };
  log('starting the contestants …');
  const children = await startContestants(directory, env, ports);
  for (const child of Object.values(children)) closers.push(() => stopChild(child));
  const stores = { temporal: temporal.pid, postgres: postgres.pid };

  const pids = {
    ...stores,
    ...Object.fromEntries(Object.entries(children).map(([name, { pid }]) => [name, pid!])),
    bench: process.pid,
  };
  return {
    db,
    owner_url,
    users,
    api_port: ports.api,
    bare_port: ports.bare,
    /** The sandbox gateway, and the secrets of its two accounts. */
    gateway: { url: urlOf(ports.gateway), secrets: GATEWAY_SECRETS },
    pids,
    /** Requests, each of which has to be answered with 200. */
    load: (job: LoadJob) =>
      weigh(pids, job, async () => {
        const result = await askChild<LoadResult>(children.load, job);
        if (result.failures === 0) return result.summary;
        throw new Error(`${result.failures} requests failed: ${result.first_failure}`);
      }),
    /** The same load of empty workflows. */
    floor: (job: FloorJob) => weigh(pids, job, () => askChild<Summary>(children.floor, job)),
    temporal_address: temporal.address,
    secrets_key,
    /** A worker and a receiver, only while deliveries are measured. */
    async startDelivery() {
      const delivery = await startDelivery(env, stores);
      closers.push(() => delivery.close());
      return delivery;
    },
    async close() {
      while (closers.length > 0) await closers.pop()!();
    },
  };
}

async function startStores(directory: string, closers: Closers, log: (text: string) => void) {
  const postgres = await startOnFreePort(15_433, (port) =>
    startPostgres({
      directory: join(directory, 'postgres'),
      port,
      log_file: join(directory, 'postgres.log'),
    }),
  );
  closers.push(() => postgres.stop());
  const binary = await acquireTemporalBinary({ env: process.env, log });
  const temporal = await startOnFreePort(17_233, (port) =>
    startTemporal({
      binary,
      database_file: join(directory, 'temporal.db'),
      port,
      ui_port: null,
      namespace: 'default',
      log_file: join(directory, 'temporal.log'),
      say: log,
    }),
  );
  closers.push(() => temporal.stop());
  return { postgres, temporal };
}

async function makeDatabase(postgres: Awaited<ReturnType<typeof startPostgres>>) {
  const admin = new Client({ connectionString: postgres.superuser_url('postgres') });
  await admin.connect();
  await admin.query(`create role payments_app login password '${APP_PASSWORD}'`);
  await admin.query('create database payments');
  await admin.end();
  const owner_url = postgres.superuser_url('payments');
  // Without a role of operators the owner does what they may.
  await migrate({ owner_url, app_role: 'payments_app' });
  const app_url = `postgres://payments_app:${APP_PASSWORD}@127.0.0.1:${postgres.port}/payments`;
  return { owner_url, app_url };
}

/** One after another, and the API before the gateway. */
async function startContestants(
  directory: string,
  env: NodeJS.ProcessEnv,
  ports: Readonly<Record<'api' | 'gateway' | 'bare', number>>,
): Promise<Record<Contestant, ChildProcess>> {
  const WORKFLOW_BUNDLE = join(directory, 'floor-bundle.js');
  await bundle(join(__dirname, 'workflows.js'), WORKFLOW_BUNDLE);
  const gateway_env = {
    ...env,
    SANDBOX_GATEWAY_URL: urlOf(ports.gateway),
    SANDBOX_GATEWAY_SECRETS: GATEWAY_SECRETS.sandbox,
    LIVE_SIMULATOR_SECRETS: GATEWAY_SECRETS.live,
  };
  return {
    api: await startChild(
      join(__dirname, '..', '..', 'bin', 'api.js'),
      { ...gateway_env, PORT: String(ports.api) },
      `${urlOf(ports.api)}/api/public/v1/health`,
    ),
    gateway: await startChild(
      join(__dirname, '..', '..', 'bin', 'sandbox-gateway.js'),
      {
        ...gateway_env,
        SANDBOX_GATEWAY_PORT: String(ports.gateway),
        SANDBOX_GATEWAY_FILE: join(directory, 'gateway.jsonl'),
        GATEWAY_NOTIFICATION_URL: `${urlOf(ports.api)}/internal/gateway/notifications`,
      },
      `${urlOf(ports.gateway)}/health`,
    ),
    floor: await startChild(join(__dirname, 'floor.js'), { ...env, WORKFLOW_BUNDLE }),
    bare: await startChild(join(__dirname, 'bare-route.js'), { ...env, PORT: String(ports.bare) }),
    load: await startChild(join(__dirname, 'load.js'), env, null),
  };
}

async function startDelivery(env: NodeJS.ProcessEnv, stores: Pids) {
  const port = await pickPort(13_300);
  const receiver = await startChild(join(__dirname, 'receiver.js'), { ...env, PORT: String(port) });
  const worker = await startChild(join(__dirname, '..', '..', 'bin', 'worker.js'), env, null);
  const take = (message: object) => askChild<readonly Receipt[]>(receiver, message);
  return {
    url: urlOf(port),
    /** The processes of the worker that delivers, and of what it uses. */
    pids: { ...stores, worker: worker.pid! },
    receiver: { take: () => take({ take: true }), count: async () => (await take({})).length },
    async close() {
      await stopChild(worker);
      await stopChild(receiver);
    },
  };
}

async function askChild<Result>(child: ChildProcess, message: object): Promise<Result> {
  const answered = once(child, 'message') as Promise<[Result]>;
  child.send(message);
  return (await answered)[0];
}

function urlOf(port: number): string {
  return `http://127.0.0.1:${port}`;
}

// An ES module of the build's tools; a plain import would be compiled to `require`.
async function bundle(workflows: string, file: string): Promise<void> {
  // From where this is compiled to, below dist/.
  const tool = join(__dirname, '..', '..', '..', 'dev', 'tools', 'bundle.mjs');
  const { bundleWorkflows } = (await import(tool)) as {
    bundleWorkflows: (paths: { workflows: string; bundle: string }) => Promise<void>;
  };
  await bundleWorkflows({ workflows, bundle: file });
}

/** Waits for its first message, for an address of it to answer, or, with null, for nothing. */
async function startChild(
  file: string,
  env: NodeJS.ProcessEnv,
  health_url?: string | null,
): Promise<ChildProcess> {
  const child = fork(file, [], { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  if (health_url === undefined) await once(child, 'message');
  for (let tries = 0; typeof health_url === 'string'; tries += 1) {
    if (tries > 600) throw new Error(`${file} does not answer`);
    const isUp = await fetch(health_url).then(
      (answer) => answer.ok,
      () => false,
    );
    if (isUp) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return child;
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  // Nothing of theirs is worth an orderly end: the stage is thrown away with them.
  child.kill('SIGKILL');
  await exited;
}

/** @param owner approves, credits and creates keys without limits */
async function makeUsers(db: Db, owner: Db): Promise<BenchUser[]> {
  const users: BenchUser[] = [];
  for (let i = 0; i < USERS; i += 1) {
    const username = `bench-${i}`;
    const { id } = await createUser(db, {
      username,
      email: `${username}@example.com`,
      password_hash: '-',
      first_name: '',
      last_name: '',
      country: 'SN',
    });
    await setKycStatus(owner, username, 'approved', ACTOR);
    for (const [environment, source] of SOURCES) {
      const credit = {
        reference: makeAdjustmentReference(),
        user_id: id,
        environment,
        currency: 'XOF',
        source,
        amount_minor: FUNDS_MINOR,
        reason: 'bench',
      } as const;
      await creditWallet(owner, credit, ACTOR);
    }
    users.push({
      id,
      username,
      live_key: await makeKey(owner, id, 'live'),
      test_key: await makeKey(owner, id, 'sandbox'),
    });
  }
  return users;
}

/** A key without limits. */
export async function makeKey(
  owner: Db,
  user_id: string,
  environment: Environment,
): Promise<string> {
  const { key, ...material } = makeApiKey('pay', environment);
  const options = {
    user_id,
    environment,
    name: 'bench',
    scopes: SCOPES,
    requests_per_minute: UNLIMITED,
    writes_per_minute: UNLIMITED,
  };
  await createApiKey(owner, material, options, { actor: ACTOR });
  return key;
}

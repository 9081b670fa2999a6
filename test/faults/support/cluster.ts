// The production shape on one machine: Postgres, Temporal, two API processes, two workers and the
// sandbox gateway, all real, all ours to kill. Service and gateway reach each other by links that can
// be broken.

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { PREFIX } from '../../../http/prefix';
import { connectDatabase, type Db } from '../../../db/connect';
import { findHost } from '../../../db/hosts';
import { migrate } from '../../../db/schema/migrate';
import type { EmbeddedPostgres } from '../../../dev/embedded/postgres';
import type { EmbeddedTemporal } from '../../../dev/embedded/temporal';
import { registerOperator, type TestDatabase } from '../../support/database';
import { pickTestPort } from '../../support/ports';
import { GATEWAY_SECRETS, type TestGateway } from '../../support/sandbox-gateway';
import { TEST_SECRETS_KEY } from '../../support/secrets';
import { openArchive, type Archive } from './archive';
import { createAppProcess, type AppProcess } from './app-process';
import { openLink, type Link } from './link';
import {
  openPostgres,
  openTemporal,
  postgresFolder,
  temporalFolder,
  type ServerNode,
} from './servers';
import { FAULT_SLOWNESS } from './settings';
import { openSmallDisk, type SmallDisk } from './small-disk';

export interface Api extends AppProcess {
  readonly base_url: string;
  readonly port: number;
}

export type Target = Pick<Api, 'name' | 'base_url'>;

/** Load and checks need this of the processes under test. */
export interface System {
  /** Holds every log and every file of the servers. */
  readonly folder: string;
  readonly apis: readonly Target[];
  /** Customers and checks reach it past any link. An environment without secrets has no gateway. */
  readonly gateway: TestGateway & Pick<AppProcess, 'isRunning'>;
  readonly temporal_address: string;
  readonly temporal_namespace: string;
  /** The application's role. */
  readonly db: Db;
  /** The same as helpers of tests know it; `owner` may do what the service may not. */
  readonly database: TestDatabase;
  /** The authority that signed its certificates, in PEM, if it has any. */
  readonly ca: string | undefined;
  /** The limits of waits are so many times those of the embedded servers. */
  readonly slowness: number;
  /** Counts the ends of processes of the service that were ready and that no test had stopped. */
  unasked_ends(): number;
  /** Everything that is down or frozen comes back. */
  heal(): Promise<void>;
  /** Kills what is left and removes the folder, unless it is to be inspected. */
  close(options: { readonly keep_folder: boolean }): Promise<void>;
}

/** One call of the service to the gateway, in ms. */
export const GATEWAY_TIMEOUT_MS = 2_000;

/** One attempt to deliver a webhook, in ms. */
export const WEBHOOK_TIMEOUT_MS = 2_000;

/** So many, and so short, that nothing is ever exhausted: what is lost would look the same. */
export const WEBHOOK_RETRY_SECONDS: readonly number[] = [
  0.5,
  1,
  2,
  ...Array.from({ length: 100 }, () => 4),
];

export const TASK_QUEUE = 'faults';

export interface Cluster extends System {
  readonly postgres: ServerNode<EmbeddedPostgres>;
  /** Grows only with `archive`. */
  readonly archive: Archive;
  readonly temporal: ServerNode<EmbeddedTemporal>;
  readonly apis: readonly Api[];
  readonly workers: readonly AppProcess[];
  readonly gateway: AppProcess & TestGateway;
  readonly links: {
    /** The service calls the gateway. */
    readonly calls: Link;
    /** The gateway notifies the service: the API processes in turn. */
    readonly notifications: Link;
  };
  /** Proxies are up unless an experiment says otherwise. Empty without `lines`. */
  readonly lines: Readonly<Record<string, Link>>;
  /** The clock of an API or a worker is wrong by so much from now on; 0 is right. Needs `clocks`. */
  setClock(name: string, shift_ms: number): void;
  /** Disks of their own, which can be filled; undefined without `disks`. */
  readonly disks: Disks | undefined;
  accessLogOf(name: string): string;
  /** Standard error of a process. */
  logOf(name: string): string;
  /** The folder of the compiled program that its processes run. */
  readonly program: string;
  readonly database_url: string;
  /** One more API process, started; another database address puts a proxy in between. */
  addApi(name: string, database_url?: string): Promise<Api>;
}

/** The disks that fill up. */
export interface Disks {
  /** Has the write-ahead log, too. */
  readonly postgres: SmallDisk;
  readonly temporal: SmallDisk;
  /** Both API processes write to it. */
  readonly access_log: SmallDisk;
}

export interface ClusterOptions {
  /** Proxies between processes and servers: `api_postgres`, `api_temporal`, `worker_postgres`, `worker_temporal`. */
  readonly lines?: boolean;
  /** The clocks of API processes and workers can be set. */
  readonly clocks?: boolean;
  /** Postgres archives its write-ahead log. */
  readonly archive?: boolean;
  /** Disks that can be filled; small-disk.ts says what they need. */
  readonly disks?: boolean;
  /** Another Postgres than one embedded server; what is told apart by its port is not to be had then. */
  readonly openPostgres?: (folder: string) => Promise<ServerNode<EmbeddedPostgres>>;
  /** The limits of waits, in times of those that are promised of the embedded servers. */
  readonly slowness?: number;
}

/** Every API and worker has these: calls end soon, and webhooks reach receivers in this process. */
export const APP_SETTINGS = {
  GATEWAY_TIMEOUT_MS: String(GATEWAY_TIMEOUT_MS),
  NOTIFICATION_SWEEP_SECONDS: '2',
  SECRETS_KEYS: TEST_SECRETS_KEY,
  WEBHOOK_ALLOWED_ADDRESSES: '127.0.0.1',
  WEBHOOK_TIMEOUT_MS: String(WEBHOOK_TIMEOUT_MS),
  WEBHOOK_RETRY_SECONDS: WEBHOOK_RETRY_SECONDS.join(),
} as const;

const ROOT = join(__dirname, '..', '..', '..');
const SHIFTED_CLOCK = join(__dirname, 'shifted-clock.cjs');
const APP_ROLE = 'payments_app';
const APP_PASSWORD = 'only-for-tests';
const OPERATOR_ROLE = 'payments_operator';
export const DATABASE = 'payments';
const NOTIFICATION_PATH = '/internal/gateway/notifications';

export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'payment-api-faults-'));
  const closers: (() => Promise<void>)[] = [];
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    const faults: unknown[] = [];
    // A closer that fails must not leave the other parts running.
    while (closers.length > 0) await closers.pop()!().catch((fault: unknown) => faults.push(fault));
    if (faults.length > 0) throw new AggregateError(faults, faults.map(String).join('; '));
  };
  // An interruption may come in the middle of a failure, and neither must overtake the other.
  const stopAll = (): Promise<void> => (stopping ??= stop());
  try {
    return await openCluster(folder, closers, stopAll, options);
  } catch (error) {
    await stopAll();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    throw error;
  }
}

async function openCluster(
  folder: string,
  closers: (() => Promise<void>)[],
  stopAll: () => Promise<void>,
  options: ClusterOptions,
): Promise<Cluster> {
  const program = copyProgram(folder);
  const access_folder = join(folder, 'access');
  mkdirSync(access_folder);
  const disks = options.disks ? openDisks(folder, access_folder, closers) : undefined;
  const archive = openArchive(postgresFolder(folder));
  const postgres = await (options.openPostgres?.(folder) ??
    openPostgres(folder, options.archive ? () => archive.settings() : undefined));
  closers.push(() => postgres.stop());
  const temporal = await openTemporal(folder);
  closers.push(() => temporal.stop());
  const database_url = await createDatabase(postgres.current());
  const checks = connectChecks({
    name: DATABASE,
    app_url: database_url,
    operator_url: urlOf(postgres.current(), OPERATOR_ROLE),
    owner_url: postgres.current().superuser_url(DATABASE),
  });
  const { database } = checks;
  closers.push(() => checks.close());
  const gateway_port = await pickTestPort();
  const apis: Api[] = [];
  const links = {
    calls: await openLink(() => [gateway_port]),
    notifications: await openLink(() => apis.map(({ port }) => port)),
  };
  closers.push(() => links.calls.close());
  closers.push(() => links.notifications.close());
  const { lines, ...route } = await openLines(options, postgres, temporal);
  closers.push(async () => void (await Promise.all(Object.values(lines).map((it) => it.close()))));
  const system = { PATH: process.env['PATH'] ?? '', HOME: folder };
  const gateway_secrets = {
    SANDBOX_GATEWAY_SECRETS: GATEWAY_SECRETS.sandbox.join(','),
    LIVE_SIMULATOR_SECRETS: GATEWAY_SECRETS.live.join(','),
  };
  const env = {
    ...system,
    ...gateway_secrets,
    TASK_QUEUE,
    DATA_DIRECTORY: folder,
    SANDBOX_GATEWAY_URL: links.calls.url,
    // The same wherever a response or an event is written.
    PAY_URL_BASE: 'http://pay.example.com',
    ...APP_SETTINGS,
  };
  const everyone: AppProcess[] = [];
  closers.push(async () => {
    await Promise.all(everyone.map((process) => process.close()));
  });
  const clockFile = (name: string): string => join(folder, `${name}.clock`);
  const clockOf = (name: string): Record<string, string> =>
    options.clocks
      ? { NODE_OPTIONS: `--require "${SHIFTED_CLOCK}"`, CLOCK_SHIFT_FILE: clockFile(name) }
      : {};
  const accessLogOf = (name: string): string => join(access_folder, `${name}.log`);
  const logOf = (name: string): string => join(folder, `${name}.log`);
  const create = (name: string, script: string, own: Record<string, string>): AppProcess => {
    const process = createAppProcess({
      name,
      script: join(program, 'bin', script),
      env: own,
      log_file: logOf(name),
      access_log_file: accessLogOf(name),
    });
    everyone.push(process);
    return process;
  };
  const createApi = async (name: string, url = database_url): Promise<Api> => {
    const port = await pickTestPort();
    const addresses = route.of('api', url);
    const own = { PORT: String(port), ...addresses, ...clockOf(name) };
    const api = create(name, 'api.js', { ...env, ...own });
    return { ...api, port, base_url: `http://127.0.0.1:${port}${PREFIX}` };
  };
  const gateway_url = `http://127.0.0.1:${gateway_port}`;
  const journal = join(folder, 'gateway.jsonl');
  const gateway = {
    ...create('gateway', 'sandbox-gateway.js', {
      ...system,
      ...gateway_secrets,
      SANDBOX_GATEWAY_PORT: String(gateway_port),
      SANDBOX_GATEWAY_URL: gateway_url,
      SANDBOX_GATEWAY_FILE: journal,
      GATEWAY_NOTIFICATION_URL: `${links.notifications.url}${NOTIFICATION_PATH}`,
    }),
    url: gateway_url,
    file: journal,
    secrets: GATEWAY_SECRETS,
  };
  apis.push(await createApi('api-1'), await createApi('api-2'));
  const workers = ['worker-1', 'worker-2'].map((name) =>
    create(name, 'worker.js', { ...env, ...route.of('worker', database_url), ...clockOf(name) }),
  );
  await Promise.all(everyone.map((process) => process.start()));

  return {
    folder,
    postgres,
    archive,
    temporal,
    apis,
    workers,
    gateway,
    links,
    lines,
    disks,
    db: database.db,
    database_url,
    accessLogOf,
    logOf,
    program,
    ca: undefined,
    slowness: options.slowness ?? FAULT_SLOWNESS,
    temporal_address: temporal.current().address,
    temporal_namespace: 'default',
    unasked_ends: () =>
      [...apis, ...workers, gateway].reduce((sum, it) => sum + it.unasked_ends(), 0),
    setClock: (name, shift_ms) => writeFileSync(clockFile(name), String(shift_ms)),
    database,
    async addApi(name, url) {
      const api = await createApi(name, url);
      await api.start();
      return api;
    },
    async heal() {
      for (const disk of Object.values(disks ?? {}) as SmallDisk[]) disk.free();
      for (const server of [postgres, temporal]) {
        if (server.isRunning()) server.thaw();
        else await server.start();
      }
      for (const process of everyone) process.thaw();
      for (const link of [...Object.values(links), ...Object.values(lines)]) link.set({});
      if (options.clocks)
        for (const { name } of [...apis, ...workers]) rmSync(clockFile(name), { force: true });
      const down = [...apis, ...workers, gateway].filter((process) => !process.isRunning());
      await Promise.all(down.map((process) => process.start()));
    },
    async close({ keep_folder }) {
      await stopAll();
      if (!keep_folder) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The connections of load and checks, which end with the system. */
export function connectChecks(
  urls: Pick<TestDatabase, 'name' | 'app_url' | 'operator_url' | 'owner_url'>,
): { readonly database: TestDatabase; close(): Promise<void> } {
  const connect = (url: string, name: string): Db => connectDatabase({ url, pool_size: 5, name });
  const db = connect(urls.app_url, 'fault-checks');
  const operator = connect(urls.operator_url, 'fault-operator');
  const owner = connect(urls.owner_url, 'fault-owner');
  registerOperator(db, operator);
  const refuse = (): Promise<never> => Promise.reject(new Error('it goes with its system'));
  return {
    database: { ...urls, db, operator, owner, close: refuse, drop: refuse },
    async close() {
      for (const one of [db, operator, owner]) await one.destroy();
    },
  };
}

/** Each is mounted where its part will write. */
function openDisks(folder: string, access_folder: string, closers: (() => Promise<void>)[]): Disks {
  const open = (path: string): SmallDisk => {
    const disk = openSmallDisk(path);
    // The parts that write to it open later, and so are closed before it.
    closers.push(() => Promise.resolve(disk.close()));
    return disk;
  };
  return {
    postgres: open(postgresFolder(folder)),
    temporal: open(temporalFolder(folder)),
    access_log: open(access_folder),
  };
}

interface Lines {
  readonly lines: Readonly<Record<string, Link>>;
  /** The addresses by which a process reaches its servers. */
  readonly of: (who: 'api' | 'worker', database_url: string) => Record<string, string>;
}

async function openLines(
  options: ClusterOptions,
  postgres: ServerNode<EmbeddedPostgres>,
  temporal: ServerNode<EmbeddedTemporal>,
): Promise<Lines> {
  const direct = { TEMPORAL_ADDRESS: temporal.current().address };
  if (!options.lines) {
    return { lines: {}, of: (_who, DATABASE_URL) => ({ ...direct, DATABASE_URL }) };
  }
  const temporal_port = Number(new URL(`http://${direct.TEMPORAL_ADDRESS}`).port);
  const toPostgres = (): Promise<Link> => openLink(() => [postgres.current().port]);
  const toTemporal = (): Promise<Link> => openLink(() => [temporal_port]);
  const lines = {
    api_postgres: await toPostgres(),
    api_temporal: await toTemporal(),
    worker_postgres: await toPostgres(),
    worker_temporal: await toTemporal(),
  };
  return {
    lines,
    of(who, database_url) {
      const through = new URL(database_url);
      through.port = new URL(lines[`${who}_postgres`].url).port;
      const temporal_line = new URL(lines[`${who}_temporal`].url).host;
      return { DATABASE_URL: through.href, TEMPORAL_ADDRESS: temporal_line };
    },
  };
}

// A copy, because processes start again and again during a run: a build beside it must not change
// the program halfway.
function copyProgram(folder: string): string {
  const built = join(ROOT, 'dist');
  if (!existsSync(join(built, 'bin', 'api.js'))) {
    throw new Error('There is no built program: run npm run build first.');
  }
  const program = join(folder, 'dist');
  cpSync(built, program, { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return program;
}

/** Returns the address for the application's role. */
export async function createDatabase(postgres: EmbeddedPostgres): Promise<string> {
  const { url } = await findHost(postgres.superuser_url('postgres'));
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const role of [APP_ROLE, OPERATOR_ROLE]) {
    await client.query(`create role ${role} login password '${APP_PASSWORD}'`);
  }
  await client.query(`create database ${DATABASE}`);
  await client.end();
  const roles = { app_role: APP_ROLE, operator_role: OPERATOR_ROLE };
  await migrate({ owner_url: postgres.superuser_url(DATABASE), ...roles });
  return urlOf(postgres, APP_ROLE);
}

function urlOf(postgres: EmbeddedPostgres, role: string): string {
  return postgres.superuser_url(DATABASE).replace(/(?<=:\/\/)[^@]*/, `${role}:${APP_PASSWORD}`);
}

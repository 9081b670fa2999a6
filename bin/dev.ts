// `npm start`: the whole system in one command. Brings its own Postgres and Temporal unless the
// environment names others, and ends in a short screen of addresses, keys and a first curl.

import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { ConfigError, type Config } from '../config/load';
import { connectDatabase } from '../db/connect';
import { migrate } from '../db/migrate';
import { CHILD_PATH, startChild, waitUntilReady, type Child } from '../embedded/child';
import { EmbeddedError } from '../embedded/error';
import { isPortFree, pickPort } from '../embedded/ports';
import { startPostgres, type EmbeddedPostgres } from '../embedded/postgres';
import { takeRunLock } from '../embedded/run-lock';
import { startTemporal } from '../embedded/temporal';
import { acquireTemporalBinary } from '../embedded/temporal-binary';
import { GATEWAY_SIGNATURE_HEADER } from '../secrets/gateway-signature';
import { randomText } from '../secrets/random';
import { seedDemo, type DemoUser } from './demo';
import { configOrExit, fail, stopSignal } from './process';
import { startService } from './service';

const POSTGRES_PORT = 5433;
const TEMPORAL_PORT = 7233;
const DATABASE = 'payments';
const APP_ROLE = 'payments_app';
const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

type Closer = () => Promise<void> | void;
type Say = (text: string) => void;

async function main(): Promise<void> {
  const given = configOrExit();
  if (given.production) {
    // It would make demo users with money in whatever database it is pointed at.
    fail(
      new ConfigError([
        'npm start is for trying and developing; production runs bin/api and bin/worker',
      ]),
    );
  }
  const directory = given.data_directory;
  const logs = join(directory, 'logs');
  mkdirSync(logs, { recursive: true });
  const demo_file = join(directory, 'demo.json');
  const closers: Closer[] = [];
  // From here on Ctrl-C is heard; what has been started by then is stopped in reverse order.
  const stopped = stopSignal();
  const closeAll = async (): Promise<void> => {
    while (closers.length > 0) await closers.pop()!();
  };
  const say: Say = (text) => process.stdout.write(`${text}\n`);
  try {
    const lock = takeRunLock(directory);
    closers.push(() => lock.release());
    // Its presence means "ready": an old one must not speak for this run.
    rmSync(demo_file, { force: true });
    closers.push(() => rmSync(demo_file, { force: true }));

    const database = await openDatabase(given, directory, logs, closers, say);
    const temporal = await openTemporal(given, directory, logs, closers, say);
    const address = await openAddress(given, say);
    const config: Config = {
      ...given,
      ...database,
      ...temporal,
      ...address,
      gateway: await openGateway(given, address.public_url, directory, logs, closers, say),
      access_log_file: given.access_log_file ?? join(logs, 'access.log'),
    };
    const log = openLog(join(logs, 'service.log'), closers);
    const service = await startService({ config, roles: { api: true, webhooks: true }, log });
    closers.push(() => service.stop());
    const users = await seed(config, directory);
    writeDemoFile(demo_file, config, users);
    say(screen(config, users, demo_file));
    await Promise.race([stopped, service.failed]);
    say('Stopping …');
    await closeAll();
    say('Stopped. Everything is kept; npm start goes on from here.');
    process.exit(0);
  } catch (error) {
    await closeAll().catch((closing: unknown) => process.stderr.write(`${String(closing)}\n`));
    fail(error);
  }
}

async function openDatabase(
  given: Config,
  directory: string,
  logs: string,
  closers: Closer[],
  say: Say,
): Promise<Pick<Config, 'database_url' | 'database_owner_url'>> {
  let urls: { database_url: string; database_owner_url: string };
  if (given.database_url !== undefined && given.database_owner_url !== undefined) {
    urls = { database_url: given.database_url, database_owner_url: given.database_owner_url };
  } else {
    say('Starting Postgres …');
    const port = await pickPort(POSTGRES_PORT);
    const start = () =>
      startPostgres({
        directory: join(directory, 'postgres'),
        port,
        log_file: join(logs, 'postgres.log'),
      });
    const supervised = await supervise('Postgres', start, say);
    closers.push(() => supervised.stop());
    urls = await createDatabase(supervised.current(), directory, port);
  }
  const app_role = decodeURIComponent(new URL(urls.database_url).username);
  await migrate({ owner_url: urls.database_owner_url, app_role });
  return urls;
}

async function openTemporal(
  given: Config,
  directory: string,
  logs: string,
  closers: Closer[],
  say: Say,
): Promise<Pick<Config, 'temporal_address' | 'temporal_ui_url'>> {
  const { temporal_address, temporal_ui_url, temporal_namespace } = given;
  if (temporal_address !== undefined) return { temporal_address, temporal_ui_url };
  say('Starting Temporal …');
  const binary = await acquireTemporalBinary({ env: process.env, log: say });
  const port = await pickPort(TEMPORAL_PORT);
  const ui_port = await chosenPort(given, 'TEMPORAL_UI_PORT', given.temporal_ui_port, say);
  const start = () =>
    startTemporal({
      binary,
      database_file: join(directory, 'temporal', 'temporal.db'),
      port,
      ui_port,
      namespace: temporal_namespace,
      log_file: join(logs, 'temporal.log'),
    });
  const supervised = await supervise('Temporal', start, say);
  closers.push(() => supervised.stop());
  const { address, ui_url } = supervised.current();
  return { temporal_address: address, temporal_ui_url: ui_url ?? undefined };
}

/** The simulator as a process of its own, for the sandbox and, unless Stripe is there, for live. */
async function openGateway(
  given: Config,
  public_url: string,
  directory: string,
  logs: string,
  closers: Closer[],
  say: Say,
): Promise<Config['gateway']> {
  const { gateway } = given;
  // Of the address that the API really has.
  const notification_url = given.given.has('GATEWAY_NOTIFICATION_URL')
    ? gateway.simulator_process.notification_url
    : public_url + gateway.notification_path;
  const simulator_process = { ...gateway.simulator_process, notification_url };
  if (gateway.simulator) return { ...gateway, simulator_process };
  say('Starting the sandbox gateway …');
  const secrets = gatewaySecrets(directory);
  const { port: wanted } = simulator_process;
  const port = await chosenPort(given, 'SANDBOX_GATEWAY_PORT', wanted, say);
  const url = `http://127.0.0.1:${port}`;
  const start = () =>
    startGateway({
      file: simulator_process.file,
      log_file: join(logs, 'sandbox-gateway.log'),
      port,
      settings: {
        SANDBOX_GATEWAY_PORT: String(port),
        SANDBOX_GATEWAY_URL: url,
        SANDBOX_GATEWAY_FILE: simulator_process.file,
        SANDBOX_GATEWAY_SECRETS: secrets.sandbox,
        ...(gateway.stripe ? {} : { LIVE_SIMULATOR_SECRETS: secrets.live }),
        GATEWAY_NOTIFICATION_URL: notification_url,
      },
    });
  const supervised = await supervise('The sandbox gateway', start, say);
  closers.push(() => supervised.stop());
  const live = gateway.stripe ? [] : [secrets.live];
  return {
    ...gateway,
    simulator: { url, secrets: { live, sandbox: [secrets.sandbox] } },
    simulator_process,
  };
}

/** Made once; they stay in the data folder, where the command line finds them. */
function gatewaySecrets(directory: string): { readonly live: string; readonly sandbox: string } {
  const file = join(directory, 'gateway-secrets.json');
  if (!existsSync(file)) {
    const secret = (): string => randomText(ALPHANUMERIC, 40);
    const secrets = { live: secret(), sandbox: secret() };
    writeFileSync(file, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  }
  return JSON.parse(readFileSync(file, 'utf8')) as { live: string; sandbox: string };
}

const GATEWAY_READY_SECONDS = 20;

async function startGateway(options: {
  readonly file: string;
  readonly log_file: string;
  readonly port: number;
  readonly settings: Readonly<Record<string, string>>;
}): Promise<Child> {
  const { port, settings, log_file } = options;
  const name = 'The sandbox gateway';
  const child = await startChild({
    name,
    command: process.execPath,
    args: [join(__dirname, 'sandbox-gateway.js')],
    cwd: process.cwd(),
    env: { PATH: CHILD_PATH, ...settings },
    log_file,
    stop_steps: [
      { signal: 'SIGTERM', wait_seconds: 10 },
      { signal: 'SIGKILL', wait_seconds: 5 },
    ],
  });
  await waitUntilReady(
    child,
    GATEWAY_READY_SECONDS,
    () =>
      fetch(`http://127.0.0.1:${port}/health`).then(
        ({ ok }) => ok,
        () => false,
      ),
    (log) => new EmbeddedError(`${name} does not start. The end of its log:\n${log}`),
  );
  return child;
}

async function openAddress(
  given: Config,
  say: Say,
): Promise<Pick<Config, 'port' | 'public_url' | 'pay_url_base'>> {
  const port = await chosenPort(given, 'PORT', given.port, say);
  const moved = (url: string, name: string): string =>
    given.given.has(name) ? url : url.replace(/:\d+$/, `:${port}`);
  const public_url = moved(given.public_url, 'PUBLIC_URL');
  const pay_url_base = given.given.has('PAY_URL_BASE') ? given.pay_url_base : public_url;
  return { port, public_url, pay_url_base };
}

/** A default port that is taken is replaced; one that somebody chose is an error. */
async function chosenPort(given: Config, name: string, port: number, say: Say): Promise<number> {
  if (given.given.has(name)) {
    if (await isPortFree(port)) return port;
    throw new EmbeddedError(`Port ${port} (${name}) is in use. Stop what uses it, or set ${name}.`);
  }
  const picked = await pickPort(port);
  if (picked !== port)
    say(`Port ${port} is in use: taking ${picked} instead (set ${name} to choose).`);
  return picked;
}

interface Part {
  readonly exited: Promise<unknown>;
  stop(): Promise<void>;
}

interface Supervised<P> {
  current(): P;
  stop(): Promise<void>;
}

/** Starts a part and starts it again when it dies, as a cluster's supervisor would. */
async function supervise<P extends Part>(
  name: string,
  start: () => Promise<P>,
  say: Say,
): Promise<Supervised<P>> {
  let part = await start();
  let stopping = false;
  let restarting: Promise<void> = Promise.resolve();
  const watch = (): void => {
    void part.exited.then(() => {
      if (stopping) return;
      say(`${name} ended unexpectedly: starting it again …`);
      restarting = start().then((fresh) => {
        part = fresh;
        watch();
      }, fail);
    });
  };
  watch();
  return {
    current: () => part,
    async stop() {
      stopping = true;
      await restarting;
      await part.stop();
    },
  };
}

/** The database and the application's role, with a password that stays in the data folder. */
async function createDatabase(
  postgres: EmbeddedPostgres,
  directory: string,
  port: number,
): Promise<{ database_url: string; database_owner_url: string }> {
  const file = join(directory, 'database-password');
  if (!existsSync(file)) writeFileSync(file, randomText(ALPHANUMERIC, 32), { mode: 0o600 });
  const password = readFileSync(file, 'utf8').trim();
  const client = new Client({ connectionString: postgres.superuser_url('postgres') });
  await client.connect();
  try {
    const role = await client.query('select 1 from pg_roles where rolname = $1', [APP_ROLE]);
    const verb = role.rowCount === 0 ? 'create' : 'alter';
    // Neither statement takes parameters; both texts are ours and alphanumeric.
    await client.query(`${verb} role ${APP_ROLE} login password '${password}'`);
    const database = await client.query('select 1 from pg_database where datname = $1', [DATABASE]);
    if (database.rowCount === 0) await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end();
  }
  return {
    database_url: `postgres://${APP_ROLE}:${password}@127.0.0.1:${port}/${DATABASE}`,
    database_owner_url: postgres.superuser_url(DATABASE),
  };
}

async function seed(config: Config, directory: string): Promise<readonly DemoUser[]> {
  const db = connectDatabase({ url: config.database_url!, pool_size: 2, name: 'payment-demo' });
  try {
    return await seedDemo(db, directory, config.key_prefixes[0]!);
  } finally {
    await db.destroy();
  }
}

function openLog(
  file: string,
  closers: Closer[],
): (entry: Readonly<Record<string, unknown>>) => void {
  const target = openSync(file, 'a', 0o640);
  closers.push(() => closeSync(target));
  return (entry) => {
    writeSync(target, `${JSON.stringify(entry)}\n`);
  };
}

/** What scripts read; the form is promised in docs/configuration.md. */
function writeDemoFile(file: string, config: Config, users: readonly DemoUser[]): void {
  const demo = {
    base_url: `${config.public_url}/api/public/v1`,
    pay_url_base: config.pay_url_base,
    dashboard_url: null,
    temporal_address: config.temporal_address,
    temporal_namespace: config.temporal_namespace,
    temporal_ui_url: config.temporal_ui_url ?? null,
    database_url: config.database_url,
    gateway: config.gateway.simulator
      ? {
          notification_url: config.gateway.simulator_process.notification_url,
          secret: config.gateway.simulator.secrets.sandbox[0] ?? null,
          signature_header: GATEWAY_SIGNATURE_HEADER,
        }
      : null,
    users,
    webhook_sink: null,
  };
  writeFileSync(`${file}.new`, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function screen(config: Config, users: readonly DemoUser[], demo_file: string): string {
  const base = `${config.public_url}/api/public/v1`;
  const [merchant, customer] = users as [DemoUser, DemoUser];
  return `
Payment API is ready.

  API           ${base}
  OpenAPI       ${config.public_url}/openapi.json
  Gateway       ${config.gateway.simulator?.url ?? '(yours)'} (a simulator${config.gateway.stripe ? '' : ', for live payments too'})
  Temporal UI   ${config.temporal_ui_url ?? '(yours)'}
  Everything    ${demo_file}

  ${merchant.username.padEnd(12)}  live ${merchant.live_key}
                test ${merchant.test_key}
  ${customer.username.padEnd(12)}  live ${customer.live_key}
                test ${customer.test_key}

Send money:

  curl -s ${base}/transfers \\
    -H 'Authorization: Bearer ${merchant.live_key}' \\
    -H 'Content-Type: application/json' \\
    -d '{"to_username": "${customer.username}", "currency": "XOF", "amount": 5000}'

Or make a payment link, and open its pay_url:

  curl -s ${base}/payment-intents \\
    -H 'Authorization: Bearer ${merchant.test_key}' \\
    -H 'Content-Type: application/json' \\
    -d '{"amount": 49.90, "currency": "EUR", "description": "Two books"}'

Ctrl-C stops everything; the data stays.`;
}

void main();

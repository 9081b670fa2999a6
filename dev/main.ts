// `npm start`: the whole system in one command. It starts Postgres and Temporal itself unless environment
// variables name others, then prints addresses, keys and a first curl.

import { closeSync, mkdirSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { configOrExit, fail, stopSignal } from '../bin/process';
import { startService } from '../bin/service';
import { webhookPolicy } from '../bin/webhook-policy';
import { ConfigError, type Config } from '../config/load';
import { connectDatabase, type Db } from '../db/connect';
import { openLogFile } from './embedded/child';
import { takeRunLock } from './embedded/run-lock';
import { startTemporal, type EmbeddedTemporal } from './embedded/temporal';
import { acquireTemporalBinary } from './embedded/temporal-binary';
import { createSealer } from '../secrets/seal';
import type { WebhookSink } from './simulators/webhook-sink/server';
import { startDevCodec } from './codec';
import { startDatabase } from './database';
import { seedDemoEndpoints } from './demo-endpoints';
import { writeDemoFile, type Demo } from './demo-file';
import { seedDemoUsers } from './demo-users';
import { choosePort, startOnKeptPort, startPart, type DevRun } from './dev-run';
import { startGateway } from './gateway';
import { readyMessage } from './ready-message';
import { startSink, webhookSettings } from './webhooks';

const TEMPORAL_PORT = 7233;

export async function startEverything(): Promise<void> {
  const given = configOrExit();
  if (given.production) {
    // It would create demo users with money in a production database.
    fail(
      new ConfigError([
        'npm start is for development: in production run dist/bin/api.js and dist/bin/worker.js',
      ]),
    );
  }
  const directory = given.data_directory;
  const logs = join(directory, 'logs');
  // The folder is for the owner only. The superuser's Postgres runs as another user, which must be
  // able to enter.
  mkdirSync(directory, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  mkdirSync(logs, { recursive: true, mode: 0o700 });
  const demo_file = join(directory, 'demo.json');
  const run: DevRun = {
    given,
    directory,
    logs,
    closers: [],
    say: (text) => process.stdout.write(`${text}\n`),
  };
  const { closers, say } = run;
  // From here on Ctrl-C stops the parts that were started, in reverse order.
  const stopped = stopSignal();
  const closeAll = async (): Promise<void> => {
    while (closers.length > 0) await closers.pop()!();
  };
  try {
    const lock = takeRunLock(directory);
    closers.push(() => lock.release());
    // Scripts take the file's presence for "ready", so remove that of an earlier run.
    rmSync(demo_file, { force: true });
    closers.push(() => rmSync(demo_file, { force: true }));

    const database = await startDatabase(run);
    const temporal = await startTemporalServer(run);
    const address = await chooseAddress(run);
    const config: Config = {
      ...given,
      database_url: database.database_url,
      database_owner_url: database.database_owner_url,
      operator_database_url: database.operator_database_url,
      ...temporal,
      ...address,
      ...webhookSettings(run),
      gateway: await startGateway(run, address.public_url),
      metrics: await chooseMetrics(run),
    };
    const log = openLog(join(logs, 'service.log'), closers);
    const db = connectDatabase({ url: config.database_url!, pool_size: 2, name: 'payment-demo' });
    closers.push(() => db.destroy());
    const sink = await startSink(run, config, db, log);
    const demo = await seed(
      config,
      directory,
      { db, operator_url: database.operator_database_url },
      sink,
    );
    const service = await startService({ config, roles: { api: true, webhooks: true }, log });
    closers.push(() => service.stop());
    const metrics_urls = service.metrics_url === undefined ? [] : [service.metrics_url];
    writeDemoFile(demo_file, config, { ...demo, metrics_urls });
    say(readyMessage(config, { ...demo, metrics_urls }, demo_file));
    await Promise.race([stopped, service.failed]);
    say('Stopping …');
    await closeAll();
    say('Stopped. The data is kept: npm start continues from here.');
    process.exit(0);
  } catch (error) {
    await closeAll().catch((closing: unknown) => process.stderr.write(`${String(closing)}\n`));
    fail(error);
  }
}

async function startTemporalServer(
  run: DevRun,
): Promise<Pick<Config, 'temporal_address' | 'temporal_ui_url'>> {
  const { temporal_address, temporal_ui_url, temporal_ui_port, temporal_namespace } = run.given;
  if (temporal_address !== undefined) return { temporal_address, temporal_ui_url };
  run.say('Starting Temporal …');
  const binary = await acquireTemporalBinary({ env: process.env, log: run.say });
  const ui_port = await choosePort(run, 'TEMPORAL_UI_PORT', temporal_ui_port);
  const codec_url = await startDevCodec(run, ui_port);
  const start = (port: number): Promise<EmbeddedTemporal> =>
    startTemporal({
      binary,
      database_file: join(run.directory, 'temporal', 'temporal.db'),
      port,
      ui_port,
      ...(codec_url === undefined ? {} : { ui_codec_endpoint: codec_url }),
      namespace: temporal_namespace,
      log_file: join(run.logs, 'temporal.log'),
      say: run.say,
    });
  const { address, ui_url } = await startPart(
    run,
    'Temporal',
    startOnKeptPort(run, 'TEMPORAL', TEMPORAL_PORT, start),
  );
  return { temporal_address: address, temporal_ui_url: ui_url ?? undefined };
}

async function chooseAddress(
  run: DevRun,
): Promise<Pick<Config, 'port' | 'public_url' | 'pay_url_base' | 'dashboard_url'>> {
  const { given } = run;
  const port = await choosePort(run, 'PORT', given.port);
  const public_url = given.given.has('PUBLIC_URL')
    ? given.public_url
    : given.public_url.replace(/:\d+$/, `:${port}`);
  const pay_url_base = given.given.has('PAY_URL_BASE') ? given.pay_url_base : public_url;
  const dashboard_url =
    given.dashboard_host === undefined ? `${public_url}/dashboard` : given.dashboard_url;
  return { port, public_url, pay_url_base, dashboard_url };
}

async function chooseMetrics(run: DevRun): Promise<Config['metrics']> {
  const { host, port } = run.given.metrics;
  return { host, port: port === 0 ? 0 : await choosePort(run, 'METRICS_PORT', port) };
}

async function seed(
  config: Config,
  directory: string,
  { db, operator_url }: { readonly db: Db; readonly operator_url: string },
  { page }: WebhookSink,
): Promise<Demo> {
  const operator_db = connectDatabase({
    url: operator_url,
    pool_size: 2,
    name: 'payment-demo-operator',
  });
  const dependencies = { db: operator_db, actor: 'demo' };
  const users = await seedDemoUsers(dependencies, directory).finally(() => {
    void operator_db.destroy();
  });
  const sealer = createSealer(config.secrets_keys);
  const url = await seedDemoEndpoints(
    { db, sealer, policy: webhookPolicy(config) },
    users[0]!.username,
    page,
  );
  return { users, webhook_sink: { url, page } };
}

function openLog(
  file: string,
  closers: DevRun['closers'],
): (entry: Readonly<Record<string, unknown>>) => void {
  const target = openLogFile(file);
  closers.push(() => closeSync(target));
  return (entry) => {
    try {
      writeSync(target, `${JSON.stringify(entry)}\n`);
    } catch {
      // A full disk must not fail what is being logged.
    }
  };
}

// Starts the servers of a test run and prepares what is made once: the template database, the
// search attributes and the workflow bundle.

import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectTemporal, registerSearchAttributes } from '../../temporal/connect';
import { loadConfig } from '../../config/load';
import { migrate } from '../../db/schema/migrate';
import { startPostgres, type EmbeddedPostgres } from '../../dev/embedded/postgres';
import { signalProcess } from '../../dev/embedded/process';
import { startTemporal, type EmbeddedTemporal } from '../../dev/embedded/temporal';
import { acquireTemporalBinary } from '../../dev/embedded/temporal-binary';
import { ONE_AT_A_TIME } from './one-at-a-time';
import { startOnTestPort } from './ports';
import { findStack, publishStack, type Stack } from './stack';
import { asSuperuser, withDatabase } from './superuser';
import { MAX_UPDATES } from './temporal';
import { prepareWorkflowBundle } from './workflow-bundle';

const APP_ROLE = 'payments_app';
const OPERATOR_ROLE = 'payments_operator';
const ROLES = { app_role: APP_ROLE, operator_role: OPERATOR_ROLE };
const TEMPLATE = 'payments_template';

type Closer = () => Promise<void> | void;

declare global {
  var closeTestStack: Closer | undefined;
}

export default async function globalSetup(): Promise<void> {
  const given = findStack();
  if (given !== undefined) return shareServers(given);
  const folder = mkdtempSync(join(tmpdir(), 'payment-api-tests-'));
  packClients();
  const closers: Closer[] = [() => remove(folder)];
  const opening = [
    openPostgres(folder, closers),
    openTemporal(folder, closers),
    prepareWorkflowBundle(folder),
  ] as const;
  globalThis.closeTestStack = async () => {
    // A server that is still being started would outlive us.
    await Promise.allSettled(opening);
    while (closers.length > 0) await closers.pop()!();
  };
  stopOnSignal();
  try {
    const [database, temporal_address, workflow_bundle] = await Promise.all(opening);
    publishStack({ ...database, temporal_address, workflow_bundle, folder });
  } catch (error) {
    await globalThis.closeTestStack();
    throw error;
  }
}

/** For who runs one file in a checkout that was never built. */
function packClients(): void {
  const root = join(__dirname, '..', '..');
  if (existsSync(join(root, 'dist', 'client-packages'))) return;
  const program = join(root, 'dev', 'tools', 'pack-clients.mjs');
  const { status } = spawnSync(process.execPath, [program], { stdio: 'inherit' });
  if (status !== 0) throw new Error('The clients could not be packed.');
}

async function openPostgres(folder: string, closers: Closer[]) {
  const postgres = await startOnTestPort((port) =>
    startPostgres({
      directory: join(folder, 'postgres'),
      port,
      log_file: join(folder, 'postgres.log'),
      // Commits wait for no disk. What a crash leaves is tested with real settings, by test/faults.
      is_durable: false,
      // It would look into some hundred databases a minute, each of which is gone before it needs that.
      settings: { autovacuum: 'off' },
    }),
  );
  closers.push(() => kill(postgres));
  const passwords = { app_password: 'only-for-tests', operator_password: 'only-for-tests-too' };
  const { app_password, operator_password } = passwords;
  const superuser_url = postgres.superuser_url('postgres');
  await asSuperuser(superuser_url, `create role ${APP_ROLE} login password '${app_password}'`);
  await asSuperuser(
    superuser_url,
    `create role ${OPERATOR_ROLE} login password '${operator_password}'`,
  );
  await createTemplate(superuser_url, TEMPLATE);
  return { superuser_url, template: TEMPLATE, ...ROLES, ...passwords };
}

/** Runs on the servers of another run (test/mutants), with a schema and workflows of its own. */
async function shareServers(given: Stack): Promise<void> {
  if (given.is_shared) return;
  const folder = mkdtempSync(join(given.folder, 'run-'));
  const template = `${TEMPLATE}_${randomBytes(8).toString('hex')}`;
  const [workflow_bundle] = await Promise.all([
    prepareWorkflowBundle(folder, given.workflow_bundle),
    createTemplate(given.superuser_url, template),
  ]);
  publishStack({ ...given, folder, template, workflow_bundle });
}

async function createTemplate(superuser_url: string, name: string): Promise<void> {
  await asSuperuser(superuser_url, `create database ${name}`);
  const owner_url = withDatabase(superuser_url, name);
  await migrate({ owner_url, ...ROLES });
  await asSuperuser(owner_url, ONE_AT_A_TIME);
}

async function openTemporal(folder: string, closers: Closer[]): Promise<string> {
  const log = (message: string): void => console.error(message);
  const binary = await acquireTemporalBinary({ env: process.env, log });
  mkdirSync(join(folder, 'temporal'));
  const temporal = await startOnTestPort((port) =>
    startTemporal({
      binary,
      database_file: join(folder, 'temporal', 'temporal.db'),
      port,
      ui_port: null,
      namespace: 'default',
      log_file: join(folder, 'temporal.log'),
      dynamic_config: {
        // Tests wait until a workflow is listed.
        'history.visibilityProcessorMaxPollRPS': 5,
        'history.maxTotalUpdates': MAX_UPDATES,
      },
      say: log,
    }),
  );
  closers.push(() => kill(temporal));
  const config = loadConfig({ TEMPORAL_ADDRESS: temporal.address });
  const link = await connectTemporal(config);
  await registerSearchAttributes(link, config);
  await link.connection.close();
  return temporal.address;
}

/** Some hundred databases are as many thousand files: the run does not wait for the end of it. */
function remove(folder: string): void {
  spawn('rm', ['-rf', folder], { detached: true, stdio: 'ignore' }).unref();
}

/** Nothing of theirs is kept, and a checkpoint of some hundred databases takes most of a minute. */
async function kill(server: EmbeddedPostgres | EmbeddedTemporal): Promise<void> {
  signalProcess(server.pid, 'SIGQUIT');
  await server.exited;
}

// The servers have process groups of their own: Ctrl-C reaches them through us only.
function stopOnSignal(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // Stays: a second Ctrl-C must not end us before the servers are stopped.
    process.on(signal, () => {
      void Promise.resolve(globalThis.closeTestStack?.()).finally(() => process.exit(130));
    });
  }
}

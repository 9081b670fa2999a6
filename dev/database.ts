// Postgres for `npm start`: the one in the environment variables, or an embedded one; migrated.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { OPERATOR_URL_FILE } from '../cli/running-system';
import type { Config } from '../config/load';
import { migrate } from '../db/schema/migrate';
import { roleOf } from '../domain/database-url';
import { startPostgres, type EmbeddedPostgres } from './embedded/postgres';
import {
  loadOrCreateSecret,
  makePassword,
  startOnKeptPort,
  startPart,
  type DevRun,
} from './dev-run';

const POSTGRES_PORT = 5433;
const DATABASE = 'payments';
const APP_ROLE = 'payments_app';
const OPERATOR_ROLE = 'payments_operator';

export interface DatabaseUrls {
  readonly database_url: string;
  readonly database_owner_url: string;
  /** The command line finds it in the data folder. */
  readonly operator_database_url: string;
}

export async function startDatabase(run: DevRun): Promise<DatabaseUrls> {
  const urls = givenUrls(run.given) ?? (await startEmbedded(run));
  await migrate({
    owner_url: urls.database_owner_url,
    app_role: roleOf(urls.database_url),
    operator_role: roleOf(urls.operator_database_url),
    approval_above: run.given.approval_above,
  });
  const file = join(run.directory, OPERATOR_URL_FILE);
  writeFileSync(file, `${urls.operator_database_url}\n`, { mode: 0o600 });
  return urls;
}

function givenUrls(given: Config): DatabaseUrls | undefined {
  const { database_url, database_owner_url } = given;
  if (database_url === undefined || database_owner_url === undefined) return undefined;
  const operator_database_url = given.operator_database_url ?? database_owner_url;
  return { database_url, database_owner_url, operator_database_url };
}

async function startEmbedded(run: DevRun): Promise<DatabaseUrls> {
  run.say('Starting Postgres …');
  const start = (port: number): Promise<EmbeddedPostgres> =>
    startPostgres({
      directory: join(run.directory, 'postgres'),
      port,
      log_file: join(run.logs, 'postgres.log'),
    });
  const postgres = await startPart(
    run,
    'Postgres',
    startOnKeptPort(run, 'POSTGRES', POSTGRES_PORT, start),
  );
  return createDatabase(run, postgres);
}

/** Creates the database and the roles, whose passwords are kept in the data folder. */
async function createDatabase(run: DevRun, postgres: EmbeddedPostgres): Promise<DatabaseUrls> {
  const passwords = {
    [APP_ROLE]: loadOrCreateSecret(run, 'database-password', () => makePassword(32)),
    [OPERATOR_ROLE]: loadOrCreateSecret(run, 'operator-password', () => makePassword(32)),
  };
  const client = new Client({ connectionString: postgres.superuser_url('postgres') });
  await client.connect();
  try {
    for (const [name, password] of Object.entries(passwords)) {
      const role = await client.query('select 1 from pg_roles where rolname = $1', [name]);
      const verb = role.rowCount === 0 ? 'create' : 'alter';
      // These statements cannot have parameters; both inserted texts are ours and alphanumeric.
      await client.query(`${verb} role ${name} login password '${password}'`);
    }
    const database = await client.query('select 1 from pg_database where datname = $1', [DATABASE]);
    if (database.rowCount === 0) await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end();
  }
  const urlOf = (role: keyof typeof passwords): string =>
    `postgres://${role}:${passwords[role]}@127.0.0.1:${postgres.port}/${DATABASE}`;
  return {
    database_url: urlOf(APP_ROLE),
    operator_database_url: urlOf(OPERATOR_ROLE),
    database_owner_url: postgres.superuser_url(DATABASE),
  };
}

// Postgres for `npm start`: the one in the environment variables, or an embedded one; migrated.

import { join } from 'node:path';
import { Client } from 'pg';
import type { Config } from '../config/load';
import { migrate } from '../db/migrate';
import { pickPort } from '../embedded/ports';
import { startPostgres, type EmbeddedPostgres } from '../embedded/postgres';
import { loadOrCreateSecret, makePassword, startPart, type DevRun } from './dev-run';

const POSTGRES_PORT = 5433;
const DATABASE = 'payments';
const APP_ROLE = 'payments_app';

export async function startDatabase(
  run: DevRun,
): Promise<Required<Pick<Config, 'database_url' | 'database_owner_url'>>> {
  const urls = givenUrls(run.given) ?? (await startEmbedded(run));
  const app_role = decodeURIComponent(new URL(urls.database_url).username);
  await migrate({ owner_url: urls.database_owner_url, app_role });
  return urls;
}

interface DatabaseUrls {
  readonly database_url: string;
  readonly database_owner_url: string;
}

function givenUrls({ database_url, database_owner_url }: Config): DatabaseUrls | undefined {
  if (database_url === undefined || database_owner_url === undefined) return undefined;
  return { database_url, database_owner_url };
}

async function startEmbedded(run: DevRun): Promise<DatabaseUrls> {
  run.say('Starting Postgres …');
  const port = await pickPort(POSTGRES_PORT);
  const start = () =>
    startPostgres({
      directory: join(run.directory, 'postgres'),
      port,
      log_file: join(run.logs, 'postgres.log'),
    });
  const postgres = await startPart(run, 'Postgres', start);
  return createDatabase(run, postgres, port);
}

/** Creates the database and the application's role, whose password is kept in the data folder. */
async function createDatabase(
  run: DevRun,
  postgres: EmbeddedPostgres,
  port: number,
): Promise<DatabaseUrls> {
  const password = loadOrCreateSecret(run, 'database-password', () => makePassword(32));
  const client = new Client({ connectionString: postgres.superuser_url('postgres') });
  await client.connect();
  try {
    const role = await client.query('select 1 from pg_roles where rolname = $1', [APP_ROLE]);
    const verb = role.rowCount === 0 ? 'create' : 'alter';
    // These statements cannot have parameters; both inserted texts are ours and alphanumeric.
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

// Brings the schema to the newest migration and gives the application's role exactly what it needs:
// it reads everything, and changes the ledger only through the posting functions.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import knex, { type Knex } from 'knex';
import type { Db } from './connect';

const MIGRATIONS = join(__dirname, 'migrations');
/** Any number that nothing else in this database locks on. */
const MIGRATION_LOCK = 7_203_911;

export interface MigrateOptions {
  /** A role that may create tables. */
  readonly owner_url: string;
  /** The application's login role, which must exist; the owner itself when it is the same. */
  readonly app_role: string;
}

/** Returns the names of the migrations that ran. Safe to run twice and side by side. */
export async function migrate({ owner_url, app_role }: MigrateOptions): Promise<string[]> {
  const db = knex({ client: 'pg', connection: owner_url, pool: { min: 0, max: 3 } });
  try {
    return await db.transaction(async (tx) => {
      // Two processes may start at once: the second waits. Whoever holds this lock knows that a
      // lock row left in knex's own table is a dead process's.
      await tx.raw('select pg_advisory_xact_lock(?)', [MIGRATION_LOCK]);
      await db.migrate.forceFreeMigrationsLock({ migrationSource: sqlFiles });
      const [, ran] = (await db.migrate.latest({ migrationSource: sqlFiles })) as [
        number,
        string[],
      ];
      await grantToApplication(db, app_role);
      return ran;
    });
  } finally {
    await db.destroy();
  }
}

const UNDEFINED_TABLE = '42P01';

/** Those of this version that the database has not seen; a newer one may have seen more. */
export async function pendingMigrations(db: Db): Promise<string[]> {
  let applied: readonly { readonly name: string }[] = [];
  try {
    ({ rows: applied } = (await db.raw('select name from knex_migrations')) as {
      rows: { name: string }[];
    });
  } catch (error) {
    if ((error as { code?: unknown }).code !== UNDEFINED_TABLE) throw error;
  }
  const seen = new Set(applied.map(({ name }) => name));
  return migrationFiles().filter((file) => !seen.has(file));
}

function migrationFiles(): string[] {
  return readdirSync(MIGRATIONS)
    .filter((file) => file.endsWith('.sql'))
    .sort();
}

const sqlFiles: Knex.MigrationSource<string> = {
  getMigrations: () => Promise.resolve(migrationFiles()),
  getMigrationName: (file) => file,
  getMigration: (file) => {
    const sql = readFileSync(join(MIGRATIONS, file), 'utf8');
    return Promise.resolve({
      up: async (tx: Knex) => {
        await tx.raw(sql.replaceAll('?', '\\?'));
      },
      down: () => Promise.reject(new Error('migrations go forward only')),
    });
  },
};

async function grantToApplication(db: Knex, role: string): Promise<void> {
  const [owner] = (await db.raw('select current_user as name')).rows as { name: string }[];
  if (owner?.name === role) return;
  await db.raw(
    `grant usage on schema public to ??;
     grant select on all tables in schema public to ??;
     grant insert, update on users, api_keys, rate_windows to ??;
     grant insert on access_log to ??;
     grant execute on all functions in schema public to ??`,
    [role, role, role, role, role],
  );
}

// Brings the database to the schema of this version, and gives the roles of the application and of the
// operators exactly what they need (grants.ts).
//
// The previous version's processes go on beside the new schema until the last of them is replaced.
// So a functions file only replaces or adds functions: when the arguments or the result of one change,
// the changed one gets a new name (or is a new overload), and a later release's migration drops the
// old one. A migration that is small runs in one transaction with everything else; one of a table that grows for ever
// runs in steps before it (steps.ts).

import { setTimeout as delay } from 'node:timers/promises';
import knex, { type Knex } from 'knex';
import { findHost } from '../hosts';
import { grantRights, type Roles } from './grants';
import { SchemaError } from './schema-error';
import {
  isSameFile,
  readAppliedFiles,
  readFunctions,
  readMigrations,
  type AppliedFile,
  type SchemaFile,
} from './schema-files';
import { hasSteps, runSteps } from './steps';

/** The key of an advisory lock: any number that nothing else in this database uses. */
const MIGRATION_LOCK = 7_203_911;
/**
 * Longest that a migration waits for a table, in ms. All queries of the table wait behind it, so it
 * gives up before they do (STATEMENT_TIMEOUT_MS), and tries again after they have run.
 */
const LOCK_TIMEOUT_MS = 2_000;
const LOCK_ATTEMPTS = 5;
const PAUSE_MS = 1_000;
/** Between two looks whether another process still migrates. One that waited in the database would hold up its indexes. */
const LOOK_MS = 200;
/** lock_not_available; and deadlock_detected, with a request that locked the same tables the other way round. */
const TRY_AGAIN: ReadonlySet<unknown> = new Set(['55P03', '40P01']);

export interface MigrateOptions {
  /** A role that may create tables. */
  readonly owner_url: string;
  /** The application's login role, which must exist; the owner itself when it is the same. */
  readonly app_role: string;
  /** The operators' login role, which must exist; without one the owner does what operators may. */
  readonly operator_role?: string | undefined;
  /** A second operator is needed for more than so many minor units; null: nothing. Left as it is when left out. */
  readonly approval_above?: Readonly<Record<string, bigint | null>> | undefined;
  /** Migrations in the order in which they run; this version's when left out. */
  readonly migrations?: readonly SchemaFile[];
}

/**
 * Returns the names of the files that were applied. Safe to run twice and side by side. Throws a
 * SchemaError when the database is not one that this version can upgrade.
 */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const { owner_url, app_role, operator_role, migrations = readMigrations() } = options;
  const roles = { application: app_role, operator: operator_role };
  const db = knex({
    client: 'pg',
    connection: (await findHost(owner_url)).url,
    // One session, which has the lock.
    pool: { min: 1, max: 1 },
    // An attempt that waited in vain is made again; the last error is thrown.
    log: { warn: ignore, error: ignore, deprecate: ignore, debug: ignore },
  });
  try {
    await takeLock(db);
    await db.raw(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
    const before = await runSteppedMigrations(db, migrations);
    const ran = await retried(() =>
      db.transaction(async (tx) => {
        const files = await migrateInTransaction(tx, roles, migrations);
        await setApprovalLimits(tx, options.approval_above);
        return files;
      }),
    );
    return [...before, ...ran];
  } finally {
    await db.destroy();
  }
}

/** Two processes may start at once: the second waits. The session's end gives it back. */
async function takeLock(db: Knex): Promise<void> {
  for (;;) {
    const { rows } = await db.raw('select pg_try_advisory_lock(?) as is_ours', [MIGRATION_LOCK]);
    if ((rows as { is_ours: boolean }[])[0]!.is_ours) return;
    await delay(LOOK_MS);
  }
}

async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!TRY_AGAIN.has((error as { code?: unknown }).code)) throw error;
      if (attempt === LOCK_ATTEMPTS) throw new SchemaError(TABLE_IN_USE);
      await delay(PAUSE_MS);
    }
  }
}

/** Each waits for the files before it, and comes before the functions. Returns the names of those files. */
async function runSteppedMigrations(
  db: Knex,
  migrations: readonly SchemaFile[],
): Promise<string[]> {
  const applied = await retried(() => readAppliedFiles(db));
  const ran: string[] = [];
  for (const [index, file] of migrations.entries()) {
    if (!hasSteps(file) || applied.some(({ name }) => name === file.name)) continue;
    const before = migrations.slice(0, index);
    ran.push(
      ...(await retried(() =>
        db.transaction((tx) => runMigrations(tx, { all: migrations, wanted: before })),
      )),
    );
    await runSteps(db, file, retried);
  }
  return ran;
}

/** Sets them as the owner of the schema, so that no operator can lift them. */
async function setApprovalLimits(
  tx: Knex.Transaction,
  limits: MigrateOptions['approval_above'] = {},
): Promise<void> {
  for (const [currency, above] of Object.entries(limits)) {
    await tx.raw(
      `insert into approval_limits as l (currency, above_minor) values (:currency, :above)
       on conflict (currency) do update set above_minor = excluded.above_minor
        where l.above_minor is distinct from excluded.above_minor`,
      { currency, above: above === null ? null : above.toString() },
    );
  }
}

function ignore(): void {}

const TABLE_IN_USE =
  'The schema was not changed, because other sessions keep a table locked: end long transactions ' +
  'and run npm run migrate again.';

// All or nothing: the tables, the functions, the checksums and the grants of one version.
async function migrateInTransaction(
  tx: Knex.Transaction,
  roles: Roles,
  migrations: readonly SchemaFile[],
): Promise<string[]> {
  const ran = await runMigrations(tx, { all: migrations, wanted: migrations });
  const functions = await applyFunctions(tx, await readAppliedFiles(tx), ran.length > 0);
  await grantRights(tx, roles);
  return [...ran, ...functions];
}

/** Returns the names of those that were not applied before. */
async function runMigrations(
  tx: Knex.Transaction,
  { all, wanted }: { readonly all: readonly SchemaFile[]; readonly wanted: readonly SchemaFile[] },
): Promise<string[]> {
  await tx.raw('set transaction isolation level read committed');
  await refuseOldServer(tx);
  await refuseForeignDatabase(tx, all);
  await tx.raw(
    `create table if not exists schema_files (
       name       text not null,
       checksum   text not null,
       applied_at timestamptz not null,
       primary key (name, checksum)
     )`,
  );
  refuseEditedMigrations(all, await readAppliedFiles(tx));

  const migrationSource = knexSource(wanted);
  // The holder of our lock knows that a lock row left in knex's own table belongs to a dead process.
  await tx.migrate.forceFreeMigrationsLock({ migrationSource });
  const [, ran] = (await tx.migrate.latest({ migrationSource })) as [number, string[]];
  await recordFiles(
    tx,
    wanted.filter(({ name }) => ran.includes(name)),
  );
  return ran;
}

/** The first with `uuidv7()`, as in `server_version_num`. */
const OLDEST_SERVER = 180_000;

async function refuseOldServer(tx: Knex.Transaction): Promise<void> {
  const { rows } = (await tx.raw(
    `select current_setting('server_version') as version where current_setting('server_version_num')::int < ?`,
    [OLDEST_SERVER],
  )) as { rows: { version: string }[] };
  if (rows[0]) {
    throw new SchemaError(`Postgres 18 or later is needed, and this server is ${rows[0].version}.`);
  }
}

const MADE_BEFORE_RELEASE =
  'This database was made by a development version from before the first release and cannot be ' +
  'upgraded: delete it (with npm start, the data folder .data) and start again.';

async function refuseForeignDatabase(
  tx: Knex.Transaction,
  migrations: readonly SchemaFile[],
): Promise<void> {
  if (!(await tx.schema.hasTable('knex_migrations'))) return;
  const rows = await tx<{ name: string }>('knex_migrations').select('name').orderBy('name');
  const names = rows.map(({ name }) => name);
  if (names.length > 0 && !names.includes(migrations[0]!.name)) {
    throw new SchemaError(MADE_BEFORE_RELEASE);
  }
  const unknown = names.filter((name) => !migrations.some((file) => file.name === name));
  if (unknown.length > 0) {
    throw new SchemaError(
      `This database was migrated by a newer version, which has ${unknown.join(', ')}: ` +
        'migrate with that version.',
    );
  }
}

function refuseEditedMigrations(
  migrations: readonly SchemaFile[],
  applied: readonly AppliedFile[],
): void {
  for (const { name, checksum } of migrations) {
    const before = applied.find((file) => file.name === name);
    if (before !== undefined && before.checksum !== checksum) {
      throw new SchemaError(
        `The migration ${name} was edited after this database had applied it: ` +
          'restore the file, and make the change in a new migration.',
      );
    }
  }
}

function knexSource(migrations: readonly SchemaFile[]): Knex.MigrationSource<SchemaFile> {
  return {
    getMigrations: () => Promise.resolve([...migrations]),
    getMigrationName: ({ name }) => name,
    getMigration: (file) =>
      Promise.resolve({
        // Its steps are done by then.
        up: (tx: Knex) => (hasSteps(file) ? Promise.resolve() : runSql(tx, file.sql)),
        down: () => Promise.reject(new Error('migrations go forward only')),
      }),
  };
}

/** Returns the names of those that changed. All are applied again then, in their order. */
async function applyFunctions(
  tx: Knex.Transaction,
  applied: readonly AppliedFile[],
  has_migrated: boolean,
): Promise<string[]> {
  const files = readFunctions();
  const changed = files.filter((file) => {
    const latest = applied.findLast(({ name }) => name === file.name);
    return latest === undefined || !isSameFile(latest, file);
  });
  if (changed.length === 0 && !has_migrated) return [];
  for (const { sql } of files) await runSql(tx, sql);
  await recordFiles(tx, files);
  return changed.map(({ name }) => name);
}

async function runSql(tx: Knex, sql: string): Promise<void> {
  await tx.raw(sql.replaceAll('?', '\\?'));
}

async function recordFiles(tx: Knex.Transaction, files: readonly AppliedFile[]): Promise<void> {
  for (const { name, checksum } of files) {
    await tx.raw(
      `insert into schema_files values (:name, :checksum, clock_timestamp())
       on conflict (name, checksum) do update set applied_at = excluded.applied_at`,
      { name, checksum },
    );
  }
}

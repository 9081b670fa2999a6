// The SQL files that make the schema, and which of them the database has. Tables, constraints and
// indexes are migrations, each run once; functions are files that are applied again when they change.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Knex } from 'knex';
import type { Db } from './connect';

export interface SchemaFile {
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file, in hex. */
  readonly checksum: string;
}

/** In the order in which they run. */
export function readMigrations(): SchemaFile[] {
  const folder = join(__dirname, 'migrations');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => readSchemaFile(folder, name));
}

// Postgres checks SQL-language functions when they are created, so a file comes after those that it
// calls.
const FUNCTIONS = [
  'audit.sql',
  'ledger.sql',
  'ledger-seals.sql',
  'idempotency.sql',
  'accounts.sql',
  'users.sql',
  'sessions.sql',
  'activities.sql',
  'mails.sql',
  'sign-in.sql',
  'team.sql',
  'transfers.sql',
  'transfer-batches.sql',
  'wallets.sql',
  'intents.sql',
  'suspense.sql',
  'notifications.sql',
  'refunds.sql',
  'reversals.sql',
  'webhook-endpoints.sql',
  'webhook-deliveries.sql',
  'webhook-delivery-runs.sql',
  'attempt-months.sql',
  'webhook-attempts.sql',
  'webhook-resends.sql',
  'events.sql',
  'transfer-events.sql',
  'authenticate.sql',
  'access-log.sql',
  'identity.sql',
  'operators.sql',
  'approvals.sql',
  'fees.sql',
  'reconciliations.sql',
  'gauges.sql',
  'health.sql',
  'superseded.sql',
];

/** In the order in which they are applied. */
export function readFunctions(): SchemaFile[] {
  const folder = join(__dirname, 'functions');
  return FUNCTIONS.map((name) => readSchemaFile(folder, name));
}

/** Migrations and functions. */
export function readOwnFiles(): SchemaFile[] {
  return [...readMigrations(), ...readFunctions()];
}

function readSchemaFile(folder: string, name: string): SchemaFile {
  const sql = readFileSync(join(folder, name), 'utf8');
  return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
}

/** A file as the database once got it. */
export type AppliedFile = Pick<SchemaFile, 'name' | 'checksum'>;

/** Every file that was ever applied, the latest last; a file that changed is there once per content. */
export async function readAppliedFiles(db: Db | Knex): Promise<AppliedFile[]> {
  const found = await db.raw(`select to_regclass('public.schema_files') is not null as exists`);
  if (!(found.rows as { exists: boolean }[])[0]!.exists) return [];
  const text = 'select name, checksum from schema_files order by applied_at';
  return (await db.raw(text)).rows as AppliedFile[];
}

/**
 * The files of this version that the database has never had: none when it is at this version or a
 * newer one, because a newer version's migration keeps the rows of the older files. So an older
 * process starts beside a newer schema, and a newer process refuses an older one.
 */
export async function findPendingFiles(db: Db): Promise<string[]> {
  const applied = await readAppliedFiles(db);
  return readOwnFiles()
    .filter((file) => !applied.some((other) => isSameFile(file, other)))
    .map(({ name }) => name);
}

export function isSameFile(one: AppliedFile, other: AppliedFile): boolean {
  return one.name === other.name && one.checksum === other.checksum;
}

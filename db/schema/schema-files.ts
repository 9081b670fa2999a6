// The SQL files that make the schema, and which of them the database has. Tables, constraints and
// indexes are migrations, each run once; functions are files that are applied again when they change.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Knex } from 'knex';
import type { Db } from '../connect';

export interface SchemaFile {
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file, in hex. */
  readonly checksum: string;
}

const DB = join(__dirname, '..');

/** Reads them in the order in which they run. */
export function readMigrations(): SchemaFile[] {
  const folder = join(DB, 'migrations');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => readSchemaFile(folder, name));
}

// Postgres checks SQL-language functions when they are created, so a file comes after those that it
// calls.
const FUNCTIONS = [
  'json.sql',
  'orders.sql',
  'payment-attempts/asked-by-phone.sql',
  'sandbox/clock.sql',
  'operators/audit.sql',
  'ledger/ledger.sql',
  'ledger/fees.sql',
  'limits/limits.sql',
  'ledger/ledger-seals.sql',
  'ledger/history-drops.sql',
  'requests/idempotency.sql',
  'accounts/accounts.sql',
  'accounts/users.sql',
  'keys/daily-limits.sql',
  'people/sessions.sql',
  'people/activities.sql',
  'people/mails.sql',
  'people/news.sql',
  'people/sign-in.sql',
  'people/team.sql',
  'risk/rules.sql',
  'transfers/transfers.sql',
  'transfer-batches/transfer-batches.sql',
  'ledger/wallets.sql',
  'ledger/statements.sql',
  'payment-links/payment-links.sql',
  'payment-intents/intents.sql',
  'payment-attempts/payment-attempts.sql',
  'suspense/suspense.sql',
  'suspense/notifications.sql',
  'refunds/refunds.sql',
  'disputes/disputes.sql',
  'payouts/payouts.sql',
  'payouts/settings.sql',
  'payout-batches/payout-batches.sql',
  'transfers/reversals.sql',
  'webhooks/webhook-endpoints.sql',
  'webhooks/webhook-deliveries.sql',
  'webhooks/webhook-delivery-runs.sql',
  'webhooks/attempt-months.sql',
  'webhooks/webhook-attempts.sql',
  'webhooks/webhook-resends.sql',
  'webhooks/events.sql',
  'transfers/transfer-events.sql',
  'risk/lists.sql',
  'risk/accounts.sql',
  'risk/cases.sql',
  'keys/authenticate.sql',
  'sandbox/faults.sql',
  'sandbox/webhook-faults.sql',
  'sandbox/fund.sql',
  'requests/access-log.sql',
  'accounts/identity.sql',
  'operators/operators.sql',
  'operators/sealed.sql',
  'risk/settings.sql',
  'risk/provider.sql',
  'risk/export.sql',
  'operators/approvals.sql',
  'operators/settings.sql',
  'limits/tiers.sql',
  'payouts/operator-payouts.sql',
  'suspense/losses.sql',
  'treasury/files.sql',
  'treasury/treasury.sql',
  'treasury/safeguarding.sql',
  'ledger/fee-invoices.sql',
  'reconciliation/reconciliations.sql',
  'health/gauges.sql',
  'health/health.sql',
];

/** Reads them in the order in which they are applied. */
export function readFunctions(): SchemaFile[] {
  return FUNCTIONS.map((name) => readSchemaFile(DB, name));
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

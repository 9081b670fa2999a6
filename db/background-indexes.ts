// Indexes of tables that grow for ever. An index that is made within a migration keeps all writers of its
// table waiting until it is built, which takes minutes for a hundred million rows: these are built after the
// migration, beside the postings.

import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { SchemaError } from './schema-error';

interface BackgroundIndex {
  readonly table: string;
  readonly name: string;
  readonly on: string;
}

const INDEXES: readonly BackgroundIndex[] = [
  // The history of one or more types, directions and currencies; see db/history.ts. It does what
  // transactions_by_type does for lists, which the next release drops: the processes of 0.2 use that one. Before it
  // can, learn_recipient (db/functions/accounts.sql) has to find the latest transfers of an account without it.
  {
    ...{ table: 'transactions', name: 'transactions_by_kind' },
    on: '(user_id, environment, type, direction, currency, created_at)',
  },
  // What no posting writes: it costs them nothing.
  {
    ...{ table: 'transactions', name: 'transactions_by_rare_status' },
    on: `(user_id, environment, status, created_at)
           where status in ('pending', 'failed', 'reversed')`,
  },
  // A key that an item waits with; see db/idempotency-keys.ts. Items without one cost nothing.
  {
    ...{ table: 'transfer_batch_items', name: 'transfer_batch_items_by_key' },
    on: '(batch_id, idempotency_key) where idempotency_key is not null',
  },
  // What a delivery run claims first; see db/webhook-delivery-runs.ts.
  {
    ...{ table: 'webhook_deliveries', name: 'webhook_deliveries_due_first' },
    on: `(endpoint_id, next_attempt_at)
           where status = 'pending' and type not in ('transfer.received', 'transfer.sent')`,
  },
  // An endpoint's deliveries of a type, or those that arrived; see db/webhook-deliveries.ts.
  {
    ...{ table: 'webhook_deliveries', name: 'webhook_deliveries_by_kind' },
    on: '(endpoint_id, type, status, created_at)',
  },
  // An intent that is being opened.
  {
    ...{ table: 'payment_intents', name: 'payment_intents_creating' },
    on: `(user_id, environment, idempotency_key) where status = 'creating'`,
  },
  // An account's refunds in a status, in a currency, or both; see db/refunds.ts.
  {
    ...{ table: 'refunds', name: 'refunds_by_kind' },
    on: '(user_id, environment, status, currency, created_at)',
  },
  // The operators' pages of what waits, live money first, and of all; see db/suspense.ts.
  {
    ...{ table: 'suspense_items', name: 'suspense_items_waiting' },
    on: `(environment, created_at, id) where status in ('held', 'refunding')`,
  },
  {
    ...{ table: 'suspense_items', name: 'suspense_items_newest' },
    on: '(created_at desc, id)',
  },
  // What waits, to be counted without reading a row; see db/functions/gauges.sql.
  {
    ...{ table: 'suspense_items', name: 'suspense_items_unfinished' },
    on: `(environment, status) where status in ('held', 'refunding')`,
  },
  // The operators' list of refunds; see db/operator-refunds.ts.
  {
    ...{ table: 'refunds', name: 'refunds_newest' },
    on: '(created_at desc, id)',
  },
  // What operators did from an instant on. Rows are inserted in the order of that time (db/functions/audit.sql), so
  // block ranges find them, and an insert costs next to nothing.
  {
    ...{ table: 'audit_log', name: 'audit_log_at' },
    on: 'using brin (at) with (pages_per_range = 32, autosummarize = on)',
  },
  // Refunds of suspense that a reconciliation compares, by the time of their order. Not in block ranges: a row is
  // written again when the gateway answers, and later orders take the places that it leaves in older blocks.
  {
    ...{ table: 'suspense_refunds', name: 'suspense_refunds_ordered' },
    on: '(ordered_at)',
  },
  // What a reconciliation compares, by its time. Rows are inserted in the order of that time, so block ranges
  // find them, and an insert costs next to nothing.
  {
    ...{ table: 'gateway_payments', name: 'gateway_payments_booked' },
    on: 'using brin (booked_at) with (pages_per_range = 32, autosummarize = on)',
  },
  {
    ...{ table: 'events', name: 'events_created' },
    on: 'using brin (created_at) with (pages_per_range = 32, autosummarize = on)',
  },
];

/**
 * The key of an advisory lock, beside that of the migrations: those who wait there keep a build waiting. The
 * access log has 7203912 (db/functions/access-log.sql).
 */
const BUILD_LOCK = 7_203_913;
const PAUSE_MS = 500;
/** A build waits for all transactions that were open before it. */
const LONGEST_WAIT_MS = 60_000;

/**
 * `db` has one connection: it holds the lock. A build that was broken off is begun again. Throws a SchemaError
 * when others keep it waiting for too long.
 */
export async function buildIndexes(db: Knex): Promise<void> {
  if ((await findMissing(db)).length === 0) return;
  const lock = `pg_try_advisory_lock(${BUILD_LOCK}) as is_held`;
  while (!(await selectOne<{ is_held: boolean }>(db, lock)).is_held) await delay(PAUSE_MS);
  try {
    await db.raw(`set lock_timeout = ${LONGEST_WAIT_MS}`);
    // Another process may have built them meanwhile.
    for (const { table, name, on } of await findMissing(db)) {
      await db.raw(`drop index concurrently if exists ${name}`);
      await db.raw(`create index concurrently ${name} on ${table} ${on}`);
    }
  } catch (error) {
    if ((error as { code?: unknown }).code === '55P03') throw new SchemaError(WAITED_IN_VAIN);
    throw error;
  } finally {
    await db.raw(`select pg_advisory_unlock(${BUILD_LOCK})`);
  }
}

/** Also those whose build was broken off: Postgres keeps them, and uses them for nothing. */
async function findMissing(db: Knex): Promise<BackgroundIndex[]> {
  const { names } = await selectOne<{ names: string[] }>(
    db,
    `array(select c.relname::text from pg_index i join pg_class c on c.oid = i.indexrelid
            where i.indisvalid and c.relnamespace = current_schema()::regnamespace) as names`,
  );
  return INDEXES.filter(({ name }) => !names.includes(name));
}

async function selectOne<Row>(db: Knex, columns: string): Promise<Row> {
  const { rows } = (await db.raw(`select ${columns}`)) as { rows: Row[] };
  return rows[0]!;
}

const WAITED_IN_VAIN =
  'The schema is that of this version, but an index could not be built, because other sessions keep ' +
  'transactions open: end long transactions and run npm run migrate again.';

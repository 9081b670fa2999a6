// The archive of a month, row by row (docs/decisions/database.md): only what never changes once the
// month is over, so that the same rows can be read again and compared.

import { execute, type Db, type Tx } from '../connect';

export type ArchiveKind = 'books' | 'attempts';

export interface ArchivedTable {
  readonly table: string;
  /**
   * SQL of the table as `t`. Each other column stands in test/db/archives/left-out.ts with its reason.
   */
  readonly columns: string;
  /** The tables and the conditions of the rows: `$from` and `$to` are the month's bounds. */
  readonly from: string;
  /** A total order. */
  readonly order: string;
}

const BOOKS: readonly ArchivedTable[] = [
  {
    table: 'ledger_accounts',
    columns: 't.id, t.public_id, t.user_id, t.environment, t.currency, t.kind, t.name',
    // Those that the month's entries name.
    from: `ledger_accounts t
            where exists (select from ledger_entries e
                            join ledger_transactions x
                              on x.id = e.transaction_id and x.environment = e.environment
                           where e.account_id = t.id and x.created_at >= $from and x.created_at < $to)`,
    order: 't.id',
  },
  {
    table: 'ledger_transactions',
    columns: 't.id, t.reference, t.environment, t.kind, t.description, t.created_at',
    from: 'ledger_transactions t where t.created_at >= $from and t.created_at < $to',
    order: 't.created_at, t.id, t.environment',
  },
  {
    table: 'ledger_entries',
    columns: `t.transaction_id, t.account_id, t.environment, t.currency, t.amount_minor,
              t.balance_after_minor, t.account_version`,
    // Entries are in the order of their transactions: those of one stand together.
    from: `ledger_entries t
             join ledger_transactions x on x.id = t.transaction_id and x.environment = t.environment
            where x.created_at >= $from and x.created_at < $to`,
    order: 'x.created_at, x.id, x.environment, t.account_id, t.account_version',
  },
  {
    table: 'ledger_seals',
    columns: `t.id, t.sealed_at, t.database_role, t.entries,
              encode(t.previous_hash, 'hex') as previous_hash, encode(t.hash, 'hex') as hash`,
    from: 'ledger_seals t where t.sealed_at >= $from and t.sealed_at < $to',
    order: 't.id',
  },
  {
    table: 'ledger_seal_ranges',
    columns: `t.seal_id, t.account_id, t.from_version, t.to_version, encode(t.digest, 'hex') as digest`,
    from: `ledger_seal_ranges t join ledger_seals x on x.id = t.seal_id
            where x.sealed_at >= $from and x.sealed_at < $to`,
    order: 't.seal_id, t.account_id, t.from_version',
  },
  {
    table: 'transactions',
    columns: `t.id, t.user_id, t.environment, t.type, t.direction, t.currency, t.amount_minor,
              t.fee_minor, t.tax_minor, t.balance_after_minor, t.reference, t.counterparty, t.description, t.related,
              t.ledger_transaction_id, t.created_at`,
    from: 'transactions t where t.created_at >= $from and t.created_at < $to',
    order: 't.created_at, t.id',
  },
  {
    table: 'transfers',
    columns: `t.reference, t.environment, t.sender_id, t.recipient_id, t.currency, t.amount_minor,
              t.fee_minor, t.tax_minor, t.fee_bearer,
              case when exists (select from risk_cases c where c.subject = t.reference)
                then 'held' else t.status end as status,
              t.description, t.idempotency_key, t.batch_id, t.request_id, t.created_at`,
    // The journal has the end of one that was held.
    from: 'transfers t where t.created_at >= $from and t.created_at < $to',
    order: 't.created_at, t.reference',
  },
  {
    table: 'reversals',
    columns: `t.reference, t.environment, t.transfer_reference, t.user_id, t.sender_id, t.currency,
              t.amount_minor, t.reason, t.idempotency_key, t.request_id, t.created_at`,
    from: 'reversals t where t.created_at >= $from and t.created_at < $to',
    order: 't.created_at, t.reference',
  },
  {
    table: 'payment_intents',
    columns: `t.id, t.environment, t.user_id, t.short_code, t.reference, t.currency, t.amount_minor,
              t.settled_minor, t.fee_minor, t.tax_minor, t.gateway, t.transaction_id, t.idempotency_key, t.request_id,
              t.created_at, t.succeeded_at`,
    // Those that were paid. The others moved nothing; their ends are events.
    from: 'payment_intents t where t.succeeded_at >= $from and t.succeeded_at < $to',
    order: 't.succeeded_at, t.id',
  },
  {
    table: 'gateway_payments',
    columns: `t.gateway, t.environment, t.provider_payment_id, t.intent_id, t.method, t.currency, t.amount_minor,
              case when t.held_as is null then t.booked_as else 'hold' end as booked_as,
              coalesce(t.held_as, t.ledger_reference) as ledger_reference, t.booked_at`,
    // Its first booking.
    from: 'gateway_payments t where t.booked_at >= $from and t.booked_at < $to',
    order: 't.booked_at, coalesce(t.held_as, t.ledger_reference)',
  },
  {
    table: 'risk_cases',
    columns: `t.reference, t.decision, t.subject_type, t.subject, t.environment, t.user_id, t.recipient_id,
              t.currency, t.amount_minor, t.reasons, t.created_at`,
    from: 'risk_cases t where t.created_at >= $from and t.created_at < $to',
    order: 't.created_at, t.reference',
  },
  {
    table: 'suspense_items',
    columns: `t.id, t.reference, t.gateway, t.environment, t.provider_payment_id, t.intent_id, t.user_id,
              t.reason, t.limit_name, t.currency, t.amount_minor, t.created_at`,
    from: 'suspense_items t where t.created_at >= $from and t.created_at < $to',
    order: 't.created_at, t.id',
  },
  {
    table: 'suspense_refunds',
    columns: 't.item_id, t.number, t.ordered_by, t.ordered_at',
    from: 'suspense_refunds t where t.ordered_at >= $from and t.ordered_at < $to',
    order: 't.ordered_at, t.item_id, t.number',
  },
  {
    table: 'refunds',
    columns: `t.id, t.reference, t.environment, t.user_id, t.intent_id, t.currency, t.amount_minor,
              t.reason, t.gateway, t.provider_payment_id, t.idempotency_key, t.request_id, t.created_at`,
    from: 'refunds t where t.created_at >= $from and t.created_at < $to',
    order: 't.created_at, t.id',
  },
  {
    table: 'disputes',
    columns: `t.id, t.reference, t.environment, t.user_id, t.intent_id, t.currency, t.amount_minor,
              t.gateway, t.provider_payment_id, t.provider_dispute_id, t.created_at`,
    from: 'disputes t where t.created_at >= $from and t.created_at < $to',
    order: 't.created_at, t.id',
  },
  {
    table: 'payouts',
    columns: `t.id, t.reference, t.environment, t.user_id, t.currency, t.amount_minor, t.fee_minor, t.tax_minor,
              t.provider, t.approvals_needed, t.ordered_by, t.batch_id, t.transaction_id,
              t.idempotency_key, t.request_id, t.created_at`,
    from: 'payouts t where t.created_at >= $from and t.created_at < $to',
    order: 't.created_at, t.id',
  },
  {
    table: 'treasury_postings',
    columns: `t.reference, t.kind, t.environment, t.bank, t.provider, t.currency, t.amount_minor, t.reason, t.actor,
              t.file_id, t.break_id, t.provider_id, t.created_at`,
    from: 'treasury_postings t where t.created_at >= $from and t.created_at < $to',
    order: 't.created_at, t.reference',
  },
  {
    table: 'fee_invoices',
    columns: `t.number, t.environment, t.year, t.position, t.user_id, t.currency, t.period_from, t.period_to,
              t.fee_minor, t.tax_minor, t.created_at,
              encode(sha256(convert_to(t.body, 'UTF8')), 'hex') as body_sha256`,
    from: 'fee_invoices t where t.created_at >= $from and t.created_at < $to',
    order: 't.created_at, t.number',
  },
  {
    table: 'fee_rules',
    columns: `t.id, t.tax, t.kind, t.currency, t.user_id, t.method, t.amount_from_minor, t.amount_below_minor,
              t.percent, t.fixed_minor, t.minimum_minor, t.maximum_minor, t.base, t.bearer, t.valid_from`,
    // None is set for a time before its setting.
    from: 'fee_rules t where t.valid_from >= $from and t.valid_from < $to',
    order: 't.valid_from, t.id',
  },
  {
    table: 'events',
    columns: `t.id, t.user_id, t.environment, t.sequence, t.type, t.intent_id, t.refund_id,
              t.dispute_id,
              t.transfer_reference, t.payout_id, t.created_at,
              encode(sha256(convert_to(t.body, 'UTF8')), 'hex') as body_sha256`,
    from: 'events t where t.created_at >= $from and t.created_at < $to',
    order: 't.created_at, t.id',
  },
  {
    table: 'audit_log',
    // `details` as the text that was sealed.
    columns:
      't.id, t.at, t.actor, t.database_role, t.action, t.subject, t.details::text as details',
    from: 'audit_log t where t.at >= $from and t.at < $to',
    order: 't.id',
  },
];

const ATTEMPTS: readonly ArchivedTable[] = [
  {
    table: 'webhook_attempts',
    columns: `t.delivery_id, t.number, t.trigger, t.url, t.started_at, t.duration_ms, t.outcome, t.status,
              t.response_body, t.response_truncated, t.retry_after_seconds, t.recorded_at`,
    from: 'webhook_attempts t where t.recorded_at >= $from and t.recorded_at < $to',
    order: 't.recorded_at, t.delivery_id, t.number',
  },
];

export const ARCHIVED: Readonly<Record<ArchiveKind, readonly ArchivedTable[]>> = {
  books: BOOKS,
  attempts: ATTEMPTS,
};

/** ISO 8601, of a month as `2026-10`. */
export function monthBounds(month: string): { readonly from: string; readonly to: string } {
  const [year, number] = month.split('-').map(Number) as [number, number];
  const at = (index: number): string => new Date(Date.UTC(year, index, 1)).toISOString();
  return { from: at(number - 1), to: at(number) };
}

/** The state at the moment at which the month was read. */
export interface MonthState {
  /** Nothing that began in the month can still be committed. */
  readonly is_over: boolean;
  /** Entries, and rows of the audit log, until the month's end that no seal covers yet. */
  readonly unsealed: number;
  /** The newest one. */
  readonly seal: { readonly id: number; readonly hash: string } | null;
  /** The latest migration. */
  readonly schema: string;
}

export interface MonthReader {
  readonly state: MonthState;
  /** Each row as a line of JSON, in pages, so that memory is bounded. */
  lines(table: ArchivedTable): AsyncGenerator<readonly string[]>;
}

/** Rows in a page: some hundred bytes each, and up to some 18 KB of an attempt. */
const PAGE = 1_000;
/** An advisory lock: one archive at a time is written of a database. */
const WRITE_LOCK = 7_203_915;

/**
 * Reads a month in one snapshot. The snapshot keeps Postgres from removing old row versions while
 * it lasts. Undefined is returned when another reader holds the lock that `is_alone` asks for.
 */
export async function readMonth<T>(
  db: Db,
  month: string,
  { is_alone }: { readonly is_alone: boolean },
  work: (reader: MonthReader) => Promise<T>,
): Promise<T | undefined> {
  return db.transaction(
    async (tx) => {
      // A month may take long to read, and a slow disk to write.
      await tx.raw('set local statement_timeout = 0');
      await tx.raw("set local idle_in_transaction_session_timeout = '10min'");
      // All rows are wanted, not the first ones soon; and on one of the server's processors.
      await tx.raw('set local cursor_tuple_fraction = 1');
      await tx.raw('set local max_parallel_workers_per_gather = 0');
      if (is_alone && !(await isLocked(tx))) return undefined;
      const state = await readState(tx, month);
      return work({ state, lines: (table) => readLines(tx, table, month) });
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
}

async function isLocked(tx: Tx): Promise<boolean> {
  const text = `select pg_try_advisory_xact_lock(${WRITE_LOCK}) as is_locked`;
  const [row] = await execute<{ is_locked: boolean }>(tx, { name: 'lock_archive', text }, []);
  return row!.is_locked;
}

async function readState(tx: Tx, month: string): Promise<MonthState> {
  const text = `select clock_timestamp() > $1::timestamptz + interval '10 minutes' as is_over,
      (select count(*) from ledger_accounts a
         cross join lateral (
           select coalesce(max(r.to_version), 0) as sealed
             from ledger_seal_ranges r where r.account_id = a.id) s
         join ledger_entries e on e.account_id = a.id and e.account_version > s.sealed
         join ledger_transactions t on t.id = e.transaction_id and t.environment = e.environment
        where a.version > s.sealed and t.created_at < $1::timestamptz)::integer
        + (select count(*) from audit_log l
            where l.at < $1::timestamptz and l.id > (
              select coalesce(max(r.to_version), 0) from ledger_seal_ranges r
               where r.account_id = 0))::integer as unsealed,
      (select json_build_object('id', s.id, 'hash', encode(s.hash, 'hex')) from ledger_seals s
        order by s.id desc limit 1) as seal,
      (select max(f.name) from schema_files f where f.name ~ '^[0-9]{4}-') as schema`;
  const values = [monthBounds(month).to];
  return (await execute<MonthState>(tx, { name: 'read_month_state', text }, values))[0]!;
}

async function* readLines(
  tx: Tx,
  { columns, from, order }: ArchivedTable,
  month: string,
): AsyncGenerator<readonly string[]> {
  const bounds = monthBounds(month);
  // A cursor takes no parameters. These two are made of numbers.
  const rows = from
    .replaceAll('$from', `'${bounds.from}'::timestamptz`)
    .replaceAll('$to', `'${bounds.to}'::timestamptz`);
  const sql = `select row_to_json(l)::text as line from (select ${columns} from ${rows} order by ${order}) l`;
  await tx.raw(`declare archived no scroll cursor for ${sql}`);
  for (;;) {
    const page = (await tx.raw(`fetch ${PAGE} from archived`)) as { rows: { line: string }[] };
    if (page.rows.length > 0) yield page.rows.map(({ line }) => line);
    if (page.rows.length < PAGE) break;
  }
  await tx.raw('close archived');
}

/** Whether a seal with this number has this hash. */
export async function hasSeal(db: Db, id: number, hash: string): Promise<boolean> {
  const text = `select exists (select from ledger_seals s
                  where s.id = $1 and s.hash = decode($2, 'hex')) as has_it`;
  const [row] = await execute<{ has_it: boolean }>(db, { name: 'has_seal', text }, [id, hash]);
  return row!.has_it;
}

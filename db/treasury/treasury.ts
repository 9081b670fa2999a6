// Banks, providers' accounts, settlement files and their breaks (docs/decisions/treasury.md). What is held is positive here.
// Needs the operators' role.

import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import type { JsonValue } from '../../domain/json';
import type { SettlementFormat } from '../../domain/settlement-format';
import { columns, type Row, type RowOf } from '../columns';
import { call, calls, execute, type Db } from '../connect';

export interface Bank {
  readonly name: string;
  readonly currency: Currency;
  readonly environment: Environment;
  /** The last four characters of its IBAN. */
  readonly iban_end: string | null;
  readonly balance_minor: bigint;
}

export const listBanks = (db: Db): Promise<Bank[]> => call<Bank>(db, 'list_banks', []);

export interface ClearingAccount {
  readonly provider: string;
  readonly currency: Currency;
  readonly environment: Environment;
  readonly balance_minor: bigint;
  /** Its latest file says so; null without one that tells. */
  readonly file_minor: bigint | null;
  /** The last day of that file. */
  readonly file_at: string | null;
}

/** Those that have moved. */
export async function listClearing(db: Db): Promise<ClearingAccount[]> {
  const text = `select a.name as provider, a.currency, a.environment, -a.balance_minor as balance_minor,
      f.closing_minor as file_minor, f.to_day::text as file_at
      from ledger_accounts a left join lateral (
        select x.closing_minor, x.to_day from treasury_files x
         where x.provider = a.name and x.environment = a.environment and x.currency = a.currency
           and x.closing_minor is not null
         order by x.to_day desc, x.imported_at desc limit 1) f on true
     where a.kind = 'gateway_clearing' and a.user_id is null and (a.version > 0 or f.to_day is not null)
     order by a.environment, a.name, a.currency`;
  return execute(db, { name: 'list_clearing', text }, []);
}

/** Whether the provider has an account, in an environment or, with null, in any. */
export const isProvider =
  calls<(environment: Environment | null, provider: string) => boolean>('is_provider');

/** Those of the providers that this process has; each comes into being here, or at its first posting. */
export const openClearingAccounts =
  calls<(environment: Environment, providers: readonly string[]) => void>('open_clearing_accounts');

export async function listOwnFormats(db: Db): Promise<SettlementFormat[]> {
  const text = 'select f.format from treasury_formats f order by f.name';
  const rows = await execute<{ format: SettlementFormat }>(db, { name: 'list_formats', text }, []);
  return rows.map(({ format }) => format);
}

export const BREAK_KINDS = [
  'missing_here',
  'missing_there',
  'amount',
  'fee',
  'duplicate',
  'date',
  'unknown',
] as const satisfies readonly Row<'treasury_breaks'>['kind'][];
export type BreakKind = (typeof BREAK_KINDS)[number];

const FILE = columns(`treasury_files f:
  id provider bank format environment sha256 currency lines matched repeated_lines closing_minor imported_by imported_at
  posted_at`);

export interface TreasuryFile extends RowOf<typeof FILE> {
  readonly from: string;
  readonly to: string;
  /** How many it has had of each kind. */
  readonly breaks: Readonly<Partial<Record<BreakKind, number>>>;
  /** Sums of its fees and settlements, in its currency, those of breaks left out. */
  readonly fees_minor: bigint;
  readonly settled_minor: bigint;
}

const SELECT_FILES = `select ${FILE}, f.from_day::text as "from", f.to_day::text as "to",
      coalesce((select jsonb_object_agg(b.kind, b.n) from (
        select x.kind, count(*) as n from treasury_breaks x where x.file_id = f.id group by x.kind) b), '{}') as breaks,
      s.fees_minor, s.settled_minor
    from treasury_files f cross join lateral (
      select coalesce(sum(case when l.type = 'fee' then l.amount_minor + l.fee_minor else l.fee_minor end), 0)::bigint
               as fees_minor,
             coalesce(sum(l.amount_minor) filter (where l.type = 'settlement'), 0)::bigint as settled_minor
        from treasury_lines l left join treasury_breaks b on b.file_id = l.file_id and b.line = l.line
       where l.file_id = f.id and l.currency = f.currency
         and (l.row_key is not null or (l.type in ('fee', 'settlement') and b.id is null))) s`;

/** The newest first; `before` is the last id of the page before. */
export async function listFiles(
  db: Db,
  { before, limit }: { readonly before: string | undefined; readonly limit: number },
): Promise<TreasuryFile[]> {
  const text = `${SELECT_FILES}
     where $1::text is null or (f.imported_at, f.id) < (select x.imported_at, x.id from treasury_files x where x.id = $1)
     order by f.imported_at desc, f.id desc limit $2`;
  return execute(db, { name: 'list_treasury_files', text }, [before ?? null, limit]);
}

export async function findFile(db: Db, id: string): Promise<TreasuryFile | undefined> {
  // A path may name anything, also what is no text to Postgres.
  if (!/^STM-[0-9A-F]{20}$/.test(id)) return undefined;
  const statement = { name: 'find_treasury_file', text: `${SELECT_FILES} where f.id = $1` };
  return (await execute<TreasuryFile>(db, statement, [id]))[0];
}

const BREAK = columns(`treasury_breaks b:
  id kind status line provider_id reference type currency expected_minor found_minor difference_minor created_at action
  reason settled_by settled_at`);

export interface TreasuryBreak extends Omit<RowOf<typeof BREAK>, 'currency'> {
  readonly currency: Currency;
  readonly file: string;
  readonly expected_day: string | null;
  readonly found_day: string | null;
  /** Its finding in a reconciliation of the last days: the same payment, refund or payout, by the provider's id. */
  readonly finding: string | null;
}

export const BREAK_STATUSES = ['open', 'settled', 'resolved'] as const;

export interface BreakFilter {
  readonly file?: string | undefined;
  readonly kind?: BreakKind | undefined;
  readonly status?: (typeof BREAK_STATUSES)[number] | undefined;
  readonly after: bigint | undefined;
  readonly limit: number;
}

/** Oldest first. */
export async function listBreaks(
  db: Db,
  { file, kind, status, after, limit }: BreakFilter,
): Promise<TreasuryBreak[]> {
  const text = `select ${BREAK}, b.file_id as file, b.expected_day::text as expected_day, b.found_day::text as found_day,
      (select x.kind from reconciliation_findings x
        where x.reference in (b.provider_id, b.reference) order by x.id desc limit 1) as finding
      from treasury_breaks b
     where ($1::text is null or b.file_id = $1) and ($2::text is null or b.kind = $2)
       and ($3::text is null or b.status = $3) and b.id > $4::bigint
     order by b.id limit $5`;
  const values = [file ?? null, kind ?? null, status ?? null, after ?? 0n, limit];
  return execute(db, { name: 'list_breaks', text }, values);
}

/** How many are open. */
export async function countOpenBreaks(db: Db): Promise<number> {
  const text = `select count(*)::integer as n from treasury_breaks b where b.status = 'open'`;
  return (await execute<{ n: number }>(db, { name: 'count_open_breaks', text }, []))[0]!.n;
}

/** Ends breaks that a later file or booking explains. */
export const resolveBreaks = calls<() => void>('resolve_treasury_breaks');

/** 200,000 lines take less. */
const IMPORT_TIMEOUT_MS = 300_000;

/** All of it or nothing; the same bytes again are the first file. */
export async function importFile(
  db: Db,
  given: { readonly [name: string]: JsonValue },
  actor: string,
): Promise<{ readonly file: string; readonly repeated: boolean }> {
  // The line of another pool is closed when it is silent for some seconds.
  return (db.patient ?? db).transaction(async (tx) => {
    await tx.raw(`set local statement_timeout = ${IMPORT_TIMEOUT_MS}`);
    const rows = await call<{ file: string; repeated: boolean }>(tx, 'import_treasury_file', [
      JSON.stringify(given),
      actor,
    ]);
    return rows[0]!;
  });
}

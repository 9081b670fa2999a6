// The rows of the access log.

import type { Environment } from '../../domain/environment';
import { columns, type Named } from '../columns';
import { callValue, calls, execute, lookUp, type BoundStatement, type Db } from '../connect';
import { filterSql } from '../list-filters';

const ENTRY = 'id at ip key_id method route status request_id';
const CALL = 'path idempotency_key fault names';
/** The log of a request with a key has these besides (http/refused-request.ts). */
export type KeptCall = Named<'access_entries', typeof CALL>;

export interface AccessEntry extends Named<'access_entries', typeof ENTRY>, Partial<KeptCall> {
  readonly duration_ms: number;
  /** The code of the error that was answered. */
  readonly code?: string | null | undefined;
  /** The JSON text of a RefusedRequest: its fields stay in their order. */
  readonly refusal?: string | null | undefined;
}

/** The log keeps this of a refused request, redacted (http/refused-request.ts). */
export interface RefusedRequest {
  readonly path: string;
  readonly request?: unknown;
  readonly response?: unknown;
}

/** May be called again with the same rows, when it is not known whether they were written. */
export async function insertAccessRows(db: Db, rows: readonly AccessEntry[]): Promise<void> {
  await callValue(db, 'add_access_entries', [JSON.stringify(rows)]);
}

/** Drops the days older than the retention, and returns how many. Zero keeps all. */
export const dropAccessDays = calls<(retention_days: number) => number>('drop_access_days');

/** A request of one of the account's keys. */
export interface LoggedRequest extends Omit<AccessEntry, keyof KeptCall>, KeptCall {
  readonly key_id: string;
  readonly key_name: string;
  readonly last_four: string;
}

/** A place in the log: rows are ordered by both. */
export interface LogPlace {
  readonly at: string;
  readonly id: string;
}

export interface RequestQuery {
  readonly user_id: string;
  readonly environment: Environment;
  /** Rows before this place. */
  readonly before: LogPlace;
  /** An instant: no row is older. */
  readonly from: string;
  readonly limit: number;
  readonly filters: {
    readonly key_id?: string | undefined;
    /** A request's id, an Idempotency-Key, or the id or reference of what a request was about. */
    readonly name?: string | undefined;
    readonly method?: string | undefined;
    /** The first digit of the status. */
    readonly status_class?: number | undefined;
  };
}

export interface RequestPage {
  readonly rows: readonly LoggedRequest[];
  /** Everything after this place has been looked at; null: everything since `from`. */
  readonly searched_to: LogPlace | null;
}

/**
 * Rows that are read for one page, whatever the filters, besides those that share the last one's
 * time: about 20 ms.
 */
export const MAX_SCANNED = 5_000;
/** Keys whose requests are listed together; those of older keys are found by the filter for a key. */
const MAX_KEYS = 50;

const KEY_FILTER = { key_id: 'k.id = ?::uuid' } as const;
const ROW_FILTERS = {
  name: '? = any(array[s.request_id, s.idempotency_key] || s.names)',
  method: 's.method = ?',
  status_class: 's.status / 100 = ?::integer',
} as const;

/**
 * Newest first. Each key's rows are read by its index, up to a share of MAX_SCANNED; what a key has
 * before its last row that was read is not known, so the page ends where the first key's reading did. On the
 * pool: so many rows are no short look-up, and keep other callers waiting.
 */
export async function listRequests(db: Db, query: RequestQuery): Promise<RequestPage> {
  const { statement, values } = requestsStatement(query);
  type Row = { [field in keyof LoggedRequest]: LoggedRequest[field] | null } & {
    readonly end_at: string | null;
    readonly end_id: string | null;
  };
  const found = await execute<Row>(db, statement, values);
  const rows = found.filter(({ id }) => id !== null) as unknown as (LoggedRequest & Row)[];
  const [{ end_at, end_id } = { end_at: null, end_id: null }] = found;
  const last = rows.at(-1);
  const end = end_at !== null && end_id !== null ? { at: end_at, id: end_id } : null;
  const searched_to = rows.length === query.limit && last ? { at: last.at, id: last.id } : end;
  return { rows: rows.map(withoutEnd), searched_to };
}

const FIND_REQUEST = {
  name: 'find_request',
  text: `select ${columns(`access_entries e: ${ENTRY} ${CALL} code refusal`)},
                e.duration_ms::float8 as duration_ms,
                k.name as key_name, k.last_four
           from access_entries e join api_keys k on k.id = e.key_id
          where e.id = $4 and e.at = $3::timestamptz and k.user_id = $1 and k.environment = $2`,
};

/** One request of the account; by its time, too, so that only its day is looked into. */
export async function findRequest(
  db: Db,
  { user_id, environment }: Pick<RequestQuery, 'user_id' | 'environment'>,
  { at, id }: LogPlace,
): Promise<LoggedRequest | undefined> {
  return (await lookUp<LoggedRequest>(db, FIND_REQUEST, [user_id, environment, at, id]))[0];
}

/**
 * A key's rows are read in the order of its index, which has no id: in the order of both, all rows of the period
 * would be read and sorted, millions of a busy key. Those of one moment are read together, and put in order by
 * `row_number`.
 */
export function requestsStatement(query: RequestQuery): BoundStatement {
  const { user_id, environment, before, from, limit, filters } = query;
  const values: unknown[] = [user_id, environment, before.at, before.id, from, limit];
  const { key_id, ...row_filters } = filters;
  const key = filterSql(KEY_FILTER, { key_id }, values);
  const row = filterSql(ROW_FILTERS, row_filters, values);
  const text = `
    with keys as materialized (
      select k.id, k.name, k.last_four from api_keys k
       where k.user_id = $1 and k.environment = $2${key.conditions}
       order by k.revoked_at is not null, k.created_at desc, k.id limit ${MAX_KEYS}),
    share as materialized (
      select greatest($6::integer, ${MAX_SCANNED} / greatest(count(*), 1))::integer as size from keys),
    scanned as materialized (
      select k.name as key_name, k.last_four, r.*
        from keys k cross join lateral (
          select ${columns(`access_entries h: ${ENTRY} ${CALL} code duration_ms`)}
            from access_entries h
           where h.key_id = k.id and h.at >= $5::timestamptz and h.at <= $3::timestamptz
             and (h.at, h.id) < ($3::timestamptz, $4::uuid)
           order by h.at desc fetch first (select size from share) rows with ties) r),
    ends as (
      select e.at, e.id from (
        select s.at, s.id, row_number() over (partition by s.key_id order by s.at desc, s.id desc) as n
          from scanned s) e
       where e.n = (select size from share)
       order by e.at desc, e.id desc limit 1),
    page as (
      select s.* from scanned s
       where (not exists (select from ends) or (s.at, s.id) >= (select e.at, e.id from ends e))
             ${row.conditions}
       order by s.at desc, s.id desc limit $6)
    select p.*, e.at as end_at, e.id as end_id
      from (select) one left join page p on true left join ends e on true
     order by p.at desc, p.id desc`;
  return { statement: { name: `list_requests_${key.given}${row.given}`, text }, values };
}

function withoutEnd<Row extends LoggedRequest & { end_at: unknown; end_id: unknown }>({
  end_at: _at,
  end_id: _id,
  ...row
}: Row): LoggedRequest {
  return { ...row, duration_ms: Number(row.duration_ms) };
}

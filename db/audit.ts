// The audit log: what operators did, in a chain of hashes (docs/decisions/0041-audit-log.md).

import { createHash } from 'node:crypto';
import type { JsonValue } from '../domain/json';
import { execute, type Db, type BoundStatement, type Tx } from './connect';
import { filterSql } from './list-filters';

export interface AuditEntry {
  /** 1 to 64 letters, digits and `._@+-`. */
  readonly actor: string;
  /** The command's words, such as `wallets.credit`. */
  readonly action: string;
  /** Such as `user/awa`; at most 200 characters. */
  readonly subject: string;
  /** Never a secret. `username` names the user whom the subject belongs to. At most 16,384 characters. */
  readonly details: { readonly [field: string]: JsonValue };
}

/**
 * Call it last in the transaction of the effect: until the commit nobody else can add a row. Needs the
 * operator's role; throws 23514 when a field has another form.
 */
export async function addAuditRow(tx: Tx, entry: AuditEntry): Promise<void> {
  const { actor, action, subject, details } = entry;
  const text = 'select add_audit_row($1, $2, $3, $4::jsonb)';
  const values = [actor, action, subject, JSON.stringify(details)];
  await execute(tx, { name: 'add_audit_row', text }, values);
}

/**
 * Makes a change and its row in one transaction; without an entry, the change alone. `isDone` says that
 * something was changed: else there is no row.
 */
export async function changeWithAudit<T>(
  db: Db,
  entry: AuditEntry | undefined,
  change: (db: Db | Tx) => Promise<T>,
  isDone: (result: T) => boolean = () => true,
): Promise<T> {
  if (!entry) return change(db);
  return db.transaction(async (tx) => {
    const result = await change(tx);
    if (isDone(result)) await addAuditRow(tx, entry);
    return result;
  });
}

export interface AuditRow extends AuditEntry {
  readonly id: bigint;
  readonly at: string;
  /** The login role of the connection that wrote it. */
  readonly database_role: string;
  /** 64 hex digits, as `previous_hash`. */
  readonly hash: string;
}

export interface AuditFilters {
  /** About the user and all that belongs to the user. */
  readonly username?: string | undefined;
  readonly subject?: string | undefined;
  readonly action?: string | undefined;
  readonly actor?: string | undefined;
  /** ISO 8601, inclusive. */
  readonly since?: string | undefined;
  /** Only rows with a smaller id. */
  readonly before?: bigint | undefined;
}

const CONDITIONS = {
  subject: 'subject = ?',
  action: 'action = ?',
  actor: 'actor = ?',
  since: 'at >= ?',
  before: 'id < ?',
} as const;

/** Newest first. */
export async function listAuditRows(
  db: Db,
  filters: AuditFilters,
  limit: number,
): Promise<AuditRow[]> {
  const { statement, values } = auditStatement(filters, limit);
  return execute<AuditRow>(db, statement, values);
}

/**
 * A user is looked up twice, as the subject and in the details: each has an index, in the order of the list, and both
 * in one condition have none.
 */
export function auditStatement(
  { username, ...others }: AuditFilters,
  limit: number,
): BoundStatement {
  const values: unknown[] = [limit];
  const { conditions, given } = filterSql(CONDITIONS, others, values);
  const newest = (condition: string): string =>
    `(select * from audit_log where ${condition}${conditions} order by id desc limit $1)`;
  const place = username === undefined ? '' : `$${values.push(username)}::text`;
  const lookUps =
    username === undefined ? ['true'] : [`subject = 'user/' || ${place}`, byUsername(place)];
  const text = `select distinct on (id) id, at, actor, database_role, action, subject, details,
                       encode(hash, 'hex') as hash
                  from (${lookUps.map(newest).join(' union all ')}) a
                 order by id desc limit $1`;
  const name = `list_audit_rows_${username === undefined ? 0 : 1}${given}`;
  return { statement: { name, text }, values };
}

const byUsername = (place: string): string => `details ->> 'username' = ${place}`;

/** A row with what is wrong with it and its place in the chain; nothing when the chain holds there. */
export interface CheckedAuditRow extends ChainRow {
  readonly faults: readonly string[];
}

const PAGE_CONDITIONS = { ...CONDITIONS, username: byUsername('?') } as const;

/** Newest first, each compared with the row before it, whether or not that is listed. */
export async function listCheckedAuditRows(
  db: Db,
  filters: AuditFilters,
  limit: number,
): Promise<CheckedAuditRow[]> {
  const values: unknown[] = [];
  const { conditions, given } = filterSql(PAGE_CONDITIONS, filters, values);
  const text = `select a.id, a.at, a.actor, a.database_role, a.action, a.subject,
      a.details::text as details, encode(a.previous_hash, 'hex') as previous_hash,
      encode(a.hash, 'hex') as hash, encode(b.hash, 'hex') as hash_before
    from (select id, at, actor, database_role, action, subject, details, previous_hash, hash
            from audit_log where true${conditions}
           order by id desc limit $${values.push(limit)}) a
    left join audit_log b on b.id = a.id - 1
   order by a.id desc`;
  const statement = { name: `list_checked_audit_rows_${given}`, text };
  type Row = ChainRow & { readonly hash_before: string | null };
  const rows = await execute<Row>(db, statement, values);
  return rows.map(({ hash_before, ...row }) => {
    const before = { id: row.id - 1n, hash: hash_before ?? (row.id === 1n ? NO_HASH : '') };
    return { ...row, faults: faultsOf(row, before) };
  });
}

/** The newest row. Its hash stands for all rows up to it; 64 zeros when there is none. */
export interface AuditHead {
  readonly id: bigint;
  readonly hash: string;
}

export const NO_HASH = '0'.repeat(64);

export async function findAuditHead(db: Db): Promise<AuditHead> {
  const [row] = await listAuditRows(db, {}, 1);
  return { id: row?.id ?? 0n, hash: row?.hash ?? NO_HASH };
}

export interface AuditFault {
  /** Of the first row that does not fit; null when a given head is not in the log. */
  readonly id: bigint | null;
  readonly what: string;
}

export interface AuditVerification {
  readonly rows: number;
  readonly head: AuditHead;
  readonly faults: readonly AuditFault[];
}

interface ChainRow extends Omit<AuditRow, 'details'> {
  /** As the text that was hashed. */
  readonly details: string;
  readonly previous_hash: string;
}

const PAGE = 1_000;

/**
 * Computes each hash again. `known_head` is a hash that was the head once, noted elsewhere: without
 * one, newest rows that were removed are not missed.
 */
export async function verifyAuditLog(db: Db, known_head?: string): Promise<AuditVerification> {
  const faults: AuditFault[] = [];
  let head: AuditHead = { id: 0n, hash: NO_HASH };
  let rows = 0;
  let isHeadFound = known_head === undefined || known_head === NO_HASH;
  for (;;) {
    const page = await readChain(db, head.id);
    for (const row of page) {
      faults.push(...faultsOf(row, head).map((what) => ({ id: row.id, what })));
      isHeadFound ||= row.hash === known_head;
      head = { id: row.id, hash: row.hash };
    }
    rows += page.length;
    if (page.length < PAGE) break;
  }
  if (!isHeadFound) faults.push({ id: null, what: 'the given head is not in the log' });
  return { rows, head, faults };
}

async function readChain(db: Db, after: bigint): Promise<ChainRow[]> {
  const text = `select id, at, actor, database_role, action, subject, details::text as details,
                       encode(previous_hash, 'hex') as previous_hash, encode(hash, 'hex') as hash
                  from audit_log where id > $1 order by id limit ${PAGE}`;
  return execute<ChainRow>(db, { name: 'read_audit_chain', text }, [after]);
}

function faultsOf(row: ChainRow, before: AuditHead): string[] {
  return [
    ...(row.id === before.id + 1n ? [] : [`rows between ${before.id} and ${row.id} are missing`]),
    ...(row.previous_hash === before.hash ? [] : ['the row before it is another one']),
    ...(row.hash === auditHash(row) ? [] : ['its content is not what was hashed']),
  ];
}

/** As add_audit_row in db/functions/audit.sql computes it. */
function auditHash(row: ChainRow): string {
  const { id, at, actor, database_role, action, subject, details, previous_hash } = row;
  const lines = [id, at, actor, database_role, action, subject, details, previous_hash];
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}

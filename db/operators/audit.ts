// The audit log: what operators did. It is sealed with the ledger (docs/decisions/ledger.md).

import type { JsonValue } from '../../domain/json';
import { callValue, execute, type BoundStatement, type Db, type Tx } from '../connect';
import { filterSql } from '../list-filters';

export interface AuditEntry {
  /** 1 to 64 letters, digits and `._@+-`. */
  readonly actor: string;
  /** The command's words, such as `wallets.credit`. */
  readonly action: string;
  /** A name such as `user/awa`; at most 200 characters. */
  readonly subject: string;
  /** Never a secret. `username` names the user whom the subject belongs to. At most 16,384 characters. */
  readonly details: { readonly [field: string]: JsonValue };
}

/**
 * Call it last in the transaction of the effect: until the commit no other transaction can add a
 * row. Needs the operator's role; throws 23514 when a field has another form.
 */
export async function addAuditRow(tx: Tx, entry: AuditEntry): Promise<void> {
  const { actor, action, subject, details } = entry;
  const values = [actor, action, subject, JSON.stringify(details)];
  await callValue(tx, 'add_audit_row', values);
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
}

export interface AuditFilters {
  /** About the user and all that belongs to the user. */
  readonly username?: string | undefined;
  readonly subject?: string | undefined;
  readonly action?: string | undefined;
  readonly actor?: string | undefined;
  /** ISO 8601, inclusive. */
  readonly since?: string | undefined;
  /** An id; rows with a smaller one. */
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
    username === undefined
      ? ['true']
      : [`subject = 'user/' || ${place}`, `details ->> 'username' = ${place}`];
  const text = `select distinct on (id) id, at, actor, database_role, action, subject, details
                  from (${lookUps.map(newest).join(' union all ')}) a
                 order by id desc limit $1`;
  const name = `list_audit_rows_${username === undefined ? 0 : 1}${given}`;
  return { statement: { name, text }, values };
}

// Attempts of deliveries by month: made ahead, and dropped as a whole.

import { calls, execute, type Db } from '../connect';

/** This month and the next two. Returns how many were missing. */
export const makeAttemptMonths = calls<() => number>('make_attempt_months');

/** Months (`2026-10`) that ended at least so many days ago, the oldest first. */
export async function listDueAttemptMonths(db: Db, retention_days: number): Promise<string[]> {
  const text = `select to_char(m.month, 'YYYY-MM') as month
      from (select to_date(right(c.relname, 6), 'YYYYMM') as month
              from pg_inherits i join pg_class c on c.oid = i.inhrelid
             where i.inhparent = 'webhook_attempts'::regclass) m
     where m.month + interval '1 month'
             <= clock_timestamp() at time zone 'UTC' - $1 * interval '1 day'
     order by m.month`;
  const statement = { name: 'list_due_attempt_months', text };
  const rows = await execute<{ month: string }>(db, statement, [retention_days]);
  return rows.map(({ month }) => month);
}

/** How many the month had; undefined when it was not dropped. */
export async function findDroppedAttempts(db: Db, month: string): Promise<number | undefined> {
  const text =
    'select attempts::float8 as attempts from webhook_attempt_drops where month = $1::date';
  const statement = { name: 'find_dropped_attempts', text };
  return (await execute<{ attempts: number }>(db, statement, [`${month}-01`]))[0]?.attempts;
}

/**
 * Returns how many attempts were dropped; null when the month is not there, ended less than 31 days ago, or is
 * in use. Throws 23001 when it has another number of attempts than `archived`; null: they were not archived.
 */
export async function dropAttemptMonth(
  db: Db,
  month: string,
  archived: number | null,
): Promise<number | null> {
  const text = 'select drop_attempt_month($1::date, $2)::float8 as dropped';
  const statement = { name: 'drop_attempt_month', text };
  const values = [`${month}-01`, archived];
  return (await execute<{ dropped: number | null }>(db, statement, values))[0]!.dropped;
}

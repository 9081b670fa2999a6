// The access log as rows, for queries; it is also written as JSON lines.

import { execute, type Db } from './connect';

export interface AccessEntry {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  readonly ip: string;
  readonly key_id: string | null;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly request_id: string;
  readonly duration_ms: number;
}

/** Requests of one minute and address, or of one minute and key, without rows of their own. */
export interface SharedAccessEntry {
  readonly id: string;
  /** The minute's beginning, ISO 8601. */
  readonly at: string;
  /** An address, an IPv6 network, or `others`. */
  readonly ip: string;
  readonly key_id: string | null;
  readonly requests: number;
}

export type AccessRow = AccessEntry | SharedAccessEntry;

/** Existing rows stay as they are, so a rebuild from the lines may overlap. Returns how many are new. */
export async function insertAccessRows(db: Db, rows: readonly AccessRow[]): Promise<number> {
  const text = 'select add_access_entries($1::jsonb) as added';
  const values = [JSON.stringify(rows)];
  const [row] = await execute<{ added: number }>(db, { name: 'add_access_entries', text }, values);
  return row!.added;
}

export interface TendedAccessLog {
  /** Days. */
  readonly made: number;
  readonly dropped: number;
  /** Rows of the table that the version before wrote. */
  readonly deleted: number;
}

/**
 * Makes the days to come and drops those older than the retention; zero keeps all. Undefined when
 * another process is at it.
 */
export async function tendAccessLog(
  db: Db,
  retention_days: number,
): Promise<TendedAccessLog | undefined> {
  const text = 'select made, dropped, deleted from tend_access_log($1)';
  const statement = { name: 'tend_access_log', text };
  return (await execute<TendedAccessLog>(db, statement, [retention_days]))[0];
}

/** Whether one of the account's keys was ever used, as far back as the log goes. */
export async function hasMadeCalls(db: Db, user_id: string): Promise<boolean> {
  const text = `select exists (
    select from api_keys k
     where k.user_id = $1
       and (exists (select from access_entries e where e.key_id = k.id)
            or exists (select from access_log l where l.key_id = k.id))) as has_called`;
  const statement = { name: 'has_made_calls', text };
  return (await execute<{ has_called: boolean }>(db, statement, [user_id]))[0]!.has_called;
}

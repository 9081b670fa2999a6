// Months whose histories have left the database: db/archives/drop.ts has them go.

import { call, callValue, execute, type Db } from '../connect';

export interface HistoryDrop {
  /** Rows of the histories that the archive has. */
  readonly archived_rows: number;
  /** The archive's hash. */
  readonly manifest_hash: string;
}

/** Undefined for a month whose histories are in the database. */
export async function findHistoryDrop(db: Db, month: string): Promise<HistoryDrop | undefined> {
  const text = `select d.archived_rows::float8 as archived_rows, d.manifest_hash
                  from history_drops d where d.month = $1::date`;
  return (await execute<HistoryDrop>(db, { name: 'find_history_drop', text }, [`${month}-01`]))[0];
}

/** The moment from which histories are whole; undefined while nothing was dropped. */
export async function findHistorySince(db: Db): Promise<string | undefined> {
  const text = `select nullif(history_since(), '-infinity') as since`;
  const [row] = await execute<{ since: string | null }>(db, { name: 'history_since', text }, []);
  return row!.since ?? undefined;
}

export type DropOutcome =
  'begun' | 'too_young' | 'not_the_oldest' | 'not_invoiced' | 'other_archive';

/** Begins to drop the month of this first day, or goes on with it. */
export async function beginHistoryDrop(
  db: Db,
  first: string,
  archived_rows: number,
  manifest_hash: string,
  actor: string,
): Promise<DropOutcome> {
  const values = [first, archived_rows, manifest_hash, actor];
  return callValue<DropOutcome>(db, 'begin_history_drop', values);
}

export interface DropStep {
  readonly deleted: number;
  /** The last id; null when no row is left. */
  readonly last: string | null;
}

/** Deletes at most 5,000 rows after the id. */
export async function dropHistoryRows(db: Db, first: string, after: string): Promise<DropStep> {
  return (await call<DropStep>(db, 'drop_history_rows', [first, after]))[0]!;
}

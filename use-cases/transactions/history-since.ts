// From when on histories are whole: months before may have been dropped (docs/decisions/growth.md).

import type { Db } from '../../db/connect';
import { findHistorySince } from '../../db/ledger/history-drops';

/** A month is dropped by hand, once a month at most; each last page of a list asks. */
const KEPT_MS = 60_000;

const known = new WeakMap<Db, { readonly since: string | undefined; readonly until: number }>();

/** Undefined while nothing was dropped. It may be a minute old. */
export async function historySince(db: Db): Promise<string | undefined> {
  const kept = known.get(db);
  if (kept && kept.until > Date.now()) return kept.since;
  const since = await findHistorySince(db);
  known.set(db, { since, until: Date.now() + KEPT_MS });
  return since;
}

/** The header of a response that ends where the history does. */
export async function historySinceHeader(db: Db): Promise<Readonly<Record<string, string>>> {
  const since = await historySince(db);
  return since === undefined ? {} : { 'History-Since': since };
}

// The access log as rows, for queries; it is also written as JSON lines.

import type { Db } from './connect';

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

/** Existing rows stay as they are, so a rebuild from the lines may overlap. Returns how many are new. */
export async function insertAccessEntries(
  db: Db,
  entries: readonly AccessEntry[],
): Promise<number> {
  const result = await db.raw(
    `insert into access_log (id, at, ip, key_id, method, route, status, request_id, duration_ms)
     select e.id, e.at, e.ip, e.key_id, e.method, e.route, e.status, e.request_id, e.duration_ms
       from jsonb_to_recordset(:entries::jsonb) e (id uuid, at timestamptz, ip text, key_id uuid,
            method text, route text, status integer, request_id text, duration_ms numeric)
     on conflict (id) do nothing`,
    { entries: JSON.stringify(entries) },
  );
  return (result as { rowCount: number }).rowCount;
}

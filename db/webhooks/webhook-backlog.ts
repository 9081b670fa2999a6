// The backlog of an endpoint, which is what is left to be delivered, for operators.

import { lookUp, type Db } from '../connect';

export interface Backlog {
  /** Counted up to MAX_COUNT. */
  readonly pending: number;
  readonly oldest_pending_at: string | null;
  readonly next_attempt_at: string | null;
}

/** Operators see how many are waiting, and need no number beyond this. */
const MAX_COUNT = 100_000;

export const BACKLOG = {
  name: 'webhook_backlog',
  text: `select count(*)::integer as pending, min(d.created_at) as oldest_pending_at,
                greatest(min(d.next_attempt_at), case when count(*) > 0 then
                  (select w.paused_until from webhook_endpoints w where w.id = $1) end) as next_attempt_at
           from (select q.created_at, q.next_attempt_at from webhook_deliveries q
                  where q.endpoint_id = $1 and q.status = 'pending'
                  order by q.next_attempt_at limit ${MAX_COUNT}) d`,
};

export async function readBacklog(db: Db, endpoint_id: string): Promise<Backlog> {
  return (await lookUp<Backlog>(db, BACKLOG, [endpoint_id]))[0]!;
}

// The backlog of an endpoint, which is what is left to be delivered, for its workflow and for operators.

import type { EndpointFailure } from '../../domain/webhook';
import { lookUp, type Db } from '../connect';
import { failUnknown } from '../unknown-row';

export interface Backlog {
  readonly status: 'enabled' | 'disabled' | 'deleted';
  readonly url: string;
  readonly environment: string;
  readonly username: string;
  /** Counted up to MAX_COUNT. */
  readonly pending: number;
  readonly oldest_pending_at: string | null;
  /**
   * The time until the next run has something to do: the next attempt, or, at once, deliveries that
   * do not match the endpoint's status yet. Null when nothing is left.
   */
  readonly next_in_ms: number | null;
  readonly next_attempt_at: string | null;
  readonly failing_since: string | null;
  readonly last_failure: EndpointFailure | null;
}

/** Operators see how many are waiting, and need no number beyond this. */
const MAX_COUNT = 100_000;

export const BACKLOG = {
  name: 'webhook_backlog',
  text: `select w.status, w.url, w.environment, u.username, w.failing_since, w.last_failure,
                waiting.pending, waiting.oldest_pending_at, waiting.next_attempt_at,
                case when exists (select from webhook_deliveries q where q.endpoint_id = w.id
                                     and q.status <> 'delivered' and q.status = any (case w.status
                                           when 'enabled' then array['held']
                                           when 'disabled' then array['pending']
                                           else array['pending', 'held'] end))
                     then 0
                     when waiting.pending > 0 then greatest(0,
                  ceil(extract(epoch from waiting.next_attempt_at - now()) * 1000))::float8
                end as next_in_ms
           from webhook_endpoints w join users u on u.id = w.user_id
           cross join lateral (
             select count(*)::integer as pending, min(d.created_at) as oldest_pending_at,
                    greatest(min(d.next_attempt_at), case when count(*) > 0 then w.paused_until end)
                      as next_attempt_at
               from (select q.created_at, q.next_attempt_at from webhook_deliveries q
                      where q.endpoint_id = w.id and q.status = 'pending'
                      order by q.next_attempt_at limit ${MAX_COUNT}) d) waiting
          where w.id = $1`,
};

export async function readBacklog(db: Db, endpoint_id: string): Promise<Backlog> {
  const [row] = await lookUp<Backlog>(db, BACKLOG, [endpoint_id]);
  return row ?? failUnknown(db, 'endpoint', endpoint_id);
}

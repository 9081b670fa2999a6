// Events and the deliveries that belong to them, for the comparison of the two. A piece of time per statement.

import { execute, type Db } from '../connect';
import type { CheckedTime } from './reconciliations';
import { EARLIEST } from '../webhooks/webhook-attempts';

export interface MissingDelivery {
  readonly event_id: string;
  readonly type: string;
  readonly endpoint_id: string;
}

/**
 * Events without a delivery for an endpoint that wanted them. An endpoint that was changed since is left out:
 * what it wanted then is not kept. One that was changed or made within `margin_ms` before the event may have
 * been committed after it.
 */
export async function listMissingDeliveries(
  db: Db,
  { from, to }: CheckedTime,
  { margin_ms, limit }: { readonly margin_ms: number; readonly limit: number },
): Promise<MissingDelivery[]> {
  const text = `select e.id as event_id, e.type, w.id as endpoint_id
      from events e
      join webhook_endpoints w on w.user_id = e.user_id and w.environment = e.environment
           and w.status <> 'deleted' and e.type = any (w.types)
           and greatest(w.created_at, w.updated_at)
               < e.created_at - $3 * interval '1 millisecond'
      left join webhook_deliveries d on d.event_id = e.id and d.endpoint_id = w.id
     where e.sequence > 0 and e.created_at >= $1::timestamptz and e.created_at < $2::timestamptz
       and d.id is null
     order by e.created_at, w.id limit $4`;
  const statement = { name: 'list_missing_deliveries', text };
  return execute(db, statement, [from, to, margin_ms, limit]);
}

export interface UnprovenDelivery {
  readonly id: string;
  readonly endpoint_id: string;
}

/**
 * Deliveries of the time's events that have arrived, and no attempt has delivered them. Those that arrived in
 * a month whose attempts were dropped are left out.
 */
export async function listUnprovenDeliveries(
  db: Db,
  { from, to }: CheckedTime,
  limit: number,
): Promise<UnprovenDelivery[]> {
  const text = `select d.id, d.endpoint_id from events e
      join webhook_deliveries d on d.event_id = e.id and d.status = 'delivered'
     where e.created_at >= $1::timestamptz and e.created_at < $2::timestamptz
       and d.delivered_at >= coalesce(
             (select (max(w.month) + interval '1 month') at time zone 'UTC' from webhook_attempt_drops w),
             '-infinity')
       and not exists (select from webhook_attempts a
                        where a.delivery_id = d.id and a.outcome = 'delivered'
                          and a.recorded_at >= ${EARLIEST})
     order by d.id limit $3`;
  return execute(db, { name: 'list_unproven_deliveries', text }, [from, to, limit]);
}

export async function countEvents(db: Db, { from, to }: CheckedTime): Promise<number> {
  const text = `select count(*)::float8 as events from events e
     where e.created_at >= $1::timestamptz and e.created_at < $2::timestamptz`;
  const [row] = await execute<{ events: number }>(db, { name: 'count_events', text }, [from, to]);
  return row!.events;
}

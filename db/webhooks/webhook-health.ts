// How endpoints are doing, at a glance, for the people of the account.

import { lookUp, type Db } from '../connect';

/** Each number is counted up to MAX_COUNT. */
export interface EndpointHealth {
  readonly endpoint_id: string;
  readonly pending: number;
  readonly held: number;
  /** Tried in vain to the end of the schedule. */
  readonly exhausted: number;
  /** Deliveries of the last day, and how many of them arrived: of the last MAX_COUNT at most. */
  readonly recent: number;
  readonly recent_delivered: number;
  /** Set while nothing is sent to it for a moment. */
  readonly paused_until: string | null;
}

/**
 * Readers need no larger number at a glance. It bounds the work: sixteen endpoints with 20,000
 * deliveries each take about 10 ms.
 */
export const MAX_COUNT = 200;

const counted = (status: string): string => `
  (select count(*)::integer from (
    select from webhook_deliveries d
     where d.endpoint_id = w.id and d.status = '${status}' and d.status <> 'delivered'
     limit ${MAX_COUNT}) c) as ${status}`;

const HEALTH = {
  name: 'webhook_endpoints_health',
  text: `select w.id as endpoint_id, ${['pending', 'held', 'exhausted'].map(counted).join(', ')},
                recent.recent, recent.recent_delivered,
                case when w.paused_until > now() then w.paused_until end as paused_until
           from webhook_endpoints w
          cross join lateral (
            select count(*)::integer as recent,
                   (count(*) filter (where r.status = 'delivered'))::integer as recent_delivered
              from (select d.status from webhook_deliveries d
                     where d.endpoint_id = w.id and d.created_at > now() - interval '1 day'
                     order by d.created_at desc limit ${MAX_COUNT}) r) recent
          where w.id = any ($1::uuid[])`,
};

/** Reads endpoints that the caller has found to be the account's. */
export async function readEndpointHealth(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, EndpointHealth>> {
  const rows = await lookUp<EndpointHealth>(db, HEALTH, [ids]);
  return new Map(rows.map((row) => [row.endpoint_id, row]));
}

// Deliveries: listed for merchants and operators, added for an event, and sent again one by one.

import type { Environment } from '../domain/environment';
import type { EventType } from '../domain/event';
import type { DeliveryStatus } from '../domain/webhook';
import { execute, lookUp, type Db, type Tx } from './connect';
import { filterSql } from './list-filters';

export interface DeliveryView {
  readonly id: string;
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly type: EventType;
  readonly status: DeliveryStatus;
  /** How many attempts were made. */
  readonly attempts: number;
  readonly next_attempt_at: string | null;
  readonly delivered_at: string | null;
  readonly created_at: string;
}

export interface DeliveryQuery {
  readonly user_id: string;
  readonly environment: Environment;
  /** An instant; rows strictly before it. */
  readonly before: string | undefined;
  readonly limit: number;
  readonly filters: {
    readonly endpoint_id?: string | undefined;
    readonly event_id?: string | undefined;
    readonly status?: DeliveryStatus | undefined;
    readonly type?: EventType | undefined;
    readonly created_from?: string | undefined;
    readonly created_to?: string | undefined;
  };
}

const VIEW = `select d.id, d.event_id, d.endpoint_id, d.type, d.status, d.attempts, d.next_attempt_at,
    d.delivered_at, d.created_at
  from webhook_deliveries d`;

// Postgres takes the endpoint's own index when no condition names the account. Otherwise it may
// search for the few deliveries of one endpoint among all of the account's.
const OF_ACCOUNT = 'd.user_id = $1 and d.environment = $2';
const OF_OWN_ENDPOINT = `d.endpoint_id = (select w.id from webhook_endpoints w
  where w.id = ?::uuid and w.user_id = $1 and w.environment = $2)`;

const FILTERS = {
  endpoint_id: OF_OWN_ENDPOINT,
  event_id: 'd.event_id = ?::uuid',
  status: 'd.status = ?',
  type: 'd.type = ?',
  created_from: 'd.created_at >= ?::timestamptz',
  created_to: 'd.created_at < ?::timestamptz',
} as const;
// Nearly all are delivered. The others have an index of their own, which needs this condition.
const NOT_DELIVERED = " and d.status <> 'delivered'";

/** Newest first. */
export async function listDeliveries(db: Db, query: DeliveryQuery): Promise<DeliveryView[]> {
  const { filters } = query;
  const values: unknown[] = [query.user_id, query.environment, query.before ?? 'infinity'];
  let { given, conditions } = filterSql(FILTERS, filters, values);
  if (filters.status !== undefined && filters.status !== 'delivered') {
    given += 'n';
    conditions += NOT_DELIVERED;
  }
  values.push(query.limit);
  const owned = filters.endpoint_id === undefined ? ` and ${OF_ACCOUNT}` : '';
  const text = `${VIEW}
     where d.created_at < $3::timestamptz${owned}${conditions}
     order by d.created_at desc limit $${values.length}`;
  return lookUp<DeliveryView>(db, { name: `list_deliveries_${given}`, text }, values);
}

/** Only of this user. */
export async function findDelivery(
  db: Db,
  user_id: string,
  environment: Environment,
  id: string,
): Promise<DeliveryView | undefined> {
  const text = `${VIEW} where d.id = $3 and d.user_id = $1 and d.environment = $2`;
  const values = [user_id, environment, id];
  const [row] = await lookUp<DeliveryView>(db, { name: 'find_delivery', text }, values);
  return row;
}

/** One per endpoint that has it, in the order in which they got it. */
export async function deliveriesOfEvent(
  db: Db,
  event_id: string,
  limit: number,
): Promise<DeliveryView[]> {
  const text = `${VIEW} where d.event_id = $1 order by d.created_at limit $2`;
  return lookUp<DeliveryView>(db, { name: 'deliveries_of_event', text }, [event_id, limit]);
}

export interface QueuedDeliveries {
  /** Fewer than were named when some of their endpoints are not enabled. */
  readonly queued: number;
  readonly wake: readonly string[];
}

const RESEND = {
  name: 'resend_deliveries',
  text: 'select queued, wake from resend_deliveries($1)',
};

/**
 * Sends them again at once. A delivery that was at the end of its retry schedule gets a whole new
 * one.
 */
export async function resendDeliveries(
  db: Db | Tx,
  ids: readonly string[],
): Promise<QueuedDeliveries> {
  const [row] = await execute<QueuedDeliveries>(db, RESEND, [ids]);
  return row!;
}

const ADD = { name: 'add_delivery', text: 'select add_delivery($1, $2) as wake' };

/**
 * Adds the event for one endpoint; changes nothing when the endpoint has it already. Returns whom
 * to wake.
 */
export async function addDelivery(
  db: Db | Tx,
  event_id: string,
  endpoint_id: string,
): Promise<readonly string[]> {
  const [row] = await execute<{ wake: readonly string[] }>(db, ADD, [event_id, endpoint_id]);
  return row!.wake;
}

// Deliveries: listed for merchants and operators, added for an event, and sent again one by one.

import type { Environment } from '../../domain/environment';
import { EVENT_TYPES, type EventType } from '../../domain/event';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../../domain/webhook';
import { columns, type RowOf } from '../columns';
import {
  call,
  calls,
  execute,
  lookUp,
  type BoundStatement,
  type Db,
  type Statement,
  type Tx,
} from '../connect';
import { byColumn, filterSql, type ListQuery } from '../list-filters';

const SHOWN = columns(`webhook_deliveries d:
  id event_id endpoint_id type status attempts delivered_at created_at`);

export interface DeliveryView extends RowOf<typeof SHOWN> {
  readonly next_attempt_at: string | null;
}

export type DeliveryQuery = ListQuery<{
  endpoint_id: string;
  event_id: string;
  status: DeliveryStatus;
  type: EventType;
}>;

const COLUMNS = `${SHOWN},
    case d.environment when 'sandbox' then sandbox_due(d.user_id, d.next_attempt_at) else d.next_attempt_at end as next_attempt_at`;
const VIEW = `select ${COLUMNS} from webhook_deliveries d`;

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

/** Newest first. On the pool: where few match it may read many rows, and a look-up keeps other callers waiting. */
export async function listDeliveries(db: Db, query: DeliveryQuery): Promise<DeliveryView[]> {
  const { statement, values } = deliveriesStatement(query);
  return execute<DeliveryView>(db, statement, values);
}

// An account may have millions of deliveries, and none of a type or status. A plan is made for any account, of
// which most have few: it must not matter which index the planner takes to be as good. So each statement below
// has an order, or a source, that one index alone has.
export function deliveriesStatement(query: DeliveryQuery): BoundStatement {
  const { endpoint_id, event_id, type, status } = query.filters;
  if (event_id !== undefined) return selectOfEvent(query, event_id);
  if (endpoint_id !== undefined) {
    return type === undefined && status === undefined
      ? selectByTime(query)
      : selectKinds(query, endpoint_id);
  }
  // Nearly all are delivered. The others have an index of their own.
  if (status !== undefined && status !== 'delivered') return selectOfAccount(query, 'status');
  return type === undefined ? selectByTime(query) : selectOfAccount(query, 'type');
}

/** An event has one for each endpoint. */
function selectOfEvent(
  { user_id, environment, before = 'infinity', filters, limit }: DeliveryQuery,
  event_id: string,
): BoundStatement {
  const values: unknown[] = [user_id, environment, before, event_id];
  const { given, conditions } = filterSql(FILTERS, { ...filters, event_id: undefined }, values);
  values.push(limit);
  const text = `select ${COLUMNS}
      from (select * from webhook_deliveries x where x.event_id = $4::uuid offset 0) d
     where ${OF_ACCOUNT} and d.created_at < $3::timestamptz${conditions}
     order by d.created_at desc limit $${values.length}`;
  return { statement: { name: `list_deliveries_of_event_${given}`, text }, values };
}

/** Selects for an account or one endpoint; status `delivered` leaves few out. */
function selectByTime({
  user_id,
  environment,
  before = 'infinity',
  filters,
  limit,
}: DeliveryQuery): BoundStatement {
  const values: unknown[] = [user_id, environment, before];
  const { given, conditions } = filterSql(FILTERS, filters, values);
  values.push(limit);
  const owned = filters.endpoint_id === undefined ? ` and ${OF_ACCOUNT}` : '';
  const text = `${VIEW}
     where d.created_at < $3::timestamptz${owned}${conditions}
     order by d.created_at desc limit $${values.length}`;
  return { statement: { name: `list_deliveries_${given}`, text }, values };
}

/**
 * Reads webhook_deliveries_by_type or webhook_deliveries_not_delivered; the other filter is looked
 * at row by row.
 */
function selectOfAccount(
  { user_id, environment, before = 'infinity', filters, limit }: DeliveryQuery,
  by: 'type' | 'status',
): BoundStatement {
  const { created_from = '-infinity', created_to = 'infinity' } = filters;
  const values: unknown[] = [user_id, environment, before, filters[by], created_from, created_to];
  const rest = { type: filters.type, status: filters.status, [by]: undefined };
  const { given, conditions } = filterSql(FILTERS, rest, values);
  values.push(limit);
  const { condition, order } = byColumn('d', by);
  const partial = by === 'status' ? ` and d.status <> 'delivered'` : '';
  const text = `${VIEW}
     where ${condition}${partial}${conditions}
     order by ${order} limit $${values.length}`;
  return { statement: { name: `list_deliveries_by_${by}_${given}`, text }, values };
}

// One scan of the index webhook_deliveries_by_kind per type and status, each in order and no longer than the page.
const KIND = '(x.endpoint_id, x.type, x.status, x.created_at)';
const kindAt = (moment: string): string => `(w.id, kind.type, kind.status, ${moment})`;

const OF_KINDS: Statement = {
  name: 'list_deliveries_of_kinds',
  text: `select ${COLUMNS}
           from (select k.id, k.created_at
                   from (select e.id from webhook_endpoints e
                          where e.id = $4::uuid and e.user_id = $1 and e.environment = $2) w
                  cross join (select t.type, s.status from unnest($7::text[]) t (type),
                                     unnest($8::text[]) s (status)) kind
                  cross join lateral (
                    select x.id, x.created_at from webhook_deliveries x
                     where ${KIND} < ${kindAt('least($3::timestamptz, $6::timestamptz)')}
                       and ${KIND} >= ${kindAt('$5::timestamptz')}
                     order by x.endpoint_id desc, x.type desc, x.status desc, x.created_at desc
                     limit $9) k
                  order by k.created_at desc limit $9) found
          cross join lateral (select * from webhook_deliveries y where y.id = found.id limit 1) d
          order by d.created_at desc`,
};

function selectKinds(
  { user_id, environment, before = 'infinity', filters, limit }: DeliveryQuery,
  endpoint_id: string,
): BoundStatement {
  const { type, status, created_from = '-infinity', created_to = 'infinity' } = filters;
  const types = type === undefined ? EVENT_TYPES : [type];
  const statuses = status === undefined ? DELIVERY_STATUSES : [status];
  const period = [created_from, created_to];
  const values = [user_id, environment, before, endpoint_id, ...period, types, statuses, limit];
  return { statement: OF_KINDS, values };
}

/** Finds a delivery of this user only. */
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

/**
 * Sends them again at once. A delivery that was at the end of its retry schedule gets a whole new
 * one. Returns how many: fewer than were named when some of their endpoints are not enabled.
 */
export const resendDeliveries = calls<(ids: readonly string[]) => number>('resend_deliveries');

/** Adds the event for one endpoint; changes nothing when the endpoint has it already. */
export async function addDelivery(
  db: Db | Tx,
  event_id: string,
  endpoint_id: string,
): Promise<void> {
  await call(db, 'add_delivery', [event_id, endpoint_id]);
}

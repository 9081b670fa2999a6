// Webhooks for operators: of every merchant, with deleted endpoints.

import type { Environment } from '../../domain/environment';
import type { DeliveryStatus } from '../../domain/webhook';
import { columns, type RowOf } from '../columns';
import { execute, type Db } from '../connect';
import { ENDPOINT, type EndpointView } from './webhook-endpoints';

const ONLY = columns('webhook_endpoints w: status user_id environment');

export interface OperatorEndpoint extends Omit<EndpointView, 'status'>, RowOf<typeof ONLY> {
  readonly username: string;
}

const SELECT = `select ${ENDPOINT}, ${ONLY}, u.username,
    case when w.previous_until > now() then w.previous_until end as previous_secret_until
  from webhook_endpoints w join users u on u.id = w.user_id`;

export async function findOperatorEndpoint(
  db: Db,
  id: string,
): Promise<OperatorEndpoint | undefined> {
  const statement = { name: 'find_operator_endpoint', text: `${SELECT} where w.id = $1` };
  return (await execute<OperatorEndpoint>(db, statement, [id]))[0];
}

/** Newest first, without deleted ones. */
export async function listOperatorEndpoints(
  db: Db,
  user_id: string,
  environments: readonly Environment[],
): Promise<OperatorEndpoint[]> {
  const text = `${SELECT}
     where w.user_id = $1 and w.environment = any ($2) and w.status <> 'deleted'
     order by w.created_at desc, w.id`;
  return execute(db, { name: 'list_operator_endpoints', text }, [user_id, environments]);
}

/** Counts end here; no operator needs a larger number. */
const MAX_COUNT = 100_000;

/** How many of an endpoint's deliveries have not arrived, by status. */
export async function countUndelivered(
  db: Db,
  { id, user_id, environment }: Pick<OperatorEndpoint, 'id' | 'user_id' | 'environment'>,
): Promise<Partial<Record<DeliveryStatus, number>>> {
  const text = `select d.status, count(*)::integer as count from (
                  select q.status from webhook_deliveries q
                   where q.endpoint_id = $1 and q.user_id = $2 and q.environment = $3
                     and q.status <> 'delivered' limit ${MAX_COUNT}) d
                 group by d.status`;
  const statement = { name: 'count_undelivered', text };
  type Row = { readonly status: DeliveryStatus; readonly count: number };
  const rows = await execute<Row>(db, statement, [id, user_id, environment]);
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

const EVENT_ROW = columns(`events e:
  id user_id environment sequence type intent_id body created_at`);

export interface OperatorEvent extends RowOf<typeof EVENT_ROW> {
  readonly username: string;
  readonly reference: string | null;
  readonly amount_minor: bigint | null;
  readonly currency: string | null;
}

const EVENT = `select ${EVENT_ROW}, u.username, i.reference, i.amount_minor, i.currency
  from events e join users u on u.id = e.user_id left join payment_intents i on i.id = e.intent_id`;

export async function findOperatorEvent(db: Db, id: string): Promise<OperatorEvent | undefined> {
  const statement = { name: 'find_operator_event', text: `${EVENT} where e.id = $1` };
  return (await execute<OperatorEvent>(db, statement, [id]))[0];
}

export interface OperatorEventQuery {
  readonly user_id: string;
  readonly environment: Environment;
  /** Events with a greater sequence than this. */
  readonly after: bigint;
  readonly limit: number;
}

/** Lists events in the order in which they happened, without test events. */
export async function listOperatorEvents(
  db: Db,
  { user_id, environment, after, limit }: OperatorEventQuery,
): Promise<OperatorEvent[]> {
  const text = `${EVENT}
     where e.user_id = $1 and e.environment = $2 and e.sequence > $3::bigint and e.sequence > 0
     order by e.sequence limit $4`;
  return execute(db, { name: 'list_operator_events', text }, [user_id, environment, after, limit]);
}

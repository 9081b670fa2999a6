// What was or is to be delivered, as merchants and operators look at it, and sent again one by one.

import type { Environment } from '../domain/environment';
import type { EventType } from '../domain/event';
import type { AttemptOutcome, AttemptTrigger, DeliveryStatus } from '../domain/webhook';
import { ask, run, type Db } from './connect';

export interface DeliveryView {
  readonly id: string;
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly type: EventType;
  readonly status: DeliveryStatus;
  /** How many were made. */
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

// The endpoint's own index is taken when nothing is said of the account: few deliveries of one
// endpoint are else looked for among all of the others'.
const OF_ACCOUNT = 'd.user_id = $1 and d.environment = $2';
const OF_OWN_ENDPOINT = `d.endpoint_id = (select w.id from webhook_endpoints w
  where w.id = ?::uuid and w.user_id = $1 and w.environment = $2)`;

// One condition per filter that is given, so that each combination has a plan of its own.
const CONDITIONS = {
  endpoint_id: OF_OWN_ENDPOINT,
  event_id: 'd.event_id = ?::uuid',
  status: 'd.status = ?',
  type: 'd.type = ?',
  created_from: 'd.created_at >= ?::timestamptz',
  created_to: 'd.created_at < ?::timestamptz',
} as const;
// Nearly all are delivered: the others have an index of their own, which is used for what says so.
const NOT_DELIVERED = " and d.status <> 'delivered'";

/** Newest first. */
export async function listDeliveries(db: Db, query: DeliveryQuery): Promise<DeliveryView[]> {
  const { filters } = query;
  const values: unknown[] = [query.user_id, query.environment, query.before ?? 'infinity'];
  const conditions: string[] = [];
  // Which filters are given, in the order of the table: Postgres takes 63 characters of a name.
  let given = '';
  for (const [name, condition] of Object.entries(CONDITIONS)) {
    const value = filters[name as keyof typeof CONDITIONS];
    given += value === undefined ? '0' : '1';
    if (value === undefined) continue;
    values.push(value);
    conditions.push(` and ${condition.replace('?', `$${values.length}`)}`);
  }
  if (filters.status !== undefined && filters.status !== 'delivered') {
    given += 'n';
    conditions.push(NOT_DELIVERED);
  }
  values.push(query.limit);
  const owned = filters.endpoint_id === undefined ? ` and ${OF_ACCOUNT}` : '';
  const text = `${VIEW}
     where d.created_at < $3::timestamptz${owned}${conditions.join('')}
     order by d.created_at desc limit $${values.length}`;
  return ask<DeliveryView>(db, { name: `list_deliveries_${given}`, text }, values);
}

/** The account's own. */
export async function findDelivery(
  db: Db,
  user_id: string,
  environment: Environment,
  id: string,
): Promise<DeliveryView | undefined> {
  const text = `${VIEW} where d.id = $3 and d.user_id = $1 and d.environment = $2`;
  const values = [user_id, environment, id];
  const [row] = await ask<DeliveryView>(db, { name: 'find_delivery', text }, values);
  return row;
}

/** One of each endpoint that has it, in the order in which they got it. */
export async function deliveriesOfEvent(
  db: Db,
  event_id: string,
  limit: number,
): Promise<DeliveryView[]> {
  const text = `${VIEW} where d.event_id = $1 order by d.created_at limit $2`;
  return ask<DeliveryView>(db, { name: 'deliveries_of_event', text }, [event_id, limit]);
}

export interface AttemptSummary {
  readonly number: number;
  readonly trigger: AttemptTrigger;
  readonly url: string;
  readonly started_at: string;
  readonly duration_ms: number;
  readonly outcome: AttemptOutcome;
  /** Of the receiver's answer. */
  readonly status: number | null;
  readonly retry_after_seconds: number | null;
}

export interface AttemptView extends AttemptSummary {
  readonly response_body: string | null;
  readonly response_truncated: boolean;
}

const SUMMARY = `a.number, a.trigger, a.url, a.started_at, a.duration_ms, a.outcome, a.status,
  a.retry_after_seconds`;

export interface AttemptQuery {
  readonly delivery_id: string;
  /** Attempts with a lower number. */
  readonly before: number | undefined;
  readonly limit: number;
}

/** Newest first. */
export async function listAttempts(
  db: Db,
  { delivery_id, before, limit }: AttemptQuery,
): Promise<AttemptView[]> {
  const text = `select ${SUMMARY}, a.response_body, a.response_truncated from webhook_attempts a
                 where a.delivery_id = $1 and a.number < coalesce($2::integer, 2147483647)
                 order by a.number desc limit $3`;
  const values = [delivery_id, before ?? null, limit];
  return ask<AttemptView>(db, { name: 'list_attempts', text }, values);
}

/** The last ones of each of these deliveries, newest first, without what was answered. */
export async function listLastAttempts(
  db: Db,
  delivery_ids: readonly string[],
  limit: number,
): Promise<(AttemptSummary & { readonly delivery_id: string })[]> {
  const text = `select l.* from unnest($1::uuid[]) w (delivery_id)
                 cross join lateral (
                   select a.delivery_id, ${SUMMARY} from webhook_attempts a
                    where a.delivery_id = w.delivery_id
                    order by a.number desc limit $2) l
                 order by l.delivery_id, l.number desc`;
  return ask(db, { name: 'list_last_attempts', text }, [delivery_ids, limit]);
}

export interface Queued {
  /** Less than were named when endpoints are not enabled. */
  readonly queued: number;
  readonly wake: readonly string[];
}

const QUEUE = { name: 'queue_again', text: 'select queued, wake from queue_again($1)' };

/** Sent again at once, with the whole schedule before them if they were at its end. */
export async function queueAgain(db: Db, ids: readonly string[]): Promise<Queued> {
  const [row] = await run<Queued>(db, QUEUE, [ids]);
  return row!;
}

const ADD = { name: 'add_delivery', text: 'select add_delivery($1, $2) as wake' };

/** For an endpoint that has not got this event; changes nothing when it has. */
export async function addDelivery(
  db: Db,
  event_id: string,
  endpoint_id: string,
): Promise<readonly string[]> {
  const [row] = await run<{ wake: readonly string[] }>(db, ADD, [event_id, endpoint_id]);
  return row!.wake;
}

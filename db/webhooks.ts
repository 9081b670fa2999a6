// What is on its way to an endpoint: claimed by the one who delivers to it, recorded as it ends. One
// at a time holds an endpoint, by a lease; its rows need no locks of their own then.

import type { AttemptOutcome, AttemptTrigger, EndpointFailure } from '../domain/webhook';
import { ask, run, type Db } from './connect';

/** The channel on which a commit is heard that adds a delivery to an endpoint which is being drained. */
export const DELIVERIES_CHANNEL = 'webhook_deliveries';

export interface DrainBegin {
  /** `closed`: it has no deliveries any more. `busy`: somebody else holds it, for `wait_ms` at most. */
  readonly state: 'draining' | 'busy' | 'closed';
  readonly wait_ms: number | null;
}

const BEGIN = { name: 'begin_drain', text: 'select state, wait_ms from begin_drain($1, $2, $3)' };

export async function beginDrain(
  db: Db,
  endpoint_id: string,
  token: string,
  lease_ms: number,
): Promise<DrainBegin> {
  const [row] = await run<DrainBegin>(db, BEGIN, [endpoint_id, token, lease_ms]);
  return row!;
}

const RENEW = { name: 'renew_drain', text: 'select renew_drain($1, $2, $3) as held' };

/** False when the lease was lost: another took the endpoint meanwhile. */
export async function renewDrain(
  db: Db,
  endpoint_id: string,
  token: string,
  lease_ms: number,
): Promise<boolean> {
  const [row] = await run<{ held: boolean | null }>(db, RENEW, [endpoint_id, token, lease_ms]);
  return row?.held === true;
}

const RENEW_ALL = { name: 'renew_drains', text: 'select renew_drains($1, $2, $3) as id' };

/** Answers which it renewed: neither those that were lost nor those that somebody is changing. */
export async function renewDrains(
  db: Db,
  held: readonly (readonly [endpoint_id: string, token: string])[],
  lease_ms: number,
): Promise<string[]> {
  const values = [held.map(([id]) => id), held.map(([, token]) => token), lease_ms];
  const rows = await run<{ id: string }>(db, RENEW_ALL, values);
  return rows.map(({ id }) => id);
}

const LEAVE = { name: 'leave_drain', text: 'select leave_drain($1, $2)' };

export async function leaveDrain(db: Db, endpoint_id: string, token: string): Promise<void> {
  await run(db, LEAVE, [endpoint_id, token]);
}

export interface DrainedEndpoint {
  readonly url: string;
  readonly max_per_second: number | null;
  readonly sealed_secret: Buffer;
  /** During a rotation's overlap. */
  readonly sealed_previous: Buffer | null;
  readonly consecutive_failures: number;
  readonly pause_ms: number;
}

export interface ClaimedDelivery {
  readonly id: string;
  readonly event_id: string;
  /** All that were made so far. */
  readonly attempts: number;
  /** Failed ones of the schedule that runs. */
  readonly tries: number;
  readonly is_resend: boolean;
  /** The event's bytes. */
  readonly body: string;
}

export interface Claim {
  readonly endpoint: DrainedEndpoint;
  readonly deliveries: readonly ClaimedDelivery[];
}

// `now()` and not the clock, because an index is only used for what stands still in a statement.
const CLAIM = {
  name: 'claim_deliveries',
  text: `select w.url, w.max_per_second, w.sealed_secret, w.consecutive_failures,
                case when w.previous_until > now() then w.sealed_previous end as sealed_previous,
                greatest(ceil(extract(epoch from w.paused_until - now()) * 1000), 0)::float8 as pause_ms,
                d.id, d.event_id, d.attempts, d.tries, d.is_resend, d.body
           from webhook_endpoints w
           left join lateral (
             select q.id, q.event_id, q.attempts, q.tries, q.is_resend, e.body, q.next_attempt_at
               from webhook_deliveries q join events e on e.id = q.event_id
              where q.endpoint_id = w.id and q.status = 'pending' and q.next_attempt_at <= now()
                and q.id <> all ($4::uuid[])
              order by q.next_attempt_at
              limit case when w.paused_until > now() then 0 else $3::integer end
           ) d on true
          where w.id = $1 and w.drain_token = $2 and w.drained_until > now() and w.status = 'enabled'
          order by d.next_attempt_at`,
};

/**
 * What is due, earliest first, but for what is on its way already. Undefined when the lease is lost
 * or the endpoint is not enabled any more.
 */
export async function claimDeliveries(
  db: Db,
  endpoint_id: string,
  token: string,
  limit: number,
  on_their_way: readonly string[],
): Promise<Claim | undefined> {
  type Row = DrainedEndpoint & { [name in keyof ClaimedDelivery]: ClaimedDelivery[name] | null };
  const rows = await ask<Row>(db, CLAIM, [endpoint_id, token, limit, on_their_way]);
  const [endpoint] = rows;
  if (!endpoint) return undefined;
  return { endpoint, deliveries: rows.filter((row) => row.id !== null) as ClaimedDelivery[] };
}

/** One row; a repetition of the same number is not written again. */
export interface MadeAttempt {
  readonly delivery_id: string;
  /** From 1. */
  readonly number: number;
  readonly trigger: AttemptTrigger;
  readonly url: string;
  /** How long ago it began; the database's clock makes a time of it. */
  readonly age_ms: number;
  readonly duration_ms: number;
  readonly outcome: AttemptOutcome;
  readonly status: number | null;
  readonly response_body: string | null;
  readonly response_truncated: boolean;
  readonly retry_after_seconds: number | null;
  /** Until the next try; null when there is none. */
  readonly retry_ms: number | null;
}

export interface EndpointHealth {
  /** That the attempts were made to. */
  readonly url: string;
  /** Whether any of these arrived. */
  readonly has_arrived: boolean;
  /** How many failed since then, or in all. */
  readonly failures: number;
  readonly pause_ms: number;
  readonly is_gone: boolean;
  readonly disable_after_seconds: number;
  /** After a failure and so long without another one, the time to disable begins anew. */
  readonly quiet_seconds: number;
  readonly last_failure: Omit<EndpointFailure, 'at'> | null;
}

const RECORD = {
  name: 'record_attempts',
  text: 'select record_attempts($1, $2::jsonb, $3::jsonb) as status',
};

/** Says the endpoint's status afterwards. */
export async function recordAttempts(
  db: Db,
  endpoint_id: string,
  made: readonly MadeAttempt[],
  health: EndpointHealth | null,
): Promise<'enabled' | 'disabled'> {
  const [row] = await run<{ status: 'enabled' | 'disabled' }>(db, RECORD, [
    endpoint_id,
    JSON.stringify(made),
    health && JSON.stringify(health),
  ]);
  return row!.status;
}

export interface Backlog {
  readonly status: 'enabled' | 'disabled' | 'deleted';
  readonly url: string;
  readonly environment: string;
  readonly username: string;
  /** Counted up to BACKLOG_COUNTED. */
  readonly pending: number;
  readonly oldest_pending_at: string | null;
  /**
   * Until something is to be done: sent, or, at once, made to follow the endpoint's status. Null when
   * nothing is left.
   */
  readonly next_in_ms: number | null;
  readonly next_attempt_at: string | null;
  readonly failing_since: string | null;
  readonly last_failure: EndpointFailure | null;
}

/** An operator sees how many are waiting; nobody needs to know it beyond this. */
export const BACKLOG_COUNTED = 100_000;

const BACKLOG = {
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
                      order by q.next_attempt_at limit ${BACKLOG_COUNTED}) d) waiting
          where w.id = $1`,
};

/** What is left at an endpoint, and when. */
export async function readBacklog(db: Db, endpoint_id: string): Promise<Backlog> {
  const [row] = await run<Backlog>(db, BACKLOG, [endpoint_id]);
  if (!row) throw new Error(`there is no webhook endpoint ${endpoint_id}`);
  return row;
}

const OVERDUE = { name: 'overdue_endpoints', text: 'select overdue_endpoints($1, $2) as id' };

/** Endpoints that have something overdue and that nobody delivers to. Each is named once in a while. */
export async function claimOverdueEndpoints(
  db: Db,
  overdue_ms: number,
  most: number,
): Promise<string[]> {
  const rows = await run<{ id: string }>(db, OVERDUE, [overdue_ms, most]);
  return rows.map(({ id }) => id);
}

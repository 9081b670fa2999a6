// Delivery runs: who delivers to an endpoint, and what it claims. A run holds its endpoint by a
// lease, so only one run at a time sends to it, and its deliveries need no locks.

import { call, callValues, lookUp, type Db } from '../connect';

/** Postgres notifies it, with an endpoint's id, when a commit added deliveries that a run may send. */
export const DELIVERIES_CHANNEL = 'webhook_deliveries';

/** `closed`: the endpoint is not enabled. `busy`: another run has it. */
export type DeliveryRunStart = 'begun' | 'busy' | 'closed';

/** Makes waiting deliveries match the endpoint's status, too. */
export async function beginDeliveryRun(
  db: Db,
  endpoint_id: string,
  token: string,
  lease_ms: number,
): Promise<DeliveryRunStart> {
  for (;;) {
    const [row] = await call<{ state: DeliveryRunStart; has_more: boolean }>(
      db,
      'begin_delivery_run',
      [endpoint_id, token, lease_ms],
    );
    if (!row!.has_more) return row!.state;
  }
}

/** Returns the endpoints whose lease it renewed; another run has taken the others. */
export async function renewLeases(
  db: Db,
  held: readonly (readonly [endpoint_id: string, token: string])[],
  lease_ms: number,
): Promise<string[]> {
  const values = [held.map(([id]) => id), held.map(([, token]) => token), lease_ms];
  return callValues(db, 'renew_webhook_leases', values);
}

export async function endDeliveryRun(db: Db, endpoint_id: string, token: string): Promise<void> {
  await call(db, 'end_delivery_run', [endpoint_id, token]);
}

export interface ClaimedEndpoint {
  readonly user_id: string;
  readonly url: string;
  readonly max_per_second: number | null;
  readonly sealed_secret: Buffer;
  /** Set during a rotation's overlap. */
  readonly sealed_previous: Buffer | null;
  readonly consecutive_failures: number;
  readonly pause_ms: number;
}

export interface ClaimedDelivery {
  readonly id: string;
  readonly event_id: string;
  /** How many were made so far. */
  readonly attempts: number;
  /** How many of them failed since the retry schedule began. */
  readonly tries: number;
  readonly is_resend: boolean;
  /** The event's bytes. */
  readonly body: string;
  /** Differences of a sandbox; always null in live. */
  readonly rehearsal: Rehearsal | null;
}

export interface Rehearsal {
  /** Faults were ordered for the endpoint. */
  readonly has_faults: boolean;
  /** It was due before a jump of the clock: the endpoint is not paused for what comes of it. */
  readonly is_behind: boolean;
}

export interface Claim {
  readonly endpoint: ClaimedEndpoint;
  readonly deliveries: readonly ClaimedDelivery[];
}

// `now()` and not the clock: an index is used only for a value that is constant during the
// statement.
/**
 * Selects for endpoint `w`: those that are not of transfers by an index, and all by another one.
 */
function due(transfers: 'like' | 'not like', is_later: boolean, limit: string): string {
  return `select v.*, ${is_later} as is_later from webhook_deliveries v
           where v.endpoint_id = w.id and v.status = 'pending' and v.next_attempt_at <= now()
             and v.type ${transfers} 'transfer.%' and v.id <> all ($4::uuid[])
           order by v.next_attempt_at limit ${limit}`;
}

// Anybody can send an account thousands of transfers: its payments and refunds do not wait behind them. Those
// of transfers are only looked for when there is room left: the index holds the others among them, all of which
// would be read each time.
/** Takes the endpoint, the run's token, a limit, and what the run has claimed already. */
export const CLAIM = {
  name: 'claim_deliveries',
  text: `select w.user_id, w.url, w.max_per_second, w.sealed_secret, w.consecutive_failures,
                case when w.previous_until > now() then w.sealed_previous end as sealed_previous,
                greatest(ceil(extract(epoch from w.paused_until - now()) * 1000), 0)::float8 as pause_ms,
                d.id, d.event_id, d.attempts, d.tries, d.is_resend, d.body,
                case w.environment when 'sandbox' then sandbox_rehearsal(w.user_id, w.id, d.next_attempt_at) end as rehearsal
           from webhook_leases l
           join webhook_endpoints w on w.id = l.endpoint_id
           left join lateral (
             select q.id, q.event_id, q.attempts, q.tries, q.is_resend, e.body, q.next_attempt_at, q.is_later
               from (with first as materialized (${due('not like', false, '$3::integer')})
                     select * from first
                      union all
                     (${due('like', true, '$3::integer - (select count(*) from first)')})) q
               join events e on e.id = q.event_id
              order by q.is_later, q.next_attempt_at
              limit case when w.paused_until > now() then 0 else $3::integer end
           ) d on true
          where l.endpoint_id = $1 and l.token = $2 and l.leased_until > now()
            and w.status = 'enabled'
          order by d.is_later, d.next_attempt_at`,
};

/**
 * What is due, events of transfers last and otherwise earliest first, without `claimed`, which the run has claimed already. Undefined when
 * the lease is lost or the endpoint is not enabled any more.
 */
export async function claimDeliveries(
  db: Db,
  endpoint_id: string,
  token: string,
  limit: number,
  claimed: readonly string[],
): Promise<Claim | undefined> {
  type Row = ClaimedEndpoint & { [name in keyof ClaimedDelivery]: ClaimedDelivery[name] | null };
  const rows = await lookUp<Row>(db, CLAIM, [endpoint_id, token, limit, claimed]);
  const [endpoint] = rows;
  if (!endpoint) return undefined;
  return { endpoint, deliveries: rows.filter((row) => row.id !== null) as ClaimedDelivery[] };
}

/** Endpoints with a delivery that is due and without a run; some of them where there are more. */
export async function findDueEndpoints(db: Db, limit: number): Promise<string[]> {
  return callValues(db, 'find_due_endpoints', [limit]);
}

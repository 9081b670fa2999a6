// Payment intents: the row from its creation to its end. What may follow what is decided in Postgres
// (0006-payment-intents.sql); the functions here say what came of it.

import type { Currency } from '../domain/currency';
import type { Environment } from '../domain/environment';
import { renderEvent, type EventType } from '../domain/event';
import {
  presentIntent,
  type IntentStatus,
  type IntentView,
  type Metadata,
  type StoredIntentStatus,
  type TimelineEntry,
} from '../domain/intent';
import type { Fingerprint } from '../domain/idempotency';
import { lookUp, execute, type Db, type Tx } from './connect';

export interface NewIntent {
  readonly id: string;
  readonly environment: Environment;
  readonly user_id: string;
  readonly short_code: string;
  readonly reference: string;
  readonly amount_minor: string;
  readonly currency: Currency;
  readonly country: string | null;
  readonly description: string | null;
  readonly customer_email: string | null;
  readonly customer_phone: string | null;
  readonly metadata: Metadata;
  readonly gateway: string;
  readonly expires_in_seconds: number;
  readonly idempotency_key: string;
  readonly fingerprint: Fingerprint;
  readonly request_id: string;
}

/** A row, before and after its checkout is open. */
export interface IntentRow extends Omit<IntentView, 'status' | 'checkout_url'> {
  readonly status: StoredIntentStatus;
  readonly checkout_url: string | null;
  readonly user_id: string;
  readonly gateway: string;
  readonly request_id: string;
  readonly fingerprint: Fingerprint;
}

/** As it stands now: of the first request with this id, unless `is_new`. */
export interface CreatedIntent extends IntentRow {
  readonly is_new: boolean;
}

/** A row as activities see it, with its latest checkout session. */
export interface StoredIntent extends IntentRow {
  readonly session_id: string | null;
  readonly session_number: number;
  /** True when the gateway's session is over while the intent may still be paid. */
  readonly has_lapsed: boolean;
  /** Until it expires, by the database's clock; negative afterwards. */
  readonly remaining_ms: number;
}

const VIEW_COLUMNS = `v.id, v.environment, v.short_code, v.reference, v.status, v.amount_minor,
  v.fee_minor, v.currency, v.country, v.description, v.customer_email, v.customer_phone, v.metadata,
  v.checkout_url, v.last_payment_error, v.transaction_id, v.created_at, v.updated_at, v.expires_at,
  v.succeeded_at, v.failed_at, v.expired_at, v.canceled_at`;

const ROW_COLUMNS = `${VIEW_COLUMNS}, v.user_id, v.gateway, v.request_id, v.fingerprint`;

const CREATE = {
  name: 'create_intent',
  text: `select ${ROW_COLUMNS}, c.is_new
           from create_intent($1::jsonb) c cross join lateral (select (c.intent).*) v`,
};

/** Idempotent by id; an abandoned intent is taken up again. */
export async function createIntent(db: Db, intent: NewIntent): Promise<CreatedIntent> {
  const [row] = await execute<CreatedIntent>(db, CREATE, [JSON.stringify(intent)]);
  return row!;
}

const STORED = `select ${ROW_COLUMNS},
    s.session_id, coalesce(s.number, 0) as session_number,
    coalesce(s.lapses_at <= clock_timestamp(), false) as has_lapsed,
    ceil(extract(epoch from v.expires_at - clock_timestamp()) * 1000)::float8 as remaining_ms
  from payment_intents v
  left join lateral (select * from checkout_sessions c where c.intent_id = v.id
                      order by c.number desc limit 1) s on true`;

/** Whatever its status. */
export async function getIntent(db: Db, id: string): Promise<StoredIntent> {
  const text = `${STORED} where v.id = $1`;
  const [row] = await lookUp<StoredIntent>(db, { name: 'get_intent', text }, [id]);
  if (!row) throw new Error(`there is no intent ${id}`);
  return row;
}

/** For the pay page: anyone who has the code. */
export async function findIntentByCode(
  db: Db,
  short_code: string,
): Promise<(StoredIntent & { readonly merchant_name: string }) | undefined> {
  const text = `select i.*, coalesce(nullif(trim(u.first_name || ' ' || u.last_name), ''), u.username) as merchant_name
                  from (${STORED} where v.short_code = $1) i
                  join users u on u.id = i.user_id
                 where i.status not in ('creating', 'abandoned')`;
  const rows = await lookUp<StoredIntent & { merchant_name: string }>(
    db,
    { name: 'find_intent_by_code', text },
    [short_code],
  );
  return rows[0];
}

export type IntentName = { readonly id: string } | { readonly short_code: string };

/** The caller's own, once its checkout is open. */
export async function findIntent(
  db: Db,
  user_id: string,
  environment: Environment,
  name: IntentName,
): Promise<IntentView | undefined> {
  const column = 'id' in name ? 'id' : 'short_code';
  const text = `select ${VIEW_COLUMNS} from payment_intents v
                 where v.${column} = $3 and v.user_id = $1 and v.environment = $2
                   and v.status not in ('creating', 'abandoned')`;
  const values = [user_id, environment, 'id' in name ? name.id : name.short_code];
  const rows = await lookUp<IntentView>(db, { name: `find_intent_by_${column}`, text }, values);
  return rows[0];
}

export interface IntentQuery {
  readonly user_id: string;
  readonly environment: Environment;
  /** An instant; rows strictly before it. */
  readonly before: string | undefined;
  readonly limit: number;
  readonly filters: {
    readonly status?: IntentStatus | undefined;
    readonly currency?: Currency | undefined;
    readonly reference?: string | undefined;
    readonly customer_email?: string | undefined;
    readonly created_from?: string | undefined;
    readonly created_to?: string | undefined;
  };
}

// One condition per filter that is given, so that each combination has a plan of its own.
const CONDITIONS = {
  status: 'v.status = ?',
  currency: 'v.currency = ?',
  reference: 'v.reference = ?',
  customer_email: 'v.customer_email = ?',
  created_from: 'v.created_at >= ?::timestamptz',
  created_to: 'v.created_at < ?::timestamptz',
} as const;

/** Newest first. */
export async function listIntents(db: Db, query: IntentQuery): Promise<IntentView[]> {
  const values: unknown[] = [query.user_id, query.environment, query.before ?? 'infinity'];
  const conditions: string[] = [];
  // Which filters are given, in the order of the table: Postgres takes 63 characters of a name.
  let given = '';
  for (const [name, condition] of Object.entries(CONDITIONS)) {
    const value = query.filters[name as keyof typeof CONDITIONS];
    given += value === undefined ? '0' : '1';
    if (value === undefined) continue;
    values.push(value);
    conditions.push(` and ${condition.replace('?', `$${values.length}`)}`);
  }
  values.push(query.limit);
  const text = `select ${VIEW_COLUMNS} from payment_intents v
                 where v.user_id = $1 and v.environment = $2
                   and v.created_at < $3::timestamptz
                   and v.status not in ('creating', 'abandoned')${conditions.join('')}
                 order by v.created_at desc limit $${values.length}`;
  return lookUp<IntentView>(db, { name: `list_intents_${given}`, text }, values);
}

// Merchants who send an event again and again do not make the timeline endless.
const MAX_ATTEMPTS_SHOWN = 500;

// What happened to the intent is in its timeline; the attempts to tell of it are where they were made.
const TIMELINE = {
  name: 'list_timeline',
  text: `select at, source, kind, detail from (
           select t.at, t.id, t.source, t.kind, t.detail from intent_timeline t where t.intent_id = $1
           union all
           (select a.started_at, null, 'webhook', 'attempt', jsonb_build_object(
                    'event_id', d.event_id, 'endpoint_id', d.endpoint_id, 'number', a.number,
                    'outcome', a.outcome, 'status', a.status)
              from events e
              join webhook_deliveries d on d.event_id = e.id
              join webhook_attempts a on a.delivery_id = d.id
             where e.intent_id = $1
             order by a.started_at limit ${MAX_ATTEMPTS_SHOWN})
         ) entry
         order by at, id`,
};

/** In the order in which it happened. */
export async function listTimeline(db: Db, intent_id: string): Promise<TimelineEntry[]> {
  return lookUp<TimelineEntry>(db, TIMELINE, [intent_id]);
}

export interface OpenedCheckout {
  readonly session_id: string;
  readonly checkout_url: string;
  readonly lapses_at: string | null;
}

const OPEN = { name: 'open_intent', text: 'select open_intent($1, $2, $3, $4, $5) as status' };

/** From here on the intent is seen, and `body` is the kept answer to its request. */
export async function openIntent(
  db: Db,
  id: string,
  { session_id, checkout_url, lapses_at }: OpenedCheckout,
  body: string,
): Promise<StoredIntentStatus> {
  return statusOf(await execute(db, OPEN, [id, session_id, checkout_url, lapses_at, body]));
}

const RENEW = {
  name: 'renew_checkout',
  text: 'select renew_checkout($1, $2, $3, $4, $5) as status',
};

export async function renewCheckout(
  db: Db,
  id: string,
  number: number,
  { session_id, checkout_url, lapses_at }: OpenedCheckout,
): Promise<StoredIntentStatus> {
  return statusOf(await execute(db, RENEW, [id, number, session_id, checkout_url, lapses_at]));
}

const ABANDON = { name: 'abandon_intent', text: 'select abandon_intent($1) as status' };

export async function abandonIntent(db: Db, id: string): Promise<StoredIntentStatus> {
  return statusOf(await execute(db, ABANDON, [id]));
}

function statusOf(rows: { status: StoredIntentStatus }[]): StoredIntentStatus {
  return rows[0]!.status;
}

const END = {
  name: 'end_intent',
  text: 'select status, early_ms, event_id, event_sequence from end_intent($1, $2)',
};

export interface Ended {
  readonly status: StoredIntentStatus;
  /** Set when it is too early to expire, by the database's clock. */
  readonly early_ms: number | null;
}

/** Webhook endpoints that have something new to deliver, and that nobody is delivering to. */
export interface Waking {
  readonly wake: readonly string[];
}

/** Expires or cancels, unless somebody was faster: then the status tells who. */
export async function endIntent(
  db: Db,
  id: string,
  final: 'expired' | 'canceled',
  pay_url_base: string,
): Promise<Ended & Waking> {
  return db.transaction(async (tx) => {
    const [row] = await execute<Ended & Changed>(tx, END, [id, final]);
    const wake = await tell(tx, id, row!, pay_url_base);
    return { status: row!.status, early_ms: row!.early_ms, wake };
  });
}

export type NotificationOutcome =
  | 'succeeded'
  | 'failed'
  | 'attempt_failed'
  | 'processing'
  | 'suspense'
  | 'duplicate'
  | 'stale'
  | 'mismatch'
  | 'unknown_intent';

export interface Applied {
  readonly outcome: NotificationOutcome;
  /** Null when no intent is meant. */
  readonly intent_id: string | null;
  readonly status: StoredIntentStatus | null;
}

const APPLY = {
  name: 'apply_notification',
  text: 'select outcome, intent_id, status, event_id, event_sequence from apply_notification($1)',
};

/** Exactly once per notification; asking again answers what came of it. */
export async function applyNotification(
  db: Db,
  notification_id: string,
  pay_url_base: string,
): Promise<Applied & Waking> {
  return db.transaction(async (tx) => {
    const [row] = await execute<Applied & Changed>(tx, APPLY, [notification_id]);
    const { outcome, intent_id, status } = row!;
    const wake = intent_id === null ? [] : await tell(tx, intent_id, row!, pay_url_base);
    return { outcome, intent_id, status, wake };
  });
}

/** Both null when nobody is to be told. */
interface Changed {
  readonly event_id: string | null;
  readonly event_sequence: bigint | null;
}

const ADD_EVENT = { name: 'add_event', text: 'select add_event($1, $2, $3, $4, $5) as wake' };

/** The event of a change, from the row as it stands in this transaction. */
async function tell(
  tx: Tx,
  id: string,
  change: Changed,
  pay_url_base: string,
): Promise<readonly string[]> {
  const { event_id, event_sequence } = change;
  if (event_id === null || event_sequence === null) return [];
  const text = `select ${VIEW_COLUMNS} from payment_intents v where v.id = $1`;
  const [view] = await execute<IntentView>(tx, { name: 'view_intent', text }, [id]);
  const type = `payment.${view!.status}` as EventType;
  const body = renderEvent({
    id: event_id,
    type,
    created_at: view!.updated_at,
    environment: view!.environment,
    sequence: event_sequence,
    data: presentIntent(view!, pay_url_base),
  });
  const values = [event_id, id, type, event_sequence.toString(), body];
  const [added] = await execute<Waking>(tx, ADD_EVENT, values);
  return added!.wake;
}

/** What its workflow is told, and what operators see of it in Temporal's UI. */
export interface IntentToRun extends Pick<
  NewIntent,
  'id' | 'environment' | 'currency' | 'amount_minor' | 'reference' | 'short_code' | 'request_id'
> {
  readonly expires_at: string;
  readonly username: string;
}

/**
 * Intents that should be over: either somebody sees to them, or their workflow is lost. Some of them,
 * at random, so that the former do not hide the latter for ever.
 */
export async function listOverdueIntents(
  db: Db,
  overdue_ms: number,
  limit: number,
): Promise<IntentToRun[]> {
  const text = `select v.id, v.environment, v.currency, v.amount_minor::text, v.reference, v.short_code,
                       v.request_id, v.expires_at, u.username
                  from payment_intents v join users u on u.id = v.user_id
                 where v.status in ('open', 'processing')
                   and v.expires_at < now() - $1::integer * interval '1 millisecond'
                 order by random() limit $2`;
  return execute(db, { name: 'list_overdue_intents', text }, [overdue_ms, limit]);
}

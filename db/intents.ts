// The life of a payment intent, from its creation to its end. Postgres decides which status may follow
// which (intent_edges); the functions here return what happened.

import type { Currency } from '../domain/currency';
import type { Environment } from '../domain/environment';
import type { Fingerprint } from '../domain/idempotency';
import type { IntentView, Metadata, StoredIntentStatus } from '../domain/intent';
import { execute, lookUp, type Db } from './connect';
import { addIntentEvent, type IntentChange, type Waking } from './events';
import { INTENT_VIEW_COLUMNS } from './intent-views';

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

/** A row with its latest checkout session. */
export interface StoredIntent extends IntentRow {
  readonly session_id: string | null;
  readonly session_number: number;
  /** True when the gateway's session is over while the intent may still be paid. */
  readonly has_lapsed: boolean;
  /** Until it expires, by the database's clock; negative afterwards. */
  readonly remaining_ms: number;
}

const ROW_COLUMNS = `${INTENT_VIEW_COLUMNS}, v.user_id, v.gateway, v.request_id, v.fingerprint`;

const CREATE = {
  name: 'create_intent',
  text: `select ${ROW_COLUMNS}, c.is_new
           from create_intent($1::jsonb) c cross join lateral (select (c.intent).*) v`,
};

/** Idempotent by id; an abandoned intent is created again. */
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

/** In any status. */
export async function getIntent(db: Db, id: string): Promise<StoredIntent> {
  const text = `${STORED} where v.id = $1`;
  const [row] = await lookUp<StoredIntent>(db, { name: 'get_intent', text }, [id]);
  if (!row) throw new Error(`there is no intent ${id}`);
  return row;
}

/** For the pay page, which everyone with the code may see. */
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

export interface OpenedCheckout {
  readonly session_id: string;
  readonly checkout_url: string;
  readonly lapses_at: string | null;
}

const OPEN = { name: 'open_intent', text: 'select open_intent($1, $2, $3, $4, $5) as status' };

/** From here on the intent is visible, and `body` is the response kept for its request. */
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

/** Expires or cancels the intent; when it has ended already, returns the status it ended with. */
export async function endIntent(
  db: Db,
  id: string,
  final: 'expired' | 'canceled',
  pay_url_base: string,
): Promise<Ended & Waking> {
  return db.transaction(async (tx) => {
    const [row] = await execute<Ended & IntentChange>(tx, END, [id, final]);
    const wake = await addIntentEvent(tx, id, row!, pay_url_base);
    return { status: row!.status, early_ms: row!.early_ms, wake };
  });
}

/** The input of its workflow, and what operators see of it in Temporal's UI. */
export interface IntentToRun extends Pick<
  NewIntent,
  'id' | 'environment' | 'currency' | 'amount_minor' | 'reference' | 'short_code' | 'request_id'
> {
  readonly expires_at: string;
  readonly username: string;
}

/**
 * Intents that should have expired: their workflow is about to end them, or it is lost. A random
 * sample, so that the former cannot hide the latter for ever.
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

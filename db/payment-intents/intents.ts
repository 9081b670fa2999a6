// The life of a payment intent, from its creation to its end. Postgres decides which status may follow
// which (status_edges); the functions here return what happened.

import type { KeyedOrder } from '../../domain/idempotency';
import type { StoredIntentStatus } from '../../domain/intent';
import type { ExceededLimit } from '../../domain/limits';
import type { LinkRefusal } from '../../domain/payment-link';
import type { WalletHold } from '../../domain/wallet-hold';
import { columns, type Named, type RowOf } from '../columns';
import { call, callValue, execute, lookUp, type Db } from '../connect';
import { INTENT_COLUMNS, type IntentColumns } from './intent-views';
import { MERCHANT_COLUMNS, type Merchant } from '../accounts/public-profiles';
import { failUnknown, requireRow } from '../unknown-row';

export interface NewIntent
  extends
    Omit<KeyedOrder, 'accept_before' | 'limited_key'>,
    Named<
      'payment_intents',
      `id short_code reference currency country description customer_email customer_phone metadata return_url
      cancel_url gateway payment_link_id quantity collected`
    > {
  readonly amount_minor: string;
  readonly expires_in_seconds: number;
}

const STORED = columns('payment_intents v: clock_seconds user_id gateway request_id fingerprint');

/** A row, before and after its checkout is open. */
export interface IntentRow extends IntentColumns, RowOf<typeof STORED> {
  /** Its expiry by the database's clock; in a sandbox whose clock was moved, `expires_at` is by that one. */
  readonly due_at: string;
}

/** The intent as it stands now: of the first request with this id, unless `is_new`. */
export interface CreatedIntent extends IntentRow {
  readonly is_new: boolean;
}

/** A row with its merchant and its latest checkout session. */
export interface StoredIntent extends IntentRow, Merchant {
  readonly session_id: string | null;
  readonly session_number: number;
  /** True when the gateway's session is over while the intent may still be paid. */
  readonly has_lapsed: boolean;
  /** The time until it expires, by the database's clock; negative afterwards. */
  readonly remaining_ms: number;
}

const ROW_COLUMNS = `${INTENT_COLUMNS}, ${STORED}, v.expires_at as due_at`;

const CREATE = {
  name: 'create_intent',
  text: `select ${ROW_COLUMNS}, c.is_new, c.refusal, c.limit_name, c.maximum_minor, c.used_minor, c.resets_at
           from create_intent($1::jsonb) c cross join lateral (select (c.intent).*) v`,
};

/** The wallet can never take so much. */
export interface IntentLimit {
  readonly over: ExceededLimit;
}

/** Idempotent by id; an abandoned intent is created again. @throws when the wallet is held */
export async function createIntent(db: Db, intent: NewIntent): Promise<CreatedIntent> {
  const created = await createIntentBefore(db, intent, undefined);
  if (typeof created === 'object' && 'id' in created) return created;
  throw new Error(
    `The intent is not created: ${typeof created === 'string' ? created : 'above a limit'}`,
  );
}

/**
 * Undefined past this instant, by the database's clock. Nothing was written then, nor when the wallet that is
 * to be paid into is held, or the link takes no payment.
 */
export async function createIntentBefore(
  db: Db,
  intent: NewIntent,
  accept_before: string | undefined,
): Promise<CreatedIntent | WalletHold | LinkRefusal | IntentLimit | undefined> {
  const request = JSON.stringify({ ...intent, accept_before });
  type Row = CreatedIntent &
    ExceededLimit & { readonly refusal: WalletHold | LinkRefusal | 'limit_exceeded' | null };
  const [row] = await execute<Row>(db, CREATE, [request]);
  if (row === undefined) return undefined;
  const { refusal, limit_name, maximum_minor, used_minor, resets_at, ...created } = row;
  if (refusal === 'limit_exceeded') {
    return { over: { limit_name, maximum_minor, used_minor, resets_at } };
  }
  return refusal ?? created;
}

/** Selects from payment_intents as `v`. */
export const STORED_INTENT = `select ${ROW_COLUMNS}, ${MERCHANT_COLUMNS},
    s.session_id, coalesce(s.number, 0) as session_number,
    coalesce(s.lapses_at <= clock_timestamp(), false) as has_lapsed,
    ceil(extract(epoch from v.expires_at - clock_timestamp()) * 1000)::float8 as remaining_ms
  from payment_intents v join users u on u.id = v.user_id
  left join merchant_logos l on l.user_id = v.user_id
  left join lateral (select * from checkout_sessions c where c.intent_id = v.id
                      order by c.number desc limit 1) s on true`;

/** Returns an intent in any status. @throws UnknownRowError */
export async function getIntent(db: Db, id: string): Promise<StoredIntent> {
  const text = `${STORED_INTENT} where v.id = $1`;
  const [row] = await lookUp<StoredIntent>(db, { name: 'get_intent', text }, [id]);
  return row ?? failUnknown(db, 'intent', id);
}

/** Finds what the pay page shows to everyone with the code. */
export async function findIntentByCode(
  db: Db,
  short_code: string,
): Promise<StoredIntent | undefined> {
  const text = `${STORED_INTENT} where v.short_code = $1 and v.status not in ('creating', 'abandoned')`;
  const statement = { name: 'find_intent_by_code', text };
  return (await lookUp<StoredIntent>(db, statement, [short_code]))[0];
}

export interface OpenedCheckout {
  readonly session_id: string;
  readonly checkout_url: string;
  readonly lapses_at: string | null;
}

/**
 * Makes the intent visible. Returns the body of the response that is kept for its request; null
 * when nothing was changed, because the row is no longer as it was read: another attempt has opened
 * or abandoned it, or it has begun again, or has to (restartIntent).
 */
export async function openIntent(
  db: Db,
  { id, created_at }: Pick<IntentRow, 'id' | 'created_at'>,
  { session_id, checkout_url, lapses_at }: OpenedCheckout,
  pay_url_base: string,
): Promise<string | null> {
  const values = [id, created_at, session_id, checkout_url, lapses_at, pay_url_base];
  return callValue<string | null>(db, 'open_intent', values);
}

/** An intent that has expired before its checkout was open begins again, for as long as it was to last. */
export async function restartIntent(db: Db, id: string): Promise<void> {
  await call(db, 'restart_intent', [id]);
}

export async function renewCheckout(
  db: Db,
  id: string,
  number: number,
  { session_id, checkout_url, lapses_at }: OpenedCheckout,
): Promise<StoredIntentStatus> {
  return callValue(db, 'renew_checkout', [id, number, session_id, checkout_url, lapses_at]);
}

export async function abandonIntent(db: Db, id: string): Promise<StoredIntentStatus> {
  return requireRow(db, 'intent', id, () => callValue(db, 'abandon_intent', [id]));
}

/** Returns the status that the intent has now: it is not cancelled when it has ended in another way. */
export async function cancelIntent(db: Db, id: string): Promise<StoredIntentStatus> {
  return requireRow(db, 'intent', id, () => callValue(db, 'cancel_intent', [id]));
}

export interface CheckoutRenewal {
  /** This caller asks the workflow for the next session. */
  readonly is_first: boolean;
  /** The workflow's answer is still to come. */
  readonly is_asking: boolean;
  /** The time until a caller may ask again. */
  readonly wait_ms: number;
}

/** Makes one of all callers, in all processes, the first in each `cool_down_ms`. */
export async function beginCheckoutRenewal(
  db: Db,
  id: string,
  cool_down_ms: number,
): Promise<CheckoutRenewal> {
  const [row] = await call<CheckoutRenewal>(db, 'begin_checkout_renewal', [id, cool_down_ms]);
  return row!;
}

/** The first has its answer, good or bad: the others need not wait for it. */
export async function endCheckoutRenewal(db: Db, id: string): Promise<void> {
  await call(db, 'end_checkout_renewal', [id]);
}

/** True until the first has its answer, or callers can expect none any more. */
export async function isCheckoutRenewing(db: Db, id: string): Promise<boolean> {
  const text = `select from checkout_renewals c
                 where c.intent_id = $1 and c.is_asking and c.retry_at > clock_timestamp()`;
  return (await lookUp(db, { name: 'is_checkout_renewing', text }, [id])).length > 0;
}

/** The input of its workflow, and what operators see of it in Temporal's UI. */
export interface IntentToRun extends Pick<
  NewIntent,
  'id' | 'environment' | 'currency' | 'amount_minor' | 'reference' | 'short_code' | 'request_id'
> {
  readonly expires_at: string;
  readonly username: string;
}

const TO_RUN = `select v.id, v.environment, v.currency, v.amount_minor::text, v.reference, v.short_code,
                       v.request_id, v.expires_at, u.username
                  from payment_intents v join users u on u.id = v.user_id`;

/** An intent that has not come to its end, and so needs a workflow; undefined for any other. */
export async function findIntentToRun(db: Db, id: string): Promise<IntentToRun | undefined> {
  const text = `${TO_RUN} where v.id = $1 and v.status in ('creating', 'open', 'processing')`;
  const [row] = await lookUp<IntentToRun>(db, { name: 'find_intent_to_run', text }, [id]);
  return row;
}

const LIST_TO_RUN = {
  name: 'list_intents_to_run',
  text: `${TO_RUN} where v.status in ('creating', 'open', 'processing') and v.id > $1
         order by v.id limit $2`,
};

/** All that have not come to their end and so need a workflow, by id; the next page follows the last id. */
export function listIntentsToRun(
  db: Db,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<IntentToRun[]> {
  return execute(db, LIST_TO_RUN, [after, limit]);
}

// Attempts to pay by phone: begun, followed to the gateway's last word, and read.

import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import type { Fingerprint, KeyedOrder } from '../../domain/idempotency';
import {
  ATTEMPT_SECONDS,
  RINGS,
  type ChargeState,
  type NextStep,
} from '../../domain/payment-attempt';
import type { WalletHold } from '../../domain/wallet-hold';
import { PUBLIC_NAME, type Merchant } from '../accounts/public-profiles';
import { columns, type Named, type Row, type RowOf } from '../columns';
import { call, callValue, lookUp, type Db } from '../connect';
import { shortened } from '../pursuits';
import type { Unwritten } from '../requests/orders';
import { failUnknown, requireRow } from '../unknown-row';

const SHOWN = columns(`payment_attempts a:
  id intent_id environment status operator operator_name phone failure created_at ended_at`);
/** Columns of payment_attempts as `a`. */
const VIEW = `${SHOWN}, s.body::json -> 'next_step' as next_step,
  shown_due(a.expires_at, a.clock_seconds) as expires_at, s.body::text as json`;
const FROM = 'payment_attempts a cross join lateral attempt_json(a) s';

/** The row that every answer shows. */
export interface AttemptView
  extends RowOf<typeof SHOWN>, Pick<Row<'payment_attempts'>, 'expires_at'> {
  readonly next_step: NextStep | null;
  /** The JSON text of what `GET /payment-intents/{id_or_code}/attempts/{attempt_id}` returns. */
  readonly json: string;
}

/** A customer's order. */
export interface NewAttempt
  extends
    KeyedOrder,
    Named<
      'payment_attempts',
      'id intent_id gateway operator operator_name country phone otp is_otp_due'
    > {
  /** The customer does it first, if the gateway is not asked for it. */
  readonly next_step: Omit<NextStep, 'expires_at'> | null;
}

export type RefusedAttempt =
  | { readonly outcome: 'rate_limited'; readonly wait_s: number }
  | { readonly outcome: 'link_rings_strangers' }
  | { readonly outcome: WalletHold | 'payment_intent_not_payable' | 'attempt_in_progress' };

export type CreatedAttempt =
  /** This request has begun it, or an earlier one, whose fingerprint it is. */
  | { readonly outcome: 'begun'; readonly fingerprint: Fingerprint; readonly is_new: boolean }
  | RefusedAttempt
  | Unwritten;

/** Writes it before any gateway is asked, once per key. */
export async function createAttempt(db: Db, attempt: NewAttempt): Promise<CreatedAttempt> {
  const rules = { rings: RINGS, attempt_seconds: ATTEMPT_SECONDS };
  const request = JSON.stringify({ ...attempt, ...rules });
  return (await call<CreatedAttempt>(db, 'create_attempt', [request]))[0]!;
}

export async function giveAttemptOtp(
  db: Db,
  id: string,
  otp: string,
): Promise<'done' | 'otp_not_expected'> {
  return callValue(db, 'give_otp', [id, otp, ATTEMPT_SECONDS]);
}

/** The customer chooses another way to pay. Changes nothing where the money may be on its way. */
export async function giveUpAttempt(db: Db, id: string): Promise<void> {
  await call(db, 'give_up_attempt', [id]);
}

/** Attempts in one answer: a phone is rung a few times an hour. */
const MOST_LISTED = 100;

/** The attempts of one intent, newest first. */
export async function listAttempts(db: Db, intent_id: string): Promise<AttemptView[]> {
  const text = `select ${VIEW} from ${FROM} where a.intent_id = $1
                 order by a.created_at desc, a.id limit ${MOST_LISTED}`;
  return lookUp<AttemptView>(db, { name: 'list_payment_attempts', text }, [intent_id]);
}

/** The newest of an intent. */
export async function findLatestAttempt(
  db: Db,
  intent_id: string,
): Promise<AttemptView | undefined> {
  const text = `select ${VIEW} from ${FROM} where a.intent_id = $1
                 order by a.created_at desc, a.id limit 1`;
  return (await lookUp<AttemptView>(db, { name: 'find_latest_attempt', text }, [intent_id]))[0];
}

export interface Payer extends Pick<AttemptView, 'operator_name'> {
  /** The last two digits of the phone. */
  readonly phone_end: string;
}

/** The phone whose money the intent has; undefined when it was paid otherwise. */
export async function findPayer(db: Db, intent_id: string): Promise<Payer | undefined> {
  const text = `select a.operator_name, right(a.phone, 2) as phone_end
                  from payment_attempts a
                  join gateway_payments p using (gateway, environment, provider_payment_id)
                 where a.intent_id = $1 and p.booked_as = 'payment'`;
  return (await lookUp<Payer>(db, { name: 'find_payer', text }, [intent_id]))[0];
}

export interface FoundAttempt extends AttemptView {
  /** Whether the gateway's first answer is still waited for. */
  readonly is_being_asked: boolean;
}

/** The caller's own. */
export async function findAttempt(
  db: Db,
  { user_id, environment }: { readonly user_id: string; readonly environment: Environment },
  id: string,
): Promise<FoundAttempt | undefined> {
  const text = `select ${VIEW}, a.answered_at is null and not a.is_otp_due as is_being_asked
                  from ${FROM} where a.id = $3 and a.user_id = $1 and a.environment = $2`;
  const values = [user_id, environment, id];
  return (await lookUp<FoundAttempt>(db, { name: 'find_attempt', text }, values))[0];
}

/** An attempt as its workflow's activity sees it. */
export interface StoredAttempt extends AttemptView, Pick<Merchant, 'merchant_name'> {
  readonly gateway: string;
  readonly otp: string | null;
  readonly reference: string;
  readonly amount_minor: bigint;
  readonly currency: Currency;
  readonly description: string | null;
  readonly short_code: string;
  /** The gateway is not asked before the customer has given a code. */
  readonly is_otp_due: boolean;
  /** Until its time is over; negative when it is. */
  readonly remaining_ms: number;
  /** Since it was begun, or has ended. */
  readonly age_ms: number;
  /** For how long late money is still looked for; null when it is not. */
  readonly look_ms: number | null;
}

const ms = (sql: string): string => `(extract(epoch from ${sql}) * 1000)::float8`;

/** Returns an attempt in any status. @throws UnknownRowError */
export async function getAttempt(db: Db, id: string): Promise<StoredAttempt> {
  const text = `select ${VIEW}, a.gateway, a.otp, a.is_otp_due, i.reference, i.amount_minor, i.currency,
                       i.description, i.short_code, ${PUBLIC_NAME} as merchant_name,
                       ${ms('a.expires_at - clock_timestamp()')} as remaining_ms,
                       ${ms('clock_timestamp() - coalesce(a.ended_at, a.created_at)')} as age_ms,
                       ${ms('a.look_until - clock_timestamp()')} as look_ms
                  from ${FROM}
                  join payment_intents i on i.id = a.intent_id
                  join users u on u.id = a.user_id
                 where a.id = $1`;
  const [row] = await lookUp<StoredAttempt>(db, { name: 'get_attempt', text }, [id]);
  return row ?? failUnknown(db, 'payment-attempt', id);
}

/** Whether a customer may still confirm on a phone: the intent waits for that. */
export async function isAskedByPhone(db: Db, intent_id: string): Promise<boolean> {
  return callValue(db.lookUps, 'is_asked_by_phone', [intent_id]);
}

/** A question about an attempt. An answer counts only if no later question was asked. */
export interface AttemptAsk {
  /** `expire`: nobody was asked, and the time is over. */
  readonly action: 'charge' | 'find' | 'expire';
  /** Counts from 1 how often the gateway was asked. */
  readonly asks: number;
}

/** Undefined when there is nothing to ask. @throws UnknownRowError */
export async function beginAskingAttempt(db: Db, id: string): Promise<AttemptAsk | undefined> {
  const begin = (): Promise<AttemptAsk[]> => call<AttemptAsk>(db, 'begin_asking_attempt', [id]);
  return (await requireRow(db, 'payment-attempt', id, begin))[0];
}

/**
 * The gateway has never seen it, and says so to this question. Returns whether the phone is to be rung once more. Its
 * promises: ChargePromises (gateway/port.ts).
 */
export async function beginChargingAgain(
  db: Db,
  id: string,
  asks: number,
  promises: object,
): Promise<boolean> {
  const values = [id, asks, JSON.stringify(promises)];
  return (await callValue<boolean | null>(db, 'begin_charging_again', values)) === true;
}

export type AttemptAnswer =
  | Extract<ChargeState, { readonly status: 'waiting' }>
  /** Its end was booked. Final: it will never be paid later. */
  | { readonly is_final: boolean }
  /** The gateway could not be asked, or did not answer. */
  | { readonly fault: string };

export async function recordAttemptAnswer(
  db: Db,
  id: string,
  asks: number,
  answer: AttemptAnswer,
): Promise<void> {
  const given =
    'fault' in answer ? [null, shortened(answer.fault)] : [JSON.stringify(answer), null];
  await call(db, 'record_attempt_answer', [id, asks, ...given]);
}

/** Remembers that the gateway must be asked. False when it is no attempt of its own. */
export async function noteAttemptNotice(
  db: Db,
  gateway: { readonly environment: Environment; readonly name: string },
  id: string,
): Promise<boolean> {
  const values = [id, gateway.environment, gateway.name];
  return (await callValue<boolean | null>(db, 'note_attempt_notice', values)) === true;
}

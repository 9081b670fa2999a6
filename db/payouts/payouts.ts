// Payouts: ordered, decided about, followed to the provider's last word, and read.

import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import type { KeyedOrder } from '../../domain/idempotency';
import type { TimelineEntry } from '../../domain/intent';
import {
  PAYOUT_STATUSES,
  payoutRefusals,
  type NameMatch,
  type PayoutFailure,
  type PayoutState,
  type PayoutStage,
  type PayoutStatus,
} from '../../domain/payout';
import type { ExceededLimit, LimitName } from '../../domain/limits';
import type { Heard } from '../../domain/risk';
import type { WalletHold } from '../../domain/wallet-hold';
import { columns, type Named, type Row, type RowOf } from '../columns';
import { call, callValue, execute, lookUp, type Db } from '../connect';
import { shortened } from '../pursuits';
import { readable } from '../readable';
import { order, type Ordered } from '../requests/orders';
import { timeline } from '../payment-intents/intent-views';
import { failUnknown } from '../unknown-row';

const SHOWN = columns(`payouts p:
  id reference environment status stage currency amount_minor fee_minor tax_minor phone operator bank_code
  name_found name_match provider provider_payment_id failure returned_minor approvals_needed ordered_by
  batch_id description created_at updated_at sent_at completed_at`);
/** Columns of payouts as `p`. */
export const PAYOUT_VIEW = `${SHOWN}, right(p.account, 4) as account_end, coalesce(p.name, p.holder) as name,
  shown_due(p.expires_at, p.clock_seconds) as expires_at, (select s.body::text from payout_json(p) s) as json`;

/** The row that every answer and event shows. */
export interface PayoutView
  extends RowOf<typeof SHOWN>, Pick<Row<'payouts'>, 'name' | 'expires_at'> {
  /** A bank account's last four. */
  readonly account_end: string | null;
  /** The JSON text of what GET /payouts/{id} returns (payout_json in SQL). */
  readonly json: string;
}

/** The order of a merchant. */
export interface NewPayout
  extends
    KeyedOrder,
    Named<
      'payouts',
      `id reference currency destination_type phone operator account bank_code holder name name_check name_found
      name_match confirm provider batch_id description metadata queue_seconds`
    > {
  /** Minor units as decimal text. */
  readonly amount_minor: string;
  /** The key by which it was ordered, or the person who is signed in. */
  readonly key_id?: string;
  readonly ordered_by?: string;
  readonly heard?: Heard | undefined;
}

/** A limit of the owners for payouts, or one of the account. */
export type PayoutLimitName = 'single' | 'daily' | 'monthly' | LimitName;

export type RefusedPayout =
  | ({ readonly outcome: 'limit_exceeded' } & ExceededLimit<PayoutLimitName>)
  | { readonly outcome: WalletHold | 'risk_refused' };

export type CreatedPayout =
  | Ordered<'created' | 'insufficient_funds', RefusedPayout>
  /** Nothing was written: others are to be asked about it first. */
  | { readonly outcome: 'unasked' };

/** Reserves the money and writes the payout, once per key. */
export function createPayout(
  db: Db,
  payout: NewPayout,
  error_docs_url: string,
): Promise<CreatedPayout> {
  const request = { ...payout, refusals: payoutRefusals(error_docs_url) };
  return order(db, 'create_payout', request);
}

/** The author of a decision: the person who is signed in, or the API key. The timeline has it. */
export type DecidedBy = { readonly login_id: string } | { readonly key_id: string };

/** The outcome is `done` also when it was done before. */
export type Decided<Refused extends string> = 'done' | Refused;

const decide =
  <Refused extends string>(name: string) =>
  (db: Db, ...values: unknown[]): Promise<Decided<Refused>> =>
    callValue(db, name, values);

const approve = decide<'approval_by_creator' | 'forbidden' | 'payout_not_approvable'>(
  'approve_payout',
);
const reject = decide<'forbidden' | 'payout_not_approvable'>('reject_payout');
const confirm = decide<WalletHold | 'payout_not_confirmable'>('confirm_payout');
const cancel = decide<'at_provider' | 'payout_not_cancelable'>('cancel_payout');

/** `login_id` is the person of the caller's key, or the one who is signed in. */
export const approvePayout = (db: Db, id: string, login_id: string) => approve(db, id, login_id);

export const rejectPayout = (db: Db, id: string, login_id: string, reason: string | null) =>
  reject(db, id, login_id, reason);

export const confirmPayout = (db: Db, id: string, by: DecidedBy) => confirm(db, id, by);

/** `at_provider`: the provider has to be asked. */
export const cancelPayout = (db: Db, id: string, by: DecidedBy) => cancel(db, id, by);

/** The person who made the key; null when operators did. */
export async function findKeyPerson(db: Db, key_id: string): Promise<string | null> {
  const text = 'select login_id from api_keys where id = $1';
  const statement = { name: 'find_key_person', text };
  return (await lookUp<{ login_id: string | null }>(db, statement, [key_id]))[0]?.login_id ?? null;
}

/** Whether the account has paid there before. */
export async function isKnownDestination(
  db: Db,
  { user_id, environment }: { readonly user_id: string; readonly environment: Environment },
  { phone, account, bank_code }: Pick<NewPayout, 'phone' | 'account' | 'bank_code'>,
): Promise<boolean> {
  const values = [user_id, environment, phone, account, bank_code];
  return callValue<boolean>(db.lookUps, 'is_known_destination', values);
}

const READABLE = readable<
  PayoutView,
  { status: PayoutStatus; currency: Currency; reference: string; batch_id: string }
>({
  rows: 'payouts',
  row: 'p',
  view: PAYOUT_VIEW,
  filters: {
    status: 'p.status = ?',
    currency: 'p.currency = ?',
    reference: 'p.reference = ?',
    batch_id: 'p.batch_id = ?::uuid',
  },
  statuses: PAYOUT_STATUSES,
  few: ['batch_id'],
});
export const { list: listPayouts, statement: payoutsStatement, find: findPayout } = READABLE;
export type PayoutQuery = Parameters<typeof payoutsStatement>[0];

const TIMELINE = timeline(
  'list_payout_timeline',
  'select t.at, t.id, t.source, t.kind, t.detail from payout_timeline t where t.payout_id = $1',
  'payout_id',
);

/** Lists the timeline in the order in which it happened. */
export async function listPayoutTimeline(db: Db, id: string): Promise<TimelineEntry[]> {
  return execute<TimelineEntry>(db, TIMELINE, [id]);
}

const STORED = columns('payouts p: user_id clock_seconds account holder');

/** A payout as its workflow's activities see it. */
export interface StoredPayout extends PayoutView, RowOf<typeof STORED> {
  readonly compared_name: string | null;
  /** The name has to match, and the provider has not told it yet. */
  readonly is_check_due: boolean;
  /** How long it may still wait for people or for the provider. */
  readonly remaining_ms: number;
  /** Since it was sent, or since it is to be sent. */
  readonly asked_for_ms: number;
}

/** Returns a payout in any status. @throws UnknownRowError */
export async function getPayout(db: Db, id: string): Promise<StoredPayout> {
  const text = `select ${PAYOUT_VIEW}, ${STORED}, p.name as compared_name,
                       p.name_check = 'require' and p.name_match is null and p.stage is not distinct from 'queued'
                         as is_check_due,
                       (extract(epoch from p.expires_at - clock_timestamp()) * 1000)::float8 as remaining_ms,
                       (extract(epoch from clock_timestamp() - coalesce(p.send_asked_at, p.updated_at)) * 1000)::float8
                         as asked_for_ms
                  from payouts p where p.id = $1`;
  const [row] = await lookUp<StoredPayout>(db, { name: 'get_payout', text }, [id]);
  return row ?? failUnknown(db, 'payout', id);
}

/** A question about a payout. An answer counts only if no later question was asked. */
export interface PayoutAsk {
  readonly action: 'send' | 'find' | 'cancel';
  /** Counts from 1 how often the provider was asked. */
  readonly asks: number;
}

/** Undefined when there is nothing to ask. What has waited for too long is canceled here. */
export async function beginAskingPayout(db: Db, id: string): Promise<PayoutAsk | undefined> {
  return (await call<PayoutAsk>(db, 'begin_asking_payout', [id]))[0];
}

/**
 * The provider has never seen it, and says so to this question. Returns whether the payout is to be sent once more. Its
 * promises: PayoutPromises (gateway/payout-port.ts).
 */
export async function beginSendingAgain(
  db: Db,
  id: string,
  asks: number,
  promises: object,
): Promise<boolean> {
  const values = [id, asks, JSON.stringify(promises)];
  return (await callValue<boolean | null>(db, 'begin_sending_payout_again', values)) === true;
}

/** The number of the question; undefined when it does not wait at the provider. */
export async function beginCancelingPayout(
  db: Db,
  id: string,
  by: DecidedBy,
): Promise<number | undefined> {
  return (await callValue<number | null>(db, 'begin_canceling_payout', [id, by])) ?? undefined;
}

/** Counts a name that is not the recipient's; false when the account has tried too many. */
export async function mayTellName(
  db: Db,
  { user_id, environment }: Pick<NewPayout, 'user_id' | 'environment'>,
  tried: { readonly destination: string; readonly name: string; readonly match: NameMatch },
): Promise<boolean> {
  const values = [user_id, environment, tried.destination, tried.name, tried.match];
  return callValue<boolean>(db, 'may_tell_name', values);
}

/**
 * `failure` when it fails because of it, before it is sent. False: the wallet is too full to take its money back, so
 * nothing was recorded, and the name is asked for again.
 */
export async function recordPayoutCheck(
  db: Db,
  id: string,
  { name_found, name_match }: Pick<PayoutView, 'name_found' | 'name_match'>,
  failure: PayoutFailure | null,
): Promise<boolean> {
  const values = [id, name_found, name_match, failure && JSON.stringify(failure)];
  return callValue(db, 'record_payout_check', values);
}

export interface RecordedAnswer {
  readonly status: PayoutStatus;
  readonly stage: PayoutStage | null;
  /** The provider has paid what was given back. */
  readonly is_contradiction: boolean;
}

/** Books what follows from the answer, once, with its event. An answer that is out of date changes nothing. */
export async function recordPayoutAnswer(
  db: Db,
  id: string,
  asks: number,
  { status, provider_payment_id, paid, returned, days_under_way, failure }: PayoutState,
): Promise<RecordedAnswer> {
  const answer = {
    status,
    provider_payment_id,
    paid_minor: paid?.toString(),
    returned_minor: returned?.toString(),
    days_under_way,
    failure: failure && { ...failure, message: shortened(failure.message) },
  };
  return (
    await call<RecordedAnswer>(db, 'record_payout_answer', [id, asks, JSON.stringify(answer)])
  )[0]!;
}

/** `nothing_done`: the provider has done nothing, and will not. */
export async function recordPayoutFault(
  db: Db,
  id: string,
  asks: number,
  detail: string,
  nothing_done: boolean,
): Promise<void> {
  await call(db, 'record_payout_fault', [id, asks, shortened(detail), nothing_done]);
}

/** Remembers that the provider must be asked. False when it is no payout of its own. */
export async function notePayoutNotice(
  db: Db,
  provider: { readonly environment: Environment; readonly name: string },
  id: string,
): Promise<boolean> {
  const values = [id, provider.environment, provider.name];
  return (await callValue<boolean | null>(db, 'note_payout_notice', values)) === true;
}

// Payouts: ordered, decided about, followed to the provider's last word, and read.

import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import type { Fingerprint, StoredResponse } from '../../domain/idempotency';
import type { TimelineEntry } from '../../domain/intent';
import {
  PAYOUT_STATUSES,
  payoutRefusals,
  type NewPayout,
  type PayoutFailure,
  type PayoutState,
  type PayoutStage,
  type PayoutStatus,
  type PayoutView,
} from '../../domain/payout';
import type { WalletHold } from '../../domain/wallet-hold';
import { execute, lookUp, type BoundStatement, type Db } from '../connect';
import { filterSql, ofKinds } from '../list-filters';
import { timeline } from '../payment-intents/intent-views';
import { failUnknown } from '../unknown-row';
import type { Waking } from '../webhooks/events';

/** Columns of payouts as `p`. */
export const PAYOUT_VIEW = `p.id, p.reference, p.environment, p.status, p.stage, p.currency, p.amount_minor, p.fee_minor,
  p.phone, p.operator, right(p.account, 4) as account_end, p.bank_code, coalesce(p.name, p.holder) as name,
  p.name_found, p.name_match, p.provider, p.provider_payment_id, p.failure, p.returned_minor, p.approvals_needed,
  p.ordered_by, p.batch_id, p.description, p.created_at, p.updated_at, p.sent_at, p.completed_at,
  shown_due(p.expires_at, p.clock_seconds) as expires_at, (select s.body::text from payout_json(p) s) as json`;

export interface ExceededLimit {
  readonly limit_name: 'single' | 'daily' | 'monthly';
  readonly maximum_minor: bigint;
  readonly used_minor: bigint;
  /** Null of the limit of one payout. */
  readonly resets_at: string | null;
}

export type CreatedPayout =
  /** Stored for the key: by this request, or by an earlier one. */
  | (Waking & {
      readonly outcome: 'created' | 'insufficient_funds';
      readonly response: StoredResponse;
      readonly is_replay: boolean;
    })
  /** Nothing was written. */
  | { readonly outcome: WalletHold | 'lapsed' }
  | (ExceededLimit & { readonly outcome: 'limit_exceeded' })
  /** The daily limit of the API key. */
  | { readonly outcome: 'limit_exceeded'; readonly limit_name: 'key_daily' };

interface CreatedRow extends Waking, Omit<ExceededLimit, 'limit_name'> {
  readonly limit_name: ExceededLimit['limit_name'] | 'key_daily';
  readonly outcome: CreatedPayout['outcome'];
  readonly status: number;
  readonly body: string;
  readonly fingerprint: Fingerprint;
  readonly is_replay: boolean;
}

const CREATE = {
  name: 'create_payout',
  text: `select outcome, status, body, fingerprint, is_replay, wake, limit_name, maximum_minor, used_minor,
                resets_at
           from create_payout($1::jsonb)`,
};

/** Reserves the money and writes the payout, once per key. */
export async function createPayout(
  db: Db,
  payout: NewPayout,
  error_docs_url: string,
): Promise<CreatedPayout> {
  const request = { ...payout, refusals: payoutRefusals(error_docs_url) };
  const [row] = await execute<CreatedRow>(db, CREATE, [JSON.stringify(request)]);
  const { outcome, status, body, fingerprint, is_replay, wake, limit_name, ...limit } = row!;
  switch (outcome) {
    case 'created':
    case 'insufficient_funds':
      return { outcome, response: { status, body, fingerprint }, is_replay, wake };
    case 'limit_exceeded':
      return limit_name === 'key_daily'
        ? { outcome, limit_name }
        : { outcome, limit_name, ...limit };
    case 'account_frozen':
    case 'kyc_required':
    case 'lapsed':
      return { outcome };
  }
}

/** Who has decided: the person who is signed in, or the API key. The timeline has it. */
export type DecidedBy = { readonly login_id: string } | { readonly key_id: string };

/** The outcome is `done` also when it was done before. */
export type Decided<Refused extends string> = Waking & {
  readonly outcome: 'done' | Refused;
};

const decide = <Refused extends string>(name: string, parameters: string) => {
  const statement = { name, text: `select outcome, wake from ${name}(${parameters})` };
  return async (db: Db, ...values: unknown[]): Promise<Decided<Refused>> =>
    (await execute<Decided<Refused>>(db, statement, values))[0]!;
};

const approve = decide<'approval_by_creator' | 'forbidden' | 'payout_not_approvable'>(
  'approve_payout',
  '$1, $2',
);
const reject = decide<'forbidden' | 'payout_not_approvable'>('reject_payout', '$1, $2, $3');
const confirm = decide<WalletHold | 'payout_not_confirmable'>('confirm_payout', '$1, $2');
const cancel = decide<'at_provider' | 'payout_not_cancelable'>('cancel_payout', '$1, $2');

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
  const text = 'select is_known_destination($1, $2, $3, $4, $5) as is_known';
  const values = [user_id, environment, phone, account, bank_code];
  const statement = { name: 'is_known_destination', text };
  return (await lookUp<{ is_known: boolean }>(db, statement, values))[0]!.is_known;
}

/** The caller's own, by its id or its reference. */
export async function findPayout(
  db: Db,
  user_id: string,
  environment: Environment,
  by: { readonly id: string } | { readonly reference: string },
): Promise<PayoutView | undefined> {
  const [column, value] = 'id' in by ? ['id', by.id] : ['reference', by.reference];
  const text = `select ${PAYOUT_VIEW} from payouts p
                 where p.${column} = $3 and p.user_id = $1 and p.environment = $2`;
  const statement = { name: `find_payout_by_${column}`, text };
  return (await lookUp<PayoutView>(db, statement, [user_id, environment, value]))[0];
}

export interface PayoutQuery {
  readonly user_id: string;
  readonly environment: Environment;
  /** An instant; rows strictly before it. */
  readonly before: string | undefined;
  readonly limit: number;
  readonly filters: {
    readonly status?: PayoutStatus | undefined;
    readonly currency?: Currency | undefined;
    readonly reference?: string | undefined;
    readonly batch_id?: string | undefined;
    readonly created_from?: string | undefined;
    readonly created_to?: string | undefined;
  };
}

const FILTERS = {
  status: 'p.status = ?',
  currency: 'p.currency = ?',
  reference: 'p.reference = ?',
  batch_id: 'p.batch_id = ?::uuid',
  created_from: 'p.created_at >= ?::timestamptz',
  created_to: 'p.created_at < ?::timestamptz',
} as const;

/** Newest first. On the pool: an account may have millions of payouts, and few of a period. */
export async function listPayouts(db: Db, query: PayoutQuery): Promise<PayoutView[]> {
  const { statement, values } = payoutsStatement(query);
  return execute<PayoutView>(db, statement, values);
}

/** What one batch or one reference names is few beside an account's: the others are looked at row by row. */
export function payoutsStatement(query: PayoutQuery): BoundStatement {
  const { user_id, environment, before = 'infinity', filters, limit } = query;
  const { reference, batch_id, status, currency } = filters;
  const is_named = reference !== undefined || batch_id !== undefined;
  if (!is_named && (status !== undefined || currency !== undefined)) return selectKinds(query);
  const values: unknown[] = [user_id, environment, before];
  if (reference !== undefined) values.push(reference);
  const { given, conditions } = filterSql(FILTERS, filters, values);
  values.push(limit);
  // The limit is a border: without it a plan that is made for any account may read all payouts of this one.
  const from =
    reference === undefined
      ? 'payouts'
      : `(select * from payouts x where x.reference = $4 limit 1)`;
  const text = `select ${PAYOUT_VIEW} from ${from} p
                 where p.user_id = $1 and p.environment = $2
                   and p.created_at < $3::timestamptz${conditions}
                 order by p.created_at desc limit $${values.length}`;
  return { statement: { name: `list_payouts_${given}`, text }, values };
}

const selectKinds = ofKinds({ rows: 'payouts', row: 'p', view: PAYOUT_VIEW, all: PAYOUT_STATUSES });

const TIMELINE = timeline(
  'list_payout_timeline',
  'select t.at, t.id, t.source, t.kind, t.detail from payout_timeline t where t.payout_id = $1',
  'payout_id',
);

/** Lists the timeline in the order in which it happened. */
export async function listPayoutTimeline(db: Db, id: string): Promise<TimelineEntry[]> {
  return execute<TimelineEntry>(db, TIMELINE, [id]);
}

/** A payout as its workflow's activities see it. */
export interface StoredPayout extends PayoutView {
  readonly account: string | null;
  readonly holder: string | null;
  readonly compared_name: string | null;
  /** The name has to match, and the provider has not told it yet. */
  readonly is_check_due: boolean;
  readonly user_id: string;
  /** Null unless it is of a sandbox whose clock was moved. */
  readonly clock_seconds: number | null;
  /** How long it may still wait for people or for the provider. */
  readonly remaining_ms: number;
}

/** Returns a payout in any status. @throws UnknownRowError */
export async function getPayout(db: Db, id: string): Promise<StoredPayout> {
  const text = `select ${PAYOUT_VIEW}, p.user_id, p.clock_seconds, p.account, p.holder, p.name as compared_name,
                       p.name_check = 'require' and p.name_match is null and p.stage is not distinct from 'queued'
                         as is_check_due,
                       (extract(epoch from p.expires_at - clock_timestamp()) * 1000)::float8 as remaining_ms
                  from payouts p where p.id = $1`;
  const [row] = await lookUp<StoredPayout>(db, { name: 'get_payout', text }, [id]);
  return row ?? failUnknown(db, 'payout', id);
}

/** What its workflow is started with, and what operators see of it in Temporal's UI. */
export interface PayoutToFollow extends Pick<
  PayoutView,
  'id' | 'environment' | 'reference' | 'currency' | 'status'
> {
  /** Minor units as decimal text. */
  readonly amount_minor: string;
  readonly username: string;
}

const TO_FOLLOW = `select p.id, p.environment, p.reference, p.currency, p.status, p.amount_minor::text, u.username
                     from payouts p join users u on u.id = p.user_id`;

/** In the order of the ids. */
export async function listPayoutsToFollow(
  db: Db,
  ids: readonly string[],
): Promise<PayoutToFollow[]> {
  const text = `${TO_FOLLOW} join unnest($1::uuid[]) with ordinality o (id, place) on o.id = p.id order by o.place`;
  return execute(db, { name: 'list_payouts_to_follow', text }, [ids]);
}

export async function findPayoutToFollow(db: Db, id: string): Promise<PayoutToFollow | undefined> {
  const statement = { name: 'find_payout_to_follow', text: `${TO_FOLLOW} where p.id = $1` };
  return (await lookUp<PayoutToFollow>(db, statement, [id]))[0];
}

/** Older than this, in ms, and not asked about since: the workflow was not started, or is gone. */
export interface PayoutsStalledAfter {
  readonly ordered_ms: number;
  readonly asked_ms: number;
  readonly notified_ms: number;
}

/** Payouts that no workflow seems to follow; those that were asked about lately come last. */
export async function listStalledPayouts(
  db: Db,
  { ordered_ms, asked_ms, notified_ms }: PayoutsStalledAfter,
  limit: number,
): Promise<PayoutToFollow[]> {
  const before = (ms: string): string => `clock_timestamp() - ${ms} * interval '1 millisecond'`;
  const text = `${TO_FOLLOW}
     where (p.status = 'pending' and p.asked_at is null and p.updated_at < ${before('$1')})
        or (p.status = 'pending' and p.asked_at < ${before('$2')})
        or (p.status in ('requires_approval', 'requires_confirmation') and p.expires_at < ${before('$1')})
        or p.notified_at < ${before('$3')}
     order by coalesce(p.asked_at, p.created_at) limit $4`;
  const values = [ordered_ms, asked_ms, notified_ms, limit];
  return execute(db, { name: 'list_stalled_payouts', text }, values);
}

/** A question about a payout. An answer counts only if no later question was asked. */
export interface PayoutAsk {
  readonly action: 'send' | 'find' | 'cancel';
  /** Counts from 1 how often the provider was asked. */
  readonly asks: number;
  /** Seconds since it was last asked to send it; null when it never was. */
  readonly send_age_s: number | null;
}

const BEGIN = {
  name: 'begin_asking_payout',
  text: 'select action, asks, send_age_s from begin_asking_payout($1)',
};

/** Undefined when there is nothing to ask. What has waited for too long is canceled here. */
export async function beginAskingPayout(db: Db, id: string): Promise<PayoutAsk | undefined> {
  return (await execute<PayoutAsk>(db, BEGIN, [id]))[0];
}

const BEGIN_AGAIN = {
  name: 'begin_sending_payout_again',
  text: 'select begin_sending_payout_again($1, $2) as is_begun',
};

/** Whether a payout that the provider has never seen may be sent once more, as an answer to this question. */
export async function beginSendingAgain(db: Db, id: string, asks: number): Promise<boolean> {
  const [row] = await execute<{ is_begun: boolean | null }>(db, BEGIN_AGAIN, [id, asks]);
  return row?.is_begun === true;
}

const BEGIN_CANCELING = {
  name: 'begin_canceling_payout',
  text: 'select begin_canceling_payout($1, $2) as asks',
};

/** The number of the question; undefined when it does not wait at the provider. */
export async function beginCancelingPayout(
  db: Db,
  id: string,
  by: DecidedBy,
): Promise<number | undefined> {
  const [row] = await execute<{ asks: number | null }>(db, BEGIN_CANCELING, [id, by]);
  return row?.asks ?? undefined;
}

const CHECKED = {
  name: 'record_payout_check',
  text: 'select record_payout_check($1, $2, $3, $4::jsonb) as wake',
};

/**
 * `failure` when it fails because of it, before it is sent. Null in place of endpoints: the wallet is too full to
 * take its money back, so nothing was recorded, and the name is asked for again.
 */
export async function recordPayoutCheck(
  db: Db,
  id: string,
  { name_found, name_match }: Pick<PayoutView, 'name_found' | 'name_match'>,
  failure: PayoutFailure | null,
): Promise<{ readonly wake: Waking['wake'] | null }> {
  const values = [id, name_found, name_match, failure && JSON.stringify(failure)];
  const [row] = await execute<{ wake: Waking['wake'] | null }>(db, CHECKED, values);
  return row!;
}

export interface RecordedAnswer extends Waking {
  readonly status: PayoutStatus;
  readonly stage: PayoutStage | null;
  /** The provider has paid what was given back. */
  readonly is_contradiction: boolean;
}

const RECORD = {
  name: 'record_payout_answer',
  text: 'select status, stage, wake, is_contradiction from record_payout_answer($1, $2, $3::jsonb)',
};

/** Books what follows from the answer, once, with its event. An answer that is out of date changes nothing. */
export async function recordPayoutAnswer(
  db: Db,
  id: string,
  asks: number,
  { status, provider_payment_id, paid, returned, failure }: PayoutState,
): Promise<RecordedAnswer> {
  const answer = {
    status,
    provider_payment_id,
    paid_minor: paid?.toString(),
    returned_minor: returned?.toString(),
    failure: failure && { ...failure, message: shortened(failure.message) },
  };
  return (await execute<RecordedAnswer>(db, RECORD, [id, asks, JSON.stringify(answer)]))[0]!;
}

const FAULT = {
  name: 'record_payout_fault',
  text: 'select record_payout_fault($1, $2, $3, $4)',
};

/** `nothing_done`: the provider has done nothing, and was never asked before. */
export async function recordPayoutFault(
  db: Db,
  id: string,
  asks: number,
  detail: string,
  nothing_done: boolean,
): Promise<void> {
  await execute(db, FAULT, [id, asks, shortened(detail), nothing_done]);
}

const shortened = (words: string): string => Array.from(words).slice(0, 1_000).join('');

const NOTICE = {
  name: 'note_payout_notice',
  text: 'select note_payout_notice($1, $2, $3) as is_ours',
};

/** Remembers that the provider must be asked. False when it is no payout of its own. */
export async function notePayoutNotice(
  db: Db,
  provider: { readonly environment: Environment; readonly name: string },
  id: string,
): Promise<boolean> {
  const values = [id, provider.environment, provider.name];
  return (await execute<{ is_ours: boolean | null }>(db, NOTICE, values))[0]?.is_ours === true;
}

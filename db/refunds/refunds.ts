// Refunds of payments: ordered, followed to the gateway's last word, and read.

import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import type { Fingerprint, StoredResponse } from '../../domain/idempotency';
import type { IntentStatus } from '../../domain/intent';
import type { RefundNotice } from '../../domain/payment';
import {
  REFUND_STATUSES,
  refundRefusals,
  type NewRefund,
  type RefundFailure,
  type RefundRefusals,
  type RefundStatus,
  type RefundView,
} from '../../domain/refund';
import type { WalletHold } from '../../domain/wallet-hold';
import { execute, lookUp, type Db, type BoundStatement, type Tx } from '../connect';
import type { Waking } from '../webhooks/events';
import { filterSql, ofKinds } from '../list-filters';
import { failUnknown } from '../unknown-row';

/** Columns of refunds as `r`. */
const VIEW = `r.id, r.environment, r.reference, r.intent_id, r.status, r.amount_minor, r.currency, r.reason,
  r.metadata, r.failure, r.created_at, r.updated_at,
  (select s.body::text from refund_json(r) s) as json`;

export type CreatedRefund =
  /** Stored for the key: by this request, or by an earlier one. */
  | {
      readonly outcome: 'created' | 'insufficient_funds';
      readonly response: StoredResponse;
      readonly is_replay: boolean;
    }
  /** Nothing was written. */
  | { readonly outcome: WalletHold | 'lapsed' | 'too_many_refunds' }
  | { readonly outcome: 'limit_exceeded' }
  | { readonly outcome: 'payment_intent_not_refundable'; readonly intent_status: IntentStatus }
  | { readonly outcome: 'refund_exceeds_payment'; readonly left_minor: bigint };

interface CreatedRow {
  readonly outcome: CreatedRefund['outcome'];
  readonly status: number | null;
  readonly body: string | null;
  readonly fingerprint: Fingerprint;
  readonly is_replay: boolean;
  readonly intent_status: IntentStatus | null;
  readonly left_minor: bigint | null;
}

const CREATE = {
  name: 'create_refund',
  text: `select outcome, status, body, fingerprint, is_replay, intent_status, left_minor
           from create_refund($1::jsonb)`,
};

/** Reserves the money and writes the refund, once per key; the intent is the account's. */
export async function createRefund(
  db: Db | Tx,
  refund: NewRefund,
  error_docs_url: string,
): Promise<CreatedRefund> {
  const values = [JSON.stringify(refundRequestRow(refund, error_docs_url))];
  const [row] = await execute<CreatedRow>(db, CREATE, values);
  return readCreated(row!);
}

const ORDER = {
  name: 'order_refund',
  text: `select outcome, status, body, fingerprint, is_replay, intent_status, left_minor
           from order_refund($1::jsonb, $2)`,
};

/**
 * Orders as an operator, for a merchant. Needs the operators' role.
 * @throws when it needs a second operator
 */
export async function orderRefund(
  db: Db,
  request: RefundRequestRow,
  actor: string,
): Promise<CreatedRefund> {
  const [row] = await execute<CreatedRow>(db, ORDER, [JSON.stringify(request), actor]);
  return readCreated(row!);
}

/** What create_refund takes: also kept while it waits for a second operator. */
export type RefundRequestRow = NewRefund & { readonly refusals: RefundRefusals };

export function refundRequestRow(refund: NewRefund, error_docs_url: string): RefundRequestRow {
  return { ...refund, refusals: refundRefusals(error_docs_url) };
}

function readCreated({ outcome, status, body, fingerprint, ...row }: CreatedRow): CreatedRefund {
  switch (outcome) {
    case 'created':
    case 'insufficient_funds':
      return {
        outcome,
        response: { status: status!, body: body!, fingerprint },
        is_replay: row.is_replay,
      };
    case 'payment_intent_not_refundable':
      return { outcome, intent_status: row.intent_status! };
    case 'refund_exceeds_payment':
      return { outcome, left_minor: row.left_minor! };
    case 'account_frozen':
    case 'kyc_required':
    case 'lapsed':
    case 'too_many_refunds':
    case 'limit_exceeded':
      return { outcome };
  }
}

const FAIL = { name: 'fail_refund', text: 'select outcome, wake from fail_refund($1::jsonb, $2)' };

/** What ends a refund that was never made: also kept while it waits for a second operator. */
export interface FailingRefund {
  readonly refund: string;
  /** The gateway's id of it, when the gateway has it and will never make it. */
  readonly gateway_refund: string | null;
  readonly failure: RefundFailure;
}

export type FailedRefundOutcome =
  | 'done'
  /** It had ended before. */
  | Exclude<RefundStatus, 'pending'>
  /** The gateway has it, and it was not named. */
  | 'at_gateway';

/**
 * Fails a pending refund as an operator: the merchant has the money again. Needs the operators'
 * role.
 * @throws when it needs a second operator, and a violation of `wallet_has_room` or
 * `gateway_is_asked`
 */
export async function failRefund(
  db: Db,
  failing: FailingRefund,
  actor: string,
): Promise<Waking & { readonly outcome: FailedRefundOutcome }> {
  type Row = Waking & { readonly outcome: FailedRefundOutcome };
  return (await execute<Row>(db, FAIL, [JSON.stringify(failing), actor]))[0]!;
}

/** The caller's own. */
export async function findRefund(
  db: Db,
  user_id: string,
  environment: Environment,
  id: string,
): Promise<RefundView | undefined> {
  const text = `select ${VIEW} from refunds r
                 where r.id = $3 and r.user_id = $1 and r.environment = $2`;
  const values = [user_id, environment, id];
  return (await lookUp<RefundView>(db, { name: 'find_refund', text }, values))[0];
}

export interface RefundQuery {
  readonly user_id: string;
  readonly environment: Environment;
  /** An instant; rows strictly before it. */
  readonly before: string | undefined;
  readonly limit: number;
  readonly filters: {
    readonly status?: RefundStatus | undefined;
    readonly currency?: Currency | undefined;
    readonly payment_intent_id?: string | undefined;
    readonly created_from?: string | undefined;
    readonly created_to?: string | undefined;
  };
}

const FILTERS = {
  status: 'r.status = ?',
  currency: 'r.currency = ?',
  payment_intent_id: 'r.intent_id = ?::uuid',
  created_from: 'r.created_at >= ?::timestamptz',
  created_to: 'r.created_at < ?::timestamptz',
} as const;

/** Newest first. On the pool: an account may have millions of refunds, and few of a period. */
export async function listRefunds(db: Db, query: RefundQuery): Promise<RefundView[]> {
  const { statement, values } = refundsStatement(query);
  return execute<RefundView>(db, statement, values);
}

/** A payment has few refunds beside an account's: with its id the others are looked at row by row. */
export function refundsStatement(query: RefundQuery): BoundStatement {
  const { user_id, environment, before = 'infinity', filters, limit } = query;
  const { payment_intent_id, status, currency } = filters;
  if (payment_intent_id === undefined && (status !== undefined || currency !== undefined)) {
    return selectKinds(query);
  }
  const values: unknown[] = [user_id, environment, before];
  const { given, conditions } = filterSql(FILTERS, filters, values);
  values.push(limit);
  const text = `select ${VIEW} from refunds r
                 where r.user_id = $1 and r.environment = $2
                   and r.created_at < $3::timestamptz${conditions}
                 order by r.created_at desc limit $${values.length}`;
  return { statement: { name: `list_refunds_${given}`, text }, values };
}

const selectKinds = ofKinds({ rows: 'refunds', row: 'r', view: VIEW, all: REFUND_STATUSES });

/** What a customer may know of a refund. */
export type ShownRefund = Pick<
  RefundView,
  'status' | 'amount_minor' | 'currency' | 'reference' | 'created_at'
>;

/**
 * Lists a payment's refunds that were made or may be; the latest `limit`, the oldest of these
 * first.
 */
export async function listRefundsOfPayment(
  db: Db,
  intent_id: string,
  limit: number,
): Promise<ShownRefund[]> {
  const text = `select r.status, r.amount_minor, r.currency, r.reference, r.created_at from refunds r
                 where r.intent_id = $1 and r.status <> 'failed' order by r.created_at desc limit $2`;
  const statement = { name: 'list_refunds_of_payment', text };
  return (await lookUp<ShownRefund>(db, statement, [intent_id, limit])).reverse();
}

/** A refund as its workflow's activities see it. */
export interface StoredRefund extends RefundView {
  readonly gateway: string;
  readonly provider_payment_id: string;
}

/** Returns a refund in any status. @throws UnknownRowError */
export async function getRefund(db: Db, id: string): Promise<StoredRefund> {
  const text = `select ${VIEW}, r.gateway, r.provider_payment_id from refunds r where r.id = $1`;
  const [row] = await lookUp<StoredRefund>(db, { name: 'get_refund', text }, [id]);
  return row ?? failUnknown(db, 'refund', id);
}

/** What its workflow is started with, and what operators see of it in Temporal's UI. */
export interface RefundToFollow extends Pick<
  RefundView,
  'id' | 'environment' | 'reference' | 'currency' | 'status'
> {
  /** Minor units as decimal text. */
  readonly amount_minor: string;
  readonly username: string;
}

const TO_FOLLOW = `select r.id, r.environment, r.reference, r.currency, r.status, r.amount_minor::text,
                          u.username
                     from refunds r join users u on u.id = r.user_id`;

export async function findRefundsToFollow(
  db: Db,
  ids: readonly string[],
): Promise<RefundToFollow[]> {
  if (ids.length === 0) return [];
  const text = `${TO_FOLLOW} where r.id = any ($1::uuid[])`;
  return lookUp<RefundToFollow>(db, { name: 'find_refunds_to_follow', text }, [ids]);
}

/** Older than this, in ms, and not asked about again: the workflow was not started, or is gone. */
export interface RefundsStalledAfter {
  /** The age of one that was never asked about. */
  readonly ordered_ms: number;
  /** It is not known whether the gateway has it. */
  readonly asked_ms: number;
  readonly pending_ms: number;
  readonly notified_ms: number;
}

/** Refunds that no workflow seems to follow; those that were asked about lately come last. */
export async function listStalledPaymentRefunds(
  db: Db,
  { ordered_ms, asked_ms, pending_ms, notified_ms }: RefundsStalledAfter,
  limit: number,
): Promise<RefundToFollow[]> {
  const text = `${TO_FOLLOW}
     where (r.status = 'pending'
            and coalesce(r.asked_at, r.created_at) < clock_timestamp() - interval '1 millisecond'
                * case when r.asked_at is null then $1::float8
                       when r.gateway_refund_id is null then $2::float8 else $3::float8 end)
        or (r.notified_at < clock_timestamp() - $4 * interval '1 millisecond'
            and (r.status = 'pending' or r.gateway_refund_id is not null))
     order by coalesce(r.asked_at, r.created_at) limit $5`;
  const values = [ordered_ms, asked_ms, pending_ms, notified_ms, limit];
  return execute(db, { name: 'list_stalled_payment_refunds', text }, values);
}

/** A question about a refund. An answer counts only if no later question was asked. */
export interface RefundAsk {
  /** Counts from 1 how often the gateway was asked. */
  readonly asks: number;
  /** The gateway's, once it is known. */
  readonly gateway_refund_id: string | null;
}

const BEGIN_ASKING = {
  name: 'begin_asking_payment_refund',
  text: 'select asks, gateway_refund_id from begin_asking_payment_refund($1)',
};

/** Undefined when there is nothing to ask. */
export async function beginAskingPaymentRefund(db: Db, id: string): Promise<RefundAsk | undefined> {
  return (await execute<RefundAsk>(db, BEGIN_ASKING, [id]))[0];
}

export interface RefundReply {
  readonly status: RefundStatus;
  /** Null only of a refund that the gateway refused to make. */
  readonly refund_id: string | null;
  /** Words for operators: why it failed, or what it waits for. */
  readonly detail: string | null;
  /** The reason of a failure, for the merchant. */
  readonly failure: RefundFailure | null;
}

const RECORD = {
  name: 'record_payment_refund_answer',
  text: `select status, wake from record_payment_refund_answer($1, $2, $3, $4, $5, $6)`,
};

/** Books what follows from the answer, once, with its event. An answer that is out of date changes nothing. */
export async function recordPaymentRefundAnswer(
  db: Db,
  id: string,
  { asks }: RefundAsk,
  { status, refund_id, detail, failure }: RefundReply,
): Promise<Waking & { readonly status: RefundStatus }> {
  const why = failure && JSON.stringify(failure);
  const values = [id, asks, status, refund_id, shortened(detail), why];
  const [row] = await execute<Waking & { status: RefundStatus }>(db, RECORD, values);
  return row!;
}

const RECORD_FAULT = {
  name: 'record_payment_refund_fault',
  text: 'select record_payment_refund_fault($1, $2, $3)',
};

/** Records a fault for operators to read; the refund stays as it is. */
export async function recordPaymentRefundFault(
  db: Db,
  id: string,
  { asks }: RefundAsk,
  detail: string,
): Promise<void> {
  await execute(db, RECORD_FAULT, [id, asks, shortened(detail)]);
}

/** The bound of the columns, in characters. */
function shortened(words: string | null): string | null {
  return words === null ? null : Array.from(words).slice(0, 1_000).join('');
}

const NOTE_NOTICE = {
  name: 'note_payment_refund_notice',
  text: 'select note_payment_refund_notice($1, $2, $3, $4, $5) as id',
};

/** Remembers that the gateway must be asked; the ids of the refunds concerned, none when it is not ours. */
export async function notePaymentRefundNotice(
  db: Db,
  gateway: string,
  notice: Omit<RefundNotice, 'event_id'>,
): Promise<string[]> {
  const { environment, provider_payment_id, refund_id, reference } = notice;
  const values = [gateway, environment, provider_payment_id, refund_id, reference];
  const rows = await execute<{ id: string }>(db, NOTE_NOTICE, values);
  return rows.map(({ id }) => id);
}

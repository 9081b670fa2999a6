// Refunds of payments: ordered, followed to the gateway's last word, and read.

import type { Currency } from '../../domain/currency';
import type { KeyedOrder } from '../../domain/idempotency';
import type { IntentStatus } from '../../domain/intent';
import type { RefundFault, RefundNotice } from '../../domain/payment';
import {
  REFUND_STATUSES,
  refundRefusals,
  type RefundFailure,
  type RefundRefusals,
  type RefundStatus,
} from '../../domain/refund';
import type { ExceededLimit } from '../../domain/limits';
import type { WalletHold } from '../../domain/wallet-hold';
import { columns, type Named, type Row, type RowOf } from '../columns';
import { call, callValue, callValues, lookUp, type Db, type Tx } from '../connect';
import { shortened } from '../pursuits';
import { readable } from '../readable';
import { order, type Ordered } from '../requests/orders';
import { failUnknown } from '../unknown-row';

const SHOWN = columns(`refunds r:
  id environment reference intent_id status amount_minor currency reason metadata failure created_at
  updated_at`);
/** Columns of refunds as `r`. */
export const REFUND_VIEW = `${SHOWN}, (select s.body::text from refund_json(r) s) as json`;

/** The row that every answer and event shows. */
export interface RefundView extends RowOf<typeof SHOWN> {
  /** The JSON text of what GET /refunds/{id} returns (refund_json in SQL). */
  readonly json: string;
}

/** The order of a merchant. */
export interface NewRefund
  extends KeyedOrder, Named<'refunds', 'id reference intent_id currency reason metadata'> {
  /** Minor units as decimal text; null for all that is left. */
  readonly amount_minor: string | null;
}

export type RefusedRefund =
  | { readonly outcome: WalletHold | 'too_many_refunds' | 'payment_disputed' }
  | ({ readonly outcome: 'limit_exceeded' } & ExceededLimit)
  | { readonly outcome: 'payment_intent_not_refundable'; readonly intent_status: IntentStatus }
  | { readonly outcome: 'refund_exceeds_payment'; readonly left_minor: bigint };

export type CreatedRefund = Ordered<'created' | 'insufficient_funds', RefusedRefund>;

/** Reserves the money and writes the refund, once per key; the intent is the account's. */
export function createRefund(
  db: Db | Tx,
  refund: NewRefund,
  error_docs_url: string,
): Promise<CreatedRefund> {
  return order(db, 'create_refund', refundRequestRow(refund, error_docs_url));
}

/**
 * Orders as an operator, for a merchant. Needs the operators' role.
 * @throws when it needs a second operator
 */
export function orderRefund(
  db: Db,
  request: RefundRequestRow,
  actor: string,
): Promise<CreatedRefund> {
  return order(db, 'order_refund', request, actor);
}

/** The argument of create_refund: also kept while it waits for a second operator. */
export type RefundRequestRow = NewRefund & { readonly refusals: RefundRefusals };

export function refundRequestRow(refund: NewRefund, error_docs_url: string): RefundRequestRow {
  return { ...refund, refusals: refundRefusals(error_docs_url) };
}

/** An operator ends a refund by it that was never made: also kept while it waits for a second operator. */
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
): Promise<FailedRefundOutcome> {
  return callValue(db, 'fail_refund', [JSON.stringify(failing), actor]);
}

const READABLE = readable<
  RefundView,
  { status: RefundStatus; currency: Currency; payment_intent_id: string }
>({
  rows: 'refunds',
  row: 'r',
  view: REFUND_VIEW,
  filters: {
    status: 'r.status = ?',
    currency: 'r.currency = ?',
    payment_intent_id: 'r.intent_id = ?::uuid',
  },
  statuses: REFUND_STATUSES,
  few: ['payment_intent_id'],
});
export const { list: listRefunds, statement: refundsStatement, find: findRefund } = READABLE;
export type RefundQuery = Parameters<typeof refundsStatement>[0];

/** A customer may know this of a refund. */
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
export interface StoredRefund
  extends RefundView, Pick<Row<'refunds'>, 'gateway' | 'provider_payment_id'> {
  /** Since the first question that may have got through, or since the order. */
  readonly asked_for_ms: number;
}

/** Returns a refund in any status. @throws UnknownRowError */
export async function getRefund(db: Db, id: string): Promise<StoredRefund> {
  const text = `select ${REFUND_VIEW}, r.gateway, r.provider_payment_id,
                       (extract(epoch from clock_timestamp() - coalesce(r.send_begun_at, r.created_at)) * 1000)::float8
                         as asked_for_ms
                  from refunds r where r.id = $1`;
  const [row] = await lookUp<StoredRefund>(db, { name: 'get_refund', text }, [id]);
  return row ?? failUnknown(db, 'refund', id);
}

/** A question about a refund. An answer counts only if no later question was asked. */
export interface RefundAsk {
  /** Counts from 1 how often the gateway was asked. */
  readonly asks: number;
  /** The gateway's, once it is known. */
  readonly gateway_refund_id: string | null;
  /** An order of before may have got through. */
  readonly may_exist: boolean;
}

/** Undefined when there is nothing to ask. */
export async function beginAskingPaymentRefund(db: Db, id: string): Promise<RefundAsk | undefined> {
  return (await call<RefundAsk>(db, 'begin_asking_payment_refund', [id]))[0];
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

/** Books what follows from the answer, once, with its event. An answer that is out of date changes nothing. */
export async function recordPaymentRefundAnswer(
  db: Db,
  id: string,
  { asks }: Pick<RefundAsk, 'asks'>,
  { status, refund_id, detail, failure }: RefundReply,
): Promise<RefundStatus> {
  const why = failure && JSON.stringify(failure);
  const values = [id, asks, status, refund_id, shortened(detail), why];
  return callValue(db, 'record_payment_refund_answer', values);
}

/** Records a fault for operators to read; the refund stays as it is. */
export async function recordPaymentRefundFault(
  db: Db,
  id: string,
  { asks }: Pick<RefundAsk, 'asks'>,
  { fault, nothing_done }: RefundFault,
): Promise<void> {
  await call(db, 'record_payment_refund_fault', [id, asks, shortened(fault), nothing_done]);
}

/** Remembers that the gateway must be asked; the ids of the refunds concerned, none when it is not ours. */
export async function notePaymentRefundNotice(
  db: Db,
  gateway: string,
  notice: Omit<RefundNotice, 'event_id'>,
): Promise<string[]> {
  const { environment, provider_payment_id, refund_id, reference } = notice;
  const values = [gateway, environment, provider_payment_id, refund_id, reference];
  return callValues(db, 'note_payment_refund_notice', values);
}

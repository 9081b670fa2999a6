// Money that no intent could take: operators list it, accept it for the merchant, have it refunded, or
// close it. The orders to refund and what the gateway says about them.

import type { LimitName } from '../../domain/limits';
import type { RefundFault, RefundNotice } from '../../domain/payment';
import { columns, type RowOf } from '../columns';
import { call, callValue, callValues, execute, type Db, type Statement } from '../connect';
import { shortened } from '../pursuits';
import { failUnknown } from '../unknown-row';

const SHOWN = columns(`suspense_items s:
  id reference environment gateway provider_payment_id intent_id reason currency amount_minor status
  created_at resolved_at closed_reason closed_reference`);

export interface SuspenseItem extends RowOf<typeof SHOWN> {
  readonly username: string | null;
  /** The limit of the account that it was above. */
  readonly limit: LimitName | null;
  /** The latest order to refund it; null when there was none. */
  readonly refund: RefundOrder | null;
  /** Its intent can end as succeeded with this money. */
  readonly is_closable: boolean;
}

export interface RefundOrder {
  readonly number: number;
  /** `ordered`: it is not known whether the gateway has it. */
  readonly status: 'ordered' | 'pending' | 'succeeded' | 'failed';
  /** The gateway's. */
  readonly refund_id: string | null;
  /** Why it failed, what it waits for, or why the gateway could not be asked. */
  readonly detail: string | null;
  readonly ordered_by: string;
}

/** Each item's merchant, intent and order are looked up: of a page, no plan may read all of them. */
const selectFrom = (
  items: string,
): string => `select ${SHOWN}, u.username, s.limit_name as limit, r.refund,
    coalesce(s.status = 'held' and i.status in ('open', 'processing') and i.currency = s.currency, false)
      as is_closable
  from ${items} s
  left join lateral (select * from users x where x.id = s.user_id limit 1) u on true
  left join lateral (select * from payment_intents x where x.id = s.intent_id limit 1) i on true
  left join lateral (
    select json_build_object('number', o.number, 'status', o.status, 'refund_id', o.refund_id,
             'detail', o.detail, 'ordered_by', o.ordered_by) as refund
      from suspense_refunds o where o.item_id = s.id order by o.number desc limit 1) r on true`;

/** More than anybody decides about in a day. */
const MAX_LISTED = 1_000;

/** Those that wait, live money before the sandbox's, oldest first; with `all` every one, newest first. */
export async function listSuspense(
  db: Db,
  all: boolean,
  limit = MAX_LISTED,
): Promise<SuspenseItem[]> {
  return execute(db, all ? NEWEST_SUSPENSE : WAITING_SUSPENSE, [limit]);
}

// The page is chosen by an index, before anything is looked up: a merchant can have a million items in the sandbox,
// where a payment costs nothing.
const page = (name: string, condition: string, order: string): Statement => ({
  name,
  text: `${selectFrom(`(select * from suspense_items x${condition} order by ${order} limit $1)`)}
    order by ${order.replaceAll('x.', 's.')}`,
});

export const NEWEST_SUSPENSE = page('page_suspense', '', 'x.created_at desc, x.id');
// `live` is before `sandbox`: what merchants try out there does not push money off the page.
export const WAITING_SUSPENSE = page(
  'page_waiting_suspense',
  ` where x.status in ('held', 'refunding')`,
  'x.environment, x.created_at, x.id',
);

export async function findSuspense(db: Db, id: string): Promise<SuspenseItem | undefined> {
  const rows = await execute<SuspenseItem>(
    db,
    { name: 'find_suspense', text: `${selectFrom('suspense_items')} where s.id = $1` },
    [id],
  );
  return rows[0];
}

/** @throws UnknownRowError */
export async function getSuspense(db: Db, id: string): Promise<SuspenseItem> {
  return (await findSuspense(db, id)) ?? failUnknown(db, 'suspense-refund', id);
}

/** The items of these postings. */
export async function listSuspenseOf(
  db: Db,
  references: readonly string[],
): Promise<SuspenseItem[]> {
  const text = `${selectFrom('suspense_items')} where s.reference = any ($1) order by s.created_at`;
  return execute<SuspenseItem>(db, { name: 'list_suspense_of', text }, [references]);
}

/**
 * Credits the merchant's wallet. Needs the operators' role. Postgres refuses an item that is not held
 * or has no merchant.
 */
export async function acceptSuspense(
  db: Db,
  id: string,
  actor: string,
): Promise<{ readonly reference: string; readonly balance_minor: bigint }> {
  type Row = { readonly reference: string; readonly balance_minor: bigint };
  return (await call<Row>(db, 'accept_suspense', [id, actor]))[0]!;
}

/**
 * Credits the item's merchant, and its intent ends as succeeded with that. Throws 23514 when the item is not
 * held, or its intent can no longer end so, or has another currency. Needs the operators' role.
 */
export async function acceptForIntent(
  db: Db,
  id: string,
  actor: string,
  pay_url_base: string,
): Promise<{ reference: string; balance_minor: bigint }> {
  type Row = { reference: string; balance_minor: bigint };
  return (await call<Row>(db, 'accept_suspense_closing', [id, pay_url_base, actor]))[0]!;
}

/**
 * An order to refund a held item, on record in the audit log; an item that is being refunded keeps the
 * order that it has. Needs the operators' role.
 */
export async function orderSuspenseRefund(
  db: Db,
  id: string,
  actor: string,
): Promise<{ readonly status: SuspenseItem['status']; readonly is_new: boolean }> {
  const [row] = await call<{ status: SuspenseItem['status']; is_new: boolean }>(
    db,
    'order_suspense_refund',
    [id, actor],
  );
  return row!;
}

/** A question to the gateway about an order. */
export interface RefundQuestion {
  readonly number: number;
  /** Counts the questions about this order. */
  readonly asks: number;
  /** Null while it is not known whether the gateway has made one. */
  readonly refund_id: string | null;
  /** An order of before may have got through. */
  readonly may_exist: boolean;
  /** Ours, `SUS-…/1`, by which the gateway names the order. */
  readonly reference: string;
  /** Since the order. */
  readonly asked_for_ms: number;
}

/**
 * The orders about which the gateway must be asked now; none when no operator has ordered anything. The open one
 * comes first: a question that waits for the others' answers is not sent at last.
 */
export async function beginAskingRefund(db: Db, id: string): Promise<RefundQuestion[]> {
  const text = `select q.number, q.asks, q.refund_id, q.may_exist, q.reference,
                       (extract(epoch from clock_timestamp() - r.ordered_at) * 1000)::float8 as asked_for_ms
                  from begin_asking_refund($1) q
                  join suspense_refunds r on r.item_id = $1 and r.number = q.number
                 order by q.number desc`;
  return execute(db, { name: 'begin_asking_refund', text }, [id]);
}

/** Books what follows from the answer, once. An answer that is out of date changes nothing. */
export async function recordRefundAnswer(
  db: Db,
  id: string,
  { number, asks }: Pick<RefundQuestion, 'number' | 'asks'>,
  answer: RefundAnswer,
): Promise<SuspenseItem['status']> {
  const values = [id, number, asks, answer.status, answer.refund_id, shortened(answer.detail)];
  return callValue(db, 'record_refund_answer', values);
}

export interface RefundAnswer {
  readonly status: 'pending' | 'succeeded' | 'failed';
  /** Null only of a refund that the gateway refused to make. */
  readonly refund_id: string | null;
  readonly detail: string | null;
}

/** Records a fault for operators to read; the order stays as it is. */
export async function recordRefundFault(
  db: Db,
  id: string,
  { number, asks }: Pick<RefundQuestion, 'number' | 'asks'>,
  { fault, nothing_done }: RefundFault,
): Promise<void> {
  const values = [id, number, asks, shortened(fault), nothing_done];
  await callValue(db, 'record_refund_fault', values);
}

/** Remembers that the gateway must be asked; the ids of the items concerned, none when it is not ours. */
export async function noteRefundNotice(
  db: Db,
  gateway: string,
  { environment, provider_payment_id, refund_id, reference }: Omit<RefundNotice, 'event_id'>,
): Promise<string[]> {
  const values = [gateway, environment, provider_payment_id, refund_id, reference];
  return callValues(db, 'note_refund_notice', values);
}

export interface Closing {
  readonly reason: string;
  /** The reference of the payment outside of the gateway. */
  readonly reference: string;
  /**
   * The number of the order that is under way, when the operator has looked: it has led to no refund. Null
   * otherwise. An order that comes later is not meant.
   */
  readonly unmade_order: number | null;
  /** The gateway's id of that order's refund, when the gateway has it and will never make it. */
  readonly gateway_refund: string | null;
  /** The operator who closes it. */
  readonly actor: string;
}

/** The argument of close_suspense: also kept while it waits for a second operator. */
export function closingRow(id: string, { reason, reference, ...closing }: Closing) {
  const { unmade_order, gateway_refund } = closing;
  return { item: id, reason, payment_reference: reference, unmade_order, gateway_refund };
}

export type ClosingOutcome =
  | 'done'
  /** It was decided before, or an order is under way that is not the named one. */
  | Exclude<SuspenseItem['status'], 'held'>
  /** The gateway has the order's refund, and it was not named. */
  | 'at_gateway';

/**
 * Needs the operators' role.
 * @throws when it needs a second operator, and a violation of `gateway_is_asked`
 */
export async function closeSuspense(db: Db, id: string, closing: Closing): Promise<ClosingOutcome> {
  const values = [JSON.stringify(closingRow(id, closing)), closing.actor];
  return callValue(db, 'close_suspense', values);
}

// Our records of a gateway's payments and refunds, for the comparison with the gateway's own lists.
// Pages and days, so that no statement is long.

import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import { columns, type RowOf } from '../columns';
import { execute, type Db } from '../connect';
import type { CheckedTime } from './reconciliations';

/** The account whose lists are compared. */
export interface GatewayAccount {
  readonly gateway: string;
  readonly environment: Environment;
}

const BOOKED = columns(`gateway_payments p:
  provider_payment_id currency amount_minor booked_at`);
export type BookedPayment = RowOf<typeof BOOKED>;

export async function findBookedPayments(
  db: Db,
  { gateway, environment }: GatewayAccount,
  ids: readonly string[],
): Promise<ReadonlyMap<string, BookedPayment>> {
  const text = `select ${BOOKED} from gateway_payments p
     where p.gateway = $1 and p.environment = $2 and p.provider_payment_id = any ($3::text[])`;
  const statement = { name: 'find_booked_payments', text };
  const rows = await execute<BookedPayment>(db, statement, [gateway, environment, ids]);
  return new Map(rows.map((row) => [row.provider_payment_id, row]));
}

/** Lists a page in the order of the payments' ids. */
export async function listBookedPayments(
  db: Db,
  { gateway, environment }: GatewayAccount,
  { from, to }: CheckedTime,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<BookedPayment[]> {
  const text = `select ${BOOKED} from gateway_payments p
     where p.gateway = $1 and p.environment = $2
       and p.booked_at >= $3::timestamptz and p.booked_at < $4::timestamptz
       and p.provider_payment_id > $5
     order by p.provider_payment_id limit $6`;
  const values = [gateway, environment, from, to, after, limit];
  return execute(db, { name: 'list_booked_payments', text }, values);
}

/** Names of gateways that have payments of the time in the environment. */
export async function listGatewaysOf(
  db: Db,
  environment: Environment,
  { from, to }: CheckedTime,
): Promise<string[]> {
  const text = `select distinct p.gateway from gateway_payments p
     where p.environment = $1 and p.booked_at >= $2::timestamptz and p.booked_at < $3::timestamptz
     order by p.gateway`;
  const statement = { name: 'list_gateways_of', text };
  const rows = await execute<{ gateway: string }>(db, statement, [environment, from, to]);
  return rows.map(({ gateway }) => gateway);
}

/** A report of the payment that the inbox has. */
export interface NotedPayment {
  readonly id: string;
  readonly outcome: string | null;
}

/**
 * Whether the gateway's notification of the payment is there. Looked for among those of its intent, and
 * among those that wait: one that named no intent of ours has led to suspense, which is booked.
 */
export async function findPaymentNotification(
  db: Db,
  { gateway, environment }: GatewayAccount,
  provider_payment_id: string,
  /** One of ours, or null. */
  intent_id: string | null,
): Promise<NotedPayment | undefined> {
  const text = `select n.id::text, n.outcome
      from (select * from gateway_notifications w where w.outcome is null
             union all
            select * from gateway_notifications a
             where a.intent_id = $4::uuid and a.outcome is not null) n
     where n.gateway = $1 and n.environment = $2 and n.notification ->> 'type' = 'payment.succeeded'
       and n.notification ->> 'provider_payment_id' = $3
     order by n.outcome nulls last limit 1`;
  const values = [gateway, environment, provider_payment_id, intent_id];
  const statement = { name: 'find_payment_notification', text };
  return (await execute<NotedPayment>(db, statement, values))[0];
}

export interface RecordedRefund {
  /** The gateway's. */
  readonly refund_id: string;
  readonly provider_payment_id: string;
  readonly currency: Currency;
  readonly amount_minor: bigint;
  readonly status: 'ordered' | 'pending' | 'succeeded' | 'failed';
  readonly reference: string;
}

/** Refunds of payments, and those of suspense, which are of a whole payment. */
const REFUNDS = `
  select r.gateway, r.environment, r.gateway_refund_id as refund_id, r.provider_payment_id, r.currency,
         r.amount_minor, coalesce(r.gateway_status, r.status) as status, r.reference, r.created_at
    from refunds r
   union all
  select s.gateway, s.environment, o.refund_id, s.provider_payment_id, s.currency, s.amount_minor,
         o.status, s.reference, o.ordered_at
    from suspense_refunds o join suspense_items s on s.id = o.item_id`;

/** Those of these payments that the gateway has an id of, by that. */
export async function findRecordedRefunds(
  db: Db,
  { gateway, environment }: GatewayAccount,
  payments: readonly string[],
): Promise<ReadonlyMap<string, RecordedRefund>> {
  const text = `select f.refund_id, f.provider_payment_id, f.currency, f.amount_minor, f.status, f.reference
      from (${REFUNDS}) f
     where f.gateway = $1 and f.environment = $2 and f.provider_payment_id = any ($3::text[])
       and f.refund_id is not null`;
  const statement = { name: 'find_recorded_refunds', text };
  const rows = await execute<RecordedRefund>(db, statement, [gateway, environment, payments]);
  return new Map(rows.map((row) => [row.refund_id, row]));
}

/** Whether a refund of the payment was ordered whose id at the gateway is not known yet. */
export async function hasUnansweredRefund(
  db: Db,
  { gateway, environment }: GatewayAccount,
  provider_payment_id: string,
): Promise<boolean> {
  const text = `select from (${REFUNDS}) f
     where f.gateway = $1 and f.environment = $2 and f.provider_payment_id = $3
       and f.refund_id is null and f.status in ('ordered', 'pending') limit 1`;
  const values = [gateway, environment, provider_payment_id];
  return (await execute(db, { name: 'has_unanswered_refund', text }, values)).length > 0;
}

/** Ordered in the time, with an id of the gateway's. */
export async function listRecordedRefunds(
  db: Db,
  { gateway, environment }: GatewayAccount,
  { from, to }: CheckedTime,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<RecordedRefund[]> {
  const values = [gateway, environment, from, to, after, limit];
  return execute(db, RECORDED_REFUNDS, values);
}

export const RECORDED_REFUNDS = {
  name: 'list_recorded_refunds',
  text: `select f.refund_id, f.provider_payment_id, f.currency, f.amount_minor, f.status, f.reference
      from (${REFUNDS}) f
     where f.gateway = $1 and f.environment = $2 and f.refund_id > $5
       and f.created_at >= $3::timestamptz and f.created_at < $4::timestamptz
     order by f.refund_id limit $6`,
};

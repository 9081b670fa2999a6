// Operators find in all accounts by an amount, or by the phone that was asked to pay: the newest of each kind.

import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import { execute, type Db, type Statement } from '../connect';

export interface FoundRow {
  readonly kind: 'intent' | 'transfer' | 'refund' | 'payout';
  /** A transfer's is its reference. */
  readonly id: string;
  readonly created_at: string;
  readonly reference: string;
  readonly environment: Environment;
  readonly currency: Currency;
  readonly amount_minor: bigint;
  readonly status: string;
  readonly accounts: readonly string[];
  /** The intent of a payment or refund. */
  readonly payment_id: string | null;
}

const nameOf = (column: string): string =>
  `(select u.username from users u where u.id = ${column})`;

/** The columns of FoundRow that are not the same for every noun, over its row `x`. */
const own = (
  id: string,
  accounts: readonly string[],
  { status = 'x.status', payment_id = 'null::uuid' } = {},
): string => `${id} as id, ${status} as status, ${payment_id} as payment_id,
  array[${accounts.map(nameOf).join(', ')}] as accounts`;

const KINDS: Readonly<Record<FoundRow['kind'], readonly [rows: string, columns: string]>> = {
  intent: ['payment_intents', own('x.id::text', ['x.user_id'], { payment_id: 'x.id' })],
  transfer: [
    'transfers',
    own('x.reference', ['x.sender_id', 'x.recipient_id'], { status: 'transfer_status(x)' }),
  ],
  refund: ['refunds', own('x.id::text', ['x.user_id'], { payment_id: 'x.intent_id' })],
  payout: [
    'payouts',
    own('x.id::text', ['x.user_id'], {
      status: `case when x.stage = 'unknown' then x.stage else x.status end`,
    }),
  ],
};

const select = (kind: FoundRow['kind'], from: string): string =>
  `select '${kind}' as kind, x.created_at, x.reference, x.environment, x.currency, x.amount_minor,
    ${KINDS[kind][1]} from ${from} x`;

/** Rows and not columns are compared, and sorted, so that no plan reads a table by its time alone. */
const ofAmount = (rows: string): string => `(select * from ${rows} y
    where (y.amount_minor, y.created_at) >= ($1::bigint, '-infinity'::timestamptz)
      and (y.amount_minor, y.created_at) <= ($1::bigint, 'infinity'::timestamptz)
    order by y.amount_minor desc, y.created_at desc limit $2)`;

/** Not transfers: an index more would make each of them dearer, and callers know their references. */
const WITH_AMOUNTS = ['intent', 'refund', 'payout'] as const;

export const FOUND_BY_AMOUNT: Statement = {
  name: 'find_by_amount',
  text: `${WITH_AMOUNTS.map((kind) => select(kind, ofAmount(KINDS[kind][0]))).join(
    ' union all ',
  )} order by created_at desc`,
};

/** At most `limit` of each kind, in minor units of any currency. */
export async function findByAmount(
  db: Db,
  amount_minor: bigint,
  limit: number,
): Promise<FoundRow[]> {
  return execute<FoundRow>(db, FOUND_BY_AMOUNT, [amount_minor, limit]);
}

const PAID_BY_PHONE: Statement = {
  name: 'find_paid_by_phone',
  text: `${select(
    'intent',
    `(select * from payment_intents i where i.id in (
        select a.intent_id from payment_attempts a where a.phone = $1
         order by a.created_at desc limit $2))`,
  )} order by x.created_at desc`,
};

/** Payments for which this phone was asked. */
export async function findPaidByPhone(db: Db, phone: string, limit: number): Promise<FoundRow[]> {
  return execute<FoundRow>(db, PAID_BY_PHONE, [phone, limit]);
}

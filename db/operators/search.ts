// Operators find in all accounts by an amount, or by the phone that was asked to pay: the newest of each kind.

import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import { execute, type Db, type Statement } from '../connect';

export interface FoundRow {
  readonly kind: 'intent' | 'refund' | 'payout';
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

/**
 * The columns of FoundRow that are not the same for every noun, over its row `x`. Not transfers: an index of amounts would
 * make each of them dearer, and callers know their references.
 */
const KINDS = {
  intent: { rows: 'payment_intents', status: 'x.status', payment_id: 'x.id' },
  refund: { rows: 'refunds', status: 'x.status', payment_id: 'x.intent_id' },
  payout: {
    rows: 'payouts',
    status: `case when x.stage = 'unknown' then x.stage else x.status end`,
    payment_id: 'null::uuid',
  },
} as const;

const select = (kind: FoundRow['kind'], from: string): string =>
  `select '${kind}' as kind, x.id::text as id, x.created_at, x.reference, x.environment, x.currency, x.amount_minor,
    ${KINDS[kind].status} as status, ${KINDS[kind].payment_id} as payment_id,
    array[(select u.username from users u where u.id = x.user_id)] as accounts from ${from} x`;

/** Rows and not columns are compared, and sorted, so that no plan reads a table by its time alone. */
const ofAmount = (rows: string): string => `(select * from ${rows} y
    where (y.amount_minor, y.created_at) >= ($1::bigint, '-infinity'::timestamptz)
      and (y.amount_minor, y.created_at) <= ($1::bigint, 'infinity'::timestamptz)
    order by y.amount_minor desc, y.created_at desc limit $2)`;

export const FOUND_BY_AMOUNT: Statement = {
  name: 'find_by_amount',
  text: `${(['intent', 'refund', 'payout'] as const)
    .map((kind) => select(kind, ofAmount(KINDS[kind].rows)))
    .join(' union all ')} order by created_at desc`,
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

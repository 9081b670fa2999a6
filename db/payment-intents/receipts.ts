// Receipts that are to be mailed to customers.

import { columns, type RowOf } from '../columns';
import { callValue, calls, lookUp, type Db } from '../connect';
import type { NewMail } from '../people/mails';
import { MERCHANT_COLUMNS, type Merchant } from '../accounts/public-profiles';

const PAID = columns('payment_intents v: id short_code reference description currency');

export interface WaitingReceipt extends Merchant, RowOf<typeof PAID> {
  readonly customer_email: string;
  readonly amount_minor: bigint;
  readonly succeeded_at: string;
}

/** Receipts that wait for longest, among which the accounts take turns. */
const TURNS_AMONG = 5_000;

/**
 * Lists each account's oldest, then each one's second, and so on: no sale holds up another
 * account's.
 */
export async function listWaitingReceipts(db: Db, limit: number): Promise<WaitingReceipt[]> {
  const text = `with waiting as materialized (
                  select r.intent_id, v.user_id, r.created_at
                    from receipt_mails r join payment_intents v on v.id = r.intent_id
                   where r.ended_at is null order by r.created_at limit ${TURNS_AMONG}
                ), chosen as materialized (
                  select w.intent_id, w.turn, w.created_at
                    from (select waiting.*, row_number() over (
                                   partition by user_id order by created_at, intent_id) as turn
                            from waiting) w
                   order by w.turn, w.created_at limit $1
                )
                select ${PAID}, v.customer_email, v.succeeded_at,
                       coalesce(v.settled_minor, v.amount_minor) as amount_minor, ${MERCHANT_COLUMNS}
                  from chosen c join payment_intents v on v.id = c.intent_id
                  join users u on u.id = v.user_id
                  left join merchant_logos l on l.user_id = v.user_id
                 order by c.turn, c.created_at`;
  return lookUp<WaitingReceipt>(db, { name: 'list_waiting_receipts', text }, [limit]);
}

/** False when another process was first. */
export async function queueReceipt(db: Db, intent_id: string, mail: NewMail): Promise<boolean> {
  const values = [intent_id, mail.id, mail.recipient, mail.subject, mail.sealed_text];
  return callValue<boolean>(db, 'queue_receipt', values);
}

/** Returns how many. */
export const dropOldReceipts = calls<(older_than_seconds: number) => number>('drop_old_receipts');

// Receipts that are to be mailed to customers.

import type { Currency } from '../domain/currency';
import { execute, lookUp, type Db } from './connect';
import type { NewMail } from './mails';
import { MERCHANT_COLUMNS, type Merchant } from './public-profiles';

export interface WaitingReceipt extends Merchant {
  readonly id: string;
  readonly short_code: string;
  readonly reference: string;
  readonly customer_email: string;
  readonly description: string | null;
  readonly amount_minor: bigint;
  readonly currency: Currency;
  readonly succeeded_at: string;
}

/** The oldest first. */
export async function listWaitingReceipts(db: Db, limit: number): Promise<WaitingReceipt[]> {
  const text = `select v.id, v.short_code, v.reference, v.customer_email, v.description,
                       coalesce(v.settled_minor, v.amount_minor) as amount_minor, v.currency,
                       v.succeeded_at, ${MERCHANT_COLUMNS}
                  from receipt_mails r join payment_intents v on v.id = r.intent_id
                  join users u on u.id = v.user_id
                  left join merchant_logos l on l.user_id = v.user_id
                 where r.ended_at is null order by r.created_at limit $1`;
  return lookUp<WaitingReceipt>(db, { name: 'list_waiting_receipts', text }, [limit]);
}

/** False when another process was first. */
export async function queueReceipt(db: Db, intent_id: string, mail: NewMail): Promise<boolean> {
  const text = 'select queue_receipt($1, $2, $3, $4, $5) as is_queued';
  const values = [intent_id, mail.id, mail.recipient, mail.subject, mail.sealed_text];
  const statement = { name: 'queue_receipt', text };
  return (await execute<{ is_queued: boolean }>(db, statement, values))[0]!.is_queued;
}

export async function dropOldReceipts(db: Db, older_than_seconds: number): Promise<void> {
  const statement = { name: 'drop_old_receipts', text: 'select drop_old_receipts($1)' };
  await execute(db, statement, [older_than_seconds]);
}

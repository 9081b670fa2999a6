// Paid intents and their refunds in the database, without a gateway: its answers are the test's.

import { randomUUID } from 'node:crypto';
import type { Db } from '../../db/connect';
import { listSuspense } from '../../db/suspense/suspense';
import { acceptItem } from '../../use-cases/suspense';
import { balanceOf } from './balances';
import { createTestDatabase, setUp, type TestDatabase } from './database';
import { createIntent, type NewIntent } from '../../db/payment-intents/intents';
import { applyNotification, storeNotification } from '../../db/suspense/notifications';
import {
  beginAskingPaymentRefund,
  createRefund,
  recordPaymentRefundAnswer,
  type CreatedRefund,
  type RefundReply,
  type NewRefund,
} from '../../db/refunds/refunds';
import type { RefundStatus } from '../../domain/refund';
import { refundReference } from '../../secrets/hash';
import { buildNewIntent, notificationOf, openAtOnce } from '../workflows/intents';
import { ERROR_DOCS } from './postings';
import { buildUser, type TestUser } from './users';

const PAY_URL = 'https://pay.example.com';

/** 5000 XOF in the sandbox unless the fields say otherwise. */
export async function payIntent(
  db: Db,
  merchant: TestUser,
  fields: Partial<NewIntent> = {},
  gateway = 'sandbox',
): Promise<NewIntent> {
  const intent = await openIntent(db, merchant, fields, gateway);
  await receive(db, intent);
  return intent;
}

export async function openIntent(
  db: Db,
  merchant: TestUser,
  fields: Partial<NewIntent> = {},
  gateway = 'sandbox',
): Promise<NewIntent> {
  const intent = buildNewIntent(merchant, gateway, fields);
  await createIntent(db, intent);
  const checkout = { session_id: `cs_${intent.id}`, checkout_url: PAY_URL, lapses_at: null };
  await openAtOnce(db, intent.id, checkout);
  return intent;
}

/** A payment of its own for the intent, of its amount unless it is given. Returns the gateway's id of it. */
export async function receive(
  db: Db,
  intent: NewIntent,
  amount_minor: bigint = BigInt(intent.amount_minor),
): Promise<string> {
  const paid = notificationOf(intent, { amount_minor: `${amount_minor}` });
  const { id } = await storeNotification(db, intent.gateway, paid, Buffer.from('{}'));
  await applyNotification(db, id, PAY_URL);
  return paid.provider_payment_id;
}

/** An operator accepts the payment: as what its intent ends with, or as a deposit that ends nothing. */
export async function accept(
  { db, operator }: Pick<TestDatabase, 'db' | 'operator'>,
  provider_payment_id: string,
  ends_intent: boolean,
): Promise<void> {
  const items = await listSuspense(db, false);
  const item = items.find((one) => one.provider_payment_id === provider_payment_id)!;
  const closing = ends_intent ? { closes_intent: { pay_url_base: PAY_URL } } : {};
  const accepted = await acceptItem({ db: operator, actor: 'tests', ...closing }, item.id);
  if (!accepted.ok) throw new Error(`the item is not accepted: ${accepted.error}`);
}

/** An intent for 5000 XOF that an operator ended with what had arrived. */
export async function acceptIntent(
  database: Pick<TestDatabase, 'db' | 'operator'>,
  merchant: TestUser,
  amount_minor: bigint,
): Promise<NewIntent> {
  const intent = await openIntent(database.db, merchant);
  await accept(database, await receive(database.db, intent, amount_minor), true);
  return intent;
}

export function buildNewRefund(intent: NewIntent, fields: Partial<NewRefund> = {}): NewRefund {
  const { environment, user_id, currency } = intent;
  const { id = randomUUID() } = fields;
  return {
    id,
    reference: refundReference(id),
    environment,
    user_id,
    intent_id: intent.id,
    currency,
    amount_minor: null,
    reason: null,
    metadata: {},
    idempotency_key: randomUUID(),
    fingerprint: {},
    request_id: randomUUID(),
    ...fields,
  };
}

export function order(
  db: Db,
  intent: NewIntent,
  fields: Partial<NewRefund> = {},
): Promise<CreatedRefund> {
  return createRefund(db, buildNewRefund(intent, fields), ERROR_DOCS);
}

/** Its id. */
export async function ordered(
  db: Db,
  intent: NewIntent,
  fields: Partial<NewRefund> = {},
): Promise<string> {
  const refund = buildNewRefund(intent, fields);
  const { outcome } = await createRefund(db, refund, ERROR_DOCS);
  if (outcome !== 'created') throw new Error(`the refund is ${outcome}`);
  return refund.id;
}

/** The gateway's answer to a question that is asked now; undefined when there is nothing to ask. */
export async function answer(
  db: Db,
  id: string,
  status: RefundStatus,
  fields: Partial<RefundReply> = {},
): Promise<RefundStatus | undefined> {
  const ask = await beginAskingPaymentRefund(db, id);
  if (!ask) return undefined;
  const failure = { code: 'refund_failed', message: 'the card is gone' } as const;
  const reply: RefundReply = {
    status,
    refund_id: `re_${id}`,
    detail: null,
    failure: status === 'failed' ? failure : null,
    ...fields,
  };
  return recordPaymentRefundAnswer(db, id, ask, reply);
}

/** Stands for a notification of the gateway's: the refund is asked about although it has ended. */
export async function notice(owner: Db, id: string): Promise<void> {
  await owner.raw('update refunds set notified_at = clock_timestamp() where id = ?', [id]);
}

/** Makes the last question about a refund, or about a suspense item's orders, an hour old. */
export async function askedLongAgo(
  { owner }: Pick<TestDatabase, 'owner'>,
  id: string,
): Promise<void> {
  const earlier = `set asked_at = asked_at - interval '1 hour',
                       send_begun_at = send_begun_at - interval '1 hour'`;
  await owner.raw(`update refunds ${earlier} where id = ?`, [id]);
  await owner.raw(`update suspense_refunds ${earlier} where item_id = ?`, [id]);
}

/** A database for the file, a merchant without money for each test, and what is done with what this one is paid. */
export function setUpRefunds() {
  const database = setUp(createTestDatabase);
  const merchant = setUp(() => buildUser(database.db), beforeEach);
  const pay = (fields: Partial<NewIntent> = {}, of: TestUser = merchant): Promise<NewIntent> =>
    payIntent(database.db, of, fields);
  return {
    database,
    merchant,
    pay,
    wallet: (of: TestUser = merchant): Promise<bigint> =>
      balanceOf(database.db, of, 'XOF', 'sandbox'),
    receive: (intent: NewIntent, amount_minor?: bigint): Promise<string> =>
      receive(database.db, intent, amount_minor),
    order: (intent: NewIntent, fields: Partial<NewRefund> = {}): Promise<CreatedRefund> =>
      order(database.db, intent, fields),
    ordered: (intent: NewIntent, fields: Partial<NewRefund> = {}): Promise<string> =>
      ordered(database.db, intent, fields),
    /** A refund of a payment of its own. */
    refund: async (fields: Partial<NewRefund> = {}): Promise<string> =>
      ordered(database.db, await pay(), fields),
    answer: (id: string, status: RefundStatus, fields: Partial<RefundReply> = {}) =>
      answer(database.db, id, status, fields),
    notice: (id: string): Promise<void> => notice(database.owner, id),
  };
}

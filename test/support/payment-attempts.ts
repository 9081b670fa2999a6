// Attempts to pay by phone in the database, without a gateway: its answers are the test's.

import { randomUUID } from 'node:crypto';
import type { Db } from '../../db/connect';
import {
  beginAskingAttempt,
  createAttempt,
  type CreatedAttempt,
  type NewAttempt,
} from '../../db/payment-attempts/payment-attempts';
import { createIntent, type NewIntent } from '../../db/payment-intents/intents';
import { applyNotification, storeNotification } from '../../db/suspense/notifications';
import type { PaymentNotification } from '../../domain/payment';
import { buildNewIntent, notificationOf, openAtOnce } from '../workflows/intents';
import type { TestUser } from './users';

/** An open link of 5000 XOF, unless the fields say otherwise; its checkout is of the gateway `sandbox`. */
export async function openLink(
  db: Db,
  merchant: TestUser,
  fields: Partial<NewIntent> = {},
): Promise<NewIntent> {
  const intent = buildNewIntent(merchant, 'sandbox', fields);
  await createIntent(db, intent);
  const checkout_url = 'https://gateway.example/checkout';
  await openAtOnce(db, intent.id, { session_id: `cs_${intent.id}`, checkout_url, lapses_at: null });
  return intent;
}

/** An attempt by a phone of Côte d'Ivoire that confirms a prompt. */
export function buildNewAttempt(
  intent: Pick<NewIntent, 'id' | 'environment' | 'user_id'>,
  fields: Partial<NewAttempt> = {},
): NewAttempt {
  return {
    id: randomUUID(),
    environment: intent.environment,
    user_id: intent.user_id,
    intent_id: intent.id,
    gateway: 'sandbox',
    operator: 'mtn_ci',
    operator_name: 'MTN MoMo',
    country: 'CI',
    phone: '+2250500000100',
    otp: null,
    is_otp_due: false,
    next_step: null,
    idempotency_key: randomUUID(),
    fingerprint: {},
    request_id: randomUUID(),
    accept_before: new Date(Date.now() + 60_000).toISOString(),
    ...fields,
  };
}

export async function begin(
  db: Db,
  intent: NewIntent,
  fields: Partial<NewAttempt> = {},
): Promise<CreatedAttempt & { readonly id: string }> {
  const attempt = buildNewAttempt(intent, fields);
  return { id: attempt.id, ...(await createAttempt(db, attempt)) };
}

/** Applies to the inbox an answer to a question that is asked now. */
export async function notifyOfAttempt(
  db: Db,
  intent: NewIntent,
  attempt_id: string,
  fields: Partial<PaymentNotification> = {},
): Promise<string> {
  const { asks = 0 } = (await beginAskingAttempt(db, attempt_id)) ?? {};
  const failed = { code: 'not_approved', message: 'No.', provider_code: 'E1' };
  const notification = notificationOf(intent, {
    attempt_id,
    asks,
    ...(fields.type === 'payment.failed' ? { final: false, failure: failed } : {}),
    ...fields,
  });
  const gateway = fields.attempt_id === undefined ? 'sandbox' : 'other';
  const { id } = await storeNotification(db, gateway, notification, Buffer.from('{}'));
  return (await applyNotification(db, id, 'https://pay.example')).outcome;
}

// A notification of a payment, applied with what the voices say of the payment.

import type { Db } from '../../db/connect';
import { getIntent } from '../../db/payment-intents/intents';
import { applyNotification, type Applied } from '../../db/suspense/notifications';
import type { Environment } from '../../domain/environment';
import type { IntentEnd } from '../../domain/event';
import type { Voices } from './voices';

export interface ApplyingDependencies {
  readonly db: Db;
  readonly voices: Pick<Voices, 'ask'>;
  readonly pay_url_base: string;
}

/** @throws UnknownRowError */
export async function applyHeard(
  { db, voices, pay_url_base }: ApplyingDependencies,
  notification_id: string,
  onEnd?: (environment: Environment, status: IntentEnd) => void,
): Promise<Applied> {
  const applied = await applyNotification(db, notification_id, pay_url_base, onEnd);
  if (applied.outcome !== 'unasked') return applied;
  const intent = await getIntent(db, applied.intent_id!);
  const { reference, environment, user_id, currency, amount_minor } = intent;
  const heard = await voices.ask({
    id: reference,
    type: 'payment',
    environment,
    user_id,
    currency,
    amount_minor: amount_minor.toString(),
    recipient: null,
    ip: null,
    batch_id: null,
  });
  return applyNotification(db, notification_id, pay_url_base, onEnd, heard);
}

// The checkout of a payment intent at its gateway. A gateway's fault is a result, because the workflow
// decides what follows from it.

import { type IntentRow, type StoredIntent } from '../db/intents';
import { applyNotification, storeNotification } from '../db/notifications';
import type { Db } from '../db/connect';
import type { Environment } from '../domain/environment';
import { payUrl, type StoredIntentStatus } from '../domain/intent';
import type { Minor } from '../domain/money';
import type { GatewayFault, PaymentNotification, PaymentState } from '../domain/payment';
import { GatewayError, type Checkout, type Gateway, type Gateways } from '../gateway/port';
import type { EndpointWaker } from '../temporal/webhook-endpoints';

export interface CheckoutDependencies {
  readonly db: Db;
  readonly gateways: Gateways;
  readonly pay_url_base: string;
  /** Called after the commit that made an event. */
  readonly waker: EndpointWaker;
}

export async function openSession(
  dependencies: Omit<CheckoutDependencies, 'db' | 'waker'>,
  intent: IntentRow,
  number: number,
): Promise<Outcome<Checkout>> {
  return tryGateway(() =>
    gatewayOf(dependencies, intent).openCheckout({
      intent_id: intent.id,
      number,
      reference: intent.reference,
      amount: intent.amount_minor as Minor,
      currency: intent.currency,
      description: intent.description,
      customer_email: intent.customer_email,
      return_url: `${payUrl(dependencies.pay_url_base, intent.short_code)}?back=1`,
      expires_at: intent.expires_at,
    }),
  );
}

export type ClosedSession =
  | { readonly status: StoredIntentStatus; readonly is_paying: boolean }
  | { readonly status: StoredIntentStatus; readonly fault: GatewayFault };

/** A payment that the gateway then reports is applied as if it had sent a notification. */
export async function closeSession(
  dependencies: CheckoutDependencies,
  intent: StoredIntent,
): Promise<ClosedSession> {
  const { session_id } = intent;
  if (session_id === null) return { status: intent.status, is_paying: false };
  const closed = await tryGateway(() => gatewayOf(dependencies, intent).closeCheckout(session_id));
  if ('fault' in closed) return { status: intent.status, fault: closed.fault };
  const state = closed.result;
  if (state.state === 'none') return { status: intent.status, is_paying: false };
  const notification = notificationOf(intent, session_id, state);
  const raw = Buffer.from(JSON.stringify(state));
  const { db } = dependencies;
  const { id } = await storeNotification(db, intent.gateway, notification, raw);
  const applied = await applyNotification(db, id, dependencies.pay_url_base);
  dependencies.waker.wake(applied.wake);
  return { status: applied.status ?? intent.status, is_paying: state.state === 'pending' };
}

/** What the gateway reported, in the form of a notification: one per session and state. */
function notificationOf(
  intent: StoredIntent,
  session_id: string,
  state: Exclude<PaymentState, { readonly state: 'none' }>,
): PaymentNotification {
  const common = {
    environment: intent.environment,
    intent_id: intent.id,
    reference: intent.reference,
    final: true,
  };
  const unpaid = {
    provider_payment_id: session_id,
    amount_minor: intent.amount_minor.toString(),
    currency: intent.currency,
    failure: null,
    occurred_at: new Date().toISOString(),
  };
  switch (state.state) {
    case 'paid':
      return {
        ...common,
        ...state.payment,
        event_id: `polled/${session_id}/paid/${state.payment.provider_payment_id}`,
        type: 'payment.succeeded',
        failure: null,
      };
    case 'failed':
      return {
        ...common,
        ...unpaid,
        event_id: `polled/${session_id}/failed`,
        type: 'payment.failed',
        failure: state.failure,
      };
    case 'pending':
      return {
        ...common,
        ...unpaid,
        event_id: `polled/${session_id}/pending`,
        type: 'payment.pending',
      };
  }
}

/** The gateway that the payment began with: another one knows nothing about its session. */
export function gatewayOf(
  { gateways }: Pick<CheckoutDependencies, 'gateways'>,
  of: { readonly environment: Environment; readonly gateway: string },
): Gateway {
  const gateway = gateways[of.environment];
  if (gateway?.name !== of.gateway) {
    throw new GatewayError('unreachable', `${of.environment} has no gateway ${of.gateway}`);
  }
  return gateway;
}

type Outcome<T> = { readonly result: T } | { readonly fault: GatewayFault };

async function tryGateway<T>(call: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { result: await call() };
  } catch (error) {
    if (error instanceof GatewayError) return { fault: error.fault };
    throw error;
  }
}

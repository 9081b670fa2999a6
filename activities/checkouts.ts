// The checkout of a payment intent at its gateway. A gateway's fault is a result, because the workflow
// decides what follows from it.

import type { StoredIntent } from '../db/payment-intents/intents';
import { storeNotification } from '../db/suspense/notifications';
import type { Db } from '../db/connect';
import type { Environment } from '../domain/environment';
import { GatewayError, type GatewayFault } from '../domain/gateway-error';
import { payUrl, type StoredIntentStatus } from '../domain/intent';
import type { Minor } from '../domain/money';
import { polledNotification } from '../domain/payment';
import { findGateway, type Checkout, type Gateway, type Gateways } from '../gateway/port';
import { applyHeard, type ApplyingDependencies } from '../use-cases/risk/payments';
import { withOrderedFault } from '../use-cases/sandbox/ordered-faults';

export interface CheckoutDependencies extends ApplyingDependencies {
  readonly gateways: Gateways;
}

export async function openSession(
  dependencies: CheckoutDependencies,
  intent: StoredIntent,
  number: number,
): Promise<Outcome<Checkout>> {
  const page = payUrl(dependencies.pay_url_base, intent.short_code);
  const return_url = `${page}?back=1`;
  return tryGateway(dependencies.db, intent, () =>
    gatewayOf(dependencies, intent).openCheckout({
      intent_id: intent.id,
      number,
      reference: intent.reference,
      amount: intent.amount_minor as Minor,
      currency: intent.currency,
      description: intent.description,
      customer_email: intent.customer_email,
      merchant: {
        name: intent.merchant_name,
        country: intent.merchant_country,
        contact: intent.merchant_contact,
        logo_url: intent.logo_version === null ? null : `${page}/logo?v=${intent.logo_version}`,
      },
      pay_url: page,
      return_url,
      cancel_url: intent.cancel_url === null ? return_url : `${page}?gave_up=1`,
      expires_at: intent.due_at,
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
  const { db } = dependencies;
  const closed = await tryGateway(db, intent, () =>
    gatewayOf(dependencies, intent).closeCheckout(session_id),
  );
  if ('fault' in closed) return { status: intent.status, fault: closed.fault };
  const state = closed.result;
  if (state.state === 'none') return { status: intent.status, is_paying: false };
  const notification = polledNotification({ intent, session_id, now: new Date() }, state);
  const raw = Buffer.from(JSON.stringify(state));
  const { id } = await storeNotification(db, intent.gateway, notification, raw);
  const applied = await applyHeard(dependencies, id);
  return { status: applied.status ?? intent.status, is_paying: state.state === 'pending' };
}

/** @throws GatewayError when the gateway that the payment began with is not configured */
export function gatewayOf(
  { gateways }: Pick<CheckoutDependencies, 'gateways'>,
  of: { readonly environment: Environment; readonly gateway: string },
): Gateway {
  const gateway = findGateway(gateways, of);
  if (gateway) return gateway;
  const words = `${of.environment} has no gateway ${of.gateway}`;
  throw new GatewayError('unreachable', words, { outcome: 'not_done' });
}

type Outcome<T> = { readonly result: T } | { readonly fault: GatewayFault };

async function tryGateway<T>(
  db: Db,
  of: Pick<StoredIntent, 'environment' | 'id'>,
  call: () => Promise<T>,
): Promise<Outcome<T>> {
  try {
    return { result: await withOrderedFault(db, of, call) };
  } catch (error) {
    if (error instanceof GatewayError) return { fault: error.fault };
    throw error;
  }
}

// The payments that phones were asked for. Only journal entries change it (store.ts). One that was paid is a payment
// like those of the checkout: it is listed and refunded as they are.

import type { Currency } from '../../../domain/currency';
import type { Environment } from '../../../domain/environment';
import type { ChargeFailureCode } from '../../../gateway/sandbox/phones';
import type { PaymentAttempt, Session } from './store';

export interface ChargeTerms {
  /** The service's id of it. */
  readonly charge_id: string;
  readonly intent_id: string;
  readonly reference: string;
  readonly amount_minor: string;
  readonly currency: Currency;
  readonly operator: string;
  readonly phone: string;
  readonly description: string | null;
  readonly merchant_name: string;
  readonly return_url: string;
}

export interface Charge extends ChargeTerms {
  readonly environment: Environment;
  readonly provider_payment_id: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly status: 'waiting' | 'failed' | 'paid';
  readonly paid_at: string | null;
  readonly failure: ChargeRefusal | null;
  /** What happens next by itself, and when. */
  readonly next: { readonly at: string; readonly press: Press } | null;
}

export interface ChargeRefusal {
  readonly code: ChargeFailureCode;
  readonly message: string;
}

/** What the phone's owner does, or does not do in time. */
export const PRESSES = ['confirm', 'decline', 'expire'] as const;
export type Press = (typeof PRESSES)[number];

export interface ChargeStore {
  keep(charge: Charge): void;
  find(environment: Environment, charge_id: string): Charge | undefined;
  /** By the simulator's own id of it, which nobody can guess. */
  findOwn(provider_payment_id: string): Charge | undefined;
  /** What a phone was asked for in both accounts, the newest first. */
  ofPhone(phone: string): readonly Charge[];
  /** The charges to which something happens by itself. */
  waiting(): readonly Charge[];
}

export function createChargeStore(): ChargeStore {
  const charges = new Map<string, Charge>();
  const pair = (environment: Environment, id: string): string => `${environment}/${id}`;
  return {
    keep(charge) {
      charges.set(pair(charge.environment, charge.charge_id), charge);
    },
    find: (environment, charge_id) => charges.get(pair(environment, charge_id)),
    findOwn: (id) => [...charges.values()].find((one) => one.provider_payment_id === id),
    ofPhone: (phone) => [...charges.values()].filter((one) => one.phone === phone).reverse(),
    waiting: () => [...charges.values()].filter(({ next }) => next !== null),
  };
}

/** What was paid, in the form of a checkout session that was paid once. */
export function paidSession(charge: Charge): Session {
  const { provider_payment_id, paid_at, return_url, expires_at } = charge;
  const { environment, intent_id, reference, amount_minor, currency } = charge;
  const payment: PaymentAttempt = {
    provider_payment_id,
    session_id: provider_payment_id,
    occurred_at: paid_at!,
    status: 'succeeded',
    final: false,
    failure: null,
    settles: null,
  };
  return {
    terms: {
      session_id: provider_payment_id,
      environment,
      intent_id,
      number: 0,
      reference,
      amount_minor,
      currency,
      description: charge.description,
      customer_email: null,
      merchant_name: charge.merchant_name,
      merchant_country: null,
      merchant_contact: null,
      logo_url: null,
      return_url,
      cancel_url: return_url,
      expires_at,
    },
    closed_at: paid_at,
    attempts: new Map([[provider_payment_id, payment]]),
  };
}

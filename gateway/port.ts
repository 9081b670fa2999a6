// What we need of a payment gateway. Each adapter is one gateway account in one environment; nothing
// outside of `gateway/` knows which gateway it is.

import type { IncomingHttpHeaders } from 'node:http';
import type { Currency } from '../domain/currency';
import type { Environment } from '../domain/environment';
import type { Minor } from '../domain/money';
import type { PaymentNotification, PaymentState } from '../domain/payment';

export interface Gateway {
  /** Stored with what came from it: `sandbox`, `stripe`. */
  readonly name: string;
  readonly environment: Environment;
  readonly bounds: GatewayBounds;

  /**
   * Opens a session in which a customer can pay. Idempotent by intent and number: asking again
   * answers the same session.
   * @throws GatewayError
   */
  openCheckout(request: CheckoutRequest): Promise<Checkout>;

  /**
   * Makes sure that nobody can start to pay any more, and tells what was paid before. Closing a
   * closed or unknown session is fine.
   * @throws GatewayError
   */
  closeCheckout(session_id: string): Promise<PaymentState>;

  /** @throws GatewayError */
  findPayment(session_id: string): Promise<PaymentState>;

  /**
   * Gives money back in full. Idempotent by `idempotency_key`.
   * @throws GatewayError
   */
  refund(request: RefundRequest): Promise<{ readonly refund_id: string }>;

  /** Verifies over the raw bytes before anything is parsed. Never throws. */
  readNotification(raw: Buffer, headers: IncomingHttpHeaders): NotificationReading;
}

export interface GatewayBounds {
  readonly currencies: readonly Currency[];
  /** Smallest payment it takes, where it has such a bound. */
  readonly minimum: Readonly<Partial<Record<Currency, Minor>>>;
  /** How long one of its sessions can live; null: as long as we like. */
  readonly session_seconds: { readonly minimum: number; readonly maximum: number } | null;
}

export interface CheckoutRequest {
  readonly intent_id: string;
  /** 1 for an intent's first session, then up: at most one of them is live. */
  readonly number: number;
  /** `TRX-…`, shown to the customer where the gateway can. */
  readonly reference: string;
  readonly amount: Minor;
  readonly currency: Currency;
  readonly description: string | null;
  readonly customer_email: string | null;
  /** Where the customer is sent back to, whatever happened. */
  readonly return_url: string;
  /** ISO 8601: when the intent expires. A session may have to end earlier, or later. */
  readonly expires_at: string;
}

export interface Checkout {
  readonly session_id: string;
  /** The page to send the customer to. */
  readonly checkout_url: string;
  /** ISO 8601; null when it lives until it is closed. */
  readonly lapses_at: string | null;
}

export interface RefundRequest {
  readonly provider_payment_id: string;
  readonly amount: Minor;
  readonly currency: Currency;
  readonly idempotency_key: string;
}

export type NotificationReading =
  | { readonly ok: true; readonly notification: PaymentNotification }
  /**
   * `not_ours`: the header of another gateway's scheme, or none. `signature`: wrong, or of another
   * environment. `malformed`: signed well, and not what it should be. `irrelevant`: signed well, and
   * about something that no intent waits for.
   */
  | {
      readonly ok: false;
      readonly fault: 'not_ours' | 'signature' | 'malformed' | 'irrelevant';
      readonly detail?: string;
    };

/**
 * `refused`: the gateway said no, and would again. `unreachable`: it could not be asked, or failed;
 * `timeout`: it did not answer in time. After the last two the same call may be repeated.
 */
export type GatewayFault = 'refused' | 'unreachable' | 'timeout';

export class GatewayError extends Error {
  readonly fault: GatewayFault;
  constructor(fault: GatewayFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'GatewayError';
    this.fault = fault;
  }
}

// The port to a payment gateway. Each adapter is one gateway account in one environment; no code outside `gateway/`
// knows which gateway it is.

import type { IncomingHttpHeaders } from 'node:http';
import type { Currency } from '../domain/currency';
import type { DisputeNotice, DisputeState } from '../domain/dispute';
import type { Environment } from '../domain/environment';
import type { Minor } from '../domain/money';
import type {
  ListedPayment,
  ListedRefund,
  PaymentNotification,
  PaymentState,
  RefundNotice,
  RefundState,
} from '../domain/payment';
import type { ChargeState, PaymentMethod } from '../domain/payment-attempt';

export interface Gateway {
  /**
   * The name that is stored with every payment and notification of this gateway: `sandbox`,
   * `stripe`.
   */
  readonly name: string;
  readonly environment: Environment;
  readonly bounds: GatewayBounds;
  /** Where customers pay by phone, on the pages of this service or of a shop; left out where they cannot. */
  readonly phones?: PhonePayments;

  /**
   * Opens a session in which a customer can pay. Idempotent by intent and number: a repeated call
   * returns the same session.
   * @throws GatewayError
   */
  openCheckout(request: CheckoutRequest): Promise<Checkout>;

  /**
   * The payment in a session so far; `none` while a customer has paid nothing and may still pay. Changes nothing.
   * @throws GatewayError
   */
  findPayment(session_id: string): Promise<PaymentState>;

  /**
   * Makes sure that no payment can be started any more, and returns what was paid before. Closing a
   * closed session is no error. One that the gateway does not know is a fault at a gateway where that
   * may be another account's: what was paid in it is then unknown.
   * @throws GatewayError
   */
  closeCheckout(session_id: string): Promise<PaymentState>;

  /**
   * Has a payment refunded, whole or in part. Idempotent by `idempotency_key`. It may be pending for
   * days: `findRefund` tells what became of it.
   * @throws GatewayError; `refused` and `not_done` when the gateway makes no refund
   */
  refund(request: RefundRequest): Promise<RefundState>;

  /**
   * A refund that `refund` returned, as it is now.
   * @throws GatewayError, also when the gateway does not know it
   */
  findRefund(refund_id: string): Promise<RefundState>;

  /**
   * A dispute that the gateway has given notice of, as it is now.
   * @throws GatewayError, also when the gateway does not know it, or with what cannot be ours
   */
  findDispute(dispute_id: string): Promise<DisputeState>;

  /**
   * The payments of our intents that the gateway has taken and that were begun in the window, a page at a
   * time. Changes nothing. Empty where a gateway gives no list: what is booked is
   * asked for one by one then.
   * @throws GatewayError
   */
  listPayments(window: ListWindow, cursor?: string): Promise<ListPage<ListedPayment>>;

  /**
   * Finds such a payment by the gateway's id of it, whenever it was begun; undefined when the
   * gateway has not taken it.
   * @throws GatewayError
   */
  findTakenPayment(provider_payment_id: string): Promise<ListedPayment | undefined>;

  /**
   * The refunds that were begun in the window, of our payments and, where the account has them, of others'. Empty
   * where a gateway gives no list.
   * @throws GatewayError
   */
  listRefunds(window: ListWindow, cursor?: string): Promise<ListPage<ListedRefund>>;

  /**
   * Whether the headers have the form of a signature of this gateway. Needs no body, so that a
   * request without one is refused before its body is read.
   */
  mayBeSigned(headers: IncomingHttpHeaders): boolean;

  /** Verifies the signature over the raw bytes before parsing anything. Never throws. */
  readNotification(raw: Buffer, headers: IncomingHttpHeaders): NotificationReading;
}

export interface PhonePayments {
  readonly promises: ChargePromises;

  /**
   * The operators through which it takes payments, as they are now.
   * @throws GatewayError
   */
  methods(): Promise<readonly PaymentMethod[]>;

  /**
   * Has a customer asked to pay. `order.id` is the gateway's key. A refusal is a state (`failed`), and no error.
   * @throws GatewayError, whose `outcome` says whether the customer may have been asked
   */
  charge(order: ChargeOrder): Promise<ChargeState>;

  /**
   * The state of an attempt of ours, by our id of it.
   * @throws GatewayError
   */
  findCharge(id: string): Promise<ChargeState | 'never_seen'>;
}

/** The same as of a provider of payouts (payout-port.ts). */
export interface ChargePromises {
  /** The same attempt twice, by our id, is one payment, for ever. */
  readonly idempotent_by_id: boolean;
  /** How long after an attempt `never_seen` is final. Null: never. */
  readonly not_found_is_final_after_s: number | null;
  readonly callbacks: 'retried' | 'once' | 'none';
}

export interface ChargeOrder {
  /** Our attempt's uuid. */
  readonly id: string;
  readonly intent_id: string;
  /** `TRX-…`, which the customer sees if the operator can show it. */
  readonly reference: string;
  readonly amount: Minor;
  readonly currency: Currency;
  readonly operator: string;
  /** `+` and 7 to 15 digits. */
  readonly phone: string;
  /** The customer's one-time code, where the operator's step is `otp`. */
  readonly otp: string | null;
  readonly description: string | null;
  readonly merchant_name: string;
  /** The address to which an operator's page sends the customer back. */
  readonly return_url: string;
}

/** The window begins at `from` and ends before `to` (ISO 8601, by the gateway's clock). */
export interface ListWindow {
  readonly from: string;
  readonly to: string;
}

export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** The cursor with which the next call continues; null after the last page. */
  readonly next: string | null;
}

/**
 * The configured gateways of each environment. New links go to the first; phones pay at all of them, and each carries
 * on with the payments that it began.
 */
export type Gateways = Readonly<Record<Environment, readonly Gateway[]>>;

/** The gateway that a payment began with: no other one knows its session. Undefined when it is not configured. */
export function findGateway(
  gateways: Gateways,
  of: { readonly environment: Environment; readonly gateway: string },
): Gateway | undefined {
  return gateways[of.environment].find(({ name }) => name === of.gateway);
}

export interface GatewayBounds {
  readonly currencies: readonly Currency[];
  /** The smallest payment it accepts, for currencies with such a bound. */
  readonly minimum: Readonly<Partial<Record<Currency, Minor>>>;
}

export interface CheckoutRequest {
  readonly intent_id: string;
  /** The session's number, from 1 for each intent. At most one session is live. */
  readonly number: number;
  /** `TRX-…`, which the customer sees if the gateway can show it. */
  readonly reference: string;
  readonly amount: Minor;
  readonly currency: Currency;
  readonly description: string | null;
  readonly customer_email: string | null;
  /** The customer sees it if the gateway can show it. */
  readonly merchant: {
    readonly name: string;
    /** ISO 3166-1 alpha-2. */
    readonly country: string;
    readonly contact: string | null;
    readonly logo_url: string | null;
  };
  /** The pay page of this service. */
  readonly pay_url: string;
  /** The address to which the gateway sends the customer back, paid or not. */
  readonly return_url: string;
  /** The address to which the gateway sends a customer who does not want to pay. */
  readonly cancel_url: string;
  /** The intent's expiry (ISO 8601). The gateway's limits may end the session earlier or later. */
  readonly expires_at: string;
}

export interface Checkout {
  readonly session_id: string;
  /** The page to send the customer to; `pay_url` of the request where a gateway has none, and is paid by phone. */
  readonly checkout_url: string;
  /** The end of the session (ISO 8601); null when it stays open until it is closed. */
  readonly lapses_at: string | null;
}

export interface RefundRequest {
  readonly provider_payment_id: string;
  readonly amount: Minor;
  readonly currency: Currency;
  readonly idempotency_key: string;
  /** `RFD-…` or `SUS-…/1`, which the gateway keeps with the refund and tells in its notices. */
  readonly reference: string;
  /** The payment is held apart and given back whole: a refund of it that was made by hand is this one. */
  readonly is_whole?: boolean;
  /**
   * True when it was asked for before, and it is not known whether the gateway made it. Gateways forget keys (Stripe
   * after a day), so it is looked for first. A refusal says nothing of the refund that was asked for before.
   */
  readonly may_exist?: boolean;
}

export type NotificationReading =
  | {
      readonly ok: true;
      readonly notification: PaymentNotification;
      readonly refund?: undefined;
      readonly dispute?: undefined;
    }
  /** Something has changed in an attempt of ours: the gateway is asked what. */
  | {
      readonly ok: true;
      readonly attempt_id: string;
      readonly refund?: undefined;
      readonly dispute?: undefined;
    }
  | { readonly ok: true; readonly refund: RefundNotice; readonly dispute?: undefined }
  | { readonly ok: true; readonly dispute: DisputeNotice; readonly refund?: undefined }
  /**
   * `not_ours`: no signature header of this gateway. `signature`: the signature is wrong or of
   * another environment. `malformed`: correctly signed, but not a valid notification. `irrelevant`:
   * correctly signed, but about something that no intent or refund waits for.
   */
  | {
      readonly ok: false;
      readonly fault: 'not_ours' | 'signature' | 'malformed' | 'irrelevant';
      readonly detail?: string;
    };

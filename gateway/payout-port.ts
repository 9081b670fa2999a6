// The port to a provider that pays money out, to a phone or to a bank account. Each adapter is one account at one
// provider in one environment; no code outside of `gateway/` knows which provider it is. An adapter may be a gateway as
// well.

import type { IncomingHttpHeaders } from 'node:http';
import type { Currency } from '../domain/currency';
import type { Environment } from '../domain/environment';
import type { Minor } from '../domain/money';
import type {
  AccountClock,
  CheckedDestination,
  DestinationToCheck,
  PayoutDestination,
  PayoutState,
  Rail,
} from '../domain/payout';
import type { ListPage, ListWindow } from './port';

export interface PayoutProvider {
  /** The name that is stored with each of its payouts. */
  readonly name: string;
  readonly environment: Environment;
  readonly promises: PayoutPromises;

  /**
   * The operators and banks that it pays, as they are now.
   * @throws GatewayError
   */
  rails(): Promise<readonly Rail[]>;

  /**
   * The destination as the provider knows it; undefined when it pays none such in this currency. Changes nothing.
   * @throws GatewayError
   */
  check(destination: DestinationToCheck): Promise<CheckedDestination | undefined>;

  /**
   * Has money sent. `order.id` is the provider's key. A refusal is a state (`failed`), and no error.
   * @throws GatewayError, whose `outcome` says whether it may have been sent
   */
  send(order: PayoutOrder): Promise<PayoutState>;

  /**
   * The state of an order of ours, by our id of it.
   * @throws GatewayError
   */
  find(id: string): Promise<PayoutState | 'never_seen'>;

  /**
   * Takes back an order that waits at the provider. Returns what became of it: `canceled`, or how far it was
   * already. Left out where a provider cannot.
   * @throws GatewayError
   */
  cancelQueued?(id: string): Promise<PayoutState>;

  /**
   * The orders of ours that were begun in the window, a page at a time.
   * @throws GatewayError
   */
  list(window: ListWindow, cursor?: string): Promise<ListPage<ListedPayout>>;

  /**
   * The balances of our account at the provider.
   * @throws GatewayError
   */
  float(): Promise<readonly ProviderBalance[]>;

  /**
   * Only of simulators: brings what the account's payouts wait for nearer, as far as the clock of its sandbox is
   * ahead; again, it changes nothing. Returns what is left, by when it is due in real time: the first hundred.
   * @throws GatewayError
   */
  followClock?(clock: AccountClock): Promise<readonly WaitingPayout[]>;

  /** Whether the headers have the form of a signature, as at a gateway; needs no body. */
  mayBeSigned(headers: IncomingHttpHeaders): boolean;

  /** Verifies the signature over the raw bytes before parsing anything. Never throws. */
  readNotification(raw: Buffer, headers: IncomingHttpHeaders): PayoutNotificationReading;
}

export interface PayoutPromises {
  /** The same order twice, by our id, is one payment, for ever. */
  readonly idempotent_by_id: boolean;
  /** How long after an order `never_seen` is final: it was not sent, and will not be. Null: never. */
  readonly not_found_is_final_after_s: number | null;
  readonly callbacks: 'retried' | 'once' | 'none';
}

export interface PayoutOrder {
  /** Our payout's uuid. */
  readonly id: string;
  /** `PYT-…`, which the recipient sees if the provider can show it. */
  readonly reference: string;
  /** The recipient gets this amount. */
  readonly amount: Minor;
  readonly currency: Currency;
  readonly destination: PayoutDestination;
  /** The name that the merchant gave of the recipient. */
  readonly name: string | null;
  readonly description: string | null;
  /** For simulators: only that of a sandbox moves. */
  readonly clock?: AccountClock;
}

export interface WaitingPayout {
  /** Our id of it. */
  readonly id: string;
  readonly due_at: string;
}

export interface ListedPayout {
  readonly id: string;
  readonly provider_payment_id: string;
  /** Minor units as decimal text. */
  readonly amount_minor: string;
  readonly currency: Currency;
  readonly state: PayoutState;
  /** ISO 8601, the provider's clock. */
  readonly created_at: string;
}

export interface ProviderBalance {
  readonly currency: Currency;
  readonly amount: Minor;
}

/**
 * A notification only says which payout to ask about: notifications come late, twice, and in any order. `fault`:
 * as of a gateway's (NotificationReading).
 */
export type PayoutNotificationReading =
  | { readonly ok: true; readonly payout_id: string }
  | {
      readonly ok: false;
      readonly fault: 'not_ours' | 'signature' | 'malformed' | 'irrelevant';
      readonly detail?: string;
    };

/** The configured providers of each environment. A new payout goes to the first that pays its destination. */
export type PayoutProviders = Readonly<Record<Environment, readonly PayoutProvider[]>>;

/** The provider that a payout was ordered with: no other one knows it. Undefined when it is not configured. */
export function findPayoutProvider(
  providers: PayoutProviders,
  of: { readonly environment: Environment; readonly provider: string },
): PayoutProvider | undefined {
  return providers[of.environment].find(({ name }) => name === of.provider);
}

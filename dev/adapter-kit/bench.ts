// An author writes this fixture beside an adapter so that the kit can check it: how the provider's simulator is
// started, the orders to make, and how its callbacks are signed.

import type { Currency } from '../../domain/currency';
import type { AdapterOptions } from '../../gateway/adapter-module';

/** The two kinds of orders. */
export type Kind = 'charge' | 'payout';

export interface AdapterBench {
  /**
   * Starts the simulator, or plays recordings (`playRecordings`). `callback_url` is where it sends its callbacks, if
   * it sends any.
   */
  start(options: { readonly callback_url: string }): Promise<BenchServer>;
  /**
   * The adapter's configuration, for both environments as in production. `url` is the provider's address for
   * it: the kit stands in between.
   */
  settings(url: string): AdapterOptions['settings'];
  /** All that must be seen in no address and no error: keys, tokens, secrets. */
  readonly secrets: readonly string[];
  /** The orders for `createGateway(…).phones`; left out where customers cannot pay by phone. */
  readonly charge?: Examples;
  /** The orders for `createPayouts(…)`; left out where nothing is paid out. */
  readonly payout?: Examples;
  /** Left out where the provider sends no callbacks. */
  readonly callbacks?: BenchCallbacks;
  /** False where the provider makes no refunds; true when it is left out. */
  readonly refunds?: boolean;
  /** The most rows that the provider's lists have on one page; 50 when it is left out. */
  readonly rows_on_a_page?: number;
  /** The most requests that one order takes; 1 when it is left out. Two where a token is fetched first. */
  readonly requests_for_an_order?: number;
}

export interface BenchServer {
  /** Without a slash at the end. */
  readonly url: string;
  stop(): Promise<void>;
}

export interface Examples {
  /** It is paid, within `settles_within_ms` (10 seconds when left out). */
  readonly pays: ExampleOrder;
  /** Others that are paid, whose amounts are easily written wrongly: large ones, and with cents. */
  readonly exact: readonly ExampleOrder[];
  /** Everything else as in `pays`. It is accepted, and fails later; left out where no such number is known. */
  readonly phone_that_fails?: string;
  /** Everything else as in `pays`. It is refused at once. */
  readonly phone_that_is_refused?: string;
  /** A currency that the operator of `pays` does not have. */
  readonly other_currency: Currency;
  /** The provider's word for paid in its answer to `find`, with quotes: `"COMPLETED"`. */
  readonly word_for_paid: string;
  readonly settles_within_ms?: number;
}

export interface ExampleOrder {
  /** `+` and 7 to 15 digits. */
  readonly phone: string;
  readonly operator: string;
  /** Minor units at two decimals, of XOF as well: 5000 XOF is `500_000n`. */
  readonly amount: bigint;
  readonly currency: Currency;
  /** How the amount stands in the order's request, literally: `"amount":"5000"`. */
  readonly on_wire: string;
  /** The customer's one-time code, where the operator wants one. */
  readonly otp?: string;
}

export interface BenchCallbacks {
  readonly kinds: readonly Kind[];
  readonly methods: readonly ('POST' | 'PUT')[];
  readonly secrets: {
    /** The sandbox's; that of live where the adapter has no sandbox. */
    readonly current: string;
    /** One of the same environment: it was rotated out, and callbacks signed with it still come. */
    readonly previous: string;
    /** That of the other environment; null where there is none. */
    readonly other: string | null;
    /** One that no account has. */
    readonly wrong: string;
  };
  /** The body that says that an order of ours is paid, as the provider writes it. */
  body(of: { readonly kind: Kind; readonly id: string }): string;
  /** The headers with which the provider sends a body. */
  sign(raw: Buffer, secret: string, request: CallbackRequest): Readonly<Record<string, string>>;
}

export interface CallbackRequest {
  readonly kind: Kind;
  readonly method: 'POST' | 'PUT';
}

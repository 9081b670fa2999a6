// The default export of a module that brings an adapter of its own: a gateway, a provider of payouts, or both.

import type { Environment } from '../domain/environment';
import type { PayoutProvider } from './payout-port';
import type { Gateway } from './port';

export interface AdapterModule {
  /** Lower-case letters, digits and `_`. It is stored with each payment, so it never changes. */
  readonly name: string;

  /**
   * A plain object: its functions are called without `this`. Undefined where its settings give no gateway for the
   * environment. @throws Error that says which setting is wrong
   */
  createGateway?(options: AdapterOptions): Gateway | undefined;

  /** The same of a provider of payouts. */
  createPayouts?(options: AdapterOptions): PayoutProvider | undefined;
}

export interface AdapterOptions {
  readonly environment: Environment;
  /**
   * The environment variables that begin with the adapter's name in capitals, without that: `ACME_API_TOKEN` is the
   * setting `API_TOKEN` of `acme`. Empty ones are left out.
   */
  readonly settings: Readonly<Record<string, string>>;
  /** The deadline of each call. */
  readonly timeout_ms: number;
}

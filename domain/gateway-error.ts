// A gateway, or a provider of payouts, did not do what it was asked for, or did not say.

/**
 * `refused`: the gateway said no, and would say so again. `unreachable`: it could not be asked, or
 * failed. `timeout`: it did not respond in time. After the last two the same call may be repeated.
 */
export type GatewayFault = 'refused' | 'unreachable' | 'timeout';

export interface GatewayErrorOptions extends ErrorOptions {
  readonly is_about_access?: boolean;
  /** `unknown` when left out, but for a refusal. */
  readonly outcome?: GatewayError['outcome'];
}

export class GatewayError extends Error {
  readonly fault: GatewayFault;
  /**
   * True when the gateway does not let us see or do this: a revoked key, or a key of another
   * account. That says nothing about what became of an earlier call.
   */
  readonly is_about_access: boolean;
  /**
   * The one fact that a caller must not guess. `not_done`: the gateway has done nothing and never will because of this
   * call. `unknown`: it may have.
   */
  readonly outcome: 'not_done' | 'unknown';
  constructor(
    fault: GatewayFault,
    message: string,
    { is_about_access = false, outcome, ...options }: GatewayErrorOptions = {},
  ) {
    super(message, options);
    this.name = 'GatewayError';
    this.fault = fault;
    this.is_about_access = is_about_access;
    this.outcome = outcome ?? (fault === 'refused' ? 'not_done' : 'unknown');
  }
}

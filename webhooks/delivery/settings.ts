// How deliveries are made: the operator's settings, and the pace of a delivery run.

export interface DeliverySettings {
  /** The waits between one try and the next. */
  readonly retry_seconds: readonly number[];
  /** The deadline of one attempt. */
  readonly timeout_ms: number;
  /** The most requests at once to an endpoint that responds well. */
  readonly concurrency: number;
  readonly disable_after_seconds: number;
  readonly pace: DeliveryPace;
}

export interface DeliveryPace {
  /** A run with nothing to do ends after this time. */
  readonly linger_ms: number;
  /** How often a process looks for what is due: retries, and deliveries whose notification was lost. */
  readonly poll_ms: number;
  /** A worker that died is replaced after this time. */
  readonly lease_ms: number;
}

export const DELIVERY_PACE: DeliveryPace = {
  linger_ms: 500,
  poll_ms: 1_000,
  lease_ms: 5_000,
};

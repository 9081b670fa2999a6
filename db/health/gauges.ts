// Figures that only the database knows, for metrics.

import { call, type Db } from '../connect';

export interface GaugeReading {
  readonly gauge: string;
  readonly environment?: string;
  readonly status?: string;
  /** Set for reconciliations. */
  readonly check?: string;
  /** Set for breaks of the treasury. */
  readonly kind?: string;
  /** Set for the shortfall. */
  readonly currency?: string;
  readonly value: number;
}

export interface GaugeReadings {
  readonly age_seconds: number;
  readonly readings: readonly GaugeReading[];
}

/**
 * Returns the last readings of any process; when they are older than that, new ones, which one
 * process takes for all. Undefined as long as no process has ever taken any.
 */
export async function readGauges(db: Db, max_age_ms: number): Promise<GaugeReadings | undefined> {
  return (await call<GaugeReadings>(db, 'read_gauges', [max_age_ms]))[0];
}

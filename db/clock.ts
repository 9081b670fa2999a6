// The database's clock, as one process knows it. What leaves the service with a time in it (the timestamp
// of a signature, which receivers compare with their own clock) must not depend on the clock of one machine.

import type { Db } from './connect';

export interface DatabaseClock {
  /** ms since the epoch. This machine's clock until the database has responded for the first time. */
  now(): number;
  close(): void;
}

export interface DatabaseClockOptions {
  readonly db: Db;
  /** The machine's clock is wrong by so much; called once for each time it goes wrong. */
  readonly onSkew: (skew_ms: number) => void;
}

const REFRESH_MS = 60_000;
const RETRY_MS = 1_000;
/** A response that took longer says too little about the moment at which it was written. */
const SLOWEST_QUERY_MS = 500;
/** Far below the five minutes that receivers of Standard Webhooks allow. */
const WORTH_SAYING_MS = 5_000;

/** Asks the database now, and once a minute; between two queries the monotonic clock counts. */
export function openDatabaseClock({ db, onSkew }: DatabaseClockOptions): DatabaseClock {
  let offset_ms = Date.now() - performance.now();
  let is_skewed = false;
  let is_closed = false;
  let timer: NodeJS.Timeout | undefined;

  const measure = async (): Promise<boolean> => {
    const asked_at = performance.now();
    const { rows } = (await db.raw(
      'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms',
    )) as { rows: [{ now_ms: number }] };
    const took_ms = performance.now() - asked_at;
    if (took_ms > SLOWEST_QUERY_MS) return false;
    offset_ms = rows[0].now_ms - asked_at - took_ms / 2;
    return true;
  };
  const refresh = async (): Promise<void> => {
    // A database that is away, or slow, leaves the clock as it is.
    const is_measured = await measure().catch(() => false);
    const skew_ms = Date.now() - (performance.now() + offset_ms);
    const was_skewed = is_skewed;
    is_skewed = Math.abs(skew_ms) > WORTH_SAYING_MS;
    if (is_skewed && !was_skewed) onSkew(Math.round(skew_ms));
    if (is_closed) return;
    timer = setTimeout(() => void refresh(), is_measured ? REFRESH_MS : RETRY_MS);
    timer.unref();
  };
  void refresh();
  return {
    now: () => performance.now() + offset_ms,
    close() {
      is_closed = true;
      clearTimeout(timer);
    },
  };
}

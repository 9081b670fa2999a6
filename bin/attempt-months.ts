// Makes the months of attempts to come, and drops those that are older than the retention. Every process does
// it; the database lets one at a time.

import { dropAttemptMonth, listDueAttemptMonths, makeAttemptMonths } from '../db/attempt-months';
import type { Db } from '../db/connect';
import { repeat, type Repetition } from './repeat';

/** Months are made two ahead, so a turn may fail for long. */
const PAUSE_MS = 60 * 60 * 1_000;
/** After a failure, such as Postgres being away. */
const RETRY_MS = 60 * 1_000;

export interface AttemptMonthsOptions {
  /** A month that is dropped is counted before: its statements may take a minute. */
  readonly db: Db;
  /** After the end of a month; zero: none is dropped. */
  readonly days: number;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** Begins at once. */
export function tendAttemptMonths({ db, days, log }: AttemptMonthsOptions): Repetition {
  return repeat({
    async turn(signal) {
      await makeAttemptMonths(db);
      if (days === 0) return;
      for (const month of await listDueAttemptMonths(db, days)) {
        if (signal.aborted) return;
        await dropAttemptMonth(db, month, null);
      }
    },
    pause_ms: PAUSE_MS,
    retry_ms: RETRY_MS,
    onError: (error) => log({ part: 'attempt-months', error: String(error) }),
  });
}

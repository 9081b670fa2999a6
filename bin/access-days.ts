// Looks after the days of the access log: makes those to come and drops those that are too old. Every
// process does it; the database lets one at a time.

import { tendAccessLog } from '../db/access-log';
import type { Db } from '../db/connect';
import { repeat, type Repetition } from './repeat';

/** Days are made a week ahead, so a turn may fail for long. */
const PAUSE_MS = 60 * 60 * 1_000;
/** After a failure, such as Postgres being away. */
const RETRY_MS = 60 * 1_000;

export interface AccessDaysOptions {
  readonly db: Db;
  /** How many are kept; zero: all. */
  readonly days: number;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** Begins at once. */
export function tendAccessDays({ db, days, log }: AccessDaysOptions): Repetition {
  return repeat({
    turn: () => tendAccessLog(db, days),
    pause_ms: PAUSE_MS,
    retry_ms: RETRY_MS,
    onError: (error) => log({ part: 'access-days', error: String(error) }),
  });
}

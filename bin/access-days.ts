// Looks after what ends by itself: makes the days of the access log to come and drops those that are too
// old, and deletes sessions, tokens, counts and mails that have ended, and what identity checks submitted
// long ago. Every process does it.

import { tendAccessLog } from '../db/access-log';
import { purgeIdentityData } from '../db/identity-checks';
import { purgeSignIn } from '../db/login-tokens';
import type { Db } from '../db/connect';
import { repeat, type Repetition } from './repeat';

/** Days are made a week ahead, so a turn may fail for long. */
const PAUSE_MS = 60 * 60 * 1_000;
/** Of each kind: a statement must stay short, and what is left has its turn in the next hour. */
const PURGED_AT_ONCE = 10_000;
/** Of identity checks, of which a turn looks at all: 100 ms, where most are approvals that stand. */
const LOOKED_AT_ONCE = 5_000;
/** After a failure, such as Postgres being away. */
const RETRY_MS = 60 * 1_000;

export interface AccessDaysOptions {
  readonly db: Db;
  /** How many are kept; zero: all. */
  readonly days: number;
  /** After the decision of an identity check; zero: never. */
  readonly identity_data_days: number;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** Begins at once. */
export function tendAccessDays({
  db,
  days,
  identity_data_days,
  log,
}: AccessDaysOptions): Repetition {
  return repeat({
    async turn(signal) {
      await tendAccessLog(db, days);
      await purgeSignIn(db, PURGED_AT_ONCE);
      if (identity_data_days > 0) {
        await purgeIdentityData(db, identity_data_days, LOOKED_AT_ONCE, signal);
      }
    },
    pause_ms: PAUSE_MS,
    retry_ms: RETRY_MS,
    onError: (error) => log({ part: 'access-days', error: String(error) }),
  });
}

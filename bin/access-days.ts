// Looks after the days of the access log: makes those to come and drops those that are too old. Every
// process does it; the database lets one at a time.

import { tendAccessLog } from '../db/access-log';
import type { Db } from '../db/connect';

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
export function tendAccessDays({ db, days, log }: AccessDaysOptions): { stop(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let is_stopped = false;
  const turn = async (): Promise<void> => {
    let pause = PAUSE_MS;
    try {
      await tendAccessLog(db, days);
    } catch (error) {
      log({ part: 'access-days', error: String(error) });
      pause = RETRY_MS;
    }
    if (is_stopped) return;
    timer = setTimeout(() => {
      current = turn();
    }, pause).unref();
  };
  let current = turn();
  return {
    async stop() {
      is_stopped = true;
      clearTimeout(timer);
      await current;
    },
  };
}

// Makes the months of attempts to come, and drops those that are older than the retention, once they are
// archived. The database lets one process at a time.

import { keepAttempts } from '../archives/keep';
import { ArchiveError } from '../archives/manifest';
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
  /** Without one, months are dropped without an archive. */
  readonly archive_directory: string | undefined;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** Begins at once. */
export function tendAttemptMonths({
  db,
  days,
  archive_directory,
  log,
}: AttemptMonthsOptions): Repetition {
  return repeat({
    async turn(signal) {
      await makeAttemptMonths(db);
      if (days === 0) return;
      for (const month of await listDueAttemptMonths(db, days)) {
        if (signal.aborted) return;
        const archived =
          archive_directory === undefined ? null : await keepAttempts(db, archive_directory, month);
        await dropAttemptMonth(db, month, archived);
      }
    },
    pause_ms: PAUSE_MS,
    retry_ms: RETRY_MS,
    onError: (error) => {
      if (!isAnotherAtIt(error)) log({ part: 'attempt-months', error: String(error) });
    },
  });
}

/** Another worker writes an archive: the next turn goes on. */
function isAnotherAtIt(error: unknown): boolean {
  return error instanceof ArchiveError && error.code === 'archive_busy';
}

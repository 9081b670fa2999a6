// Writes the books of each month that is over to the folder of archives. Every worker that has the setting tries
// it; the database lets one at a time.

import { keepBooks } from '../archives/keep';
import { ArchiveError } from '../archives/manifest';
import type { Db } from '../db/connect';
import { repeat, type Repetition } from './repeat';

const PAUSE_MS = 60 * 60 * 1_000;
/** After a failure, such as a disk that is full, or entries that have no seal yet. */
const RETRY_MS = 60 * 1_000;

export interface ArchiveKeeperOptions {
  readonly db: Db;
  readonly directory: string;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** Begins at once. */
export function startArchiveKeeper({ db, directory, log }: ArchiveKeeperOptions): Repetition {
  return repeat({
    turn: (signal) => keepBooks(db, directory, signal),
    pause_ms: PAUSE_MS,
    retry_ms: RETRY_MS,
    onError: (error) => {
      if (error instanceof ArchiveError && OF_NO_CONCERN.has(error.code)) return;
      log({ part: 'archive-keeper', error: String(error) });
    },
  });
}

/** Another worker is at it or has just done it; and the first minutes of a month. */
const OF_NO_CONCERN: ReadonlySet<ArchiveError['code']> = new Set([
  'archive_busy',
  'archive_exists',
  'month_not_over',
]);

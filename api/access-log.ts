// The access log: who did what, when, from where. Each request writes one JSON line before its response
// leaves, and one row soon after (docs/decisions/0015-access-log.md). A line survives a crash of this
// process; a row that is lost with the process is rebuilt from its line.

import { closeSync, openSync, writeSync } from 'node:fs';
import { insertAccessEntries, type AccessEntry } from '../db/access-log';
import type { Db } from '../db/connect';

const FLUSH_MS = 500;
const BATCH = 500;
/** Rows kept while Postgres is away; the oldest beyond that are left to a rebuild from the lines. */
const MAX_WAITING = 50_000;
const STANDARD_OUTPUT = 1;

export interface AccessLog {
  /** Writes the line at once and queues the row; never throws. */
  record(entry: AccessEntry): void;
  /** Flushes the queued rows, once, and stops. */
  close(): Promise<void>;
}

export interface AccessLogOptions {
  readonly db: Db;
  /** Standard output when undefined. */
  readonly file: string | undefined;
  readonly onError: (error: unknown) => void;
}

export function openAccessLog({ db, file, onError }: AccessLogOptions): AccessLog {
  const target = file === undefined ? STANDARD_OUTPUT : openSync(file, 'a', 0o640);
  let waiting: AccessEntry[] = [];
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> | undefined;

  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH);
      try {
        await insertAccessEntries(db, batch);
      } catch (error) {
        // The rows stay queued for the next flush; until then their lines hold them.
        onError(error);
        if (waiting.length > MAX_WAITING) waiting = waiting.slice(-MAX_WAITING);
        return;
      }
      waiting = waiting.slice(batch.length);
    }
  };
  const schedule = (): void => {
    // One flush at a time, until the queue is empty: two flushes would each drop rows that the other
    // has not written yet.
    if (flushing) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      flushing = flush().finally(() => {
        flushing = undefined;
        if (waiting.length > 0) schedule();
      });
    }, FLUSH_MS);
    timer.unref();
  };

  return {
    record(entry) {
      writeLine(target, entry, onError);
      waiting.push(entry);
      schedule();
    },
    async close() {
      clearTimeout(timer);
      timer = undefined;
      await flushing;
      await flush();
      clearTimeout(timer);
      if (target !== STANDARD_OUTPUT) closeSync(target);
    },
  };
}

// Synchronous on purpose: a line that is only queued would be lost with the process.
function writeLine(target: number, entry: AccessEntry, onError: (error: unknown) => void): void {
  try {
    writeSync(target, `${JSON.stringify({ log: 'access', ...entry })}\n`);
  } catch (error) {
    // A full disk or a full pipe must not fail the request that is being logged; its row remains.
    onError(error);
  }
}

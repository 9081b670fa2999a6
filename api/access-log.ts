// The access log: who did what, when, from where. Each request writes one JSON line before its response
// leaves, and one row soon after (docs/decisions/0015-access-log.md). A line survives a crash of this
// process; a row that is lost with the process is rebuilt from its line.

import { insertAccessRows, type AccessEntry, type AccessRow } from '../db/access-log';
import type { Db } from '../db/connect';
import { createAccessRows, type AccessKind } from './access-rows';
import { openLineFile, type LineFile } from './line-file';

const FLUSH_MS = 500;
const BATCH = 500;
/** Rows kept while Postgres is away; the oldest beyond that are left to a rebuild from the lines. */
const MAX_WAITING = 50_000;
/** How often rows that several requests share are looked for; a minute's are written when it is over. */
const SHARED_MS = 10_000;

export interface AccessLog {
  /** Writes the line at once and queues the row, if the request gets one; never throws. */
  record(entry: AccessEntry, kind: AccessKind, trace_id?: string): void;
  /** Flushes the queued rows, once, and stops. */
  close(): Promise<void>;
}

export interface AccessLogOptions {
  readonly db: Db;
  /** Standard output when undefined. */
  readonly file: string | undefined;
  /** Of the file, before another one is begun; zero never. */
  readonly max_bytes: number;
  readonly onError: (error: unknown) => void;
}

export function openAccessLog({ db, file, max_bytes, onError }: AccessLogOptions): AccessLog {
  const lines = openLineFile({ path: file, max_bytes });
  const rows = createAccessRows();
  let waiting: AccessRow[] = [];
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> | undefined;

  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH);
      try {
        await insertAccessRows(db, batch);
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

  const queue = (more: readonly AccessRow[]): void => {
    if (more.length === 0) return;
    waiting.push(...more);
    schedule();
  };
  const sharing = setInterval(() => queue(rows.takeShared()), SHARED_MS).unref();

  return {
    record(entry, kind, trace_id) {
      const row_id = rows.rowOf(entry, kind);
      const own_row = row_id === entry.id ? {} : { row_id };
      const traced = trace_id === undefined ? {} : { trace_id };
      writeLine(lines, { ...entry, ...own_row, ...traced }, onError);
      if (row_id === entry.id) queue([entry]);
    },
    async close() {
      clearInterval(sharing);
      clearTimeout(timer);
      timer = undefined;
      await flushing;
      waiting.push(...rows.takeShared(true));
      await flush();
      clearTimeout(timer);
      lines.close();
    },
  };
}

type AccessLine = AccessEntry & {
  /** Left out when the entry has a row of its own; null when it has none. */
  readonly row_id?: string | null;
  readonly trace_id?: string;
};

// Synchronous on purpose: a line that is only queued would be lost with the process.
function writeLine(lines: LineFile, line: AccessLine, onError: (error: unknown) => void): void {
  try {
    lines.write(JSON.stringify({ log: 'access', ...line }));
  } catch (error) {
    // A full disk or a full pipe must not fail the request that is being logged; its row remains.
    onError(error);
  }
}

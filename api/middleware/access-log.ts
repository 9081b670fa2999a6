// Who did what, when, from where: one JSON line before the answer leaves, one row soon after. The
// line survives a crash of this process; a row lost with it is rebuilt from the line.

import { randomUUID } from 'node:crypto';
import { openSync, closeSync, writeSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { insertAccessEntries, type AccessEntry } from '../../db/access-log';
import type { Db } from '../../db/connect';
import type { ApiMiddleware } from '../context';

const FLUSH_MS = 500;
const BATCH = 500;
/** Rows kept while Postgres is away; beyond, the oldest are left to a rebuild from the lines. */
const MAX_WAITING = 50_000;
const STANDARD_OUTPUT = 1;

/** What a pipe takes in one piece (POSIX, PIPE_BUF on Linux): no line is ever torn. */
const PIECE = 4_096;

export interface AccessLog {
  /** Resolves when the line is written, or could not be. */
  record(entry: AccessEntry): Promise<void>;
  /** Writes what is waiting, once, and stops. */
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
  let lines = '';
  let written: Promise<void> | undefined;

  const writeLines = (): void => {
    const text = lines;
    lines = '';
    write(target, text, onError);
  };
  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH);
      try {
        await insertAccessEntries(db, batch);
      } catch (error) {
        // Kept and tried again at the next tick: the lines hold them in the meantime.
        onError(error);
        if (waiting.length > MAX_WAITING) waiting = waiting.slice(-MAX_WAITING);
        return;
      }
      waiting = waiting.slice(batch.length);
    }
  };
  const schedule = (): void => {
    // One flush at a time, which goes on until nothing waits: two would each drop what the other
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
      const line = `${JSON.stringify({ log: 'access', ...entry })}\n`;
      if (lines.length + line.length > PIECE) writeLines();
      lines += line;
      waiting.push(entry);
      schedule();
      // Requests that are answered in one turn of the event loop share a write: a system call is
      // 6 µs of the 90 that a small read costs.
      written ??= new Promise((resolve) => {
        setImmediate(() => {
          written = undefined;
          writeLines();
          resolve();
        });
      });
      return written;
    },
    async close() {
      await written;
      clearTimeout(timer);
      timer = undefined;
      await flushing;
      await flush();
      clearTimeout(timer);
      if (target !== STANDARD_OUTPUT) closeSync(target);
    },
  };
}

// Synchronous on purpose: a line that is only queued dies with the process.
function write(target: number, lines: string, onError: (error: unknown) => void): void {
  try {
    writeSync(target, lines);
  } catch (error) {
    // A full disk or a full pipe must not fail the requests that are being logged; the rows remain.
    onError(error);
  }
}

/** Outermost but for the request id, so that refusals and faults are logged as well. */
export function accessLog(log: AccessLog): ApiMiddleware {
  return async (ctx, next) => {
    const started = performance.now();
    await next();
    await log.record({
      id: randomUUID(),
      at: new Date().toISOString(),
      ip: ctx.state.ip,
      key_id: ctx.state.caller?.key_id ?? null,
      method: ctx.method,
      route: ctx.state.route,
      status: ctx.status,
      request_id: ctx.state.request_id,
      duration_ms: Math.round((performance.now() - started) * 1000) / 1000,
    });
  };
}

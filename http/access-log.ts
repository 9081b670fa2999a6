// The access log: who did what, when, from where. Each request has a line in the service's log
// before its response leaves, and soon after a row in Postgres, which merchants and operators read
// (docs/decisions/database.md).

import { performance } from 'node:perf_hooks';
import { createMinuteCounter } from '../domain/minute-counter';
import { insertAccessRows, type AccessEntry, type KeptCall } from '../db/requests/access-log';
import type { Db } from '../db/connect';
import { networkOf } from './network';

const FLUSH_MS = 500;
const BATCH = 500;
/** Rows kept while Postgres is away; requests beyond that have their line only. */
const MAX_WAITING = 50_000;

/** While more rows wait, they are kept without what was refused: it takes 20 times the memory. */
const MAX_DETAILED = 2_000;

/**
 * Refused requests of a key in a minute of which more than the row is kept: 100 MB a day at most.
 */
const MOST_REFUSALS = 20;

const MINUTE_MS = 60_000;
/**
 * The rows of one minute that one address causes without a key, or one key beyond its limit, and
 * those that all addresses cause together in this process. Requests beyond that have their line
 * only, so that no caller fills the disk that the ledger is on.
 */
const MOST_ROWS = { refused: 20, served: 100, strangers: 600 };

/**
 * `caller`: with a valid key, or signed in. `gateway`: with a right signature. `stranger`: neither.
 * `probe`: a health check that was answered, or a page's look that found nothing new.
 */
export type AccessKind = 'caller' | 'gateway' | 'stranger' | 'probe';

export interface AccessLog {
  /** Writes the line at once and queues the row, if the request gets one; never throws. */
  record(entry: AccessEntry, kind: AccessKind, trace_id?: string, kept?: KeptOfRequest): void;
  /** Flushes the queued rows, once, and stops. */
  close(): Promise<void>;
}

/** The row of a request with a key has these besides, and the line has not. */
export interface KeptOfRequest {
  readonly call: () => KeptCall;
  /** Only where it was refused. */
  readonly refusal: () => Pick<AccessEntry, 'code' | 'refusal'>;
}

export interface AccessLogOptions {
  readonly db: Db;
  /** The service's log. */
  readonly log: (line: Readonly<Record<string, unknown>>) => void;
  readonly onError: (error: unknown) => void;
}

export function openAccessLog({ db, log, onError }: AccessLogOptions): AccessLog {
  const hasRow = createRowLimit();
  const refusals = createMinuteCounter(() => performance.now());
  let waiting: AccessEntry[] = [];
  let flushing: Promise<void> | undefined;

  const flush = async (): Promise<void> => {
    try {
      while (waiting.length > 0) {
        const batch = waiting.slice(0, BATCH);
        await insertAccessRows(db, batch);
        waiting = waiting.slice(batch.length);
      }
    } catch (error) {
      // The rows stay queued for the next flush.
      onError(error);
    }
  };
  // One flush at a time: two would each drop rows that the other has not written yet.
  const timer = setInterval(() => {
    flushing ??= flush().finally(() => {
      flushing = undefined;
    });
  }, FLUSH_MS).unref();

  return {
    record(entry, kind, trace_id, kept) {
      log({ log: 'access', ...entry, ...(trace_id === undefined ? {} : { trace_id }) });
      if (waiting.length >= MAX_WAITING || !hasRow(entry, kind)) return;
      const { key_id, status } = entry;
      const isKept =
        status >= 400 &&
        key_id !== null &&
        waiting.length < MAX_DETAILED &&
        refusals.take({ name: key_id, most: MOST_REFUSALS }) === 0;
      waiting.push({
        ...entry,
        ...(key_id === null ? {} : kept?.call()),
        ...(isKept ? kept?.refusal() : {}),
      });
    },
    async close() {
      clearInterval(timer);
      await flushing;
      await flush();
    },
  };
}

/**
 * Callers within their limits and gateways have a row for each request, health checks none, and the
 * rest as many as MOST_ROWS says.
 */
export function createRowLimit(
  now: () => number = Date.now,
): (entry: Pick<AccessEntry, 'ip' | 'key_id' | 'status'>, kind: AccessKind) => boolean {
  let minute = 0;
  let rows = new Map<string, number>();
  /** Counts one more, unless there are as many already. */
  const take = (name: string, most: number): boolean => {
    const count = rows.get(name) ?? 0;
    if (count < most) rows.set(name, count + 1);
    return count < most;
  };
  return ({ ip, key_id, status }, kind) => {
    if (kind === 'probe') return false;
    if (kind === 'gateway' || (kind === 'caller' && status !== 429)) return true;
    const current = Math.floor(now() / MINUTE_MS);
    if (current !== minute) rows = new Map();
    minute = current;
    const what = status >= 400 ? 'refused' : 'served';
    if (key_id !== null) return take(`${what} ${key_id}`, MOST_ROWS[what]);
    if ((rows.get('strangers') ?? 0) >= MOST_ROWS.strangers) return false;
    return (
      take(`${what} ${networkOf(ip)}`, MOST_ROWS[what]) && take('strangers', MOST_ROWS.strangers)
    );
  };
}

// Which requests get a row of the access log for themselves. Those of callers with a key and of gateways
// do. What strangers do is bounded, so that nobody can fill the disk that the ledger is on
// (docs/decisions/0039-access-log-in-days.md): beyond a few a minute they share rows with a count.

import { randomUUID } from 'node:crypto';
import type { AccessEntry, SharedAccessEntry } from '../db/access-log';
import { networkOf } from './rate-limits/network';

const MINUTE_MS = 60_000;
/** Rows of their own for what one address, or one key that is over its limit, does in a minute. */
const OWN_ROWS = { refused: 20, served: 100 };
/** In all, in a minute of this process: so many rows of their own, and so many with a count. */
const MAX_OWN_ROWS = 600;
const MAX_SHARED_ROWS = 200;

/**
 * `caller`: with a valid key, or signed in. `gateway`: with a right signature. `stranger`: neither. `probe`: a health
 * check that was answered, which leaves a line and no row.
 */
export type AccessKind = 'caller' | 'gateway' | 'stranger' | 'probe';

export interface AccessRows {
  /** The id of the row that has this request: its own, a shared one's, or null for none. */
  rowOf(entry: AccessEntry, kind: AccessKind): string | null;
  /** The shared rows of minutes that are over, each once; at the end those of this minute as well. */
  takeShared(at_the_end?: boolean): SharedAccessEntry[];
}

interface Shared {
  readonly id: string;
  readonly at: string;
  readonly ip: string;
  readonly key_id: string | null;
  requests: number;
}

interface Subject {
  refused: number;
  served: number;
  shared: Shared | undefined;
}

export function createAccessRows(now: () => number = Date.now): AccessRows {
  let minute = Math.floor(now() / MINUTE_MS);
  let own_rows = 0;
  let subjects = new Map<string, Subject>();
  let shared: Shared[] = [];
  let others: Shared | undefined;
  let over: SharedAccessEntry[] = [];

  const endMinute = (): void => {
    over.push(...shared);
    own_rows = 0;
    subjects = new Map();
    shared = [];
    others = undefined;
  };
  const advance = (at: number): void => {
    const current = Math.floor(at / MINUTE_MS);
    if (current === minute) return;
    endMinute();
    minute = current;
  };
  const share = (ip: string, key_id: string | null): Shared => {
    const at = new Date(minute * MINUTE_MS).toISOString();
    const row = { id: randomUUID(), at, ip, key_id, requests: 0 };
    shared.push(row);
    return row;
  };
  const sharedRowOf = (subject: Subject | undefined, ip: string, key_id: string | null): Shared => {
    if (subject?.shared) return subject.shared;
    if (subject === undefined || shared.length >= MAX_SHARED_ROWS) {
      return (others ??= share('others', null));
    }
    return (subject.shared = share(ip, key_id));
  };
  const find = (name: string): Subject | undefined => {
    const found = subjects.get(name);
    if (found || subjects.size >= MAX_OWN_ROWS + MAX_SHARED_ROWS) return found;
    const subject = { refused: 0, served: 0, shared: undefined };
    subjects.set(name, subject);
    return subject;
  };

  return {
    rowOf(entry, kind) {
      if (kind === 'probe') return null;
      if (kind === 'gateway' || (kind === 'caller' && entry.status !== 429)) return entry.id;
      // By the entry's own time: a rebuild from the lines finds the same minute.
      advance(Date.parse(entry.at));
      const { key_id } = entry;
      const ip = networkOf(entry.ip);
      const subject = find(key_id ?? ip);
      const what = entry.status >= 400 ? 'refused' : 'served';
      if (subject && subject[what] < OWN_ROWS[what] && own_rows < MAX_OWN_ROWS) {
        subject[what] += 1;
        own_rows += 1;
        return entry.id;
      }
      const row = sharedRowOf(subject, ip, key_id);
      row.requests += 1;
      return row.id;
    },
    takeShared(at_the_end = false) {
      if (at_the_end) endMinute();
      else advance(now());
      const taken = over;
      over = [];
      return taken;
    },
  };
}

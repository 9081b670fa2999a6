// Pages that update by themselves, by server-sent events. All watchers of a thing share one look at
// it per interval, and none holds a connection of the database; what browsers may keep open is
// limited (docs/decisions/0057-money-in-the-dashboard.md).

import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { isDatabaseUnavailable } from '../db/errors';
import { findWatchingSessions, type SessionAccountPair } from '../db/people/sessions';
import type { Db } from '../db/connect';
import type { Language } from '../domain/language';

/** Something that is watched. */
export interface LiveTopic<State> {
  /** Topics with the same key are the same, also for different watchers. */
  readonly key: string;
  /** Reads the state once per interval for all watchers, with one or two cheap look-ups. */
  readonly read: () => Promise<State>;
  /** Renders the page's live parts as HTML, by name, when the state has changed. */
  readonly render: (state: State, language: Language) => Promise<Readonly<Record<string, string>>>;
}

export interface Watcher extends SessionAccountPair {
  readonly login_id: string;
  readonly language: Language;
  /** The version that the browser shows. */
  readonly version: string;
}

export interface LiveUpdates {
  /** A body of type text/event-stream; undefined when too many are open. */
  watch<State>(topic: LiveTopic<State>, watcher: Watcher): Readable | undefined;
  /** Ends all streams; the browsers come back to another process. */
  close(): void;
}

export interface LiveOptions {
  readonly db: Db;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
  /** Tests set smaller ones. */
  readonly limits?: Partial<LiveLimits>;
}

export interface LiveLimits {
  readonly per_person: number;
  readonly per_process: number;
  readonly interval_ms: number;
  /** How long the stream of a session that has ended may stay open. */
  readonly session_check_ms: number;
  readonly comment_ms: number;
}

const LIMITS: LiveLimits = {
  // All sessions of a person count together, so that signing in again takes no places of others.
  // The script closes the stream of a tab that is not seen, so one is enough for a window.
  per_person: 10,
  // Each stream costs a socket and at most two look-ups per interval. When all places are taken,
  // the person with most gives one up to a person with fewer, so that twenty people cannot keep all
  // others out.
  per_process: 200,
  interval_ms: 1_000,
  session_check_ms: 5_000,
  // Proxies close connections that are silent for 30 or 60 s.
  comment_ms: 15_000,
};

/** The browser comes back after so long when the stream ends. */
const RETRY_MS = 3_000;
/**
 * A browser that reads slower than this piles up is let go; it comes back and gets the newest
 * state.
 */
const MAX_UNREAD_BYTES = 512 * 1024;

interface Open {
  readonly watcher: Watcher;
  readonly stream: Readable;
  version: string;
}

interface Watched {
  readonly topic: LiveTopic<unknown>;
  readonly open: Set<Open>;
}

/** Equal states have equal versions. */
export function versionOf(state: unknown): string {
  const text = JSON.stringify(state, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

export function createLiveUpdates({ db, log, limits: given }: LiveOptions): LiveUpdates {
  const limits = { ...LIMITS, ...given };
  const watched = new Map<string, Watched>();
  const per_person = new Map<string, number>();
  let count = 0;
  let is_closed = false;
  let timer: NodeJS.Timeout | undefined;
  let checked_at = 0;
  let commented_at = 0;

  const all = (): Open[] => [...watched.values()].flatMap(({ open }) => [...open]);

  const forget = (key: string, one: Open): void => {
    const group = watched.get(key);
    if (!group?.open.delete(one)) return;
    if (group.open.size === 0) watched.delete(key);
    count -= 1;
    const { login_id } = one.watcher;
    const left = per_person.get(login_id)! - 1;
    if (left > 0) per_person.set(login_id, left);
    else per_person.delete(login_id);
  };

  /**
   * Takes the oldest place of the person who has most. Returns false when no person has more than
   * `wanted`: otherwise two would take it from each other in turn.
   */
  const takePlace = (wanted: number): boolean => {
    const [most, login_id] = [...per_person].reduce<readonly [number, string]>(
      (found, [id, has]) => (has > found[0] ? [has, id] : found),
      [0, ''],
    );
    if (most <= wanted) return false;
    for (const [key, { open }] of watched) {
      for (const one of open) {
        if (one.watcher.login_id !== login_id) continue;
        forget(key, one);
        // Ending it would not close it: what the browser has not read would keep it open.
        one.stream.destroy();
        return true;
      }
    }
    return false;
  };

  const send = (one: Open, text: string): void => {
    one.stream.push(text);
    if (one.stream.readableLength > MAX_UNREAD_BYTES) one.stream.destroy();
  };

  const look = async ({ topic, open }: Watched): Promise<void> => {
    const state = await topic.read();
    const version = versionOf(state);
    const texts = new Map<Language, string>();
    for (const one of open) {
      if (one.version === version) continue;
      const { language } = one.watcher;
      const text = texts.get(language) ?? eventText(version, await topic.render(state, language));
      texts.set(language, text);
      one.version = version;
      send(one, text);
    }
  };

  const checkSessions = async (): Promise<void> => {
    const open = all();
    const found = await findWatchingSessions(
      db,
      open.map(({ watcher }) => watcher),
    );
    const right = new Set(found.map(pairOf));
    for (const { watcher, stream } of open) {
      if (!right.has(pairOf(watcher))) stream.push(null);
    }
  };

  const round = async (): Promise<void> => {
    const now = performance.now();
    if (now - commented_at >= limits.comment_ms) {
      commented_at = now;
      for (const one of all()) send(one, ':\n\n');
    }
    try {
      if (now - checked_at >= limits.session_check_ms) {
        await checkSessions();
        checked_at = now;
      }
      // The looks take turns: the pages that people load come first.
      for (const group of watched.values()) await look(group);
    } catch (error) {
      if (!isDatabaseUnavailable(error)) log({ part: 'live-pages', error: String(error) });
    }
  };

  const schedule = (): void => {
    if (timer || is_closed || count === 0) return;
    timer = setTimeout(() => {
      void round().finally(() => {
        timer = undefined;
        schedule();
      });
    }, limits.interval_ms);
    timer.unref();
  };

  return {
    watch(topic, watcher) {
      const { login_id } = watcher;
      const of_person = per_person.get(login_id) ?? 0;
      if (is_closed || of_person >= limits.per_person) return undefined;
      if (count >= limits.per_process && !takePlace(of_person + 1)) return undefined;
      const stream = new Readable({ read: () => undefined });
      const one: Open = { watcher, stream, version: watcher.version };
      const group = watched.get(topic.key) ?? {
        topic: topic as LiveTopic<unknown>,
        open: new Set(),
      };
      group.open.add(one);
      watched.set(topic.key, group);
      count += 1;
      per_person.set(login_id, of_person + 1);
      stream.once('close', () => forget(topic.key, one));
      stream.push(`retry: ${RETRY_MS}\n\n`);
      schedule();
      return stream;
    },
    close() {
      is_closed = true;
      clearTimeout(timer);
      for (const { stream } of all()) stream.push(null);
    },
  };
}

function pairOf({ session_id, user_id }: SessionAccountPair): string {
  return `${session_id}/${user_id}`;
}

// JSON has no line breaks of its own, so one `data` line holds it.
function eventText(version: string, parts: Readonly<Record<string, string>>): string {
  return `id: ${version}\nevent: parts\ndata: ${JSON.stringify(parts)}\n\n`;
}

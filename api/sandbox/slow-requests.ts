// Requests that are slow because they were ordered to be. They hold a socket and nothing else; an account may have
// few of them in a process, and a process that stops waits for none.

import type { ServerResponse } from 'node:http';
import { createLimit } from '../../domain/limit';
import { Refusal } from '../../domain/refusal';

/** An account may have so many at once in a process: as many as a test needs, and few beside a server's sockets. */
export const MAX_SLOW = 20;

/** An account may have so many in a minute in a process: what is counted nowhere must not be a way to call without end. */
export const MAX_UNCOUNTED = 60;

/** Resolves after so many ms, or once its caller has hung up; with false when the process stops before. */
export type Wait = (ms: number) => Promise<boolean>;

export interface SlowRequests {
  /** Calls `work`, which may wait before it answers by `response`. @throws Refusal rate_limited when MAX_SLOW of the account do already */
  run<T>(user_id: string, response: ServerResponse, work: (wait: Wait) => Promise<T>): Promise<T>;
  /** False when MAX_UNCOUNTED requests of the account were given back in this minute. */
  mayUncount(user_id: string): boolean;
  close(): void;
}

export function createSlowRequests(): SlowRequests {
  const limit = createLimit({ each: MAX_SLOW });
  const waiting = new Set<(is_over: boolean) => void>();
  const uncounted = new Map<string, number>();
  let minute = 0;
  let is_closed = false;
  const wait = (ms: number, response: ServerResponse): Promise<boolean> =>
    new Promise((resolve) => {
      const end = (is_over: boolean): void => {
        clearTimeout(timer);
        waiting.delete(end);
        resolve(is_over);
      };
      const timer = setTimeout(() => end(true), is_closed || response.closed ? 0 : ms);
      waiting.add(end);
      response.once('close', () => end(true));
    });
  return {
    async run(user_id, response, work) {
      const leave = limit.enter(user_id);
      if (!leave) throw tooManySlow();
      try {
        return await work((ms) => wait(ms, response));
      } finally {
        leave();
      }
    },
    mayUncount(user_id) {
      const now = Math.floor(performance.now() / 60_000);
      if (now !== minute) uncounted.clear();
      minute = now;
      const count = (uncounted.get(user_id) ?? 0) + 1;
      uncounted.set(user_id, count);
      return count <= MAX_UNCOUNTED;
    },
    close() {
      is_closed = true;
      for (const end of waiting) end(false);
    },
  };
}

function tooManySlow(): Refusal {
  return new Refusal('rate_limited', {
    message: `${MAX_SLOW} requests of this account are slow already, as they were ordered to be. Wait until one is over.`,
    retry_after_seconds: 1,
  });
}

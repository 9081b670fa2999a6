// How much a person who is signed in may ask for in a minute, counted in this process's memory:
// anyone can sign up, pages cost queries, and each form leaves a row that is kept. A `look` is asked for by a page
// that updates by itself: it takes none of the person's pages.

import { performance } from 'node:perf_hooks';
import type { SessionRow } from '../db/people/sessions';
import { createMinuteCounter } from '../domain/minute-counter';

/**
 * The limits of one session and process: far more than a person opens or sends, or than ten windows side by side look
 * at, far less than what disturbs others.
 */
const PER_MINUTE = { page: 600, form: 120, look: 300 } as const;
/**
 * The limit of all sessions of a person is larger: a thief of one cannot keep the owner from ending
 * it.
 */
const TIMES_OF_PERSON = 4;

export interface Visits {
  /** Counts one. Returns 0 when it is allowed, else the whole seconds after which one will be. */
  take(kind: keyof typeof PER_MINUTE, session: Pick<SessionRow, 'id' | 'login_id'>): number;
}

export function createVisits(now: () => number = () => performance.now()): Visits {
  const counter = createMinuteCounter(now);
  return {
    take(kind, { id, login_id }) {
      const most = PER_MINUTE[kind];
      return counter.take(
        { name: `${kind} of session ${id}`, most },
        { name: `${kind} of person ${login_id}`, most: most * TIMES_OF_PERSON },
      );
    },
  };
}

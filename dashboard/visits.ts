// How much somebody who is signed in may ask for in a minute, counted in this process's memory: everybody can
// sign up, pages cost queries, and each form leaves a row that is kept.

import { performance } from 'node:perf_hooks';
import { createMinuteCounter } from '../api/rate-limits/minute-counter';
import type { SessionRow } from '../db/sessions';

/** Of one session and process: far more than somebody opens or sends, far less than what disturbs others. */
const PER_MINUTE = { page: 600, form: 120 } as const;
/** Of all sessions of a person: whoever has stolen one does not keep the owner from ending it. */
const TIMES_OF_PERSON = 4;

export interface Visits {
  /** Counts one. Zero when it is allowed, else the whole seconds after which one will be. */
  take(kind: 'page' | 'form', session: Pick<SessionRow, 'id' | 'login_id'>): number;
}

export function createVisits(now: () => number = () => performance.now()): Visits {
  const counters = (limit: number) => ({
    of_session: createMinuteCounter(limit, now),
    of_person: createMinuteCounter(limit * TIMES_OF_PERSON, now),
  });
  const by_kind = { page: counters(PER_MINUTE.page), form: counters(PER_MINUTE.form) };
  return {
    take(kind, { id, login_id }) {
      const { of_session, of_person } = by_kind[kind];
      return of_session.take(id) || of_person.take(login_id);
    },
  };
}

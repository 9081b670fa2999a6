// Ends intents that expire together. The workflow of an intent ends it when its timer fires; when thousands
// do so at one instant, Temporal takes minutes to come to the last. So whatever is still there a second
// after its time is ended here, many in one statement, and its workflow finds it ended.
//
// What cannot be ended at once (a payment that is pending, a gateway that fails) is left to the intent's
// workflow, which goes on asking. So the sweep comes to each intent once, and nothing depends on it.

import {
  expireIntents,
  leaveExpiredIntents,
  listDueIntents,
  takeExpiryLease,
  type Expired,
} from '../db/expiries';
import { isDatabaseUnavailable, isRefused } from '../db/errors';
import { endIntent, type StoredIntent } from '../db/intents';
import type { Environment } from '../domain/environment';
import { isTerminal } from '../domain/intent';
import type { Metrics } from '../telemetry/metrics';
import { nullAfter } from './places';
import { closeSession, type CheckoutDependencies } from './checkouts';

export interface ExpirySweepDependencies extends CheckoutDependencies {
  readonly metrics: Pick<Metrics, 'countIntentEnd'>;
  /** Tells operators what went wrong. */
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** Until then an intent's own workflow ends it: alone it needs no sweep. */
const OVERDUE_MS = 1_000;
/** In one statement, which holds the event counters of their accounts: some ten milliseconds. */
const BATCH = 64;
/** Requests to the gateway at once. */
const AT_ONCE = 16;
/** The others of its batch do not wait longer for one whose request hangs. */
const CLOSED_WITHIN_MS = 2_000;
/** So many faults of the gateway in a row end a sweep, and this is the pause after it. */
const FAULTS_IN_A_ROW = 5;
const PAUSE_MS = 15_000;
/** Longer than a batch. When two processes sweep at once, they do the same work, and the rows decide. */
const LEASE_MS = 15_000;

/** One environment: what one gateway does is nothing to the other's. */
export function createExpirySweep(
  dependencies: ExpirySweepDependencies,
  environment: Environment,
): (signal: AbortSignal) => Promise<void> {
  const { db, log } = dependencies;
  const holder = crypto.randomUUID();
  let paused_until = 0;
  return async (signal) => {
    while (!signal.aborted && performance.now() >= paused_until) {
      const due = await listDueIntents(db, environment, { overdue_ms: OVERDUE_MS, limit: BATCH });
      if (due.length === 0) return;
      if (!(await takeExpiryLease(db, environment, holder, LEASE_MS))) return;
      const { closed, left, is_failing } = await closeSessions(dependencies, due, signal);
      let ended: ReadonlySet<string> = new Set();
      try {
        ended = await endTogether(dependencies, closed);
      } finally {
        const others = [...left, ...closed].filter(({ id }) => !ended.has(id));
        await leaveExpiredIntents(
          db,
          others.map(({ id }) => id),
        );
      }
      if (is_failing) {
        paused_until = performance.now() + PAUSE_MS;
        log({ part: 'expiry-sweep', environment, error: 'the gateway fails' });
      }
      // What somebody holds at this moment could not even be left: it is looked at again in the next turn.
      if (due.length < BATCH || ended.size === 0) return;
    }
  };
}

interface ClosedSessions {
  /** To be ended. */
  readonly closed: StoredIntent[];
  /** To be left to their workflows. */
  readonly left: StoredIntent[];
  /** Then there are some that are in neither. */
  readonly is_failing: boolean;
}

async function closeSessions(
  dependencies: ExpirySweepDependencies,
  due: readonly StoredIntent[],
  signal: AbortSignal,
): Promise<ClosedSessions> {
  const rest = [...due];
  const closed: StoredIntent[] = [];
  const left: StoredIntent[] = [];
  let faults = 0;
  const closeNext = async (): Promise<void> => {
    while (faults < FAULTS_IN_A_ROW && !signal.aborted) {
      const intent = rest.shift();
      if (!intent) return;
      const outcome = await closeOne(dependencies, intent);
      faults = outcome === 'fault' ? faults + 1 : 0;
      (outcome === 'closed' ? closed : left).push(intent);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, closeNext));
  return { closed, left, is_failing: faults >= FAULTS_IN_A_ROW };
}

async function closeOne(
  dependencies: ExpirySweepDependencies,
  intent: StoredIntent,
): Promise<'closed' | 'left' | 'fault'> {
  // Of a gateway that is no longer configured: that says nothing about the one that is.
  if (dependencies.gateways[intent.environment]?.name !== intent.gateway) return 'left';
  try {
    const session = await nullAfter(CLOSED_WITHIN_MS, closeSession(dependencies, intent));
    if (session === null) return 'fault';
    if ('fault' in session) return session.fault === 'refused' ? 'left' : 'fault';
    return session.is_paying || isTerminal(session.status) ? 'left' : 'closed';
  } catch (error) {
    // Without Postgres there is nothing to sweep; what it refuses of one intent is no matter of the others.
    if (isDatabaseUnavailable(error)) throw error;
    dependencies.log({ part: 'expiry-sweep', intent: intent.id, error: String(error) });
    return 'left';
  }
}

/** Returns the ids of those that it has ended. */
async function endTogether(
  dependencies: ExpirySweepDependencies,
  intents: readonly StoredIntent[],
): Promise<ReadonlySet<string>> {
  if (intents.length === 0) return new Set();
  const { db, metrics, pay_url_base, waker } = dependencies;
  const expired = await expireIntents(db, intents, pay_url_base).catch((error: unknown) => {
    if (!isRefused(error)) throw error;
    // One of them is to blame, and the others must not wait for it.
    return endOneByOne(dependencies, intents);
  });
  waker.wake(expired.flatMap(({ wake }) => wake));
  const ended = new Set(expired.map(({ id }) => id));
  for (const { id, environment } of intents) {
    if (ended.has(id)) metrics.countIntentEnd(environment, 'expired');
  }
  return ended;
}

async function endOneByOne(
  { db, pay_url_base, log }: ExpirySweepDependencies,
  intents: readonly StoredIntent[],
): Promise<Expired[]> {
  const expired: Expired[] = [];
  for (const intent of intents) {
    const { id } = intent;
    try {
      const { status, wake } = await endIntent(db, id, 'expired', pay_url_base, intent);
      if (status === 'expired') expired.push({ id, wake });
    } catch (error) {
      if (!isRefused(error)) throw error;
      log({ part: 'expiry-sweep', intent: id, error: String(error) });
    }
  }
  return expired;
}

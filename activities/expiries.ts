// Ends intents that have expired, and nothing else does: each after its session at the gateway was closed,
// many in one statement. One that cannot be ended yet (a payment is pending, the gateway fails) is tried again
// after a pause that doubles. The intent's workflow looks at the row and ends when the intent has.

import { isDatabaseUnavailable } from '../db/errors';
import {
  abandonLostIntents,
  claimDueIntents,
  expireIntents,
  listCutOffIntents,
} from '../db/payment-intents/expiries';
import type { StoredIntent } from '../db/payment-intents/intents';
import { ENVIRONMENTS } from '../domain/environment';
import { isTerminal } from '../domain/intent';
import { forEach } from '../domain/limit';
import type { Gateway } from '../gateway/port';
import type { Metrics } from '../telemetry/metrics';
import type { TellIntentEnded } from '../temporal/payment-intents';
import { closeSession, type CheckoutDependencies } from './checkouts';

export interface ExpiryDependencies extends CheckoutDependencies {
  readonly metrics: Pick<Metrics, 'countIntentEnd'>;
  readonly tellIntentEnded: TellIntentEnded;
  /** Tells operators what went wrong. */
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/**
 * Intents in one statement, which holds the event counters of their accounts: some ten
 * milliseconds.
 */
const BATCH = 64;
/** Requests to the gateway at once. */
const AT_ONCE = 16;
/** So many faults of the gateway in a row end a turn, and this is the pause after it. */
const FAULTS_IN_A_ROW = 5;
const PAUSE_MS = 5_000;

/** A turn of the job: it ends what is due at one gateway. */
export function createExpiryJob(
  dependencies: ExpiryDependencies,
  gateway: Pick<Gateway, 'environment' | 'name'>,
): (signal: AbortSignal) => Promise<void> {
  const { environment, name } = gateway;
  let paused_until = 0;
  return async (signal) => {
    while (!signal.aborted && performance.now() >= paused_until) {
      const due = await claimDueIntents(dependencies.db, gateway, BATCH);
      const { closed, is_failing } = await closeSessions(dependencies, due, signal);
      await endTogether(dependencies, closed);
      if (is_failing) {
        paused_until = performance.now() + PAUSE_MS;
        dependencies.log({
          part: 'expiries',
          environment,
          gateway: name,
          error: 'the gateway fails',
        });
      }
      if (due.length < BATCH) return;
    }
  };
}

/**
 * A turn of the job for what no gateway closes: intents that were never opened, and those whose gateway is no longer
 * configured. What a customer pays there all the same is told to nobody here.
 */
export async function endCutOff(
  dependencies: ExpiryDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { db, gateways } = dependencies;
  await abandonLostIntents(db);
  for (const environment of ENVIRONMENTS) {
    const names = gateways[environment].map(({ name }) => name);
    for (let ended = BATCH; ended === BATCH && !signal.aborted;) {
      const cut_off = await listCutOffIntents(db, environment, names, BATCH);
      ended = await endTogether(dependencies, cut_off);
    }
  }
}

interface ClosedSessions {
  readonly closed: StoredIntent[];
  readonly is_failing: boolean;
}

async function closeSessions(
  dependencies: ExpiryDependencies,
  due: readonly StoredIntent[],
  signal: AbortSignal,
): Promise<ClosedSessions> {
  const closed: StoredIntent[] = [];
  let faults = 0;
  await forEach(due, AT_ONCE, async (intent) => {
    if (faults >= FAULTS_IN_A_ROW || signal.aborted) return;
    const outcome = await closeOne(dependencies, intent);
    faults = outcome === 'fault' ? faults + 1 : 0;
    if (outcome === 'closed') closed.push(intent);
  });
  return { closed, is_failing: faults >= FAULTS_IN_A_ROW };
}

async function closeOne(
  dependencies: ExpiryDependencies,
  intent: StoredIntent,
): Promise<'closed' | 'not_yet' | 'fault'> {
  try {
    const session = await closeSession(dependencies, intent);
    if ('fault' in session) return session.fault === 'refused' ? 'not_yet' : 'fault';
    return session.is_paying || isTerminal(session.status) ? 'not_yet' : 'closed';
  } catch (error) {
    logUnlessUnavailable(dependencies, intent, error);
    return 'not_yet';
  }
}

async function endTogether(
  dependencies: ExpiryDependencies,
  intents: readonly StoredIntent[],
): Promise<number> {
  if (intents.length === 0) return 0;
  const { db, metrics, pay_url_base } = dependencies;
  const expired = await expireIntents(db, intents, pay_url_base).catch((error: unknown) => {
    if (isDatabaseUnavailable(error)) throw error;
    // One of them is to blame, and the others must not wait for it.
    return endOneByOne(dependencies, intents);
  });
  const ended = new Set(expired);
  for (const { id, environment } of intents) {
    if (ended.has(id)) metrics.countIntentEnd(environment, 'expired');
  }
  await forEach(intents, AT_ONCE, async (intent) => {
    // The workflow of any other looks at its row by itself, at about this moment.
    if (intent.clock_seconds !== null && ended.has(intent.id)) await tellEnd(dependencies, intent);
  });
  return ended.size;
}

/** One that is not told looks when the intent would have ended without the move. */
async function tellEnd(
  { log, tellIntentEnded }: ExpiryDependencies,
  intent: StoredIntent,
): Promise<void> {
  await tellIntentEnded(intent).catch((error: unknown) =>
    log({ part: 'expiries', intent: intent.id, error: String(error) }),
  );
}

async function endOneByOne(
  dependencies: ExpiryDependencies,
  intents: readonly StoredIntent[],
): Promise<string[]> {
  const { db, pay_url_base } = dependencies;
  const expired: string[] = [];
  for (const intent of intents) {
    try {
      expired.push(...(await expireIntents(db, [intent], pay_url_base)));
    } catch (error) {
      logUnlessUnavailable(dependencies, intent, error);
    }
  }
  return expired;
}

/** @throws when Postgres is away: what it refuses of one intent concerns no other. */
function logUnlessUnavailable(
  { log }: ExpiryDependencies,
  { id }: StoredIntent,
  error: unknown,
): void {
  if (isDatabaseUnavailable(error)) throw error;
  log({ part: 'expiries', intent: id, error: String(error) });
}

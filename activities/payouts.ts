// Follows payouts. The order is a row, and without one this activity asks no provider for anything, however its
// workflow was started. What is booked is what the provider says about its payout; what it does not say is unknown.

import type { Db } from '../db/connect';
import {
  beginAskingPayout,
  beginSendingAgain,
  getPayout,
  recordPayoutAnswer,
  recordPayoutCheck,
  recordPayoutFault,
  type PayoutAsk,
  type StoredPayout,
} from '../db/payouts/payouts';
import { GatewayError } from '../domain/gateway-error';
import type { Minor } from '../domain/money';
import {
  destinationOf,
  shownName,
  type PayoutFailure,
  type PayoutStage,
  type PayoutState,
  type PayoutStatus,
} from '../domain/payout';
import {
  findPayoutProvider,
  type PayoutOrder,
  type PayoutProvider,
  type PayoutProviders,
} from '../gateway/payout-port';
import type { EndpointWaker } from '../temporal/webhook-endpoints';
import { withHeartbeats } from './heartbeats';
import { withOrderedFault } from './ordered-faults';
import { forRows } from './rows';

export interface PayoutActivityDependencies {
  readonly db: Db;
  readonly payout_providers: PayoutProviders;
  /** Called after the commit that made an event. */
  readonly waker: EndpointWaker;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** The state of a payout; the provider's words are in the database, not in the workflow's history. */
export interface PayoutProgress {
  readonly status: PayoutStatus;
  readonly stage: PayoutStage | null;
  /** `people`: an approval or a confirmation. `provider`: it has not finished. */
  readonly waits_for: 'people' | 'provider' | null;
  /** Until its wait for people or in a queue ends. */
  readonly remaining_ms: number;
}

/**
 * What could not be sent by then is not sent: this process stood still, and another may have asked since, or an
 * operator may have ended the payout.
 */
const SENT_WITHIN_MS = 10_000;

const NOT_IN_TIME = 'The process stood still for too long, and has not asked.';

export function createPayoutActivities(dependencies: PayoutActivityDependencies) {
  const { db, waker } = dependencies;
  return withHeartbeats(
    forRows(dependencies, 'payout', {
      /** Asks the provider once, and books its answer. */
      async followPayout(id: string): Promise<PayoutProgress> {
        const payout = await getPayout(db, id);
        const provider = findPayoutProvider(dependencies.payout_providers, payout);
        await followClock(dependencies, provider, payout);
        // Without a match it is not sent (begin_asking_payout).
        if (payout.is_check_due) await checkName(dependencies, provider, payout);
        const begun_at = performance.now();
        const ask = await beginAskingPayout(db, id);
        if (ask !== undefined) {
          const answer = await askProvider(dependencies, provider, { payout, ask, begun_at });
          if ('fault' in answer) {
            await recordPayoutFault(db, id, ask.asks, answer.fault, answer.nothing_done);
          } else {
            const recorded = await recordPayoutAnswer(db, id, ask.asks, answer);
            waker.wake(recorded.wake);
            if (recorded.is_contradiction) tellContradiction(dependencies, payout);
          }
        }
        return progressOf(await getPayout(db, id));
      },
    }),
  );
}

export type PayoutActivities = ReturnType<typeof createPayoutActivities>;

/** What its account's clock has passed has happened at a simulator as well, whatever died after the move. */
async function followClock(
  { log }: PayoutActivityDependencies,
  provider: PayoutProvider | undefined,
  { environment, user_id, clock_seconds, reference }: StoredPayout,
): Promise<void> {
  if (environment !== 'sandbox' || clock_seconds === null || !provider?.followClock) return;
  try {
    await provider.followClock({ account: user_id, clock_seconds });
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    log({ part: 'payouts', payout: reference, error: error.message });
  }
}

function tellContradiction(
  { log }: Pick<PayoutActivityDependencies, 'log'>,
  { reference }: Pick<StoredPayout, 'reference'>,
): void {
  const error = 'the provider has paid a payout whose money was given back';
  log({ part: 'payouts', payout: reference, error });
}

function progressOf({ status, stage, remaining_ms }: StoredPayout): PayoutProgress {
  const waits_for =
    status === 'pending' ? 'provider' : status.startsWith('requires') ? 'people' : null;
  return { status, stage, waits_for, remaining_ms: Math.max(0, Math.ceil(remaining_ms)) };
}

/** A provider that does not answer is asked again. */
async function checkName(
  { db, waker }: PayoutActivityDependencies,
  provider: PayoutProvider | undefined,
  payout: StoredPayout,
): Promise<void> {
  if (!provider) return;
  const name = payout.compared_name ?? payout.holder;
  const destination = destinationOf(payout);
  let found;
  try {
    found = await provider.check({ destination, currency: payout.currency, name });
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return;
  }
  const shown = shownName(name, found?.name_found ?? null);
  const failure: PayoutFailure | null =
    shown.name_match === 'match'
      ? null
      : {
          code: 'name_mismatch',
          message: 'The recipient has another name, or none that is known.',
          provider_code: null,
        };
  const { wake } = await recordPayoutCheck(db, payout.id, shown, failure);
  if (wake !== null) waker.wake(wake);
}

interface Question {
  readonly payout: StoredPayout;
  readonly ask: PayoutAsk;
  readonly begun_at: number;
}

/** `nothing_done`: the provider has not got it, now or before. */
type Answer = PayoutState | { readonly fault: string; readonly nothing_done: boolean };

async function askProvider(
  { db }: PayoutActivityDependencies,
  provider: PayoutProvider | undefined,
  { payout, ask, begun_at }: Question,
): Promise<Answer> {
  const is_first = ask.action === 'send';
  if (!provider) {
    const fault = `The provider ${payout.provider} is not configured.`;
    return { fault, nothing_done: is_first };
  }
  const isLate = (): boolean => performance.now() - begun_at > SENT_WITHIN_MS;
  if (isLate()) return { fault: NOT_IN_TIME, nothing_done: is_first };
  try {
    const call = <T>(first: () => Promise<T>): Promise<T> => withOrderedFault(db, payout, first);
    if (is_first) return await call(() => provider.send(orderOf(payout)));
    if (ask.action === 'cancel' && provider.cancelQueued) {
      return await call(() => provider.cancelQueued!(payout.id));
    }
    const found = await call(() => provider.find(payout.id));
    if (found !== 'never_seen') return found;
    const fault = 'The provider has never seen it.';
    const may_send =
      maySendAgain(provider, ask) && (await beginSendingAgain(db, payout.id, ask.asks));
    if (!may_send || isLate()) return { fault, nothing_done: false };
    return await provider.send(orderOf(payout));
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const nothing_done = is_first && error.outcome === 'not_done';
    return { fault: error.message, nothing_done };
  }
}

/** Whether a second order cannot be a second payment. */
function maySendAgain({ promises }: PayoutProvider, { send_age_s }: PayoutAsk): boolean {
  const { idempotent_by_id, not_found_is_final_after_s } = promises;
  if (idempotent_by_id) return true;
  if (not_found_is_final_after_s === null) return false;
  // The order may have left as late as SENT_WITHIN_MS after it was to be sent.
  return (send_age_s ?? 0) > not_found_is_final_after_s + SENT_WITHIN_MS / 1_000;
}

function orderOf(payout: StoredPayout): PayoutOrder {
  const { id, reference, currency, compared_name, description } = payout;
  const amount = payout.amount_minor as Minor;
  const destination = destinationOf(payout);
  const order = { id, reference, amount, currency, destination, name: compared_name, description };
  if (payout.environment === 'live') return order;
  return { ...order, clock: { account: payout.user_id, clock_seconds: payout.clock_seconds ?? 0 } };
}

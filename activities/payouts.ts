// Asks providers about payouts. What is booked is what the provider says about its payout; what it does not say is
// unknown.

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
import { waitForUnknown } from '../db/transfers/recipients';
import { GatewayError } from '../domain/gateway-error';
import type { Minor } from '../domain/money';
import { destinationOf, type PayoutFailure, type PayoutState } from '../domain/payout';
import { ended, pauseAfter, type Pauses, type Progress } from '../domain/pursuit';
import {
  findPayoutProvider,
  type PayoutOrder,
  type PayoutProvider,
  type PayoutProviders,
} from '../gateway/payout-port';
import { tellName } from '../use-cases/payouts/destination';
import { beginQuestion, type Send } from '../use-cases/questions';

export interface PayoutActivityDependencies {
  readonly db: Db;
  readonly payout_providers: PayoutProviders;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

const PAUSES: Pauses = { first_ms: 5_000, longest_ms: 3_600_000 };
/** A provider that takes no orders may be back at any moment. */
const QUEUE_PAUSES: Pauses = { ...PAUSES, longest_ms: 60_000 };
/** A clock that is a little ahead of the database's would ask too early. */
const EXPIRED_FOR_MS = 1_000;

export async function followPayout(
  dependencies: PayoutActivityDependencies,
  id: string,
): Promise<Progress> {
  const { db } = dependencies;
  const payout = await getPayout(db, id);
  const provider = findPayoutProvider(dependencies.payout_providers, payout);
  await followClock(dependencies, provider, payout);
  // Without a match it is not sent (begin_asking_payout).
  if (payout.is_check_due) await checkName(dependencies, provider, payout);
  const [ask, send] = await beginQuestion(db, () => beginAskingPayout(db, id));
  if (ask !== undefined) {
    const answer = await askProvider(dependencies, provider, { payout, ask, send });
    if ('fault' in answer) {
      await recordPayoutFault(db, id, ask.asks, answer.fault, answer.nothing_done);
    } else {
      const { is_contradiction } = await recordPayoutAnswer(db, id, ask.asks, answer);
      if (is_contradiction) tellContradiction(dependencies, payout);
    }
  }
  return progressOf(await getPayout(db, id));
}

/** Moves a simulator to its account's clock; a process may have died after the clock was moved. */
async function followClock(
  { log }: PayoutActivityDependencies,
  provider: PayoutProvider | undefined,
  { user_id, clock_seconds, reference }: StoredPayout,
): Promise<void> {
  if (clock_seconds === null || !provider?.followClock) return;
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

function progressOf({ status, stage, remaining_ms, asked_for_ms }: StoredPayout): Progress {
  if (status === 'pending') {
    const pause_ms = pauseAfter(asked_for_ms, stage === 'queued' ? QUEUE_PAUSES : PAUSES);
    return { status, waits_for: `the provider (${stage})`, pause_ms };
  }
  if (status !== 'held' && !status.startsWith('requires')) return ended(status);
  return { status, waits_for: 'people', pause_ms: Math.max(0, remaining_ms) + EXPIRED_FOR_MS };
}

/** A provider that does not answer is asked again. */
async function checkName(
  { db }: PayoutActivityDependencies,
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
  const told = await tellName(db, payout, destination, name, found?.name_found ?? null);
  // The order may have come past the limit of destinations that do not exist: another name would tell of one that does.
  const is_told = told.name_match === 'match' || (await waitForUnknown(db, payout)) === undefined;
  const shown = is_told ? told : ({ name_found: null, name_match: 'unavailable' } as const);
  const failure: PayoutFailure | null =
    shown.name_match === 'match'
      ? null
      : {
          code: 'name_mismatch',
          message: 'The recipient has another name, or none that is known.',
          provider_code: null,
        };
  await recordPayoutCheck(db, payout.id, shown, failure);
}

interface Question {
  readonly payout: StoredPayout;
  readonly ask: PayoutAsk;
  readonly send: Send;
}

/** `nothing_done`: this question has had nothing done, and will not. */
type Answer = PayoutState | { readonly fault: string; readonly nothing_done: boolean };

async function askProvider(
  { db }: PayoutActivityDependencies,
  provider: PayoutProvider | undefined,
  { payout, ask, send }: Question,
): Promise<Answer> {
  if (!provider) {
    return { fault: `The provider ${payout.provider} is not configured.`, nothing_done: true };
  }
  const order = (): Promise<PayoutState> => send(payout, () => provider.send(orderOf(payout)));
  try {
    if (ask.action === 'send') return await order();
    if (ask.action === 'cancel' && provider.cancelQueued) {
      return await send(payout, () => provider.cancelQueued!(payout.id));
    }
    const found = await send(payout, () => provider.find(payout.id));
    if (found !== 'never_seen') return found;
    const { promises } = provider;
    if (await beginSendingAgain(db, payout.id, ask.asks, promises)) return await order();
    return { fault: 'The provider has never seen it.', nothing_done: false };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { fault: error.message, nothing_done: error.outcome === 'not_done' };
  }
}

function orderOf(payout: StoredPayout): PayoutOrder {
  const { id, reference, currency, compared_name: name, description } = payout;
  const amount = payout.amount_minor as Minor;
  const destination = destinationOf(payout);
  const clock = { account: payout.user_id, clock_seconds: payout.clock_seconds ?? 0 };
  return { id, reference, amount, currency, destination, name, description, clock };
}

// Follows disputes of payments: asks the gateway about those that it has given notice of, books its answers, and
// takes what wallets owe for them. Everything is in rows, so a turn that is cut off is begun again.

import {
  claimDisputeNotices,
  DISPUTE_PROBLEMS,
  noteDisputeFault,
  recordDisputeAnswer,
  takeNextOwed,
  type DisputeQuestion,
} from '../db/disputes/disputes';
import type { Db } from '../db/connect';
import { isDatabaseUnavailable } from '../db/errors';
import type { Gateway } from '../gateway/port';

export interface DisputeDependencies {
  readonly db: Db;
  /** Tells operators what they have to look at. */
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

type AskedGateway = Pick<Gateway, 'name' | 'environment' | 'findDispute'>;

/** Disputes are rare: a turn seldom finds one. */
const AT_ONCE = 10;
/** Wallets in a turn; the next turn goes on. */
const TAKEN_AT_ONCE = 100;

/** A turn of the job of one gateway. */
export async function followDisputes(
  dependencies: DisputeDependencies,
  gateway: AskedGateway,
): Promise<void> {
  const questions = await claimDisputeNotices(dependencies.db, gateway, AT_ONCE);
  for (const question of questions) await ask(dependencies, gateway, question);
}

async function ask(
  { db, log }: DisputeDependencies,
  gateway: AskedGateway,
  question: DisputeQuestion,
): Promise<void> {
  const { dispute_id } = question;
  const about = {
    part: 'disputes',
    environment: gateway.environment,
    gateway: gateway.name,
    dispute: dispute_id,
  };
  try {
    const answer = await gateway.findDispute(dispute_id);
    const { outcome } = await recordDisputeAnswer(db, gateway, question, answer);
    if (DISPUTE_PROBLEMS.some((problem) => problem === outcome)) {
      log({ ...about, error: `nothing was booked: ${outcome}` });
    }
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    log({ ...about, error: String(error) });
    await noteDisputeFault(db, gateway, question, String(error));
  }
}

/** A turn of the job that takes what is owed, as soon as a wallet has it. */
export async function takeOwed(db: Db, signal: AbortSignal): Promise<void> {
  for (let taken = 0; taken < TAKEN_AT_ONCE && !signal.aborted; taken += 1) {
    if (!(await takeNextOwed(db))) return;
  }
}

// What becomes of a case of risk: an operator decides it, or its time is over. Afterwards the payout or the payment goes
// on by itself.

import type { Db } from '../db/connect';
import { isDatabaseUnavailable } from '../db/errors';
import {
  expireCase,
  findCase,
  listExpiredCases,
  type DecidedCase,
  type RiskCase,
} from '../db/risk/cases';
import { isUuid } from '../domain/ids';
import type { TellIntentEnded } from '../temporal/payment-intents';
import type { Pursue } from '../temporal/pursuits';
import type { ApprovalNeeded, Requesting } from './approvals';
import { changeOrRequest } from './settings';

export const CASE_REFUSALS = {
  case_not_found: 'There is no such case',
  case_decided: 'The case is decided already, or its time is over',
  account_frozen: 'An account of it is frozen: it stays held',
  limit_exceeded: 'The wallet cannot hold that much: it stays held',
} as const;
export type CaseRefusal = keyof typeof CASE_REFUSALS;

export interface CaseDependencies extends Waking {
  readonly requesting: Requesting;
  readonly pay_url_base: string;
}

/** A workflow that is not told looks by itself. */
export interface Waking {
  readonly pursue: Pursue;
  readonly tellIntentEnded: TellIntentEnded;
}

export type DecidedRisk =
  | { readonly ok: true; readonly decided: RiskCase }
  | { readonly ok: false; readonly error: 'refused'; readonly refusal: CaseRefusal }
  | ApprovalNeeded;

/** Above the limit another operator has to approve it. */
export async function decideCase(
  { requesting, pay_url_base, ...waking }: CaseDependencies,
  reference: string,
  decision: 'release' | 'refuse',
  reason: string,
): Promise<DecidedRisk> {
  const { db } = requesting;
  const done = await changeOrRequest<unknown, CaseRefusal>(requesting, {
    action: decision === 'release' ? 'risk.release' : 'risk.refuse',
    arguments: { reference, pay_url_base },
    reason,
  });
  if (!done.ok) return done;
  const decided = (await findCase(db, reference))!;
  await wakeSubject(waking, decided);
  return { ok: true, decided };
}

/** Has what the case is about go on. The case is decided: whatever fails here happens later by itself. */
export async function wakeSubject(
  { pursue, tellIntentEnded }: Waking,
  { subject_type, subject_id, environment }: DecidedCase,
): Promise<void> {
  if (subject_id === null || !isUuid(subject_id)) return;
  const told =
    subject_type === 'payout'
      ? pursue('payout', [subject_id])
      : subject_type === 'payment_intent' && tellIntentEnded({ id: subject_id, environment });
  await Promise.resolve(told).catch(() => undefined);
}

export interface ExpiringDependencies extends Waking {
  readonly db: Db;
  readonly pay_url_base: string;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

const AT_ONCE = 100;

/** A turn of the job that ends holds whose time is over. One that cannot be ended holds up no other. */
export async function expireCases(
  { db, pay_url_base, log, ...waking }: ExpiringDependencies,
  signal: AbortSignal,
): Promise<void> {
  for (const due of await listExpiredCases(db, AT_ONCE)) {
    if (signal.aborted) return;
    try {
      const outcome = await expireCase(db, due.reference, pay_url_base);
      if (outcome === 'done') await wakeSubject(waking, due);
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      log({ part: 'risk', case: due.reference, error: String(error) });
    }
  }
}

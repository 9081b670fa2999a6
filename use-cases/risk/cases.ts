// The end of a case of risk: an operator decides it, or its time is over. Afterwards the payout goes on.

import type { Db } from '../../db/connect';
import { isDatabaseUnavailable } from '../../db/errors';
import {
  expireCase,
  findCase,
  listExpiredCases,
  type DecidedCase,
  type RiskCase,
} from '../../db/risk/cases';
import type { Pursue } from '../../temporal/pursuits';
import type { ApprovalNeeded, Requesting } from '../approvals';
import { changeOrRequest } from '../settings';

export const CASE_REFUSALS = {
  case_not_found: 'There is no such case',
  case_decided: 'The case is decided already, or its time is over',
  account_frozen: 'An account of it is frozen: it stays held',
  account_questioned: 'An account of it has a case of its own that waits: decide that one first',
  limit_exceeded: 'The wallet cannot hold that much: it stays held',
} as const;
export type CaseRefusal = keyof typeof CASE_REFUSALS;

export interface CaseDependencies {
  readonly requesting: Requesting;
  readonly pay_url_base: string;
  readonly pursue: Pursue;
}

export type DecidedRisk =
  | { readonly ok: true; readonly decided: RiskCase }
  | { readonly ok: false; readonly error: 'refused'; readonly refusal: CaseRefusal }
  | ApprovalNeeded;

/** Above the limit another operator has to approve it. */
export async function decideCase(
  { requesting, pay_url_base, pursue }: CaseDependencies,
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
  await wakePayout(pursue, decided);
  return { ok: true, decided };
}

/** Its workflow goes on by itself if this fails; that of an intent looks at its row. */
export async function wakePayout(
  pursue: Pursue,
  { subject_type, subject_id }: DecidedCase,
): Promise<void> {
  if (subject_type !== 'payout' || subject_id === null) return;
  await pursue('payout', [subject_id]).catch(() => undefined);
}

export interface ExpiringDependencies {
  readonly db: Db;
  readonly pursue: Pursue;
  readonly pay_url_base: string;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

const AT_ONCE = 100;

/** A turn of the job that ends holds whose time is over. One that cannot be ended holds up no other. */
export async function expireCases(
  { db, pay_url_base, log, pursue }: ExpiringDependencies,
  signal: AbortSignal,
): Promise<void> {
  for (const due of await listExpiredCases(db, AT_ONCE)) {
    if (signal.aborted) return;
    try {
      const outcome = await expireCase(db, due.reference, pay_url_base);
      if (outcome === 'done') await wakePayout(pursue, due);
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      log({ part: 'risk', case: due.reference, error: String(error) });
    }
  }
}

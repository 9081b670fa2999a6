// One check of a reconciliation: its row, what it reports, and how it ends. What goes wrong on the
// way is a result too: `not_checked` is never taken for clean.

import { asyncLocalStorage } from '@temporalio/activity';
import type { Db } from '../../db/connect';
import {
  addReconciliationFindings,
  beginReconciliationCheck,
  endReconciliationCheck,
  findReconciliation,
  type CheckedTime,
} from '../../db/reconciliation/reconciliations';
import { GatewayError } from '../../domain/gateway-error';
import {
  needsAttention,
  type Finding,
  type ReconciliationCheck,
} from '../../domain/reconciliation';

export interface CheckDependencies {
  readonly db: Db;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

export interface CheckOrder {
  readonly id: bigint;
  readonly check: ReconciliationCheck;
  readonly since: string | null;
  /** Compared once more: what was under way at the end of the last one. */
  readonly overlap_seconds: number;
}

export interface CheckRun {
  readonly time: CheckedTime;
  /** Kept at once: a step that is broken off and repeated has lost nothing, above all no repair. */
  readonly report: (...findings: readonly Finding[]) => Promise<void>;
  /** Adds to the number of things that were compared. */
  readonly count: (compared: number) => void;
  /** Called between two pages. @throws when the process stops: another one repeats the step */
  readonly goOn: () => void;
}

/** The rest cannot be compared; the message says why, for operators. */
export class NotChecked extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NotChecked';
  }
}

/** The workflow shows it. */
export interface CheckSummary {
  readonly check: ReconciliationCheck;
  readonly status: string;
  readonly found: number;
  readonly repaired: number;
}

/** `work` returns false when there is nothing to compare with. */
export async function runCheck(
  dependencies: CheckDependencies,
  order: CheckOrder,
  work: (run: CheckRun) => Promise<boolean>,
): Promise<CheckSummary> {
  const { db } = dependencies;
  const { id, check } = order;
  const time = await beginReconciliationCheck(db, order);
  // The run is over, or never began: the step was started by hand.
  if (time === undefined) return { check, status: 'unknown', found: 0, repaired: 0 };
  let compared = 0;
  const run: CheckRun = {
    time,
    report: (...findings) => addReconciliationFindings(db, id, check, findings),
    count: (more) => void (compared += more),
    goOn: () => asyncLocalStorage.getStore()?.cancellationSignal.throwIfAborted(),
  };
  try {
    const outcome = (await work(run)) ? 'compared' : 'not_configured';
    await endReconciliationCheck(db, id, check, { outcome, compared, why: null });
  } catch (error) {
    if (!(error instanceof NotChecked || error instanceof GatewayError)) throw error;
    const end = { outcome: 'not_checked', compared, why: error.message } as const;
    await endReconciliationCheck(db, id, check, end);
  }
  return tellOperators(dependencies, id, check);
}

/** Writes a line to the log when an operator has something to look at. */
export async function tellOperators(
  { db, log }: CheckDependencies,
  id: bigint,
  check: ReconciliationCheck,
): Promise<CheckSummary> {
  const found = await findReconciliation(db, id);
  const result = found?.checks.find(({ name }) => name === check);
  if (result === undefined) return { check, status: 'unknown', found: 0, repaired: 0 };
  if (needsAttention(result)) {
    log({
      part: 'reconciliation',
      reconciliation: String(id),
      check,
      status: result.status,
      found: Number(result.found),
      repaired: Number(result.repaired),
      ...(result.detail === null ? {} : { detail: result.detail }),
    });
  }
  const { status } = result;
  return { check, status, found: Number(result.found), repaired: Number(result.repaired) };
}

/**
 * Splits the time from one instant to the other into pieces of this length; the last one may be
 * shorter.
 */
export function pieces({ from, to }: CheckedTime, length_ms: number): CheckedTime[] {
  const [begin, end] = [Date.parse(from), Date.parse(to)];
  const found: CheckedTime[] = [];
  for (let at = begin; at < end; at += length_ms) {
    const piece_end = Math.min(at + length_ms, end);
    found.push({
      from: at === begin ? from : new Date(at).toISOString(),
      to: piece_end === end ? to : new Date(piece_end).toISOString(),
    });
  }
  return found;
}

/**
 * The time without its last moments, in which things are under way; undefined when nothing is left
 * of it.
 */
export function settledTime({ from, to }: CheckedTime, grace_ms: number): CheckedTime | undefined {
  const end = Date.parse(to) - grace_ms;
  return end > Date.parse(from) ? { from, to: new Date(end).toISOString() } : undefined;
}

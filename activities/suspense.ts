// Refunds money that no payment intent could take, when an operator has ordered it: the order is a
// row, and without one nothing is asked of a gateway, however the workflow was started. What is booked is what the gateway says about its refund.

import type { Db } from '../db/connect';
import {
  beginAskingRefund,
  findSuspense,
  recordRefundAnswer,
  recordRefundFault,
  type RefundAnswer,
  type RefundQuestion,
  type SuspenseItem,
} from '../db/suspense/suspense';
import { isRowId } from '../domain/ids';
import type { Gateways } from '../gateway/port';
import { withHeartbeats } from './heartbeats';
import { askAboutRefund, type KnownAnswer } from './refund-questions';
import { refuseMessage } from './refused-messages';

export interface SuspenseActivityDependencies {
  readonly db: Db;
  readonly gateways: Gateways;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/**
 * The state of a refund; the gateway's words are in the database, not in the workflow's history.
 */
export interface RefundProgress {
  readonly status: SuspenseItem['status'] | 'unknown_item';
  /** `gateway`: it could not be asked. `refund`: the gateway has not finished it. */
  readonly waits_for: 'gateway' | 'refund' | null;
}

export function createSuspenseActivities(dependencies: SuspenseActivityDependencies) {
  const { db } = dependencies;

  async function followRefund(item_id: string): Promise<RefundProgress> {
    const item = isRowId(item_id) ? await findSuspense(db, item_id) : undefined;
    if (!item) {
      refuseMessage(dependencies, { message: 'refund', references: [item_id] });
      return { status: 'unknown_item', waits_for: null };
    }
    const begun_at = performance.now();
    const questions = await beginAskingRefund(db, item_id);
    if (questions.length === 0) {
      if (item.refund === null) {
        dependencies.log({ part: 'suspense', item_id, error: 'nobody has ordered this refund' });
      }
      return { status: item.status, waits_for: null };
    }
    let waits_for: RefundProgress['waits_for'] = null;
    for (const question of questions) {
      const answer = await ask(dependencies, item, { ...question, begun_at });
      if ('fault' in answer) {
        await recordRefundFault(db, item_id, question, answer.fault);
        waits_for = 'gateway';
      } else {
        await recordRefundAnswer(db, item_id, question, answer);
        if (answer.status === 'pending') waits_for ??= 'refund';
      }
    }
    return { status: (await findSuspense(db, item_id))!.status, waits_for };
  }

  return withHeartbeats({ followRefund });
}

export type SuspenseActivities = ReturnType<typeof createSuspenseActivities>;

type Answer = RefundAnswer | { readonly fault: string };

async function ask(
  dependencies: SuspenseActivityDependencies,
  item: SuspenseItem,
  { number, asks, refund_id, begun_at }: RefundQuestion & { readonly begun_at: number },
): Promise<Answer> {
  const answer = await askAboutRefund(dependencies, {
    of: item,
    refund_id,
    // A gateway repeats its first response to a key, so an order after a failed one has its own.
    idempotency_key: number === 1 ? `refund/${item.id}` : `refund/${item.id}/${number}`,
    // A payment in suspense is refunded whole: its refund needs no name.
    reference: undefined,
    asks,
    begun_at,
  });
  return 'fault' in answer ? answer : recordable(answer);
}

function recordable(answer: KnownAnswer): RefundAnswer {
  switch (answer.status) {
    case 'succeeded':
      return { status: 'succeeded', refund_id: answer.refund_id, detail: null };
    case 'pending':
      return { status: 'pending', refund_id: answer.refund_id, detail: answer.detail };
    case 'failed':
      return { status: 'failed', refund_id: answer.refund_id, detail: answer.reason };
    case 'refused':
      return { status: 'failed', refund_id: null, detail: answer.reason };
  }
}

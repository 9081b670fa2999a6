// Follows refunds of payments. The order is a row, and without one these activities ask no gateway
// for anything, however their workflow was started. What is booked is what the gateway says about
// its refund.

import type { Db } from '../db/connect';
import {
  beginAskingPaymentRefund,
  getRefund,
  recordPaymentRefundAnswer,
  recordPaymentRefundFault,
  type RefundReply,
} from '../db/refunds/refunds';
import type { RefundStatus } from '../domain/refund';
import type { Gateways } from '../gateway/port';
import type { EndpointWaker } from '../temporal/webhook-endpoints';
import { withHeartbeats } from './heartbeats';
import { withOrderedFault } from './ordered-faults';
import { askAboutRefund, type KnownAnswer } from './refund-questions';
import { forRows } from './rows';

export interface RefundActivityDependencies {
  readonly db: Db;
  readonly gateways: Gateways;
  /** Called after the commit that made an event. */
  readonly waker: EndpointWaker;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/**
 * The state of a refund; the gateway's words are in the database, not in the workflow's history.
 */
export interface PaymentRefundProgress {
  readonly status: RefundStatus;
  /** `gateway`: it could not be asked. `refund`: the gateway has not finished it. */
  readonly waits_for: 'gateway' | 'refund' | null;
}

export function createRefundActivities(dependencies: RefundActivityDependencies) {
  const { db } = dependencies;
  return withHeartbeats(
    forRows(dependencies, 'refund', {
      /** Asks the gateway once, and books its answer. */
      async followPaymentRefund(id: string): Promise<PaymentRefundProgress> {
        const refund = await getRefund(db, id);
        const begun_at = performance.now();
        const ask = await beginAskingPaymentRefund(db, id);
        if (ask === undefined) return { status: refund.status, waits_for: null };
        const question = {
          of: refund,
          refund_id: ask.gateway_refund_id,
          idempotency_key: `refund/${refund.id}`,
          reference: refund.reference,
          asks: ask.asks,
          begun_at,
        };
        const answer = await askAboutRefund(dependencies, question, (call) =>
          withOrderedFault(db, refund, call),
        );
        if ('fault' in answer) {
          await recordPaymentRefundFault(db, id, ask, answer.fault);
          return { status: refund.status, waits_for: 'gateway' };
        }
        const reply = replyOf(answer);
        const { status, wake } = await recordPaymentRefundAnswer(db, refund.id, ask, reply);
        dependencies.waker.wake(wake);
        if (status === 'failed' && reply.status !== 'failed') {
          const error = MADE_ALL_THE_SAME[reply.status];
          dependencies.log({ part: 'refunds', refund: refund.reference, error });
        }
        const is_over = status !== 'pending' && reply.status !== 'pending';
        return { status, waits_for: is_over ? null : 'refund' };
      },
    }),
  );
}

/** What the log says when a gateway makes a refund that was given back to its merchant. */
const MADE_ALL_THE_SAME = {
  pending: 'the gateway is about to make a refund that had failed',
  succeeded: 'the gateway has made a refund that had failed: the customer has the money',
} as const;

export type RefundActivities = ReturnType<typeof createRefundActivities>;

function replyOf(answer: KnownAnswer): RefundReply {
  switch (answer.status) {
    case 'succeeded':
      return { status: 'succeeded', refund_id: answer.refund_id, detail: null, failure: null };
    case 'pending':
      return {
        status: 'pending',
        refund_id: answer.refund_id,
        detail: answer.detail,
        failure: null,
      };
    case 'failed':
      return {
        status: 'failed',
        refund_id: answer.refund_id,
        detail: answer.reason,
        failure: { code: 'refund_failed', message: answer.reason },
      };
    case 'refused':
      return {
        status: 'failed',
        refund_id: null,
        detail: answer.reason,
        failure: { code: 'refund_refused', message: answer.reason },
      };
  }
}

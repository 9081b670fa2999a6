// Asks gateways about refunds of payments. What is booked is what the gateway says about its refund.

import type { Db } from '../db/connect';
import {
  beginAskingPaymentRefund,
  getRefund,
  recordPaymentRefundAnswer,
  recordPaymentRefundFault,
} from '../db/refunds/refunds';
import { ended, type Progress } from '../domain/pursuit';
import type { Gateways } from '../gateway/port';
import { beginQuestion } from '../use-cases/questions';
import { askAboutRefund, replyOf, waitsForGateway, waitsForRefund } from './refund-questions';

export interface RefundActivityDependencies {
  readonly db: Db;
  readonly gateways: Gateways;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

export async function followRefund(
  dependencies: RefundActivityDependencies,
  id: string,
): Promise<Progress> {
  const { db } = dependencies;
  const refund = await getRefund(db, id);
  const [ask, send] = await beginQuestion(db, () => beginAskingPaymentRefund(db, id));
  // It may have ended since it was read.
  if (ask === undefined) return ended((await getRefund(db, id)).status);
  const question = {
    of: refund,
    refund_id: ask.gateway_refund_id,
    idempotency_key: `refund/${refund.id}`,
    reference: refund.reference,
    is_whole: false,
    may_exist: ask.may_exist,
  };
  const answer = await askAboutRefund(dependencies, question, send);
  if ('fault' in answer) {
    await recordPaymentRefundFault(db, id, ask, answer);
    const { status, asked_for_ms } = await getRefund(db, id);
    return waitsForGateway(status, asked_for_ms);
  }
  const reply = replyOf(answer);
  const status = await recordPaymentRefundAnswer(db, refund.id, ask, reply);
  if (status === 'failed' && reply.status !== 'failed') {
    const error = MADE_ALL_THE_SAME[reply.status];
    dependencies.log({ part: 'refunds', refund: refund.reference, error });
  }
  if (status !== 'pending' && reply.status !== 'pending') return ended(status);
  return waitsForRefund(status, (await getRefund(db, id)).asked_for_ms);
}

/** The log says it when a gateway makes a refund that was given back to its merchant. */
const MADE_ALL_THE_SAME = {
  pending: 'the gateway is about to make a refund that had failed',
  succeeded: 'the gateway has made a refund that had failed: the customer has the money',
} as const;

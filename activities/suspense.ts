// Asks gateways about refunds of money that no payment intent could take, which an operator has ordered. What is
// booked is what the gateway says about its refund.

import type { Db } from '../db/connect';
import {
  beginAskingRefund,
  getSuspense,
  recordRefundAnswer,
  recordRefundFault,
  type RefundQuestion,
  type SuspenseItem,
} from '../db/suspense/suspense';
import { ended, type Progress } from '../domain/pursuit';
import type { Gateways } from '../gateway/port';
import { beginQuestion, type Send } from '../use-cases/questions';
import {
  askAboutRefund,
  replyOf,
  waitsForGateway,
  waitsForRefund,
  type Answer,
} from './refund-questions';

export interface SuspenseActivityDependencies {
  readonly db: Db;
  readonly gateways: Gateways;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

export async function followSuspenseRefund(
  dependencies: SuspenseActivityDependencies,
  item_id: string,
): Promise<Progress> {
  const { db } = dependencies;
  const item = await getSuspense(db, item_id);
  const [questions, send] = await beginQuestion(db, () => beginAskingRefund(db, item_id));
  if (questions.length === 0 && item.refund === null) {
    dependencies.log({ part: 'suspense', item_id, error: 'no operator has ordered this refund' });
  }
  let wait: typeof waitsForRefund | undefined;
  for (const question of questions) {
    const answer = await ask(dependencies, item, question, send);
    if ('fault' in answer) {
      await recordRefundFault(db, item_id, question, answer);
      wait = waitsForGateway;
    } else {
      const status = await recordRefundAnswer(db, item_id, question, replyOf(answer));
      // An answer may leave it in doubt.
      if (answer.status === 'pending' || status === 'refunding') wait ??= waitsForRefund;
    }
  }
  const { status } = await getSuspense(db, item_id);
  const asked_for_ms = Math.min(...questions.map((question) => question.asked_for_ms));
  return wait === undefined ? ended(status) : wait(status, asked_for_ms);
}

function ask(
  dependencies: SuspenseActivityDependencies,
  item: SuspenseItem,
  { number, ...question }: RefundQuestion,
  send: Send,
): Promise<Answer> {
  // A gateway repeats its first response to a key, so an order after a failed one has its own.
  const idempotency_key = number === 1 ? `refund/${item.id}` : `refund/${item.id}/${number}`;
  const whole = { ...question, of: item, idempotency_key, is_whole: true };
  return askAboutRefund(dependencies, whole, send);
}

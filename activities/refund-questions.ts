// Asks a gateway for a refund, and what became of it: the same for a merchant's refund and for one
// of money in suspense. Only a gateway's word ends a refund; an outcome that is not known is asked
// for again.

import type { Environment } from '../domain/environment';
import { GatewayError } from '../domain/gateway-error';
import type { Minor } from '../domain/money';
import type { RefundState } from '../domain/payment';
import type { Gateways, RefundRequest } from '../gateway/port';
import { gatewayOf } from './checkouts';

export interface RefundQuestion {
  readonly of: {
    readonly environment: Environment;
    readonly gateway: string;
    readonly provider_payment_id: string;
    readonly amount_minor: bigint;
    readonly currency: RefundRequest['currency'];
  };
  /** The gateway's id of the refund, once it is known. */
  readonly refund_id: string | null;
  /** The same each time. */
  readonly idempotency_key: string;
  /** Ours, kept by the gateway with a refund that may be one of several of its payment. */
  readonly reference: string | undefined;
  /** Counts the questions from 1. */
  readonly asks: number;
  /**
   * A moment of this process's clock, from before the question was written down
   * (`performance.now()`).
   */
  readonly begun_at: number;
}

/**
 * A question that could not be sent by then is not sent: this process stood still, and an operator
 * may have ended the refund meanwhile. refuse_while_asked in db/suspense/suspense.sql counts on
 * it.
 */
export const SENT_WITHIN_MS = 10_000;

export type KnownAnswer =
  | RefundState
  /** No refund exists, and none will. */
  | { readonly status: 'refused'; readonly reason: string };

/** `fault`: the gateway could not be asked, or did not say. Nothing is known. */
export type Answer = KnownAnswer | { readonly fault: string };

/** Asks for the refund until the gateway has one, and then what became of that one. */
export async function askAboutRefund(
  dependencies: { readonly gateways: Gateways },
  question: RefundQuestion,
  /** Calls the gateway, or fails in its place. */
  call: <T>(ask: () => Promise<T>) => Promise<T> = (ask) => ask(),
): Promise<Answer> {
  const { of, refund_id, begun_at } = question;
  if (performance.now() - begun_at > SENT_WITHIN_MS) {
    return { fault: 'it was not asked: the process stood still for too long' };
  }
  try {
    const gateway = gatewayOf(dependencies, of);
    return await call(() =>
      refund_id === null ? gateway.refund(requestOf(question)) : gateway.findRefund(refund_id),
    );
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    if (refund_id !== null || !isDefinite(error, question)) return { fault: error.message };
    return { status: 'refused', reason: error.message };
  }
}

/**
 * Whether the refusal means that no refund exists. A refusal for want of access does so only if it
 * is the answer to the first question: an earlier one may have got through, and its response was
 * lost.
 */
function isDefinite(
  { fault, outcome, is_about_access }: GatewayError,
  { asks }: Pick<RefundQuestion, 'asks'>,
): boolean {
  return fault === 'refused' && outcome === 'not_done' && (!is_about_access || asks === 1);
}

function requestOf({ of, idempotency_key, reference, asks }: RefundQuestion): RefundRequest {
  return {
    provider_payment_id: of.provider_payment_id,
    amount: of.amount_minor as Minor,
    currency: of.currency,
    idempotency_key,
    ...(reference === undefined ? {} : { reference, may_exist: asks > 1 }),
  };
}

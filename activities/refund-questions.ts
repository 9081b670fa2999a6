// Asks a gateway for a refund, and what became of it: the same for a merchant's refund and for one
// of money in suspense. Only a gateway's word ends a refund; an outcome that is not known is asked
// for again.

import type { RefundReply } from '../db/refunds/refunds';
import type { Environment } from '../domain/environment';
import { GatewayError } from '../domain/gateway-error';
import type { Minor } from '../domain/money';
import type { RefundFault, RefundState } from '../domain/payment';
import { pauseAfter, type Pauses, type Progress } from '../domain/pursuit';
import type { Gateways, RefundRequest } from '../gateway/port';
import { gatewayOf } from './checkouts';
import type { Send } from '../use-cases/questions';

export interface RefundQuestion {
  readonly of: {
    readonly id: string;
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
  readonly reference: string;
  readonly is_whole: boolean;
  /** An order of before may have got through. */
  readonly may_exist: boolean;
}

export type KnownAnswer =
  | RefundState
  /** This order has made no refund, and will not. */
  | { readonly status: 'refused'; readonly reason: string };

export type Answer = KnownAnswer | RefundFault;

/** Asks for the refund until the gateway has one, and then what became of that one. */
export async function askAboutRefund(
  dependencies: { readonly gateways: Gateways },
  question: RefundQuestion,
  send: Send,
): Promise<Answer> {
  const { of, refund_id } = question;
  try {
    const gateway = gatewayOf(dependencies, of);
    return await send(of, () =>
      refund_id === null ? gateway.refund(requestOf(question)) : gateway.findRefund(refund_id),
    );
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { fault, outcome, message } = error;
    const nothing_done = outcome === 'not_done';
    const is_refused = refund_id === null && fault === 'refused' && nothing_done;
    return is_refused ? { status: 'refused', reason: message } : { fault: message, nothing_done };
  }
}

/** The part of an answer that is booked. */
export function replyOf(answer: KnownAnswer): RefundReply {
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

function requestOf(question: RefundQuestion): RefundRequest {
  const { of, idempotency_key, reference, is_whole, may_exist } = question;
  const { provider_payment_id, amount_minor, currency } = of;
  const order = { idempotency_key, reference, is_whole, may_exist };
  return { ...order, provider_payment_id, amount: amount_minor as Minor, currency };
}

/** A pending refund takes days, and the gateway notifies of its end. */
const PAUSES: Pauses = { first_ms: 1_000, longest_ms: 3_600_000 };
/** A gateway that is away may be back at any moment. */
const OUTAGE_PAUSES: Pauses = { ...PAUSES, longest_ms: 60_000 };

/** It could not be asked. */
export function waitsForGateway(status: string, asked_for_ms: number): Progress {
  return { status, waits_for: 'the gateway', pause_ms: pauseAfter(asked_for_ms, OUTAGE_PAUSES) };
}

/** The gateway has not finished it. */
export function waitsForRefund(status: string, asked_for_ms: number): Progress {
  return { status, waits_for: 'the refund', pause_ms: pauseAfter(asked_for_ms, PAUSES) };
}

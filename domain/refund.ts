// A refund's vocabulary: its states, the allowed edges between them, and its shape in responses and events.
// The database has the same table of edges and refuses all others; a test compares the two.

import type { Currency } from './currency';
import type { Environment } from './environment';
import { ERRORS, renderError, type ResponseContext } from './errors';
import type { Fingerprint, StoredResponse } from './idempotency';
import type { Metadata } from './intent';
import { Decimal, renderJson, type JsonValue } from './json';
import { amountJson } from './money';
import type { PaymentFailure } from './payment';

export const REFUND_STATUSES = ['pending', 'succeeded', 'failed'] as const;
export type RefundStatus = (typeof REFUND_STATUSES)[number];

export interface RefundEdge {
  readonly from: RefundStatus;
  readonly to: RefundStatus;
  /** `taken_back`: the customer's bank has sent the money back to the gateway. */
  readonly cause: 'made' | 'refused_or_failed' | 'taken_back';
}

export const REFUND_EDGES: readonly RefundEdge[] = [
  { from: 'pending', to: 'succeeded', cause: 'made' },
  { from: 'pending', to: 'failed', cause: 'refused_or_failed' },
  { from: 'succeeded', to: 'failed', cause: 'taken_back' },
];

/** `refund_refused`: the gateway made no refund. `refund_failed`: it made one, and that failed. */
export const REFUND_FAILURES = ['refund_refused', 'refund_failed'] as const;

export interface RefundFailure extends PaymentFailure {
  readonly code: (typeof REFUND_FAILURES)[number];
}

/** A row as every answer and event shows it. */
export interface RefundView {
  readonly id: string;
  readonly environment: Environment;
  readonly reference: string;
  readonly intent_id: string;
  readonly status: RefundStatus;
  readonly amount_minor: bigint;
  readonly currency: Currency;
  readonly reason: string | null;
  readonly metadata: Metadata;
  readonly failure: RefundFailure | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** One shape for creation, reading, lists and events. */
export function presentRefund(view: RefundView): Record<string, JsonValue> {
  return {
    id: view.id,
    reference: view.reference,
    payment_intent_id: view.intent_id,
    amount: amountJson(view.amount_minor),
    currency: view.currency,
    status: view.status,
    environment: view.environment,
    reason: view.reason,
    metadata: { ...view.metadata },
    failure: view.failure && { ...view.failure },
    created_at: view.created_at,
    updated_at: view.updated_at,
  };
}

/** What a merchant orders. */
export interface NewRefund {
  readonly id: string;
  /** `RFD-…` */
  readonly reference: string;
  readonly environment: Environment;
  readonly user_id: string;
  readonly intent_id: string;
  readonly currency: Currency;
  /** Minor units as decimal text; null: what is left. */
  readonly amount_minor: string | null;
  readonly reason: string | null;
  readonly metadata: Metadata;
  readonly idempotency_key: string;
  readonly fingerprint: Fingerprint;
  readonly request_id: string;
  /** ISO 8601. Past it, by the database's clock, nothing is written; left out for an operator's. */
  readonly accept_before?: string;
}

type Rendered = Pick<StoredResponse, 'status' | 'body'>;

// What only the posting knows. Each is a control character: JSON text escapes those, so that none can come
// from the data of a merchant. The functions create_refund and add_refund_event put the values in.
const AT = new Decimal('\u0001');
const AMOUNT = new Decimal('\u0002');
const SEQUENCE = new Decimal('\u0002');

/** The responses that are stored for the key; of a new refund its moment and its amount are left out. */
export function renderRefundResponses(
  refund: NewRefund,
  error_docs_url: string,
): { readonly created: Rendered; readonly insufficient_funds: Rendered } {
  const { request_id } = refund;
  const context: ResponseContext = { request_id, error_docs_url };
  const view = { ...refund, status: 'pending', amount_minor: 0n, failure: null } as const;
  const shown = presentRefund({ ...view, created_at: '', updated_at: '' });
  return {
    created: {
      status: 201,
      body: renderJson({ ok: true, ...shown, amount: AMOUNT, created_at: AT, updated_at: AT }),
    },
    insufficient_funds: {
      status: ERRORS.insufficient_funds.status,
      body: renderError('insufficient_funds', context, {
        param: 'amount',
        message: 'The balance of the wallet is too low for this refund.',
      }),
    },
  };
}

/** How a refund ends, as far as it is known before the end is posted. */
export type RefundEnd =
  { readonly status: 'succeeded' } | { readonly status: 'failed'; readonly failure: RefundFailure };

/** The event of an end that is about to be posted, with two values left out: the moment and the sequence. */
export function renderRefundEventTemplate(
  event_id: string,
  view: RefundView,
  end: RefundEnd,
): string {
  return renderJson({
    id: event_id,
    type: `refund.${end.status}`,
    api_version: 'v1',
    created_at: AT,
    environment: view.environment,
    sequence: SEQUENCE,
    data: { ...presentRefund({ ...view, failure: null, ...end }), updated_at: AT },
  });
}

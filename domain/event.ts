// The events that tell a merchant how an intent or a refund (domain/refund.ts) ended, or of a transfer: rendered
// once, and signed and sent as these bytes. Those of transfers are rendered by transfer_event_body in SQL.

import type { Environment } from './environment';
import { presentIntent, type IntentView } from './intent';
import { Decimal, renderJson, type JsonValue } from './json';
import type { PaymentFailure } from './payment';

/** What an endpoint gets that names no types. */
export const PAYMENT_EVENT_TYPES = [
  'payment.succeeded',
  'payment.failed',
  'payment.expired',
] as const;
export type PaymentEventType = (typeof PAYMENT_EVENT_TYPES)[number];

export const TRANSFER_EVENT_TYPES = ['transfer.received', 'transfer.sent'] as const;

export const EVENT_TYPES = [
  ...PAYMENT_EVENT_TYPES,
  'refund.succeeded',
  'refund.failed',
  ...TRANSFER_EVENT_TYPES,
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export interface EventContent {
  readonly id: string;
  readonly type: EventType;
  /** When the change happened. */
  readonly created_at: string;
  readonly environment: Environment;
  /** Without gaps per account and environment, in the order of the changes. */
  readonly sequence: bigint;
  /** For trying an endpoint: nothing has happened. Its sequence is 0. */
  readonly is_test?: boolean;
  /** The intent, the refund or the transfer, as GET showed it at that moment. */
  readonly data: Readonly<Record<string, JsonValue>>;
}

export function renderEvent({
  id,
  type,
  created_at,
  environment,
  sequence,
  is_test = false,
  data,
}: EventContent): string {
  return renderJson({
    id,
    type,
    api_version: 'v1',
    created_at,
    environment,
    sequence: Number(sequence),
    test: is_test ? true : undefined,
    data,
  });
}

/** How an intent ends, as far as it is known before the end is posted. */
export type IntentEnd =
  | {
      readonly status: 'succeeded';
      readonly transaction_id: string;
      /** When an operator ends it with what had arrived before; else its amount arrives now. */
      readonly settled_minor?: bigint;
    }
  | { readonly status: 'failed'; readonly last_payment_error: PaymentFailure | null }
  | { readonly status: 'expired' };

// What only the posting knows. Each is a control character: JSON text escapes those, so that none can come
// from the data of a merchant or a customer. The function add_intent_event puts the values in their places.
const AT = new Decimal('\u0001');
const SEQUENCE = new Decimal('\u0002');
const FEE = new Decimal('\u0003');
const NET_AMOUNT = new Decimal('\u0004');

/**
 * The event of an end that is about to be posted, with four values left out: the moment, the sequence, the
 * fee and the net amount. `view` is the intent as it stands before.
 */
export function renderEventTemplate(
  event_id: string,
  view: IntentView,
  end: IntentEnd,
  pay_url_base: string,
): string {
  const is_paid = end.status === 'succeeded';
  const ended: IntentView = { ...view, ...(is_paid ? paidFields(view, end) : {}), ...end };
  return renderJson({
    id: event_id,
    type: `payment.${end.status}`,
    api_version: 'v1',
    created_at: AT,
    environment: view.environment,
    sequence: SEQUENCE,
    data: {
      ...presentIntent(ended, pay_url_base),
      ...(is_paid ? { fee: FEE, net_amount: NET_AMOUNT } : {}),
      updated_at: AT,
      [`${end.status}_at`]: AT,
    },
  });
}

function paidFields(
  { received_minor, amount_minor }: IntentView,
  { settled_minor }: IntentEnd & { readonly status: 'succeeded' },
): Pick<IntentView, 'last_payment_error' | 'received_minor'> {
  const arriving = settled_minor === undefined ? amount_minor : 0n;
  return { last_payment_error: null, received_minor: (received_minor ?? 0n) + arriving };
}

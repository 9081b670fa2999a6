// The events that tell a merchant how an intent or a refund (domain/refund.ts) ended, or of a
// transfer. They are rendered once, and signed and sent as these bytes.

/** The events of an endpoint that names no types. */
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

/** The ends of an intent that its merchant is told. */
export type IntentEnd = 'succeeded' | 'failed' | 'expired';

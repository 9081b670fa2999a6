// A payment intent's vocabulary: its states, and the allowed edges between them with their causes. The
// database has the same table of edges and refuses all others; a test compares the two.

import type { GatewayFault } from './gateway-error';
import type { Decimal } from './json';
import { amountJson } from './money';
import type { StoredResponse } from './idempotency';
import type { Sealed } from './sealed';

/** The states that callers see. */
export const INTENT_STATUSES = [
  'open',
  'processing',
  'succeeded',
  'failed',
  'expired',
  'canceled',
] as const;
export type IntentStatus = (typeof INTENT_STATUSES)[number];

/** Bounds of a payment link. Texts are counted in code points, `expires_in` in seconds. */
export const LINK_BOUNDS = {
  description: 500,
  expires_in: { minimum: 3, maximum: 2_592_000 },
  metadata: { entries: 50, name: 40, value: 500 },
} as const;

/**
 * `creating` and `abandoned` are before the checkout is open: in no list, on no page, in no event.
 */
export type StoredIntentStatus = IntentStatus | 'creating' | 'abandoned';

export interface IntentEdge {
  readonly from: StoredIntentStatus;
  readonly to: StoredIntentStatus;
  readonly cause: IntentCause;
}

export type IntentCause =
  | 'checkout_opened'
  | 'gateway_unavailable'
  | 'repeated'
  | 'payment_pending'
  | 'payment_succeeded'
  | 'payment_failed'
  | 'expired'
  | 'canceled';

export const INTENT_EDGES: readonly IntentEdge[] = [
  { from: 'creating', to: 'open', cause: 'checkout_opened' },
  { from: 'creating', to: 'abandoned', cause: 'gateway_unavailable' },
  { from: 'abandoned', to: 'creating', cause: 'repeated' },
  { from: 'open', to: 'processing', cause: 'payment_pending' },
  { from: 'open', to: 'succeeded', cause: 'payment_succeeded' },
  { from: 'processing', to: 'succeeded', cause: 'payment_succeeded' },
  { from: 'open', to: 'failed', cause: 'payment_failed' },
  { from: 'processing', to: 'failed', cause: 'payment_failed' },
  { from: 'open', to: 'expired', cause: 'expired' },
  { from: 'processing', to: 'expired', cause: 'expired' },
  { from: 'open', to: 'canceled', cause: 'canceled' },
];

/**
 * The order to cancel an intent, which the API or an operator's command seals and the workflow
 * carries.
 */
export interface SealedCancellation extends Sealed {
  readonly intent_id: string;
  /** Milliseconds since the epoch. */
  readonly valid_until: number;
}

export function isTerminal(status: StoredIntentStatus): boolean {
  return (
    status === 'succeeded' || status === 'failed' || status === 'expired' || status === 'canceled'
  );
}

/** An abandoned intent is not terminal, but its workflow has finished. */
export function isRunning(status: StoredIntentStatus): boolean {
  return status !== 'abandoned' && !isTerminal(status);
}

/** The state of an intent after a step of its workflow. */
export interface IntentStep {
  readonly status: StoredIntentStatus;
  /** Why the gateway could not do its part; the status is then what it was. */
  readonly fault?: GatewayFault;
  /**
   * True when the gateway was not called, because too many workflow tasks wait for it: a regular
   * activity does it.
   */
  readonly is_postponed?: true;
}

/**
 * The result of opening a checkout: the response that the key now has, or the gateway's fault.
 * `elsewhere`: an activity opens it, in any process.
 */
export type CheckoutOutcome = StoredResponse | { readonly fault: GatewayFault } | 'elsewhere';

/** The answers of a customer by the key of the question; null for a question that was left out. */
export type Collected = Readonly<Record<string, string | null>>;

/** Values that a merchant may attach; they are given back as they came. */
export type Metadata = Readonly<Record<string, string | number | boolean | null>>;

interface Paid {
  readonly amount_minor: bigint;
  /** The amount it ended with, when an operator accepted another one for it. */
  readonly settled_minor: bigint | null;
}

/** Returns the amount that was paid, once the intent has succeeded. */
export function paidMinor({ amount_minor, settled_minor }: Paid): bigint {
  return settled_minor ?? amount_minor;
}

/**
 * The most refunds of a payment, failed ones included. Stripe lists a hundred of a payment in one
 * answer, where a refund is looked for whose outcome is not known; half of that leaves room for
 * those made by hand there.
 */
export const MAX_REFUNDS = 50;

/** Returns the amount that can still be refunded; 0 before the intent has succeeded. */
export function refundableMinor(
  intent: Paid & {
    readonly refunded_minor: bigint;
    readonly status: StoredIntentStatus;
  },
): bigint {
  return intent.status === 'succeeded' ? paidMinor(intent) - intent.refunded_minor : 0n;
}

export function payUrl(pay_url_base: string, short_code: string): string {
  return `${pay_url_base}/p/${short_code}`;
}

/** An event in the life of an intent, as it is kept. */
export interface TimelineEntry {
  readonly at: string;
  readonly source: 'api' | 'workflow' | 'gateway' | 'ledger' | 'webhook';
  readonly kind: string;
  readonly detail: Readonly<Record<string, string | number | null>>;
}

export type ShownTimelineEntry = Omit<TimelineEntry, 'detail'> & {
  readonly detail: Readonly<Record<string, string | number | null | Decimal>>;
};

/** Presents an entry for responses and operators, with its minor units as amounts. */
export function presentTimelineEntry(entry: TimelineEntry): ShownTimelineEntry {
  const { at, source, kind, detail } = entry;
  const { amount_minor, fee_minor, tax_minor, ...rest } = detail;
  return {
    at,
    source,
    kind,
    detail: {
      ...rest,
      ...(typeof amount_minor === 'string' ? { amount: amountJson(BigInt(amount_minor)) } : {}),
      ...(typeof fee_minor === 'string' ? { fee: amountJson(BigInt(fee_minor)) } : {}),
      ...(typeof tax_minor === 'string' ? { tax: amountJson(BigInt(tax_minor)) } : {}),
    },
  };
}

// Paying by phone: what operators take payments, and a customer's attempt to pay an intent through one of them.
// The database has the same table of edges and refuses all others; a test compares the two.

import type { Currency } from './currency';
import type { Minor } from './money';
import type { Payment, PaymentFailure } from './payment';
import type { RailState } from './payout';
import { callingCodeOf } from './phone';

/**
 * What the customer does after the attempt has begun. `prompt`: confirms a question on the phone. `dial`: dials a
 * code and confirms there. `otp`: makes a one-time code on the phone and types it. `redirect`: leaves for the
 * operator's page.
 */
export const PAYMENT_STEPS = ['prompt', 'dial', 'otp', 'redirect'] as const;
export type PaymentStep = (typeof PAYMENT_STEPS)[number];

/** An operator through which a gateway takes payments, as it is now. */
export interface PaymentMethod {
  /** Unique in a gateway: `orange_ci`. */
  readonly operator: string;
  /** The name that customers know: `Orange Money`. */
  readonly name: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly currency: Currency;
  /** How its numbers begin, with `+` and the country's digits; none when it has no numbers of its own. */
  readonly prefixes: readonly string[];
  readonly minimum: Minor;
  readonly maximum: Minor;
  readonly step: PaymentStep;
  readonly state: RailState;
  /** Customers dial it to make their one-time code; null for the other steps. */
  readonly otp_code: string | null;
}

/** `+221`: the calling codes of West and Central Africa have three digits. */
export const CALLING_CODE = '+221'.length;

/** How the numbers of these countries begin; none of a country that we know neither by its plan nor by its operators. */
export function callingCodes(
  methods: readonly PaymentMethod[],
  countries: readonly string[],
): readonly string[] {
  const codes = countries.flatMap(
    (country) =>
      callingCodeOf(country) ??
      methods
        .filter((method) => method.country === country)
        .flatMap(({ prefixes }) => prefixes.map((prefix) => prefix.slice(0, CALLING_CODE))),
  );
  return [...new Set(codes)];
}

/** The customer has to do it now; in the words of the operator where it has given some. */
export interface NextStep {
  readonly kind: PaymentStep;
  /** Until when the operator waits (ISO 8601). */
  readonly expires_at: string;
  /** The customer dials it, for `dial` and `otp`. */
  readonly code: string | null;
  /** The operator's page, for `redirect`. */
  readonly url: string | null;
  readonly instructions: Readonly<Record<'fr' | 'en', readonly string[]>>;
}

/** Why an attempt failed: one table for all gateways, whose own code is kept beside it. */
export const ATTEMPT_FAILURES = [
  'payer_not_found',
  'payer_blocked',
  'payer_limit_exceeded',
  'insufficient_funds',
  'not_approved',
  'wrong_otp',
  'expired',
  'amount_out_of_bounds',
  'provider_unavailable',
  'rejected',
  'unspecified',
] as const;

export interface AttemptFailure extends PaymentFailure {
  readonly code: (typeof ATTEMPT_FAILURES)[number];
  /** The provider's own; null when the failure is ours. */
  readonly provider_code: string | null;
}

export const ATTEMPT_STATUSES = ['waiting', 'succeeded', 'failed'] as const;
export type AttemptStatus = (typeof ATTEMPT_STATUSES)[number];

/** An attempt that was given up may be paid all the same: the money then takes its way, and the attempt says so. */
export const ATTEMPT_EDGES: readonly {
  readonly from: AttemptStatus;
  readonly to: AttemptStatus;
}[] = [
  { from: 'waiting', to: 'succeeded' },
  { from: 'waiting', to: 'failed' },
  { from: 'failed', to: 'succeeded' },
];

/** How often one phone may be rung, over all links and accounts. */
export const MAX_RINGS = 5;
/** A person whose phone is rung so often in a day, and who does not pay, did not ask for it. */
export const MAX_UNPAID_RINGS = 8;
export const RINGS = [
  { most: MAX_RINGS, seconds: 3_600, counts_paid: true },
  { most: MAX_UNPAID_RINGS, seconds: 86_400, counts_paid: false },
] as const;

/** How long an attempt waits when its gateway does not say. */
export const ATTEMPT_SECONDS = 600;

/** A gateway's word about an attempt. Plain JSON. */
export type ChargeState =
  | {
      readonly status: 'waiting';
      readonly provider_payment_id: string;
      /** Null when the customer has nothing to do that the gateway knows of. */
      readonly next_step: NextStep | null;
    }
  | { readonly status: 'failed'; readonly failure: AttemptFailure }
  | { readonly status: 'paid'; readonly payment: Payment };

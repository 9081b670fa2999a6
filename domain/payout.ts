// A payout's vocabulary: money that leaves a wallet for a phone or a bank account. The database has the same table
// of edges and refuses all others; a test compares the two.

import { distance } from './closest';
import { joinedAs, partsOf, without } from './names';
import type { Currency } from './currency';
import { storedRefusal, type StoredRefusal } from './error-body';

export const PAYOUT_STATUSES = [
  'held',
  'requires_approval',
  'requires_confirmation',
  'pending',
  'succeeded',
  'failed',
  'canceled',
  'returned',
] as const;
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

/** `queued`: not asked yet, or waiting at the provider. `unknown`: asked, and not answered. */
export const PAYOUT_STAGES = ['queued', 'sent', 'unknown'] as const;
export type PayoutStage = (typeof PAYOUT_STAGES)[number];

export interface PayoutEdge {
  readonly from: PayoutStatus;
  readonly to: PayoutStatus;
  readonly cause:
    | 'released'
    | 'refused'
    | 'approved'
    | 'confirmed'
    | 'canceled'
    | 'expired'
    | 'rejected'
    | 'paid'
    | 'not_paid'
    | 'returned';
}

export const PAYOUT_EDGES: readonly PayoutEdge[] = [
  { from: 'held', to: 'requires_approval', cause: 'released' },
  { from: 'held', to: 'requires_confirmation', cause: 'released' },
  { from: 'held', to: 'pending', cause: 'released' },
  { from: 'held', to: 'failed', cause: 'refused' },
  { from: 'held', to: 'canceled', cause: 'canceled' },
  { from: 'requires_approval', to: 'requires_confirmation', cause: 'approved' },
  { from: 'requires_approval', to: 'pending', cause: 'approved' },
  { from: 'requires_approval', to: 'canceled', cause: 'rejected' },
  { from: 'requires_confirmation', to: 'requires_approval', cause: 'confirmed' },
  { from: 'requires_confirmation', to: 'pending', cause: 'confirmed' },
  { from: 'requires_confirmation', to: 'canceled', cause: 'canceled' },
  { from: 'pending', to: 'succeeded', cause: 'paid' },
  { from: 'pending', to: 'failed', cause: 'not_paid' },
  { from: 'pending', to: 'canceled', cause: 'expired' },
  { from: 'succeeded', to: 'returned', cause: 'returned' },
];

/** Why a payout failed: one table for all providers, whose own code is kept beside it. */
export const PAYOUT_FAILURES = [
  'recipient_not_found',
  'recipient_blocked',
  'recipient_limit_exceeded',
  'name_mismatch',
  'amount_out_of_bounds',
  'provider_out_of_funds',
  'provider_unavailable',
  'rejected',
  'fraud_suspected',
  'risk_refused',
  'unspecified',
] as const;

export interface PayoutFailure {
  readonly code: (typeof PAYOUT_FAILURES)[number];
  readonly message: string;
  /** The provider's own; null when the failure is ours. */
  readonly provider_code: string | null;
}

export type PayoutDestination =
  | {
      readonly type: 'mobile_money';
      /** `+` and 7 to 15 digits. */
      readonly phone: string;
      /** The operator that the merchant named, or that was found; null when it is for the provider to find. */
      readonly operator: string | null;
    }
  | {
      readonly type: 'bank';
      readonly account: string;
      /** The holder as the merchant wrote it. */
      readonly name: string;
      readonly bank_code: string | null;
    };

/** Where its row says that it goes. */
export function destinationOf({
  phone,
  operator,
  account,
  holder,
  bank_code,
}: {
  readonly phone: string | null;
  readonly operator: string | null;
  readonly account: string | null;
  readonly holder: string | null;
  readonly bank_code: string | null;
}): PayoutDestination {
  return phone === null
    ? { type: 'bank', account: account!, name: holder!, bank_code }
    : { type: 'mobile_money', phone, operator };
}

/** Wave has no numbers of its own: its wallets are on those of the other operators of a country. */
const ON_ANY_NUMBER = /^wave_/;

export const isOnAnyNumber = (operator: string, country: string | undefined): boolean =>
  country !== undefined &&
  ON_ANY_NUMBER.test(operator) &&
  operator.endsWith(`_${country.toLowerCase()}`);

/** The prefix of a number says one operator; these may have it. Codes end with their country, `orange_sn`. */
export function possibleOperators(found: string, operators: readonly string[]): readonly string[] {
  const country = /_([a-z]{2})$/.exec(found)?.[1];
  const others = operators.filter((one) => isOnAnyNumber(one, country));
  return [...new Set([found, ...others])];
}

export interface DestinationToCheck {
  readonly destination: PayoutDestination;
  readonly currency: Currency;
  /** The name to compare with; null when none was given. */
  readonly name: string | null;
}

/** A provider pays along these, by operator or kind of bank. */
export interface Rail {
  readonly type: PayoutDestination['type'];
  /** The operator, such as `orange_sn`; null of a bank. */
  readonly operator: string | null;
  /** ISO 3166-1 alpha-2; null where banks of several countries are one rail. */
  readonly country: string | null;
  readonly currency: Currency;
  /** Digits after the point on the wire. */
  readonly decimals: number;
  readonly minimum: bigint;
  readonly maximum: bigint;
  readonly state: RailState;
  /** Whether the holder's name can be asked for before anything is sent. */
  readonly name_check: 'none' | 'before';
}

/** `delayed`: takes orders, and pays later than usual. `closed`: orders wait until it opens. */
export const RAIL_STATES = ['open', 'delayed', 'closed'] as const;
export type RailState = (typeof RAIL_STATES)[number];

export interface CheckedDestination {
  /** False when the provider knows that it would not be paid: not found, blocked. */
  readonly payable: boolean;
  readonly rail: Rail;
  /** The name in full, as the provider has it; null when it does not tell. */
  readonly name_found: string | null;
}

/** The clock of an account's sandbox. */
export interface AccountClock {
  readonly account: string;
  readonly clock_seconds: number;
}

/** A provider's word about an order. */
export interface PayoutState {
  /** `queued`: it waits there, and may be taken back. `returned`: what was paid came back, whole or in part. */
  readonly status: 'queued' | 'sent' | 'succeeded' | 'failed' | 'canceled' | 'returned';
  readonly provider_payment_id: string;
  /** The recipient got it, as the provider books it; undefined where it does not say. In minor units. */
  readonly paid?: bigint;
  /** The sum that came back, in minor units. */
  readonly returned?: bigint;
  /** How many days a payout that is `sent` may take before operators look, 14 at most; one when left out. */
  readonly days_under_way?: number;
  readonly failure?: PayoutFailure;
}

export const NAME_MATCHES = ['match', 'close', 'no_match', 'unavailable'] as const;
export type NameMatch = (typeof NAME_MATCHES)[number];

/** Characters that say why a payout, or payouts ordered together, are rejected. */
export const LONGEST_REASON = 500;

export const NAME_CHECKS = ['off', 'warn', 'require'] as const;
export type NameCheck = (typeof NAME_CHECKS)[number];

/** How long an order waits for its provider unless it says so itself. */
export const QUEUE_SECONDS = 86_400;

/** The refusal that is stored under the key. */
export type PayoutRefusals = Readonly<Record<'insufficient_funds', StoredRefusal>>;

export function payoutRefusals(error_docs_url: string): PayoutRefusals {
  const message = 'The balance of the wallet is too low for this payout and its fee.';
  const about = { param: 'amount', message };
  return { insufficient_funds: storedRefusal('insufficient_funds', error_docs_url, about) };
}

/**
 * How a name fits the one that a provider has found, whatever the order of its parts, capitals, accents, and the
 * apostrophes, hyphens and blanks within a name. `close`: parts are left out, or letters differ, in proportion to the
 * length. Of what is given one part more than was found may be close, so that a list of names fits no one.
 */
export function matchNames(given: string, found: string | null): NameMatch {
  if (found === null) return 'unavailable';
  const [ours, theirs] = [partsOf(given), partsOf(found)];
  if (ours.length === 0 || theirs.length === 0) return 'unavailable';
  if (ours.join('') === theirs.join('')) return 'match';
  const [our_parts, their_parts] = [joinedAs(ours, theirs), joinedAs(theirs, ours)];
  const more = without(our_parts, their_parts);
  const missing = without(their_parts, our_parts);
  if (more.length === 0 && missing.length === 0) return 'match';
  const letters = Math.min(ours.join('').length, theirs.join('').length);
  const are_left_out = more.length === 0 || (missing.length === 0 && more.length === 1);
  return are_left_out || areAlike(more, missing, letters) ? 'close' : 'no_match';
}

/** Whether one or two parts differ by slips: one in four letters of the whole, two at most. */
function areAlike(more: readonly string[], missing: readonly string[], letters: number): boolean {
  if (more.length !== missing.length || more.length > 2) return false;
  const slips = [missing, [...missing].reverse()].map((order) =>
    order.reduce((sum, part, i) => sum + slipsBetween(part, more[i]!), 0),
  );
  return Math.min(...slips) <= Math.min(2, letters / 4);
}

/** Infinite where so many make another name of it: Ba is not Sy. */
function slipsBetween(part: string, other: string): number {
  const length = Math.max(part.length, other.length);
  const most = length < 3 ? 0 : length < 8 ? 1 : 2;
  const slips = distance(part, other);
  return slips <= most ? slips : Infinity;
}

/** `A*** D***`: enough to see that it is another person, and too little to read a phone book off. */
export function maskName(name: string): string {
  return name.replace(/(\S)\S*/gu, '$1***');
}

/** The part of a name that is shown and stored, when a provider has found it. */
export function shownName(
  name: string | null,
  found: string | null,
): { readonly name_found: string | null; readonly name_match: NameMatch | null } {
  if (name === null) return { name_found: null, name_match: null };
  const name_match = matchNames(name, found);
  const name_found = found === null || name_match === 'match' ? found : maskName(found);
  return { name_found, name_match };
}

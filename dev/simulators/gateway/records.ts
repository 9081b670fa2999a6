// The simulator's records: checkout sessions, payments made in them, charges of phones, refunds, disputes and payouts.
// Every record is of one form, and goes a course (courses.ts).

import type { Currency } from '../../../domain/currency';
import type { Environment } from '../../../domain/environment';
import type { AccountClock, PayoutDestination } from '../../../domain/payout';
import type { Moment } from './courses';

interface Amount {
  /** A text, as amounts are in all JSON. */
  readonly amount_minor: string;
  readonly currency: Currency;
}

export interface SessionTerms extends Amount {
  readonly intent_id: string;
  /** Counts the sessions of an intent. */
  readonly number: number;
  readonly reference: string;
  readonly description: string | null;
  readonly customer_email: string | null;
  readonly merchant_name: string | null;
  readonly merchant_country: string | null;
  readonly merchant_contact: string | null;
  readonly logo_url: string | null;
  readonly return_url: string;
  readonly cancel_url: string;
  /** No payment can be started from this instant on. */
  readonly expires_at: string;
}

/** A customer's try to pay in a session; a second success is a double payment. */
export interface PaymentTerms
  extends Pick<SessionTerms, 'intent_id' | 'number' | 'reference'>, Amount {
  readonly session_id: string;
  /** How refunds of it go, as at gateways that have test cards for it, and how long they take. */
  readonly refunds: string;
  readonly delay_ms: number;
}

export interface ChargeTerms extends Amount {
  /** The service's id of it. */
  readonly charge_id: string;
  readonly intent_id: string;
  readonly reference: string;
  readonly operator: string;
  readonly phone: string;
  readonly description: string | null;
  readonly merchant_name: string;
  readonly return_url: string;
}

export interface RefundTerms extends Amount {
  readonly provider_payment_id: string;
  readonly idempotency_key: string;
  /** The name that the service gave the refund. */
  readonly reference: string | null;
}

export interface DisputeTerms extends Amount {
  readonly provider_payment_id: string;
  /** The fee of losing it, taken from the service's account. */
  readonly fee_minor: string;
  readonly reason: string;
  readonly evidence_due_by: string;
}

export interface PayoutTerms extends Amount {
  /** The service's id of it. */
  readonly payout_id: string;
  readonly reference: string;
  readonly destination: PayoutDestination;
  readonly name: string | null;
  readonly description: string | null;
  /** The payout's account at the service, and how far its clock is ahead: the next step is so much nearer. */
  readonly clock: AccountClock | null;
  readonly returned_minor: string;
}

/** The terms of a record, which stay, and where it is on its course. */
type Kept<K extends string, Terms> = Terms &
  Moment & {
    readonly kind: K;
    readonly environment: Environment;
    /** The simulator's own id, which cannot be guessed: knowing a session's is enough to pay it. */
    readonly id: string;
    readonly created_at: string;
    /** The test value, or the last digits' meaning, that decides its course. */
    readonly outcome: string;
  };
export type Session = Kept<'session', SessionTerms>;
export type Payment = Kept<'payment', PaymentTerms>;
export type Charge = Kept<'charge', ChargeTerms>;
export type Refund = Kept<'refund', RefundTerms>;
export type Dispute = Kept<'dispute', DisputeTerms>;
export type Payout = Kept<'payout', PayoutTerms>;

export type AnyRecord = Session | Payment | Charge | Refund | Dispute | Payout;
export type Kind = AnyRecord['kind'];
export type RecordOf<K extends Kind> = Extract<AnyRecord, { readonly kind: K }>;

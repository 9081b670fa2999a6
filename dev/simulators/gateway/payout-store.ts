// The payouts that the simulator was asked for, and what our account there holds. Only journal entries change
// it (store.ts).

import type { Currency } from '../../../domain/currency';
import type { Environment } from '../../../domain/environment';
import type { AccountClock, PayoutDestination, PayoutState } from '../../../domain/payout';
import type { FailureCode } from '../../../gateway/sandbox/payouts';

export interface PayoutTerms {
  /** The service's id of it. */
  readonly payout_id: string;
  readonly reference: string;
  readonly amount_minor: string;
  readonly currency: Currency;
  readonly destination: PayoutDestination;
  readonly name: string | null;
  readonly description: string | null;
  /** Whose it is at the service, and how far that account's clock is ahead: what comes next is so much nearer. */
  readonly clock: AccountClock | null;
}

export interface Payout extends PayoutTerms {
  readonly environment: Environment;
  /** Counts the payouts of both accounts, so that lists have an order. */
  readonly number: number;
  readonly provider_payment_id: string;
  readonly created_at: string;
  readonly status: PayoutState['status'];
  /** What the recipient got; null when nothing was paid. */
  readonly paid_minor: string | null;
  readonly returned_minor: string;
  readonly failure: PayoutRefusal | null;
  /** What happens next by itself, and when. */
  readonly next: { readonly at: string; readonly step: Step } | null;
}

export interface PayoutRefusal {
  readonly code: FailureCode;
  readonly message: string;
}

export type Step = 'open' | 'pay' | 'fail' | 'return';

export interface PayoutStore {
  keep(payout: Payout): void;
  setFloat(environment: Environment, currency: Currency, amount_minor: string): void;
  find(environment: Environment, payout_id: string): Payout | undefined;
  /** All payouts, in the order in which they were asked for. */
  list(environment: Environment): readonly Payout[];
  /** The payouts to which something happens by itself. */
  waiting(): readonly Payout[];
  /** How many there are in both accounts. */
  count(): number;
  float(environment: Environment, currency: Currency): bigint;
}

const FIRST_FLOAT = 1_000_000_000_00n;

export function createPayoutStore(): PayoutStore {
  const payouts = new Map<string, Payout>();
  const floats = new Map<string, bigint>();
  const pair = (environment: Environment, id: string): string => `${environment}/${id}`;
  const float = (environment: Environment, currency: Currency): bigint =>
    floats.get(pair(environment, currency)) ?? FIRST_FLOAT;

  return {
    keep(payout) {
      const { environment, payout_id, currency } = payout;
      const before = payouts.get(pair(environment, payout_id));
      const taken = takenBy(payout) - (before === undefined ? 0n : takenBy(before));
      floats.set(pair(environment, currency), float(environment, currency) - taken);
      payouts.set(pair(environment, payout_id), payout);
    },
    setFloat(environment, currency, amount_minor) {
      floats.set(pair(environment, currency), BigInt(amount_minor));
    },
    find: (environment, payout_id) => payouts.get(pair(environment, payout_id)),
    list: (environment) => [...payouts.values()].filter((one) => one.environment === environment),
    waiting: () => [...payouts.values()].filter(({ next }) => next !== null),
    count: () => payouts.size,
    float,
  };
}

/** What an order takes is taken when it is accepted, and given back when it fails. */
function takenBy({ status, amount_minor, returned_minor }: Payout): bigint {
  const isOff = status === 'failed' || status === 'canceled';
  return isOff ? 0n : BigInt(amount_minor) - BigInt(returned_minor);
}

// How payouts go: what the phone decides, and what a test does in place of time and of the operator's people.
// Nothing is recorded here (payouts.ts).

import type { Environment } from '../../../domain/environment';
import { testOutcomeOf } from '../../../domain/test-phones';
import { newId } from './actions';
import { numberOf, railOf } from './operators';
import type { Payout, PayoutRefusal, PayoutTerms, Step } from './payout-store';

/** How long things take. */
export interface PayoutDurations {
  readonly settle_ms: number;
  readonly closed_ms: number;
  readonly return_ms: number;
}

export const PAYOUT_DURATIONS: PayoutDurations = {
  settle_ms: 1_000,
  closed_ms: 60 * 60 * 1000,
  return_ms: 24 * 60 * 60 * 1000,
};

export type PayoutAct =
  | { readonly action: 'pay' | 'fail' | 'open' | 'late_fail' | 'pay_after_failure' }
  /** Without an amount, all that has not come back yet is returned. */
  | { readonly action: 'return'; readonly amount_minor: bigint | null };

const DECLINED: PayoutRefusal = { code: 'DECLINED', message: 'The operator declined the payout.' };
const NOT_PAID: PayoutRefusal = {
  code: 'OPERATOR_DOWN',
  message: 'The operator was down and has paid nothing.',
};

/** What is known of an account's order before the operator has looked at it. */
export interface Asked {
  readonly environment: Environment;
  readonly number: number;
  readonly terms: PayoutTerms;
  readonly float: bigint;
}

/** An order as it is right after it was accepted, or refused. */
export function beginPayout(
  { environment, number, terms, float }: Asked,
  durations: PayoutDurations,
): Payout {
  const failure = refusalOf(terms, float);
  const payout: Payout = {
    ...terms,
    environment,
    number,
    provider_payment_id: newId('po'),
    created_at: inMs(0),
    status: failure === null ? 'sent' : 'failed',
    paid_minor: null,
    returned_minor: '0',
    failure,
    next: null,
  };
  if (failure !== null) return payout;
  const at = inMs(durations.settle_ms);
  switch (testOutcomeOf(numberOf(terms.destination))) {
    case 'closed':
      return { ...payout, status: 'queued', next: { at: inMs(durations.closed_ms), step: 'open' } };
    case 'lost_paid':
      return takeStep(payout, 'pay', durations);
    case 'fails':
    case 'lost_not_paid':
      return { ...payout, next: { at, step: 'fail' } };
    default:
      return { ...payout, next: { at, step: 'pay' } };
  }
}

export function takeStep(payout: Payout, step: Step, durations: PayoutDurations): Payout {
  const outcome = testOutcomeOf(numberOf(payout.destination));
  const { amount_minor } = payout;
  const from = dueAt(payout);
  switch (step) {
    case 'open':
      return {
        ...payout,
        status: 'sent',
        next: { at: inMs(durations.settle_ms, from), step: 'pay' },
      };
    case 'pay': {
      const back = { at: inMs(durations.return_ms, from), step: 'return' } as const;
      const next = outcome === 'comes_back' ? back : null;
      return { ...payout, status: 'succeeded', paid_minor: amount_minor, failure: null, next };
    }
    case 'fail': {
      const failure = outcome === 'lost_not_paid' ? NOT_PAID : DECLINED;
      return { ...payout, status: 'failed', failure, next: null };
    }
    case 'return':
      return { ...payout, status: 'returned', returned_minor: amount_minor, next: null };
  }
}

/** Returns undefined where it does not fit the payout's state. */
export function actOn(
  payout: Payout,
  act: PayoutAct,
  durations: PayoutDurations,
): Payout | undefined {
  const { status, amount_minor, paid_minor } = payout;
  switch (act.action) {
    case 'pay':
    case 'fail':
      return isUnderWay(payout) ? takeStep(payout, act.action, durations) : undefined;
    case 'open':
      return status === 'queued' ? takeStep(payout, 'open', durations) : undefined;
    case 'pay_after_failure': {
      const isOff = paid_minor === null && !isUnderWay(payout);
      return isOff ? takeStep(payout, 'pay', durations) : undefined;
    }
    case 'late_fail':
      return status === 'succeeded'
        ? { ...takeStep(payout, 'fail', durations), returned_minor: amount_minor }
        : undefined;
    case 'return': {
      const left = BigInt(paid_minor ?? '0') - BigInt(payout.returned_minor);
      const back = act.amount_minor ?? left;
      if (back > left || back === 0n) return undefined;
      const returned_minor = String(BigInt(payout.returned_minor) + back);
      return { ...takeStep(payout, 'return', durations), returned_minor };
    }
  }
}

export function isUnderWay({ status }: Payout): boolean {
  return status === 'queued' || status === 'sent';
}

/** Why the order is refused at once; null when it is not. */
function refusalOf(
  { destination, currency, amount_minor }: PayoutTerms,
  float: bigint,
): PayoutRefusal | null {
  const rail = railOf(destination, currency);
  if (rail === undefined) {
    return { code: 'UNSUPPORTED', message: `No operator pays ${currency} to this destination.` };
  }
  const amount = BigInt(amount_minor);
  if (amount < rail.minimum || amount > rail.maximum) {
    return { code: 'AMOUNT_OUT_OF_BOUNDS', message: 'The operator does not pay such an amount.' };
  }
  switch (testOutcomeOf(numberOf(destination))) {
    case 'not_found':
      return { code: 'PAYEE_NOT_FOUND', message: 'The operator knows nobody with this number.' };
    case 'blocked':
      return { code: 'PAYEE_BLOCKED', message: 'The recipient is blocked.' };
    case 'over_limit':
      return { code: 'PAYEE_LIMIT_REACHED', message: 'The recipient may not receive so much.' };
    default:
      return amount > float
        ? { code: 'FLOAT_TOO_LOW', message: 'The account at the operator holds too little.' }
        : null;
  }
}

/** On a clock that was moved one step follows the other from when it was due: a jump takes all of them. */
function dueAt({ clock, next }: Payout): number {
  const is_moved = clock !== null && clock.clock_seconds > 0;
  return is_moved && next !== null ? Math.min(Date.now(), Date.parse(next.at)) : Date.now();
}

function inMs(ms: number, from = Date.now()): string {
  return new Date(from + ms).toISOString();
}

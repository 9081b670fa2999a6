// The ledger's rules in plain objects: the oracle that random sequences are held against.

import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import { isStoredReversal, type ReversalOutcome } from '../../domain/reversal';
import { isFinal, type FinalOutcome, type UnstoredOutcome } from '../../domain/transfer';

export const PEOPLE = ['ann', 'ben', 'cem'] as const;
export type Person = (typeof PEOPLE)[number];

const STEP: Readonly<Record<Currency, bigint>> = { XOF: 100n, EUR: 1n, USD: 1n };
const MAX_BALANCE = 999_999_999_999_999n;

export interface FeePolicy {
  readonly basis_points: number;
  readonly fixed_minor: bigint;
}

/** A transfer as a caller may ask for it, sensible or not. */
export interface Wish {
  readonly from: Person;
  readonly to: Person | 'nobody';
  readonly environment: Environment;
  readonly currency: Currency;
  readonly steps: bigint;
  /** Few, so that they come again. */
  readonly key: string;
  readonly is_late: boolean;
}

export type Outcome = FinalOutcome | UnstoredOutcome;

export interface Expectation {
  readonly outcome: Outcome;
  readonly is_replay: boolean;
}

/** A transfer that was made, and can be reversed. */
export interface Made {
  readonly reference: string;
  readonly wish: Wish;
  reversed: bigint;
}

/** A reversal as any caller may ask for it. */
export interface ReversalWish {
  /** Counted through those that were made, over and over. */
  readonly which: number;
  readonly is_by_sender: boolean;
  /** Null stands for what is left. */
  readonly steps: bigint | null;
  readonly key: string;
  readonly is_late: boolean;
}

export interface LedgerModel {
  readonly balances: Map<string, bigint>;
  readonly transfers: Made[];
  readonly reversal_outcomes: Map<string, ReversalOutcome>;
  readonly outcomes: Map<string, FinalOutcome>;
  readonly fees: Map<Currency, FeePolicy>;
}

export function createModel(): LedgerModel {
  return {
    balances: new Map(),
    transfers: [],
    reversal_outcomes: new Map(),
    outcomes: new Map(),
    fees: new Map(),
  };
}

export function amountOf({ currency, steps }: Wish): bigint {
  return steps * STEP[currency];
}

export function balanceIn(
  model: LedgerModel,
  person: Person,
  environment: Environment,
  currency: Currency,
): bigint {
  return model.balances.get(`${person}/${environment}/${currency}`) ?? 0n;
}

/** False when the wallet cannot hold it. */
export function credit(
  model: LedgerModel,
  person: Person,
  environment: Environment,
  currency: Currency,
  steps: bigint,
): boolean {
  const after = balanceIn(model, person, environment, currency) + steps * STEP[currency];
  if (after > MAX_BALANCE) return false;
  model.balances.set(`${person}/${environment}/${currency}`, after);
  return true;
}

export function transfer(model: LedgerModel, wish: Wish): Expectation {
  const scope = `${wish.from}/${wish.environment}/${wish.key}`;
  const known = model.outcomes.get(scope);
  if (known !== undefined) return { outcome: known, is_replay: true };
  const outcome = decide(model, wish);
  if (outcome === 'completed') move(model, wish);
  if (isFinal(outcome)) model.outcomes.set(scope, outcome);
  return { outcome, is_replay: false };
}

function decide(model: LedgerModel, wish: Wish): Outcome {
  const { from, to, environment, currency, is_late } = wish;
  if (is_late) return 'lapsed';
  if (to === 'nobody') return 'recipient_not_found';
  if (to === from) return 'self_transfer';
  const amount = amountOf(wish);
  if (balanceIn(model, from, environment, currency) < amount) return 'insufficient_funds';
  const received = balanceIn(model, to, environment, currency) + amount - feeOf(model, wish);
  if (received > MAX_BALANCE) return 'limit_exceeded';
  return environment === 'live' ? 'completed' : 'simulated';
}

export function reverse(model: LedgerModel, made: Made, wish: ReversalWish): ReversalOutcome {
  const scope = `${reverserOf(made, wish)}/${made.wish.environment}/${wish.key}`;
  const known = model.reversal_outcomes.get(scope);
  if (known !== undefined) return known;
  const { outcome, amount } = decideReversal(model, made, wish);
  if (outcome === 'reversed') {
    made.reversed += amount;
    const { from, to, environment, currency } = made.wish;
    if (environment === 'live') {
      const at = (person: string) => `${person}/${environment}/${currency}`;
      model.balances.set(at(to), (model.balances.get(at(to)) ?? 0n) - amount);
      model.balances.set(at(from), (model.balances.get(at(from)) ?? 0n) + amount);
    }
  }
  if (isStoredReversal(outcome)) model.reversal_outcomes.set(scope, outcome);
  return outcome;
}

export function reverserOf({ wish }: Made, { is_by_sender }: ReversalWish): Person {
  return is_by_sender ? wish.from : (wish.to as Person);
}

function decideReversal(
  model: LedgerModel,
  { wish: sent, reversed }: Made,
  { is_by_sender, steps, is_late }: ReversalWish,
): { readonly outcome: ReversalOutcome; readonly amount: bigint } {
  const { from, to, environment, currency } = sent;
  const left = amountOf(sent) - reversed;
  const amount = steps === null ? left : steps * STEP[currency];
  const of = (outcome: ReversalOutcome) => ({ outcome, amount });
  if (is_late) return of('lapsed');
  if (is_by_sender) return of('transfer_not_found');
  if (left === 0n || amount > left) return of('reversal_exceeds_transfer');
  if (balanceIn(model, to as Person, environment, currency) < amount)
    return of('insufficient_funds');
  const received = balanceIn(model, from, environment, currency) + amount;
  return of(received > MAX_BALANCE ? 'limit_exceeded' : 'reversed');
}

function move(model: LedgerModel, wish: Wish): void {
  const { from, to, environment, currency } = wish;
  const amount = amountOf(wish);
  const net = amount - feeOf(model, wish);
  const at = (person: string) => `${person}/${environment}/${currency}`;
  model.balances.set(at(from), (model.balances.get(at(from)) ?? 0n) - amount);
  model.balances.set(at(to), (model.balances.get(at(to)) ?? 0n) + net);
}

/** Half up to the step; one step at least reaches the recipient. */
function feeOf(model: LedgerModel, wish: Wish): bigint {
  const { basis_points = 0, fixed_minor = 0n } = model.fees.get(wish.currency) ?? {};
  const step = STEP[wish.currency];
  const amount = amountOf(wish);
  const exact = amount * BigInt(basis_points) + fixed_minor * 10_000n;
  const rounded = ((2n * exact + 10_000n * step) / (2n * 10_000n * step)) * step;
  return rounded < amount - step ? rounded : amount - step;
}

// The ledger's rules in plain objects: the oracle that random sequences are held against.

import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import type { LimitName } from '../../domain/limits';
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
  /** Minor units by wallet. */
  readonly limits: Map<string, Limits>;
  /** Today's by wallet and way; a run is over within a day. */
  readonly used: Map<string, bigint>;
}

export type Limits = { readonly [name in LimitName]?: bigint };

export function createModel(): LedgerModel {
  return {
    balances: new Map(),
    transfers: [],
    reversal_outcomes: new Map(),
    outcomes: new Map(),
    fees: new Map(),
    limits: new Map(),
    used: new Map(),
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

function isAbove(model: LedgerModel, wallet: string, way: 'in' | 'out', amount: bigint): boolean {
  const limits: Limits = model.limits.get(wallet) ?? {};
  const used = model.used.get(`${wallet}/${way}`) ?? 0n;
  const above = (name: LimitName, value: bigint) => value > (limits[name] ?? value);
  const after = (model.balances.get(wallet) ?? 0n) + amount;
  return (
    above(`single_${way}`, amount) ||
    above(`daily_${way}`, used + amount) ||
    above(`monthly_${way}`, used + amount) ||
    (way === 'in' && (above('balance', after) || after > MAX_BALANCE))
  );
}

function count(model: LedgerModel, wallet: string, way: 'in' | 'out', amount: bigint): void {
  const name = `${wallet}/${way}`;
  model.used.set(name, (model.used.get(name) ?? 0n) + amount);
}

/** False when the wallet cannot hold it. */
export function credit(
  model: LedgerModel,
  person: Person,
  environment: Environment,
  currency: Currency,
  steps: bigint,
): boolean {
  const wallet = `${person}/${environment}/${currency}`;
  const amount = steps * STEP[currency];
  if (isAbove(model, wallet, 'in', amount)) return false;
  count(model, wallet, 'in', amount);
  model.balances.set(wallet, balanceIn(model, person, environment, currency) + amount);
  return true;
}

export function transfer(model: LedgerModel, wish: Wish): Expectation {
  const scope = `${wish.from}/${wish.environment}/${wish.key}`;
  const known = model.outcomes.get(scope);
  if (known !== undefined) return { outcome: known, is_replay: true };
  const outcome = decide(model, wish);
  if (outcome === 'completed') move(model, wish);
  if (outcome === 'completed' || outcome === 'simulated') {
    const { from, to, environment, currency } = wish;
    count(model, `${from}/${environment}/${currency}`, 'out', amountOf(wish));
    count(model, `${to}/${environment}/${currency}`, 'in', amountOf(wish) - feeOf(model, wish));
  }
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
  const net = amount - feeOf(model, wish);
  const at = (person: Person) => `${person}/${environment}/${currency}`;
  if (isAbove(model, at(from), 'out', amount) || isAbove(model, at(to), 'in', net)) {
    return 'limit_exceeded';
  }
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
  const { balance = MAX_BALANCE } = model.limits.get(`${from}/${environment}/${currency}`) ?? {};
  return of(received > balance ? 'limit_exceeded' : 'reversed');
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

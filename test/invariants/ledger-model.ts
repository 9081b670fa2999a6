// What the ledger should do, in plain objects: the oracle that random sequences are held against.

import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
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
  /** In steps of the currency. */
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

export interface LedgerModel {
  readonly balances: Map<string, bigint>;
  readonly outcomes: Map<string, FinalOutcome>;
  readonly fees: Map<Currency, FeePolicy>;
}

export function createModel(): LedgerModel {
  return { balances: new Map(), outcomes: new Map(), fees: new Map() };
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
  if (received > MAX_BALANCE) return 'balance_limit';
  return environment === 'live' ? 'completed' : 'simulated';
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

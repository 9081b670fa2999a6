// The operations that random sequences are made of. Each runs against Postgres and the model, and
// after each the invariants and every balance must hold.

import fc, { type AsyncCommand } from 'fast-check';
import type { Db } from '../../db/connect';
import { listWallets } from '../../db/ledger/wallets';
import { CURRENCIES, type Currency } from '../../domain/currency';
import { ENVIRONMENTS, type Environment } from '../../domain/environment';
import { LIMITS } from '../../domain/limits';
import { formatAmount } from '../../domain/money';
import { transferRefusals, type TransferRequest } from '../../domain/transfer';
import { expectBooksHold } from '../support/books';
import { operatorOf } from '../support/database';
import { limitAccount } from '../support/limits';
import { fund, type TestUser } from '../support/users';
import { buildTransferRequest, ERROR_DOCS, post, postingValues } from '../support/postings';
import { buildReversalRequest, reverse as postReversal } from '../support/reversals';
import {
  amountOf,
  balanceIn,
  credit,
  PEOPLE,
  reverse,
  reverserOf,
  transfer,
  type LedgerModel,
  type Limits,
  type Person,
  type ReversalWish,
  type Wish,
} from './ledger-model';
import { setFees } from '../support/fees';

export interface RealLedger {
  readonly db: Db;
  readonly owner: Db;
  readonly users: Readonly<Record<Person, TestUser>>;
  /** Bodies by key, to see that a replay is the first response byte for byte. */
  readonly bodies: Map<string, string>;
}

type Command = AsyncCommand<LedgerModel, RealLedger>;

export function requestOf(wish: Wish, users: RealLedger['users']): TransferRequest {
  const { from, to, environment, currency, key, is_late } = wish;
  return buildTransferRequest({
    from: users[from],
    to_username: to === 'nobody' ? 'nobody-of-this-name' : users[to].username,
    amount: amountOf(wish),
    environment,
    currency,
    key,
    ...(is_late ? { accept_before: new Date(0).toISOString() } : {}),
  });
}

async function holdInvariants(model: LedgerModel, real: RealLedger): Promise<void> {
  await expectBooksHold(real.db);
  for (const person of PEOPLE) {
    for (const environment of ENVIRONMENTS) {
      const wallets = await listWallets(real.db, real.users[person].id, environment);
      expect(wallets.map(({ currency, balance_minor }) => [currency, balance_minor])).toEqual(
        CURRENCIES.map((currency) => [currency, balanceIn(model, person, environment, currency)]),
      );
    }
  }
}

class TransferCommand implements Command {
  readonly wishes: readonly Wish[];
  constructor(wishes: readonly Wish[]) {
    this.wishes = wishes;
  }
  check(): boolean {
    return true;
  }
  async run(model: LedgerModel, real: RealLedger): Promise<void> {
    const expected = this.wishes.map((wish) => transfer(model, wish));
    const requests = this.wishes.map((wish) => requestOf(wish, real.users));
    const results = await post(real.db, requests);
    expect(results.map((one) => [one.outcome, one.is_replay])).toEqual(
      expected.map((one) => [one.outcome, one.is_replay]),
    );
    for (const [index, result] of results.entries()) {
      const { from, environment, key } = this.wishes[index]!;
      const scope = `${from}/${environment}/${key}`;
      const body = result.response?.body;
      if (expected[index]!.is_replay) expect(body).toBe(real.bodies.get(scope));
      else if (body !== undefined) real.bodies.set(scope, body);
      const { outcome, is_replay, reference } = result;
      if (is_replay || (outcome !== 'completed' && outcome !== 'simulated')) continue;
      model.transfers.push({ reference: reference!, wish: this.wishes[index]!, reversed: 0n });
    }
    await holdInvariants(model, real);
  }
  toString(): string {
    const wishes = this.wishes.map(
      ({ from, to, environment, currency, steps, key, is_late }) =>
        `${from}→${to} ${steps} ${currency} ${environment} ${key}${is_late ? ' late' : ''}`,
    );
    return `transfer(${wishes.join('; ')})`;
  }
}

class ReversalCommand implements Command {
  readonly wish: ReversalWish;
  constructor(wish: ReversalWish) {
    this.wish = wish;
  }
  check({ transfers }: Readonly<LedgerModel>): boolean {
    return transfers.length > 0;
  }
  async run(model: LedgerModel, real: RealLedger): Promise<void> {
    const made = model.transfers[this.wish.which % model.transfers.length]!;
    const { environment, currency } = made.wish;
    const { key, is_late, steps } = this.wish;
    const request = buildReversalRequest({
      by: real.users[reverserOf(made, this.wish)],
      transfer_reference: made.reference,
      amount: steps === null ? null : steps * (currency === 'XOF' ? 100n : 1n),
      environment,
      currency,
      key,
      ...(is_late ? { accept_before: new Date(0).toISOString() } : {}),
    });
    const expected = reverse(model, made, this.wish);
    expect((await postReversal(real.db, request)).outcome).toBe(expected);
    await holdInvariants(model, real);
  }
  toString(): string {
    const { which, is_by_sender, steps, key, is_late } = this.wish;
    const who = is_by_sender ? 'its sender' : 'its recipient';
    return `reversal(${which} by ${who}: ${steps ?? 'the rest'} ${key}${is_late ? ' late' : ''})`;
  }
}

class CreditCommand implements Command {
  readonly person: Person;
  readonly environment: Environment;
  readonly currency: Currency;
  readonly steps: bigint;
  constructor(person: Person, environment: Environment, currency: Currency, steps: bigint) {
    this.person = person;
    this.environment = environment;
    this.currency = currency;
    this.steps = steps;
  }
  check(): boolean {
    return true;
  }
  async run(model: LedgerModel, real: RealLedger): Promise<void> {
    const { person, environment, currency, steps } = this;
    const fits = credit(model, person, environment, currency, steps);
    const amount = steps * (currency === 'XOF' ? 100n : 1n);
    const call = fund(real.db, real.users[person].id, environment, currency, amount);
    if (fits) expect(await call).toBe(balanceIn(model, person, environment, currency));
    else await expect(call).rejects.toMatchObject({ code: '23514' });
    await holdInvariants(model, real);
  }
  toString(): string {
    return `credit(${this.person} ${this.steps} ${this.currency} ${this.environment})`;
  }
}

/** A batch whose last transfer breaks a constraint: none of it may remain. */
class BrokenBatchCommand implements Command {
  readonly wishes: readonly Wish[];
  constructor(wishes: readonly Wish[]) {
    this.wishes = wishes;
  }
  check(): boolean {
    return true;
  }
  async run(model: LedgerModel, real: RealLedger): Promise<void> {
    const requests = this.wishes.map((wish) => requestOf(wish, real.users));
    const broken = buildTransferRequest({
      from: real.users.ann,
      to_username: 'nobody-of-this-name',
      amount: 100n,
    });
    // A refusal that has no bytes to keep under its key.
    const { recipient_not_found: _, ...refusals } = transferRefusals(ERROR_DOCS);
    const values = postingValues([...requests, broken], refusals);
    const call = real.db.raw('select outcome from post_transfer_batch(?, ?)', values);
    await expect(call).rejects.toMatchObject({ code: '23502' });
    await holdInvariants(model, real);
  }
  toString(): string {
    return `broken batch of ${this.wishes.length}`;
  }
}

class FeeCommand implements Command {
  readonly currency: Currency;
  readonly basis_points: number;
  readonly fixed_minor: bigint;
  constructor(currency: Currency, basis_points: number, fixed_minor: bigint) {
    this.currency = currency;
    this.basis_points = basis_points;
    this.fixed_minor = fixed_minor;
  }
  check(): boolean {
    return true;
  }
  async run(model: LedgerModel, real: RealLedger): Promise<void> {
    const { currency, basis_points, fixed_minor } = this;
    model.fees.set(currency, { basis_points, fixed_minor });
    const percent = basis_points / 100;
    await setFees(real.owner, { kinds: ['transfer'], currency, percent, fixed_minor });
  }
  toString(): string {
    return `fee(${this.currency} ${this.basis_points} bp + ${this.fixed_minor})`;
  }
}

class LimitCommand implements Command {
  readonly wallet: readonly [Person, Environment, Currency];
  readonly limits: Limits;
  constructor(wallet: readonly [Person, Environment, Currency], limits: Limits) {
    this.wallet = wallet;
    this.limits = limits;
  }
  check(): boolean {
    return true;
  }
  async run(model: LedgerModel, real: RealLedger): Promise<void> {
    const [who, at, of] = this.wallet;
    const scale = of === 'XOF' ? 100n : 1n;
    const limits = Object.entries(this.limits).map(
      ([name, steps]) => [name, steps * scale] as const,
    );
    model.limits.set(this.wallet.join('/'), Object.fromEntries(limits));
    const given = LIMITS.map((name) => {
      const minor = limits.find(([one]) => one === name)?.[1];
      return [name, minor === undefined ? 'off' : formatAmount(minor)];
    });
    const operator = operatorOf(real.db);
    await limitAccount({ operator }, real.users[who], Object.fromEntries(given), at, of);
    await holdInvariants(model, real);
  }
  toString(): string {
    const limits = Object.entries(this.limits).map(([name, steps]) => `${name} ${steps}`);
    return `limits(${this.wallet.join(' ')}: ${limits.join(', ')})`;
  }
}

const person = fc.constantFrom(...PEOPLE);
const environment = fc.constantFrom(...ENVIRONMENTS);
const currency = fc.constantFrom(...CURRENCIES);
// Mostly small beside the credits, now and then as large as a wallet can be.
const steps = fc.oneof(
  { weight: 8, arbitrary: fc.bigInt({ min: 1n, max: 200n }) },
  { weight: 1, arbitrary: fc.constantFrom(5_000_000_000_000n, 9_999_999_999_999n) },
);

const key = fc.oneof(
  { weight: 2, arbitrary: fc.uuid() },
  { weight: 1, arbitrary: fc.constantFrom('k1', 'k2', 'k3', 'a key / with "signs"') },
);
const is_late = fc.nat(11).map((n) => n === 0);

export const wishes: fc.Arbitrary<Wish> = fc.record({
  from: person,
  to: fc.oneof(
    { weight: 12, arbitrary: person },
    { weight: 1, arbitrary: fc.constant('nobody' as const) },
  ),
  environment,
  currency,
  steps,
  key,
  is_late,
});

export const reversals: fc.Arbitrary<ReversalWish> = fc.record({
  which: fc.nat(99),
  is_by_sender: fc.nat(9).map((n) => n === 0),
  steps: fc.option(steps),
  key,
  is_late,
});

export const commands = [
  wishes.map((wish) => new TransferCommand([wish])),
  fc.array(wishes, { minLength: 2, maxLength: 8 }).map((batch) => new TransferCommand(batch)),
  reversals.map((wish) => new ReversalCommand(wish)),
  fc.tuple(person, environment, currency, steps).map((args) => new CreditCommand(...args)),
  fc.array(wishes, { maxLength: 4 }).map((batch) => new BrokenBatchCommand(batch)),
  fc
    .tuple(currency, fc.constantFrom(0, 1, 33, 150, 10_000), fc.constantFrom(0n, 7n, 100n, 250n))
    .map(
      ([cur, points, fixed]) => new FeeCommand(cur, points, cur === 'XOF' ? fixed * 100n : fixed),
    ),
  fc
    .tuple(
      fc.tuple(person, environment, currency),
      fc.dictionary(fc.constantFrom(...LIMITS), fc.bigInt({ min: 1n, max: 600n }), { maxKeys: 4 }),
    )
    .map((args) => new LimitCommand(...args)),
];

// A model of fees and taxes: rules at random, of all kinds, with bands and times, over 10,000 movements. The database
// charges what the model says.

import fc from 'fast-check';
import { FEE_KINDS, type FeeKind } from '../../db/ledger/fees';
import { CURRENCIES, type Currency } from '../../domain/currency';
import { createTestDatabase, setUp } from '../support/database';
import { buildUser, type TestUser } from '../support/users';

const database = setUp(createTestDatabase);
const STEP: Readonly<Record<Currency, bigint>> = { XOF: 100n, EUR: 1n, USD: 1n };
const METHODS = ['orange_sn', 'card', null] as const;
const BEARERS = {
  transfer: ['recipient', 'payer'],
  payment_intent: ['merchant'],
  payout: ['merchant'],
} as const;

interface Rule {
  readonly tax: boolean;
  readonly kind: FeeKind;
  readonly currency: Currency;
  readonly who: number | null;
  readonly method: string | null;
  readonly from: bigint;
  readonly below: bigint | null;
  /** Of a ten thousandth of a percent. */
  readonly percent: number;
  readonly fixed: bigint;
  readonly minimum: bigint;
  readonly maximum: bigint | null;
  readonly base: 'amount' | 'fee';
  readonly bearer: string | null;
  /** Days from now. */
  readonly begins: number;
  readonly ends: number | null;
}

interface Movement {
  readonly kind: FeeKind;
  readonly currency: Currency;
  readonly amount: bigint;
  readonly payer: number;
  readonly owner: number;
  readonly method: string | null;
  readonly day: number;
}

const people: TestUser[] = [];
beforeAll(async () => {
  for (let i = 0; i < 4; i += 1) people.push(await buildUser(database.db));
});

const kind = fc.constantFrom(...FEE_KINDS);
const currency = fc.constantFrom(...CURRENCIES);
const steps = (max: number) => fc.bigInt({ min: 0n, max: BigInt(max) });

const rule: fc.Arbitrary<Rule> = fc
  .record({
    tax: fc.boolean(),
    kind,
    currency,
    who: fc.option(fc.nat(3)),
    method: fc.constantFrom(...METHODS),
    band: fc.constantFrom([0n, null], [0n, 500n], [500n, 1_000n], [1_000n, null]),
    percent: fc.constantFrom(0, 1, 5_000, 15_000, 180_000, 1_000_000),
    fixed: steps(20),
    minimum: fc.oneof(fc.constant(0n), steps(30)),
    spread: fc.option(steps(100)),
    is_of_fee: fc.boolean(),
    bearer: fc.nat(1),
    begins: fc.integer({ min: 1, max: 20 }),
    lasts: fc.option(fc.integer({ min: 1, max: 20 })),
  })
  .map(({ band: [from, below], fixed, minimum, spread, is_of_fee, lasts, ...r }) => {
    const step = STEP[r.currency];
    const names = BEARERS[r.kind];
    return {
      ...r,
      method: r.kind === 'transfer' ? null : r.method,
      from: from! * step,
      below: below === null ? null : below! * step,
      fixed: fixed * step,
      minimum: minimum * step,
      maximum: spread === null ? null : (minimum + spread) * step,
      base: r.tax && is_of_fee ? 'fee' : 'amount',
      bearer: r.tax ? null : names[r.bearer % names.length]!,
      ends: lasts === null ? null : r.begins + lasts,
    } as const;
  });

const movement: fc.Arbitrary<Movement> = fc
  .record({
    kind,
    currency,
    steps: fc.oneof(
      fc.bigInt({ min: 1n, max: 1_500n }),
      fc.constantFrom(1n, 499n, 500n, 9_999_999_999_999n),
    ),
    payer: fc.nat(3),
    other: fc.integer({ min: 1, max: 3 }),
    method: fc.constantFrom(...METHODS),
    day: fc.integer({ min: 0, max: 45 }),
  })
  .map(({ steps: count, other, ...m }) => ({
    ...m,
    method: m.kind === 'transfer' ? null : m.method,
    amount: count * STEP[m.currency],
    owner: (m.payer + other) % 4,
  }));

/** True when the database takes it: it is refused when it overlaps, or would give the general fee an end. */
async function set(r: Rule, start: string): Promise<boolean> {
  const day = (n: number | null) =>
    n === null ? null : new Date(Date.parse(start) + n * 86_400_000).toISOString();
  const { rows } = await database.owner.raw(
    `select refusal from apply_fees_set(?::jsonb, 'test')`,
    [
      JSON.stringify({
        tax: r.tax,
        kind: r.kind,
        currency: r.currency,
        username: r.who === null ? null : people[r.who]!.username,
        method: r.method,
        amount_from_minor: r.from.toString(),
        amount_below_minor: r.below?.toString() ?? null,
        percent: (r.percent / 10_000).toString(),
        fixed_minor: r.fixed.toString(),
        minimum_minor: r.minimum.toString(),
        maximum_minor: r.maximum?.toString() ?? null,
        base: r.base,
        bearer: r.bearer,
        valid_from: day(r.begins),
        valid_until: day(r.ends),
      }),
    ],
  );
  return rows[0].refusal === null;
}

const isGeneral = (r: Rule) =>
  !r.tax && r.who === null && r.method === null && r.from === 0n && r.below === null;
const place = (r: Rule) =>
  [r.tax, r.kind, r.currency, r.who, r.method, r.who === null ? '' : r.bearer, isGeneral(r)].join(
    '/',
  );
const endOf = ({ ends }: { readonly ends: number | null }) => ends ?? Infinity;

/** The rules that hold after it, or undefined when it is refused. */
function modelSet(rules: readonly Rule[], r: Rule): Rule[] | undefined {
  if (isGeneral(r) && r.ends !== null) return undefined;
  const same = rules.filter((one) => place(one) === place(r));
  const former = same.find(
    (one) =>
      one.from === r.from &&
      one.below === r.below &&
      one.begins <= r.begins &&
      endOf(one) > r.begins,
  );
  const overlaps = (one: Rule) =>
    (one.below === null || one.below > r.from) &&
    (r.below === null || r.below > one.from) &&
    one.begins < endOf(one) &&
    endOf(one) > r.begins &&
    endOf(r) > one.begins;
  if (same.some((one) => one !== former && overlaps(one))) return undefined;
  const figures = (one: Rule) =>
    [one.percent, one.fixed, one.minimum, one.maximum, one.base, one.bearer, one.ends].join('/');
  if (former && figures(former) === figures(r)) return [...rules];
  const kept = rules.map((one) => (one === former ? { ...one, ends: r.begins } : one));
  return [...kept, r];
}

function charge(r: Rule | undefined, of: bigint, step: bigint): bigint {
  if (!r) return 0n;
  // Half up, in units of a step and of a millionth of the percentage's base.
  const exact = of * BigInt(r.percent) + r.fixed * 1_000_000n;
  const unit = step * 1_000_000n;
  const rounded = ((2n * exact + unit) / (2n * unit)) * step;
  const least = rounded < r.minimum ? r.minimum : rounded;
  return r.maximum !== null && least > r.maximum ? r.maximum : least;
}

function rank(r: Rule): number {
  if (r.who !== null && r.method !== null) return 1;
  if (r.who !== null) return r.bearer === 'payer' ? 3 : 2;
  if (r.method !== null) return 4;
  return isGeneral(r) ? 6 : 5;
}

function expected(rules: readonly Rule[], m: Movement) {
  const payer = m.kind === 'transfer' ? m.payer : null;
  const holds = rules
    .filter(
      (r) =>
        r.kind === m.kind &&
        r.currency === m.currency &&
        (r.method === null || r.method === m.method) &&
        r.from <= m.amount &&
        (r.below === null || m.amount < r.below) &&
        r.begins <= m.day &&
        endOf(r) > m.day,
    )
    .toSorted((a, b) => rank(a) - rank(b));
  const fee_rule = holds.find(
    (r) => !r.tax && (r.who === null || r.who === (r.bearer === 'payer' ? payer : m.owner)),
  );
  const bearer = fee_rule?.bearer ?? (m.kind === 'transfer' ? 'recipient' : 'merchant');
  const by = bearer === 'payer' ? payer : m.owner;
  const tax_rule = holds.find((r) => r.tax && (r.who === null || r.who === by));
  const step = STEP[m.currency];
  const before_tax = charge(fee_rule, m.amount, step);
  const tax = charge(tax_rule, tax_rule?.base === 'fee' ? before_tax : m.amount, step);
  const most = bearer === 'payer' || m.kind === 'payout' ? null : m.amount - step;
  const cut = (n: bigint) => (most !== null && n > most ? most : n);
  return { fee: cut(before_tax + tax), tax: cut(tax), bearer };
}

it('10,000 movements are charged as the model says, and none more than it has', async () => {
  const start = '2999-01-01T00:00:00Z';
  let rules: Rule[] = [];
  let taken = 0;
  for (const r of fc.sample(rule, { numRuns: 250, seed: 7 })) {
    const after = modelSet(rules, r);
    expect(await set(r, start)).toBe(after !== undefined);
    if (after) [rules, taken] = [after, taken + 1];
  }
  expect(taken).toBeGreaterThan(100);
  const movements = fc.sample(movement, { numRuns: 10_000, seed: 11 });
  const given = movements.map((m) => ({
    kind: m.kind,
    cur: m.currency,
    amount: m.amount.toString(),
    payer: m.kind === 'transfer' ? people[m.payer]!.id : null,
    owner: people[m.owner]!.id,
    method: m.method,
    at: new Date(Date.parse(start) + m.day * 86_400_000).toISOString(),
  }));
  const { rows } = (await database.owner.raw(
    `select f.fee_minor as fee, f.tax_minor as tax, f.bearer
       from rows from (jsonb_to_recordset(?::jsonb) as (
              kind text, cur text, amount bigint, payer uuid, owner uuid, method text, at timestamptz))
            with ordinality q (kind, cur, amount, payer, owner, method, at, place)
      cross join lateral fee_of(q.kind, q.cur, q.amount, q.payer, q.owner, q.method, q.at) f
      order by q.place`,
    [JSON.stringify(given)],
  )) as { rows: { fee: bigint; tax: bigint; bearer: string }[] };
  movements.forEach((m, i) => {
    const found = rows[i]!;
    expect([m, found]).toEqual([m, expected(rules, m)]);
    const net = m.kind === 'payout' || found.bearer === 'payer' ? m.amount : m.amount - found.fee;
    expect(net > 0n && found.tax >= 0n && found.tax <= found.fee).toBe(true);
  });
  expect(new Set(rows.map(({ fee }) => fee)).size).toBeGreaterThan(100);
});

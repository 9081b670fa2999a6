import { expectBooksHold } from '../support/books';
import { createTestDatabase, pastLock, setUp } from '../support/database';
import { balanceOf } from '../support/balances';
import { setFees } from '../support/fees';
import { buildUser } from '../support/users';
import { buildTransferRequest, post, postOne } from '../support/postings';
import { findTransfer } from '../../db/transfers/transfers';
import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';

const database = setUp(createTestDatabase);
const live = { XOF: 100_000_000n, EUR: 100_000_000n, USD: 100_000_000n };
const alice = setUp(() => buildUser(database.db, { funds: { live, sandbox: live } }));
const bob = setUp(() => buildUser(database.db));

afterEach(async () => {
  await expectBooksHold(database.db);
});

function setFee(currency: Currency, basis_points: number, fixed_minor: number): Promise<unknown> {
  const percent = basis_points / 100;
  return setFees(database.owner, { kinds: ['transfer'], currency, percent, fixed_minor });
}

async function feesBalance(currency: Currency): Promise<bigint> {
  const { rows } = await database.db.raw(
    `select balance_minor from ledger_accounts
      where kind = 'fees' and environment = 'live' and currency = ?`,
    [currency],
  );
  return (rows as { balance_minor: bigint }[])[0]!.balance_minor;
}

async function feeOf(currency: Currency, amount: bigint): Promise<bigint> {
  const outcome = await postOne(database.db, { from: alice, to: bob, amount, currency });
  const reference = outcome.reference!;
  const transfer = await findTransfer(database.db, alice.id, 'live', reference);
  return transfer!.fee_minor;
}

describe('the fee of a transfer', () => {
  it('is nothing by default', async () => {
    expect(await feeOf('USD', 123_456n)).toBe(0n);
  });

  it.each([
    // 1.5 % and 10 minor units
    ['EUR', 150, 10, 10_000n, 160n],
    ['EUR', 150, 10, 1n, 0n],
    ['EUR', 150, 10, 12n, 10n],
    // half a unit rounds up, less than half down
    ['EUR', 50, 0, 100n, 1n],
    ['EUR', 49, 0, 100n, 0n],
    // at least one unit reaches the recipient
    ['EUR', 10_000, 0, 500n, 499n],
    ['EUR', 0, 10_000, 500n, 499n],
    // XOF: whole units only, that is steps of 100
    ['XOF', 150, 0, 500_000n, 7_500n],
    ['XOF', 150, 0, 10_000n, 200n],
    ['XOF', 149, 0, 10_000n, 100n],
    ['XOF', 33, 0, 10_000n, 0n],
    ['XOF', 50, 0, 10_000n, 100n],
    ['XOF', 10_000, 0, 10_000n, 9_900n],
    ['XOF', 10_000, 0, 100n, 0n],
  ] as const)(
    'in %s at %i points and %i is right for %s',
    async (currency, points, fixed, amount, fee) => {
      await setFee(currency, points, fixed);
      expect(await feeOf(currency, amount)).toBe(fee);
      await setFee(currency, 0, 0);
    },
  );
});

describe('a transfer with a fee', () => {
  beforeEach(() => setFee('EUR', 150, 10));
  afterEach(() => setFee('EUR', 0, 0));

  it('debits the amount, credits the net amount, and books the fee', async () => {
    const before = await Promise.all([
      balanceOf(database.db, alice, 'EUR'),
      balanceOf(database.db, bob, 'EUR'),
      feesBalance('EUR'),
    ]);
    const outcome = await postOne(database.db, {
      from: alice,
      to: bob,
      amount: 10_000n,
      currency: 'EUR',
    });
    const reference = outcome.reference!;
    expect(await balanceOf(database.db, alice, 'EUR')).toBe(before[0] - 10_000n);
    expect(await balanceOf(database.db, bob, 'EUR')).toBe(before[1] + 9_840n);
    expect(await feesBalance('EUR')).toBe(before[2] + 160n);
    expect(await findTransfer(database.db, alice.id, 'live', reference)).toMatchObject({
      amount_minor: 10_000n,
      fee_minor: 160n,
    });
    const { rows } = await database.db.raw(
      `select e.amount_minor from ledger_entries e
         join ledger_transactions t on t.id = e.transaction_id
        where t.reference = ? order by e.amount_minor`,
      [reference],
    );
    expect(rows).toEqual([
      { amount_minor: -10_000n },
      { amount_minor: 160n },
      { amount_minor: 9_840n },
    ]);
  });

  it('fills a wallet by the net amount', async () => {
    const rich = await buildUser(database.db, {
      funds: { live: { EUR: 999_999_999_999_999n - 9_840n } },
    });
    const outcome = await postOne(database.db, {
      from: alice,
      to: rich,
      amount: 10_000n,
      currency: 'EUR',
    });
    expect(outcome.outcome).toBe('completed');
    expect(await balanceOf(database.db, rich, 'EUR')).toBe(999_999_999_999_999n);
  });

  it('books no entry and locks no account for a fee that rounds to nothing', async () => {
    const before = await feesBalance('EUR');
    const outcome = await pastLock(
      database,
      (session) => session.query(`select from ledger_accounts where kind = 'fees' for update`),
      () => postOne(database.db, { from: alice, to: bob, amount: 1n, currency: 'EUR' }),
    );
    expect(outcome.outcome).toBe('completed');
    expect(await feesBalance('EUR')).toBe(before);
  });

  it('is shown before, of the wallet that it leaves', async () => {
    const funds = { live: { XOF: 10_000n, EUR: 20_000n }, sandbox: { EUR: 30_000n } };
    const sender = await buildUser(database.db, { funds });
    const preview = async (environment: Environment, currency: Currency) =>
      (
        await database.db.raw('select * from preview_transfer(?, ?, ?, ?, 10000)', [
          sender.id,
          environment,
          bob.username,
          currency,
        ])
      ).rows;
    const possible = (fee_minor: bigint, balance_minor: bigint) => [
      { outcome: 'possible', fee_minor, tax_minor: 0n, bearer: 'recipient', balance_minor },
    ];
    expect(await preview('live', 'XOF')).toEqual(possible(0n, 10_000n));
    expect(await preview('live', 'EUR')).toEqual(possible(160n, 20_000n));
    expect(await preview('sandbox', 'EUR')).toEqual(possible(160n, 30_000n));
  });

  it('shows the fee of a simulated transfer and books none', async () => {
    const before = await feesBalance('EUR');
    const options = { from: alice, to: bob, amount: 10_000n, currency: 'EUR' } as const;
    const outcome = await postOne(database.db, { ...options, environment: 'sandbox' });
    const reference = outcome.reference!;
    expect(await findTransfer(database.db, bob.id, 'sandbox', reference)).toMatchObject({
      fee_minor: 160n,
      simulated: true,
    });
    expect(await feesBalance('EUR')).toBe(before);
  });

  it('is free of deadlocks when batches book fees of several currencies in opposite order', async () => {
    await setFee('USD', 100, 0);
    const pairs = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const funds = { live: { EUR: 100_000n, USD: 100_000n } };
        return [await buildUser(database.db, { funds }), await buildUser(database.db)];
      }),
    );
    const batches = Array.from({ length: 30 }, (_, index) => {
      const [from, to] = pairs[index % 6]!;
      const batch = (['EUR', 'USD', 'EUR', 'USD', 'EUR', 'USD'] as const).map((currency) =>
        buildTransferRequest({ from: from!, to: to!, amount: 1_000n, currency }),
      );
      return index % 2 === 0 ? batch : batch.reverse();
    });
    const outcomes = await Promise.all(batches.map((batch) => post(database.db, batch)));
    await setFee('USD', 0, 0);
    expect(new Set(outcomes.flat().map(({ outcome }) => outcome))).toEqual(new Set(['completed']));
  });
});

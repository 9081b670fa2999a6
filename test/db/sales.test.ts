// A merchant's sales: which payments count, on which days, and how little is read of them.

import { readSales, READ_SALES, type Sales } from '../../db/payment-intents/sales';
import { applyNotification, storeNotification } from '../../db/suspense/notifications';
import { CURRENCIES } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import { expectBooksHold } from '../support/books';
import { createTestDatabase, setUp } from '../support/database';
import { countRowsRead, LOOK_UP_PLAN } from '../support/plans';
import { accept, acceptIntent, openIntent, ordered, payIntent, receive } from '../support/refunds';
import { buildUser, type TestUser } from '../support/users';
import { expireAtOnce, FAILURE, letExpire, notificationOf } from '../workflows/intents';
import { setFees } from '../support/fees';

const database = setUp(createTestDatabase);
let merchant: TestUser;

beforeEach(async () => {
  merchant = await buildUser(database.db);
});

async function salesOf(
  today: string,
  environment: Environment = 'sandbox',
  user = merchant,
): Promise<Omit<Sales, 'days'>[]> {
  const sales = await readSales(database.db, user.id, environment, today);
  return sales.map(({ currency, today: of_day, week, month }) => {
    return { currency, today: of_day, week, month };
  });
}

const now = (): string => new Date().toISOString().slice(0, 10);

/** The same in all periods, because it has just happened. */
const just = (currency: string, payments: number, amount_minor: bigint) => {
  const sum = { payments, amount_minor };
  return { currency, today: sum, week: sum, month: sum };
};

async function addDays(days: Readonly<Record<string, number>>, currency = 'XOF'): Promise<void> {
  for (const [day, payments] of Object.entries(days)) {
    await database.owner.raw(
      `insert into payment_days (user_id, environment, currency, day, payments, amount_minor)
       values (?, 'sandbox', ?, ?, ?, ?)`,
      [merchant.id, currency, day, payments, payments * 100],
    );
  }
}

describe('the sales of a merchant', () => {
  it('are the payments that succeeded, of one environment, by currency, before fees and refunds', async () => {
    const { db, owner } = database;
    await setFees(owner, { percent: 10 });
    const other = await buildUser(db);
    expect(await salesOf(now())).toEqual([]);
    await payIntent(db, merchant);
    const refunded = await payIntent(db, merchant, { amount_minor: '20000' });
    await ordered(db, refunded);
    await payIntent(db, merchant, { currency: 'EUR', amount_minor: '1250' });
    await payIntent(db, merchant, { environment: 'live', amount_minor: '700000' });
    await payIntent(db, other, { amount_minor: '900' });
    // An operator ended it with what came.
    await acceptIntent(database, merchant, 300_000n);
    // A second payment of one that has succeeded, and one that is accepted as a deposit only.
    await receive(db, refunded);
    await accept(database, await receive(db, refunded), false);
    await openIntent(db, merchant);
    const failed = await openIntent(db, merchant);
    const failure = notificationOf(failed, { type: 'payment.failed', failure: FAILURE });
    const told = await storeNotification(db, 'sandbox', failure, Buffer.from('{}'));
    await applyNotification(db, told.id, 'https://pay.example.com');
    const expired = await openIntent(db, merchant);
    await letExpire(database, expired);
    await expireAtOnce(db, expired.id);
    expect(await salesOf(now())).toEqual([
      just('XOF', 3, 500_000n + 20_000n + 300_000n),
      just('EUR', 1, 1_250n),
    ]);
    expect(await salesOf(now(), 'live')).toEqual([just('XOF', 1, 700_000n)]);
    expect(await salesOf(now(), 'sandbox', other)).toEqual([just('XOF', 1, 900n)]);
    await expectBooksHold(db);
  });

  // 30 March 2026 is a Monday.
  it.each([
    ['in the first week of a month', '2026-04-01', { today: 1_000, week: 1_110, month: 1_000 }],
    ['on the last day of a month', '2026-03-31', { today: 100, week: 110, month: 113 }],
    ['on a Monday', '2026-03-30', { today: 10, week: 10, month: 13 }],
    ['on a Sunday', '2026-03-29', { today: 1, week: 1, month: 3 }],
    ['on a day without any', '2026-04-03', { today: 0, week: 11_110, month: 11_000 }],
  ])('are those of the day, the week from Monday on and the month: %s', async (_, today, sums) => {
    await addDays({
      '2026-02-28': 100_000,
      '2026-03-01': 2,
      '2026-03-29': 1,
      '2026-03-30': 10,
      '2026-03-31': 100,
      '2026-04-01': 1_000,
      '2026-04-02': 10_000,
    });
    await addDays({ '2026-02-20': 5 }, 'USD');
    const [sales, ...others] = await salesOf(today);
    expect(others).toEqual([]);
    for (const [period, payments] of Object.entries(sums)) {
      const amount_minor = BigInt(payments) * 100n;
      expect([period, sales![period as keyof typeof sums]]).toEqual([
        period,
        { payments, amount_minor },
      ]);
    }
  });

  it('are also those of each of the last 30 days, those without any included', async () => {
    await addDays({ '2026-03-01': 100, '2026-03-02': 2, '2026-03-30': 30, '2026-03-31': 31 });
    const [sales] = await readSales(database.db, merchant.id, 'sandbox', '2026-03-31');
    const { days } = sales!;
    expect(days.map(({ day }) => Number(day.slice(8)))).toEqual(
      Array.from({ length: 30 }, (_, index) => index + 2),
    );
    const sold = days.filter(({ payments }) => payments > 0);
    expect(sold).toEqual([
      { day: '2026-03-02', payments: 2, amount_minor: 200n },
      { day: '2026-03-30', payments: 30, amount_minor: 3_000n },
      { day: '2026-03-31', payments: 31, amount_minor: 3_100n },
    ]);
  });

  it('count no payment twice when many succeed at once', async () => {
    const intents = await Promise.all(
      Array.from({ length: 8 }, async () => openIntent(database.db, merchant)),
    );
    await Promise.all(intents.map(async (intent) => receive(database.db, intent)));
    expect(await salesOf(now())).toEqual([just('XOF', 8, 4_000_000n)]);
  });

  it('are read from no more rows than a month has days, whatever was sold before', async () => {
    await database.owner.raw(
      `insert into payment_days (user_id, environment, currency, day, payments, amount_minor)
       select u, e, c, '2026-03-31'::date - n, 1000, 500000000
         from unnest(array[:merchant, gen_random_uuid()]) u, unnest(array['live', 'sandbox']) e,
              unnest(:currencies::text[]) c, generate_series(0, 999) n`,
      { merchant: merchant.id, currencies: [...CURRENCIES] },
    );
    await database.owner.raw('analyze payment_days');
    const values = [merchant.id, 'live', '2026-03-01', '2026-03-31'];
    const rows = await countRowsRead(database.db, READ_SALES, values, LOOK_UP_PLAN);
    // 36 days in three currencies: a month of 31, and a week that began five days before it.
    expect(rows).toBeLessThanOrEqual(36 * 3 * 2);
    expect(rows).toBeGreaterThanOrEqual(31 * 3);
  });
});

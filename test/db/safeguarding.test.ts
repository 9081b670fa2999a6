import { readGauges } from '../../db/health/gauges';
import { creditWallet } from '../../db/ledger/wallets';
import { changeSetting } from '../../db/operators/settings';
import { verifyLedger } from '../../db/verify/verify';
import { reportSafeguarding, type SafeguardingOf } from '../../use-cases/treasury/safeguarding';
import { createTestDatabase, openSession, setUp } from '../support/database';
import { setFees } from '../support/fees';
import { postOne } from '../support/postings';
import { bookPayments, openBank } from '../support/treasury';
import { buildUser } from '../support/users';
import { waitFor } from '../support/wait';

const database = setUp(createTestDatabase);

async function report(
  at: string | null = null,
): Promise<{ at: string; xof: SafeguardingOf; all: unknown }> {
  const made = await reportSafeguarding(database.operator, 'live', at);
  if (!made.ok) throw new Error('the moment has not passed');
  return { at: made.at, xof: made.currencies[0]!, all: made.currencies };
}

it('says of each currency what customers have, what is held, and what is missing', async () => {
  await bookPayments(database, 'wave', 2);
  const user = await buildUser(database.db);
  const credit = {
    user_id: user.id,
    environment: 'live',
    currency: 'XOF',
    source: 'operator',
  } as const;
  await creditWallet(
    database.operator,
    { ...credit, reference: 'ADJ-TEST-1', amount_minor: 50_000n as never, reason: 'test' },
    'tests',
  );
  const { xof } = await report();
  expect(xof).toMatchObject({
    customers: { wallets: 50_000n, suspense: 200_300n, total: 250_300n },
    held: { banks: [], in_transit: [{ provider: 'wave', balance: 200_300n }], total: 200_300n },
    unbacked: 50_000n,
    shortfall: 50_000n,
  });
  expect(xof.customers.total + xof.own.total).toBe(xof.held.total + xof.unbacked);
  // The gauge computes it from the other side of the equation.
  const { readings } = (await readGauges(database.db, 0))!;
  const gauge = readings.find(
    (one) => one.gauge === 'safeguarding_shortfall' && one.currency === 'XOF',
  );
  expect(gauge?.value).toBe(500);
});

it('has what is withdrawn of fees and paid of taxes at the expense of both, and the books hold', async () => {
  await setFees(database.owner, { kinds: ['transfer'], currency: 'XOF', fixed_minor: 10_000 });
  await setFees(database.owner, {
    kinds: ['transfer'],
    currency: 'XOF',
    fixed_minor: 2_000,
    more: { tax: true },
  });
  const [from, to] = [
    await buildUser(database.db, { funds: { live: { XOF: 100_000n } } }),
    await buildUser(database.db),
  ];
  await postOne(database.db, { from, to, amount: 50_000n });
  const before = (await report()).xof.own;
  expect(before).toMatchObject({ fees: 10_000n, taxes: 2_000n });
  await openBank(database.operator, 'Out');
  for (const [kind, amount_minor] of [
    ['fees_withdrawn', '6000'],
    ['taxes_paid', '2000'],
  ] as const) {
    const given = {
      kind,
      bank: 'Out',
      provider: null,
      amount_minor,
      reference: `OUT-${kind}`,
      reason: '',
    };
    expect(await changeSetting(database.operator, 'treasury.book', given, 'tests')).toMatchObject({
      refusal: null,
    });
  }
  expect((await report()).xof.own).toMatchObject({ fees: 4_000n, taxes: 0n });
  expect(await verifyLedger(database.db)).toEqual([]);
});

it('gives the same figures at a moment before, while and after a thousand postings', async () => {
  const before = await report();
  const running = bookPayments(database, 'wave', 1_000, 'more');
  const during = await Promise.all([1, 2, 3, 4, 5].map(() => report(before.at)));
  await running;
  const after = await report(before.at);
  for (const one of [...during, after]) expect(one.all).toEqual(before.all);
  expect((await report()).xof.customers.suspense).toBeGreaterThan(before.xof.customers.suspense);
});

it('waits for a posting whose moment has come and that is not committed', async () => {
  const session = await openSession(database.owner_url);
  await session.query('begin');
  await session.query(`do $$ declare n gateway_notifications; begin
    n.gateway := 'wave'; n.environment := 'live';
    perform hold_in_suspense(n, null::payment_intents, 'unknown_intent', 'slow', 'XOF', 700); end $$`);
  const asked = report();
  await waitFor(async () => {
    const { rows } = (await database.owner.raw(
      `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
    )) as { rows: unknown[] };
    return rows.length > 0;
  });
  await session.query('commit');
  const first = await asked;
  expect((await report(first.at)).all).toEqual(first.all);
});

it('refuses a moment that has not passed', async () => {
  expect(await reportSafeguarding(database.operator, 'live', '2999-01-01T00:00:00Z')).toEqual({
    ok: false,
  });
});

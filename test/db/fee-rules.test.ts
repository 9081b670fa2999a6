// Rules of fees and taxes: which one counts, what it comes to, who bears it, and the moment from which it holds.

import { randomUUID } from 'node:crypto';
import { previewFee, type FeeQuery } from '../../db/ledger/fees';
import { findTransfer, previewTransfer } from '../../db/transfers/transfers';
import { getPayout } from '../../db/payouts/payouts';
import { balanceOf } from '../support/balances';
import { expectBooksHold } from '../support/books';
import {
  connectAgain,
  createTestDatabase,
  openSession,
  setUp,
  untilSessionsWait,
} from '../support/database';
import { setFees, type TestFees } from '../support/fees';
import { answerPayout, orderedPayout } from '../support/payouts';
import { buildTransferRequest, insist, post, postOne, postingValues } from '../support/postings';
import { payIntent } from '../support/refunds';
import { buildUser } from '../support/users';

const database = setUp(createTestDatabase);
const funds = { XOF: 100_000_000n, EUR: 10_000_000n, USD: 1_000_000n };
const awa = setUp(() => buildUser(database.db, { funds: { live: funds, sandbox: funds } }));
const moussa = setUp(() => buildUser(database.db, { funds: { live: funds } }));

afterEach(() => expectBooksHold(database.db));

const charge = (fees: TestFees) => setFees(database.owner, fees);
const figures = async (query: Partial<FeeQuery> = {}) => {
  const { fee_minor, tax_minor } = await previewFee(database.db, {
    kind: 'transfer',
    currency: 'XOF',
    amount_minor: 1_000_000n,
    ...query,
  });
  return [fee_minor, tax_minor];
};

async function taxes(currency = 'XOF'): Promise<bigint> {
  const account = database.owner('ledger_accounts').where({ kind: 'taxes', currency });
  return BigInt((await account.sum('balance_minor as sum'))[0]!['sum'] as string);
}

async function end(more: Readonly<Record<string, string | boolean>>): Promise<void> {
  const { rows } = await database.owner.raw(
    `select s.refusal from fee_rules r
      cross join lateral apply_fees_end(jsonb_build_object('id', r.id), 'test') s
      where r.valid_until is null and to_jsonb(r) @> ?::jsonb`,
    [JSON.stringify(more)],
  );
  expect(rows).toEqual([{ refusal: null }]);
}

describe('a tax on transfers', () => {
  const tax = { kinds: ['transfer'], currency: 'XOF' } as const;

  it.each([
    [100n, 1n],
    [100_000n, 500n],
    [399_899n, 1_999n],
    [399_900n, 2_000n],
    [1_000_000n, 2_000n],
  ])('of half a percent, 2,000 at most: %s pays %s', async (amount, due) => {
    await charge({ ...tax, percent: 0.5, more: { tax: true, maximum_minor: '200000' } });
    const minor = due * 100n;
    expect(await figures({ amount_minor: amount * 100n })).toEqual([minor, minor]);
  });

  it('goes to its own account, and an exempt account pays none', async () => {
    const before = await taxes();
    await postOne(database.db, { from: awa, to: moussa, amount: 10_000_000n, currency: 'XOF' });
    expect(await taxes()).toBe(before + 50_000n);
    await charge({ ...tax, more: { tax: true, username: moussa.username } });
    await postOne(database.db, { from: awa, to: moussa, amount: 10_000_000n, currency: 'XOF' });
    expect(await taxes()).toBe(before + 50_000n);
    await end({ tax: true, user_id: moussa.id });
    await end({ tax: true, currency: 'XOF' });
  });
});

describe('which rule counts', () => {
  it('is the first of user and method, user, method, band and the general one', async () => {
    const kinds = ['payout'] as const;
    const currency = 'USD';
    const asked = { kind: 'payout', currency, amount_minor: 10_000n } as const;
    const say = async () =>
      (await figures({ ...asked, user_id: awa.id, method: 'orange_sn' }))[0]!.toString();
    await charge({ kinds, currency, fixed_minor: 1 });
    expect(await say()).toBe('1');
    const bands = { amount_from_minor: '10000', amount_below_minor: '10001' };
    await charge({ kinds, currency, fixed_minor: 2, more: bands });
    expect(await say()).toBe('2');
    await charge({ kinds, currency, fixed_minor: 3, more: { method: 'orange_sn' } });
    expect(await say()).toBe('3');
    await charge({ kinds, currency, fixed_minor: 4, more: { username: awa.username } });
    expect(await say()).toBe('4');
    const both = { username: awa.username, method: 'orange_sn' };
    await charge({ kinds, currency, fixed_minor: 5, more: both });
    expect(await say()).toBe('5');
    expect(await figures({ ...asked, user_id: moussa.id })).toEqual([2n, 0n]);
    expect(await figures({ ...asked, amount_minor: 10_001n })).toEqual([1n, 0n]);
  });

  it('is the recipient’s own before the sender’s own', async () => {
    const ofEuros = (bearer: string, username: string, fixed_minor: number) =>
      charge({ kinds: ['transfer'], currency: 'EUR', fixed_minor, more: { bearer, username } });
    const preview = () =>
      previewTransfer(database.db, {
        sender_id: awa.id,
        environment: 'live',
        to_username: moussa.username,
        currency: 'EUR',
        amount_minor: 10_000n,
      });
    await ofEuros('payer', awa.username, 7);
    expect(await preview()).toMatchObject({ fee_minor: 7n, bearer: 'payer' });
    await ofEuros('recipient', moussa.username, 9);
    expect(await preview()).toMatchObject({ fee_minor: 9n, bearer: 'recipient' });
    // A rule of what one account bears as a payer is none of what it receives.
    await ofEuros('payer', moussa.username, 11);
    expect(await preview()).toMatchObject({ fee_minor: 9n, bearer: 'recipient' });
    await end({ user_id: awa.id, currency: 'EUR' });
    await end({ user_id: moussa.id, currency: 'EUR', bearer: 'payer' });
    await end({ user_id: moussa.id, currency: 'EUR', bearer: 'recipient' });
  });
});

describe('a fee that the payer bears', () => {
  beforeAll(async () => {
    await charge({
      kinds: ['transfer'],
      currency: 'EUR',
      percent: 1,
      more: { bearer: 'payer', minimum_minor: '50' },
    });
    await charge({
      kinds: ['transfer'],
      currency: 'EUR',
      percent: 18,
      more: { tax: true, base: 'fee' },
    });
  });
  afterAll(async () => {
    await end({ tax: true, currency: 'EUR' });
    await charge({ kinds: ['transfer'], currency: 'EUR' });
  });

  it('comes on top: the sender pays it with its tax, and the recipient has a row without a fee', async () => {
    const before = await Promise.all([awa, moussa].map((u) => balanceOf(database.db, u, 'EUR')));
    const { reference } = await postOne(database.db, {
      from: awa,
      to: moussa,
      amount: 10_000n,
      currency: 'EUR',
    });
    const after = await Promise.all([awa, moussa].map((u) => balanceOf(database.db, u, 'EUR')));
    expect(after).toEqual([before[0]! - 10_118n, before[1]! + 10_000n]);
    const shown = async (user: typeof awa) =>
      JSON.parse((await findTransfer(database.db, user.id, 'live', reference!))!.json);
    const whole = { amount: 100, fee: 1.18, tax: 0.18, total: 101.18, net_amount: 100 };
    expect(await shown(awa)).toMatchObject({ ...whole, fee_bearer: 'payer' });
    expect(await shown(moussa)).toMatchObject({ ...whole, fee: 0, tax: 0, total: 100 });
    const rows = await database.owner('transactions').where({ reference }).orderBy('direction');
    expect(rows).toMatchObject([
      { direction: 'in', amount_minor: 10_000n, fee_minor: 0n, tax_minor: 0n },
      { direction: 'out', amount_minor: 10_118n, fee_minor: 118n, tax_minor: 18n },
    ]);
  });

  it('is asked of the wallet: what has the amount only is refused', async () => {
    const poor = await buildUser(database.db, { funds: { live: { EUR: 10_117n } } });
    const send = (amount: bigint) =>
      postOne(database.db, { from: poor, to: moussa, amount, currency: 'EUR' });
    expect((await send(10_000n)).outcome).toBe('insufficient_funds');
    expect((await send(9_998n)).outcome).toBe('completed');
  });
});

describe('a payout and a payment', () => {
  it('book their taxes; what a payout gives back it gives back with both', async () => {
    const ofBoth = { kinds: ['payout', 'payment_intent'], currency: 'XOF' } as const;
    await charge({ ...ofBoth, percent: 2 });
    await charge({ ...ofBoth, percent: 10, more: { tax: true, base: 'fee' } });
    const held = await taxes();
    const balance = await balanceOf(database.db, awa, 'XOF', 'sandbox');
    const paid = await orderedPayout(database.db, awa);
    const { amount_minor, fee_minor, tax_minor } = await getPayout(database.db, paid);
    expect([fee_minor, tax_minor]).toEqual([(amount_minor * 22n) / 1_000n, amount_minor / 500n]);
    const failed = await orderedPayout(database.db, awa);
    await answerPayout(database.db, failed, {
      status: 'failed',
      failure: { code: 'payout_failed', message: 'no', provider_code: null },
    } as never);
    await answerPayout(database.db, paid, { status: 'succeeded' } as never);
    const after = await balanceOf(database.db, awa, 'XOF', 'sandbox');
    expect(after).toBe(balance - amount_minor - fee_minor);
    expect(await taxes()).toBe(held + tax_minor);
    const before = await balanceOf(database.db, moussa, 'XOF', 'sandbox');
    await payIntent(database.db, moussa, { amount_minor: '500000' });
    expect(await balanceOf(database.db, moussa, 'XOF', 'sandbox')).toBe(before + 489_000n);
    expect(await taxes()).toBe(held + tax_minor + 1_000n);
    await charge(ofBoth);
    await end({ tax: true, kind: 'payout', currency: 'XOF' });
    await end({ tax: true, kind: 'payment_intent', currency: 'XOF' });
  });
});

describe('a rule', () => {
  const set = async (given: Readonly<Record<string, unknown>>) => {
    const rule = { kind: 'payout', currency: 'EUR', percent: '1', fixed_minor: '0', ...given };
    const { rows } = await database.owner.raw(
      `select refusal, before is distinct from after as changed from apply_fees_set(?::jsonb, 'test')`,
      [JSON.stringify(rule)],
    );
    return rows[0];
  };
  const done = { refusal: null, changed: true };
  const refused = (refusal: string) => expect.objectContaining({ refusal });

  it('that overlaps another band or time is refused, and the same again changes nothing', async () => {
    const band = { amount_from_minor: '100', amount_below_minor: '200' };
    expect(await set(band)).toEqual(done);
    expect(await set(band)).toEqual({ refusal: null, changed: false });
    expect(await set({ ...band, amount_from_minor: '150' })).toEqual(refused('fee_overlaps'));
    expect(await set({ ...band, percent: '2' })).toEqual(done);
    const planned = { method: 'bank', valid_from: '2999-01-01' };
    expect(await set(planned)).toEqual(done);
    expect(await set({ method: 'bank' })).toEqual(refused('fee_overlaps'));
    expect(await set({ method: 'bank', valid_until: '2999-01-01' })).toEqual(done);
  });

  it('has no moment that is past; a general one has no end; no account is made up', async () => {
    expect(await set({ valid_from: '2020-01-01' })).toEqual(refused('in_the_past'));
    expect(await set({ valid_until: '2999-01-01' })).toEqual(refused('general_fee'));
    expect(await set({ username: 'nobody-at-all' })).toEqual(refused('user_not_found'));
    const { rows } = await database.owner.raw(
      `select s.refusal from fee_rules r
        cross join lateral apply_fees_end(jsonb_build_object('id', r.id), 'test') s where r.rank = 6 limit 1`,
    );
    expect(rows).toEqual([{ refusal: 'general_fee' }]);
  });

  it('never changes', async () => {
    const change = database.owner.raw('update fee_rules set percent = 3 where currency = ?', [
      'EUR',
    ]);
    await expect(change).rejects.toMatchObject({ code: '23001' });
  });
});

describe('a change of a fee', () => {
  it('waits for a posting that has read the rules, and 64 transfers across it have one of the two fees whole', async () => {
    const people = await Promise.all(
      Array.from({ length: 8 }, () =>
        buildUser(database.db, { funds: { live: { USD: 100_000n } } }),
      ),
    );
    const send = (i: number) =>
      buildTransferRequest({
        from: people[i % 8]!,
        to: people[(i + 3) % 8]!,
        amount: 1_000n,
        currency: 'USD',
      });
    const session = await openSession(database.owner_url);
    await session.query('begin');
    const first = send(0);
    await session.query('select from post_transfer_batch($1, $2)', postingValues([first]));
    const changed = charge({ kinds: ['transfer'], currency: 'USD', fixed_minor: 100 });
    await untilSessionsWait(database, 1);
    const db = connectAgain(database, 40);
    const posted = Array.from({ length: 64 }, (_, i) => insist(() => post(db, [send(i)])));
    await session.query('commit');
    await Promise.all([changed, ...posted]);
    const rows = await database
      .owner('transfers')
      .where({ currency: 'USD' })
      .groupBy('fee_minor')
      .orderBy('fee_minor')
      .select('fee_minor')
      .count();
    expect(rows.map(({ fee_minor }) => fee_minor)).toEqual([0n, 100n]);
    await charge({ kinds: ['transfer'], currency: 'USD' });
  });

  it('that is planned begins at its moment: a posting with the figures of before begins anew', async () => {
    const moment = (
      await database.owner.raw(`select clock_timestamp() + interval '1 second' as at`)
    ).rows[0].at as string;
    await charge({
      kinds: ['transfer'],
      currency: 'USD',
      fixed_minor: 50,
      more: { valid_from: moment },
    });
    const request = buildTransferRequest({
      from: awa,
      to: moussa,
      amount: 1_000n,
      currency: 'USD',
    });
    const blocker = await openSession(database.owner_url);
    await blocker.query('begin');
    await blocker.query('select from ledger_accounts where user_id = $1 for update', [awa.id]);
    const posting = post(database.db, [request]).catch(({ code }: { code: string }) => code);
    await untilSessionsWait(database, 1);
    await blocker.query(
      `select pg_sleep(greatest(0, extract(epoch from $1::timestamptz - clock_timestamp())))`,
      [moment],
    );
    await blocker.query('commit');
    expect(await posting).toBe('40001');
    const [again] = await post(database.db, [request]);
    const shown = await findTransfer(database.db, awa.id, 'live', again!.reference!);
    expect(shown!.fee_minor).toBe(50n);
    await charge({ kinds: ['transfer'], currency: 'USD' });
  });
});

it('names a recipient that does not exist like any other', async () => {
  expect(await figures({ user_id: awa.id, to_username: `no-${randomUUID()}` })).toEqual([0n, 0n]);
});

// Invoices of fees: each posted fee on exactly one, numbers without a gap whoever dies, bytes that never change.

import {
  findFeeInvoice,
  issueFeeInvoices,
  issueMonth,
  listFeeInvoices,
} from '../../db/ledger/fee-invoices';
import { findUser } from '../../db/accounts/users';
import { expectBooksHold } from '../support/books';
import { connectAgain, createTestDatabase, openSession, setUp } from '../support/database';
import { setFees } from '../support/fees';
import { postOne } from '../support/postings';
import { payIntent } from '../support/refunds';
import { asSuperuser } from '../support/superuser';
import { buildUser, type TestUser } from '../support/users';

const ISSUER = 'pay.example.com';
const database = setUp(createTestDatabase);
const payer = setUp(() =>
  buildUser(database.db, { funds: { live: { EUR: 100_000_000n }, sandbox: { EUR: 1_000_000n } } }),
);

beforeAll(async () => {
  await setFees(database.owner, { percent: 1 });
  await setFees(database.owner, { percent: 20, more: { tax: true, base: 'fee' } });
});
afterEach(() => expectBooksHold(database.db));

const pay = (to: TestUser, amount = 10_000n) =>
  postOne(database.db, { from: payer, to, amount, currency: 'EUR' });
const issue = (of: TestUser, environment: 'live' | 'sandbox' = 'live') =>
  issueFeeInvoices(database.operator, { user_id: of.id, environment }, ISSUER, 'test');

async function numbers(environment = 'live'): Promise<number[]> {
  const rows = await database
    .owner('fee_invoices')
    .where({ environment })
    .orderBy('position')
    .select('position');
  return rows.map(({ position }) => position as number);
}
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

it('has what the account bore since the last one, and none for what was free', async () => {
  const shop = await buildUser(database.db, { funds: { live: { EUR: 10_000n } } });
  await pay(shop);
  await pay(shop, 30_000n);
  const [invoice] = await issue(shop);
  expect(JSON.parse(invoice!.json)).toMatchObject({
    number: expect.stringMatching(/^FEE-\d{4}-\d{6}$/),
    issuer: ISSUER,
    account: { username: shop.username },
    lines: [{ kind: 'transfer', method: null, count: 2, volume: 400, fee: 4.8, tax: 0.8 }],
    fee: 4.8,
    tax: 0.8,
    total: 4.8,
  });
  expect(await issue(shop)).toEqual([]);
  await pay(shop);
  const [next] = await issue(shop);
  expect([next!.period_from, next!.fee_minor]).toEqual([invoice!.period_to, 120n]);
  // The payer bore nothing, and each account finds its own.
  expect(await issue(payer)).toEqual([]);
  const of = { user_id: shop.id, environment: 'live' } as const;
  const listed = await listFeeInvoices(database.db, { ...of, before: undefined, limit: 10 });
  expect(listed.map(({ number }) => number)).toEqual([next!.number, invoice!.number]);
  expect(await findFeeInvoice(database.db, of, invoice!.number)).toMatchObject({
    json: invoice!.json,
  });
  const other = { ...of, user_id: payer.id };
  expect(await findFeeInvoice(database.db, other, invoice!.number)).toBeUndefined();
});

it('of the sandbox has payments in a series of its own, and no simulated transfer', async () => {
  const shop = await buildUser(database.db);
  await postOne(database.db, {
    from: payer,
    to: shop,
    amount: 10_000n,
    currency: 'EUR',
    environment: 'sandbox',
  });
  expect(await issue(shop, 'sandbox')).toEqual([]);
  await payIntent(database.db, shop, { currency: 'EUR', amount_minor: '20000' });
  const [invoice] = await issue(shop, 'sandbox');
  expect(invoice!.number).toMatch(/^TEST-FEE-\d{4}-000001$/);
  expect(JSON.parse(invoice!.json).lines).toMatchObject([{ kind: 'payment_intent', fee: 2.4 }]);
});

it('waits for a posting that took its moment before, so that its fee is on it', async () => {
  const shop = await buildUser(database.db);
  const wallet = database.owner('ledger_accounts').where({ user_id: shop.id, currency: 'EUR' });
  const [issued] = await Promise.all([issue(shop), ...Array.from({ length: 20 }, () => pay(shop))]);
  const [rest] = await issue(shop);
  const billed = [...issued, ...(rest ? [rest] : [])].map(({ fee_minor }) => fee_minor);
  expect(billed.reduce((sum, one) => sum + one, 0n)).toBe(20n * 120n);
  expect(await wallet).toHaveLength(2);
});

it('numbers 20 issuers at once, of whom five are killed, without a gap', async () => {
  const before = (await numbers()).length;
  const shops = await Promise.all(Array.from({ length: 20 }, () => buildUser(database.db)));
  for (const shop of shops) await pay(shop);
  const dying = await Promise.all(
    shops.slice(0, 5).map(async (shop) => {
      const session = await openSession(database.owner_url);
      session.on('error', () => undefined);
      const { rows } = await session.query('select pg_backend_pid() as pid');
      await session.query('begin');
      const issued = session
        .query('select * from issue_fee_invoices($1, $2, null, $3, $4)', [
          shop.id,
          'live',
          ISSUER,
          'test',
        ])
        .catch(() => undefined);
      return { pid: rows[0].pid as number, issued };
    }),
  );
  // One of the five has a number by now, and the others wait for it.
  await Promise.race(dying.map(({ issued }) => issued));
  const db = connectAgain({ ...database, app_url: database.operator_url }, 15);
  const rest = shops
    .slice(5)
    .map((shop) => issueFeeInvoices(db, { user_id: shop.id, environment: 'live' }, ISSUER, 'test'));
  for (const { pid } of dying)
    await asSuperuser(database.owner_url, `select pg_terminate_backend(${pid})`);
  await Promise.all(rest);
  expect(await numbers()).toEqual(upTo(before + 15));
  for (const shop of shops.slice(0, 5)) expect(await issue(shop)).toHaveLength(1);
  expect(await numbers()).toEqual(upTo(before + 20));
});

it('of a month that is over is issued once for each account, however many try', async () => {
  const fresh = await createTestDatabase();
  await setFees(fresh.owner, { kinds: ['transfer'], percent: 1 });
  const from = await buildUser(fresh.db, { funds: { live: { EUR: 1_000_000n } } });
  const shops = await Promise.all([1, 2, 3].map(() => buildUser(fresh.db)));
  for (const to of shops) await postOne(fresh.db, { from, to, amount: 10_000n, currency: 'EUR' });
  // As if all of it had been two months ago.
  await fresh.owner.raw(`set session_replication_role = replica;
    update users set created_at = created_at - interval '70 days';
    update transactions set created_at = created_at - interval '62 days'`);
  const until = `${new Date().toISOString().slice(0, 7)}-01T00:00:00Z`;
  const issued = await Promise.all([1, 2, 3].map(() => issueMonth(fresh.db, until, ISSUER)));
  const all = [...issued.flat(), ...(await issueMonth(fresh.db, until, ISSUER))];
  expect(all.map(({ account }) => account.username).toSorted()).toEqual(
    shops.map(({ username }) => username).toSorted(),
  );
  expect(all.every(({ period_to }) => period_to.startsWith(until.slice(0, 10)))).toBe(true);
  await expect(issueMonth(fresh.db, '2999-01-01', ISSUER)).rejects.toMatchObject({ code: '23514' });
});

it('never changes', async () => {
  const change = database.owner('fee_invoices').update({ body: '{}' });
  await expect(change).rejects.toMatchObject({ code: '23001' });
  expect(await findUser(database.db, payer.id)).toBeDefined();
});

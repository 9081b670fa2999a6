// Every declared list: its filters, what is wrong with them, older pages, all that match as a file, and never a row of
// another account or environment. Each list is a row.

import { ROUTES } from '../../dashboard/routes';
import { postOne } from '../support/postings';
import { answerPayout, orderedPayout } from '../support/payouts';
import { disputeOf, say } from '../support/disputes';
import { payIntent } from '../support/refunds';
import { buildUser } from '../support/users';
import { buildLink, buildReusableLink } from './payment-links';
import type { Visitor } from './visitor';
import { useWorld } from './world';

const funds = { sandbox: { XOF: 10_000_000n } };
const w = useWorld({ funds });
let stranger: Visitor;

beforeAll(async () => {
  const { user, database } = w;
  const { db } = database;
  for (let count = 0; count < 51; count += 1) await buildLink(db, user);
  await buildLink(db, user, { currency: 'EUR', customer_email: 'awa@example.com' });
  await buildLink(db, user, { environment: 'live' });
  await buildReusableLink(db, user);
  await say(db, await disputeOf(database, await payIntent(db, user)));
  const to = await buildUser(db);
  await postOne(db, { from: user, to, amount: 120_000n, environment: 'sandbox' });
  const paid = await orderedPayout(db, user, { amount_minor: '333300' });
  await answerPayout(db, paid, { status: 'succeeded' });
  await orderedPayout(db, user);
  ({ visitor: stranger } = await w.signIn());
});

/** How many rows each query finds. */
const LISTS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  '/transactions': {
    '': 6,
    'type=withdrawal': 2,
    'direction=out': 4,
    'status=simulated&currency=XOF': 1,
    'to=2020-01-01': 0,
    'type=&currency=&status=&direction=in&from=&to=&reference=': 2,
  },
  '/payouts': {
    '': 2,
    'status=succeeded': 1,
    'currency=EUR': 0,
    'from=2020-01-01': 2,
    'to=2020-01-01': 0,
  },
  '/links': {
    '': 50,
    'currency=EUR': 1,
    'customer_email=awa%40example.com&status=open': 1,
    'status=succeeded': 1,
    'status=expired': 0,
  },
  '/reusable-links': { '': 1 },
  '/disputes': { '': 1 },
};
const hasFile = (list: string): boolean => ROUTES.some(({ path }) => path === `${list}.csv`);

const QUERIES = Object.entries(LISTS).flatMap(([path, queries]) =>
  Object.entries(queries).map(([query, count]) => [`${path}?${query}`, count] as const),
);

it.each(QUERIES)('%s finds %i, and none of others', async (path, count) => {
  expect((await w.visitor.open(path)).rows).toHaveLength(count);
  expect((await stranger.open(path)).rows).toEqual([]);
  const [list, query] = path.split('?');
  if (!hasFile(list!)) return;
  const linesIn = async (visitor: Visitor): Promise<string[]> => {
    const file = await visitor.request(`/dashboard${list}.csv?form=plain&${query}`);
    return (await file.text()).trim().split('\n').slice(1);
  };
  expect(await linesIn(w.visitor)).toHaveLength(count);
  expect(await linesIn(stranger)).toEqual([]);
});

it('a reference finds its row, in whichever way it is typed, and no row of another account', async () => {
  const [link] = await w.sql<{ reference: string }>(
    `select reference from payment_intents where user_id = ? and currency = 'EUR'`,
    [w.user.id],
  );
  const path = `/links?status=&reference=${link!.reference.toLowerCase()}`;
  expect((await w.visitor.open(path)).rows).toHaveLength(1);
  expect((await stranger.open(path)).rows).toEqual([]);
});

it('a dispute is named as the API and events name it', async () => {
  const [dispute] = await w.sql<{ reference: string }>(
    'select reference from disputes where user_id = ?',
    [w.user.id],
  );
  expect((await w.visitor.open('/disputes')).rows[0]).toContain(dispute!.reference);
});

it('older rows are on the next page, with the same filters', async () => {
  const first = await w.visitor.open('/links?currency=XOF');
  expect(first.rows).toHaveLength(50);
  const older = first.link('Older');
  expect(older).toContain('currency=XOF');
  expect((await w.visitor.open(older)).rows).toHaveLength(2);
  await w.show('live');
  expect((await w.visitor.open('/links')).rows).toHaveLength(1);
  await w.show('sandbox');
});

it('a row has amounts as people write them', async () => {
  const [last, paid] = (await w.visitor.open('/payouts')).rows;
  expect(last).toMatch(/77\s000\s01\s00 .* 5,000\sFCFA/);
  expect(paid).toMatch(/77\s000\s01\s00 .* 3,333\sFCFA Succeeded/);
  const french = await w.visitor.open('/payouts?lang=fr&currency=XOF');
  expect(french.rows[1]).toMatch(/3\s333\sFCFA Effectué/);
  expect([french.heading, french.buttons]).toEqual(['Envois', expect.arrayContaining(['Filtrer'])]);
  await w.visitor.open('/?lang=en');
});

it.each([
  ['/transactions?from=yesterday', 'from', 'Write a date as YYYY-MM-DD.'],
  ['/transactions?to=2026-02-30', 'to', 'Write a date as YYYY-MM-DD.'],
  ['/transactions?type=gift', 'type', 'There is no such choice.'],
  [`/transactions?reference=${'x'.repeat(65)}`, 'reference', 'This is too long.'],
  ['/payouts?from=yesterday', 'from', 'Write a date as YYYY-MM-DD.'],
  ['/links?status=unpaid', 'status', 'There is no such choice.'],
])('%s is 422, and says why beside the field', async (path, field, text) => {
  const page = await w.visitor.open(path);
  expect([page.status, page.faults, page.rows]).toEqual([422, { [field]: text }, []]);
  const [list, query] = path.split('?');
  if (!hasFile(list!)) return;
  expect((await w.visitor.open(`${list}.csv?${query}`)).status).toBe(422);
});

it('a period includes its first day and its last', async () => {
  const today = new Date().toISOString().slice(0, 10);
  const { rows } = await w.visitor.open(`/transactions?from=${today}&to=${today}`);
  // Midnight may pass during the test.
  const begun = new Date().toISOString().slice(0, 10) === today;
  expect(begun ? rows.length : 6).toBe(6);
});

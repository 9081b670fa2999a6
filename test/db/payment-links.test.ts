// The places of a reusable link: a payment holds one from its creation to its end.

import { freezeAccount } from '../../db/accounts/users';
import {
  abandonIntent,
  cancelIntent,
  createIntentBefore,
  type NewIntent,
} from '../../db/payment-intents/intents';
import { applyNotification, storeNotification } from '../../db/suspense/notifications';
import { expectBooksHold } from '../support/books';
import {
  createTestDatabase,
  openSession,
  setUp,
  untilSessionsWait,
  whileUncommitted,
} from '../support/database';
import { buildPaymentLink, ofLink } from '../support/payment-links';
import { buildUser } from '../support/users';
import {
  buildNewIntent,
  expireAtOnce,
  letExpire,
  notificationOf,
  openAtOnce,
} from '../workflows/intents';

const PAY_URL = 'https://pay.example.com';

const database = setUp(createTestDatabase);
const merchant = setUp(() => buildUser(database.db));

afterEach(async () => {
  await expectBooksHold(database.db);
});

async function countsOf(link: string): Promise<object> {
  const { rows } = await database.owner.raw(
    'select places, payments, paid_minor::text from payment_links where id = ?',
    [link],
  );
  return (rows as object[])[0]!;
}

const buildIntent = (link: string): NewIntent => buildNewIntent(merchant, 'sandbox', ofLink(link));

const create = (intent: NewIntent) => createIntentBefore(database.db, intent, undefined);

async function open(link: string): Promise<NewIntent> {
  const intent = buildIntent(link);
  await create(intent);
  const checkout = { session_id: intent.id, checkout_url: PAY_URL, lapses_at: null };
  await openAtOnce(database.db, intent.id, checkout);
  return intent;
}

async function tell(intent: NewIntent, fields: object): Promise<void> {
  const { db } = database;
  const told = notificationOf(intent, fields);
  const { id } = await storeNotification(db, 'sandbox', told, Buffer.from('{}'));
  await applyNotification(db, id, PAY_URL);
}

it('is given back by every end but a success', async () => {
  const { db } = database;
  const link = await buildPaymentLink(db, merchant, { max_payments: 5 });
  const [paid, canceled, failed, expired] = await Promise.all([1, 2, 3, 4].map(() => open(link)));
  const abandoned = buildIntent(link);
  await create(abandoned);
  expect(await countsOf(link)).toEqual({ places: 5, payments: 0, paid_minor: '0' });
  expect(await create(buildIntent(link))).toBe('link_sold_out');
  await tell(paid!, {});
  await tell(failed!, {
    type: 'payment.failed',
    final: true,
    failure: { code: 'declined', message: 'No.' },
  });
  await cancelIntent(db, canceled!.id);
  await letExpire(database, expired!);
  await expireAtOnce(db, expired!.id);
  await abandonIntent(db, abandoned.id);
  expect(await countsOf(link)).toEqual({ places: 1, payments: 1, paid_minor: '500000' });
});

it('is taken again by a payment that begins again, if there is one', async () => {
  const link = await buildPaymentLink(database.db, merchant, { max_payments: 1 });
  const intent = buildIntent(link);
  const { created_at } = (await create(intent)) as { created_at: string };
  // A repetition holds the same place, while the first is under way and after its time.
  expect(await create(intent)).toMatchObject({ is_new: false, status: 'creating', created_at });
  await letExpire(database, intent);
  expect(await create(intent)).toMatchObject({ is_new: false, status: 'creating' });
  expect(await countsOf(link)).toMatchObject({ places: 1 });
  await abandonIntent(database.db, intent.id);
  expect(await create(intent)).toMatchObject({ status: 'creating' });
  expect(await countsOf(link)).toMatchObject({ places: 1 });
  await abandonIntent(database.db, intent.id);
  await open(link);
  expect(await create(intent)).toBe('link_sold_out');
});

it('is taken by no payment to an account that is frozen', async () => {
  const frozen = await buildUser(database.db);
  const link = await buildPaymentLink(database.db, frozen);
  await freezeAccount(database.owner, frozen.id, 'A test.', 'tests');
  expect(await create(buildNewIntent(frozen, 'sandbox', ofLink(link)))).toBe('account_frozen');
  expect(await countsOf(link)).toMatchObject({ places: 0 });
});

it('is counted at the commit, and delays no other payment until then', async () => {
  const link = await buildPaymentLink(database.db, merchant);
  const [slow, quick] = await Promise.all([open(link), open(link)]);
  const session = await openSession(database.app_url);
  await session.query('begin');
  await session.query('select cancel_intent($1)', [slow.id]);
  await cancelIntent(database.db, quick.id);
  expect(await countsOf(link)).toMatchObject({ places: 1 });
  await session.query('commit');
  expect(await countsOf(link)).toMatchObject({ places: 0 });
});

it('waits for the last place that another session holds, and gets none', async () => {
  const link = await buildPaymentLink(database.db, merchant, { max_payments: 1 });
  const session = await openSession(database.app_url);
  await session.query('begin');
  await session.query('select from create_intent($1::jsonb)', [JSON.stringify(buildIntent(link))]);
  let ended = false;
  const waiting = create(buildIntent(link)).finally(() => (ended = true));
  await untilSessionsWait(database, 1);
  expect(ended).toBe(false);
  await session.query('commit');
  expect(await waiting).toBe('link_sold_out');
});

it('keeps a change that another session makes meanwhile, and is changed alone', async () => {
  const [link, beside] = await Promise.all(
    [1, 2].map(() => buildPaymentLink(database.db, merchant)),
  );
  const change = 'select update_payment_link($1, $2::jsonb)';
  const first = JSON.stringify({ title: 'First' });
  await whileUncommitted(
    database,
    (session) => session.query(change, [link, first]),
    () =>
      database.db.raw('select update_payment_link(?, ?::jsonb)', [
        link!,
        JSON.stringify({ description: 'Second' }),
      ]),
  );
  const { rows } = await database.owner.raw(
    `select id from payment_links where title = 'First' and description = 'Second'`,
  );
  expect(rows).toEqual([{ id: link }]);
  expect(beside).not.toBe(link);
});

it.each([
  ['inactive', { is_active: false }],
  ['expired', { active_until: new Date(0).toISOString() }],
])('is not to be had of a link that is %s', async (status, changes) => {
  const link = await buildPaymentLink(database.db, merchant);
  await database.db.raw('select update_payment_link(?, ?::jsonb)', [link, JSON.stringify(changes)]);
  const intent = buildIntent(link);
  expect(await create(intent)).toBe(`link_${status}`);
  const { rows } = await database.owner.raw('select from payment_intents where id = ?', [
    intent.id,
  ]);
  expect(rows).toEqual([]);
});

// Receipts by mail: one for each live payment whose customer gave an address, in both languages.

import { randomUUID } from 'node:crypto';
import { createIntent, type NewIntent } from '../../db/payment-intents/intents';
import { applyNotification, storeNotification } from '../../db/suspense/notifications';
import { setPublicProfile } from '../../db/accounts/public-profiles';
import { createSealer } from '../../secrets/seal';
import { readMailText } from '../../use-cases/mails';
import {
  giveUpOldReceipts,
  makeReceiptMail,
  type ReceiptDependencies,
} from '../../use-cases/receipts';
import { listMails, type MailRow } from '../../db/people/mails';
import { listWaitingReceipts } from '../../db/payment-intents/receipts';
import { createTestDatabase, setUp } from '../support/database';
import { TEST_SECRETS_KEY } from '../support/secrets';
import { buildUser } from '../support/users';
import { buildNewIntent, notificationOf, openAtOnce } from '../workflows/intents';

const PAY_URL = 'https://pay.example.com';
const sealer = createSealer([TEST_SECRETS_KEY]);

const database = setUp(createTestDatabase);
const merchant = setUp(() => buildUser(database.db));
let receipts: ReceiptDependencies;

beforeAll(async () => {
  receipts = { db: database.db, sealer, pay_url_base: PAY_URL };
});

async function pay(fields: Partial<NewIntent> = {}): Promise<NewIntent> {
  const intent = buildNewIntent(merchant, 'sandbox', {
    environment: 'live',
    customer_email: `${randomUUID()}@example.com`,
    ...fields,
  });
  await createIntent(database.db, intent);
  const checkout = {
    session_id: `cs_${intent.id}`,
    checkout_url: 'https://gateway.example.com',
    lapses_at: null,
  };
  await openAtOnce(database.db, intent.id, checkout);
  const notification = notificationOf(intent);
  const stored = await storeNotification(database.db, 'sandbox', notification, Buffer.from('{}'));
  await applyNotification(database.db, stored.id, PAY_URL);
  return intent;
}

/** Acts as the sweep does. Returns the ids of the mails that it made. */
async function queueReceipts(): Promise<string[]> {
  await giveUpOldReceipts(database.db);
  const waiting = await listWaitingReceipts(database.db, 100);
  const made = await Promise.all(waiting.map((receipt) => makeReceiptMail(receipts, receipt)));
  return made.filter((id) => id !== undefined);
}

const mailsTo = async ({ customer_email }: NewIntent): Promise<MailRow[]> =>
  (await listMails(database.db, 100)).filter(({ recipient }) => recipient === customer_email);

it('is queued once, however many look at the same time, and says what was paid to whom', async () => {
  await setPublicProfile(database.db, merchant.id, {
    display_name: 'Atelier Awa',
    contact: 'awa@example.com',
  });
  const intent = await pay({ description: 'Order 1042\nPaid to: Eve' });
  const queued = await Promise.all([1, 2, 3].map(queueReceipts));
  const mails = await mailsTo(intent);
  expect(queued.flat()).toEqual(mails.map(({ id }) => id));
  expect(mails).toHaveLength(1);
  expect(mails[0]!.subject).toBe('Receipt / Reçu\u00a0: Atelier Awa');
  const text = readMailText(sealer, mails[0]!).replace(/[\u00a0\u202f]/g, ' ');
  for (const part of [
    'You have paid 5,000 FCFA to Atelier Awa (',
    'Vous avez payé 5 000 FCFA à Atelier Awa (',
    intent.reference,
    'For: Order 1042 Paid to: Eve\n',
    'Contact: awa@example.com',
    `${PAY_URL}/p/${intent.short_code}/receipt?lang=fr`,
  ]) {
    expect(text).toContain(part);
  }
  expect(await queueReceipts()).toEqual([]);
});

it('has no link but ours in what the merchant wrote, and keeps an address to write to', async () => {
  await setPublicProfile(database.db, merchant.id, {
    display_name: 'www.evil.example',
    contact: 'awa@example.com, +221 77 000 01 00 https://evil.example/(x) evil.example/a@b.example',
  });
  const intent = await pay({ description: 'Claim it: https://evil.example/win?u=a@b.example' });
  await queueReceipts();
  const [mail] = await mailsTo(intent);
  const text = readMailText(sealer, mail!);
  expect(mail!.subject).toBe('Receipt / Reçu\u00a0: www. evil. example');
  expect(text).toContain('For: Claim it: https: //evil. example/win?u=a@ b. example\n');
  expect(text).toContain(
    'Contact: awa@example.com, +221 77 000 01 00 https: //evil. example/(x) evil. example/a@ b. example\n',
  );
  const links = text.match(/\S+:\/\/\S+|\S*\.\p{L}\S*/gu)!;
  const address = 'awa@example.com,';
  const ours = (language: string): string =>
    `${PAY_URL}/p/${intent.short_code}/receipt?lang=${language}`;
  expect(links).toEqual([address, ours('en'), address, ours('fr')]);
});

it.each<[string, Partial<NewIntent>]>([
  ['a sandbox payment, or anybody could have mails sent to anybody', { environment: 'sandbox' }],
  ['a payment without an address', { customer_email: null }],
])('is not queued for %s', async (_what, fields) => {
  await pay(fields);
  expect(await queueReceipts()).toEqual([]);
});

it('has its turn when others of its merchant wait longer, but not before those of other merchants', async () => {
  const seller = await buildUser(database.db);
  const sale = [await pay(), await pay(), await pay()];
  const other = await pay({ user_id: seller.id });
  const next = await listWaitingReceipts(database.db, 2);
  expect(next.map(({ id }) => id)).toEqual([sale[0]!.id, other.id]);
  expect((await listWaitingReceipts(database.db, 100)).map(({ id }) => id)).toEqual([
    sale[0]!.id,
    other.id,
    sale[1]!.id,
    sale[2]!.id,
  ]);
  await queueReceipts();
});

it('that waited for days, because there was no server for mails, is given up', async () => {
  const [old, fresh] = [await pay(), await pay()];
  await database.owner.raw(
    `update receipt_mails set created_at = created_at - interval '3 days' where intent_id = ?`,
    [old.id],
  );
  await queueReceipts();
  expect([await mailsTo(old), await mailsTo(fresh)]).toEqual([[], [expect.anything()]]);
  expect(await queueReceipts()).toEqual([]);
});

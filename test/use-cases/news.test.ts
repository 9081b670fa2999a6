// News by mail: each thing once, to whom it concerns, in the person's language.

import { freezeAccount, unfreezeAccount } from '../../db/accounts/users';
import { listMails } from '../../db/people/mails';
import { setLoginLanguage } from '../../db/people/logins';
import { setMemberMails } from '../../db/people/news';
import type { MailKind } from '../../domain/members';
import { createSealer } from '../../secrets/seal';
import { LINES, MAILS_A_DAY, tellNews } from '../../use-cases/news';
import { mailsTo, type ReadMail } from '../dashboard/mails';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { approvePayout, confirmPayout, getPayout } from '../../db/payouts/payouts';
import { buildItem, createSteps, orderedBatch } from '../support/payout-batches';
import { orderedPayout } from '../support/payouts';
import { postOne } from '../support/postings';
import { TEST_SECRETS_KEY } from '../support/secrets';
import {
  ACTOR,
  addMember,
  buildApiKey,
  buildUser,
  revokeKey,
  type TestUser,
} from '../support/users';
import { createTestEndpoint } from '../support/webhooks';

const sealer = createSealer([TEST_SECRETS_KEY]);
const DASHBOARD = 'https://pay.example.com/dashboard';

let database: TestDatabase;
let payer: TestUser;
let woken: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  payer = await buildUser(database.db, {
    funds: { live: { XOF: 100_000_000n }, sandbox: { XOF: 100_000_000n } },
  });
});

async function tell(): Promise<void> {
  woken = [];
  const faults: unknown[] = [];
  await tellNews(
    {
      db: database.db,
      sealer,
      dashboard_url: DASHBOARD,
      wakeMail: (id) => woken.push(id),
      log: (entry) => faults.push(entry),
    },
    new AbortController().signal,
    0,
  );
  expect(faults).toEqual([]);
}

async function loginOf({ id }: TestUser): Promise<string> {
  const found = await database.db.raw('select login_id from memberships where user_id = ?', [id]);
  return found.rows[0].login_id as string;
}

async function buildShop({ mails }: { readonly mails?: readonly MailKind[] } = {}) {
  const shop = await buildUser(database.db);
  const login_id = await loginOf(shop);
  await setLoginLanguage(database.db, login_id, 'fr');
  if (mails) await setMemberMails(database.db, login_id, shop.id, mails);
  return shop;
}

const pay = (to: TestUser, amount = 500_000n, fields = {}) =>
  postOne(database.db, { from: payer, to, amount, ...fields });

const plain = (mail: ReadMail): ReadMail => ({
  subject: mail.subject.replace(/[\u00a0\u202f]/g, ' '),
  text: mail.text.replace(/[\u00a0\u202f]/g, ' '),
});
const toldTo = async ({ email }: TestUser): Promise<ReadMail[]> =>
  (await mailsTo(database, email)).map(plain);

describe('money received', () => {
  it('is told once, however many processes look, in the language of the person', async () => {
    const shop = await buildShop();
    await pay(shop, 500_000n, { description: 'Facture 12\nVirus' });
    await Promise.all([tell(), tell(), tell()]);
    await tell();
    const [mail, ...others] = await toldTo(shop);
    expect(others).toEqual([]);
    expect(mail!.subject).toBe('Vous avez reçu 5 000 FCFA');
    expect(mail!.text).toContain(
      `Compte ${shop.username}, mode réel :\n5 000 FCFA · transfert de ${payer.username} · « Facture 12 Virus » · `,
    );
    expect(mail!.text).toContain(`${DASHBOARD}/profile#mails`);
    await pay(shop);
    await tell();
    expect(await toldTo(shop)).toHaveLength(2);
  });

  it.each([
    ['Unlock at https://evil.example/x', 'Unlock at https: //evil. example/x'],
    ['www.evil.example ou a@evil.example', 'www. evil. example ou a@ evil. example'],
    ['evil。example', 'evil。 example'],
    ['Facture 12/2026, 3.5 kg à 1.500', 'Facture 12/2026, 3.5 kg à 1.500'],
  ])('quotes what the sender wrote, without its links: %s', async (description, shown) => {
    const shop = await buildShop();
    await pay(shop, 500_000n, { description });
    await tell();
    const [mail] = await toldTo(shop);
    expect(mail!.text).toContain(` · « ${shown} » · `);
  });

  it('is told in both languages to who has chosen none, and by one mail when there is much', async () => {
    const shop = await buildUser(database.db);
    const description = '😀'.repeat(120);
    for (let paid = 0; paid <= LINES; paid += 1) await pay(shop, 500_000n, { description });
    await tell();
    const [mail, ...others] = await toldTo(shop);
    expect(others).toEqual([]);
    expect(mail!.subject).toBe('More than 20 payments received / Plus de 20 paiements reçus');
    expect(mail!.text.match(/ · transfer from /g)).toHaveLength(LINES);
  });

  it('is not told of the sandbox, of what is older than a day, or to who does not want it', async () => {
    const [tester, old, quiet] = [
      await buildShop(),
      await buildShop(),
      await buildShop({ mails: [] }),
    ];
    await pay(tester, 500_000n, { environment: 'sandbox' });
    await pay(quiet);
    await pay(old);
    await database.owner.raw(
      `update ledger_accounts set last_posted_at = last_posted_at - interval '25 hours' where user_id = ?`,
      [old.id],
    );
    await tell();
    expect([await toldTo(tester), await toldTo(old), await toldTo(quiet)]).toEqual([[], [], []]);
  });

  it('is not told to an address that nobody has confirmed', async () => {
    const shop = await buildUser(database.db, { unconfirmed: true });
    await pay(shop);
    await tell();
    expect(await toldTo(shop)).toEqual([]);
  });

  it('fills a day with no more than its mails, and the next morning has the sums', async () => {
    const shop = await buildShop();
    for (let told = 0; told <= MAILS_A_DAY; told += 1) {
      await pay(shop);
      await tell();
    }
    const mails = await toldTo(shop);
    expect(mails).toHaveLength(MAILS_A_DAY);
    expect(mails.map(({ text }) => text.includes('le dernier : demain matin'))).toEqual([
      true,
      ...Array.from({ length: MAILS_A_DAY - 1 }, () => false),
    ]);
    await makeYesterday(shop);
    await tell();
    const [digest, ...others] = (await toldTo(shop)).slice(0, -MAILS_A_DAY);
    expect(others).toEqual([]);
    expect(digest!.subject).toMatch(/^Ce que vous avez reçu le /);
    expect(digest!.text).toContain('105 000 FCFA en 21 paiements');
    await tell();
    expect(await toldTo(shop)).toHaveLength(MAILS_A_DAY + 1);
  });
});

/** Moves all of it a day back, in an account of some months. */
async function makeYesterday({ id }: TestUser): Promise<void> {
  await database.owner.raw(
    `set session_replication_role = replica;
     update transactions set created_at = created_at - interval '1 day' where user_id = '${id}';
     update users set created_at = created_at - interval '70 days' where id = '${id}';
     update told set at = at - interval '1 day' where subject = '${id}';
     set session_replication_role = default`,
  );
}

describe('the sums of a day', () => {
  it('are told to who asked for them, and not when nothing came', async () => {
    const [shop, idle] = [
      await buildShop({ mails: ['digest'] }),
      await buildShop({ mails: ['digest'] }),
    ];
    await pay(shop);
    await makeYesterday(shop);
    await makeYesterday(idle);
    await tell();
    await tell();
    expect((await toldTo(shop)).map(({ text }) => text)).toEqual([
      expect.stringContaining('5 000 FCFA en 1 paiement\n'),
    ]);
    expect(await toldTo(idle)).toEqual([]);
  });
});

it('a closed month is told to who asked for statements', async () => {
  const [shop, young] = [
    await buildShop({ mails: ['statements'] }),
    await buildShop({ mails: ['statements'] }),
  ];
  await makeYesterday(shop);
  await tell();
  await tell();
  expect(await toldTo(shop)).toEqual([
    {
      subject: expect.stringMatching(/^Relevé prêt : \p{L}+ \d{4}$/u),
      text: expect.stringContaining(`${DASHBOARD}/statements`),
    },
  ]);
  expect(await toldTo(young)).toEqual([]);
});

describe('an account', () => {
  it('that is frozen, and no longer is, hears of it once, whatever it has switched off', async () => {
    const shop = await buildShop({ mails: [] });
    await freezeAccount(database.operator, shop.id, 'a secret suspicion', ACTOR);
    await tell();
    await unfreezeAccount(database.operator, shop.id, 'all is well', ACTOR);
    await tell();
    await tell();
    const mails = await toldTo(shop);
    expect(mails.map(({ subject }) => subject)).toEqual([
      'Votre compte n’est plus gelé',
      'Votre compte est gelé',
    ]);
    expect(JSON.stringify(mails)).not.toContain('suspicion');
  });

  it('hears of its endpoints twenty times a day, however often they are disabled', async () => {
    const shop = await buildShop();
    const { id } = await createTestEndpoint(database, {
      user_id: shop.id,
      url: 'https://shop.example.com/hook',
    });
    for (let told = 0; told <= 20; told += 1) {
      await database.owner.raw(
        `update webhook_endpoints
            set consecutive_failures = 3, failing_since = clock_timestamp(), status = 'disabled',
                disabled_reason = 'failing' where id = ?`,
        [id],
      );
      await tell();
    }
    expect(await toldTo(shop)).toHaveLength(20);
  });

  it.each([
    ['that keeps failing', 'live', 'enabled', 'Un endpoint de webhooks ne répond pas'],
    ['that was disabled', 'sandbox', 'failing', 'Un endpoint de webhooks a été désactivé'],
    ['that keeps failing in the sandbox', 'sandbox', 'enabled', undefined],
    ['that the merchant has disabled', 'live', 'merchant', undefined],
  ] as const)('hears once of an endpoint %s', async (_what, environment, state, subject) => {
    const shop = await buildShop();
    const { id } = await createTestEndpoint(database, {
      user_id: shop.id,
      url: 'https://shop.example.com/hook',
      environment,
    });
    await database.owner.raw(
      `update webhook_endpoints
          set consecutive_failures = 3, failing_since = clock_timestamp() - interval '16 minutes',
              status = ?, disabled_reason = ? where id = ?`,
      [state === 'enabled' ? 'enabled' : 'disabled', state === 'enabled' ? null : state, id],
    );
    await tell();
    await tell();
    const subjects = (await toldTo(shop)).map((mail) => mail.subject);
    expect(subjects).toEqual(subject === undefined ? [] : [subject]);
  });
});

it('a decision that waits is told to the other operators', async () => {
  const [asking, other] = [await buildShop(), await buildShop()];
  for (const one of [asking, other]) {
    await database.owner.raw('update logins set is_operator = true where id = ?', [
      await loginOf(one),
    ]);
  }
  await database.owner.raw(
    `insert into approvals (action, subject, arguments, environment, currency, amount_minor, reason,
       requested_by, expires_at)
     values ('suspense.close', 'suspense/1', '{}', 'live', 'XOF', 500000000, '', ?,
       clock_timestamp() + interval '1 day')`,
    [asking.username],
  );
  await tell();
  await tell();
  expect(await toldTo(asking)).toEqual([]);
  expect((await toldTo(other)).map(({ subject }) => subject)).toEqual([
    'Une décision vous attend : 5 000 000 FCFA',
  ]);
});

it('every mail is woken by the process that wrote it', async () => {
  const shop = await buildShop();
  await pay(shop);
  await tell();
  const { id } = (await listMails(database.db, 1_000)).find(
    ({ recipient }) => recipient === shop.email,
  )!;
  expect(woken).toEqual([id]);
});

describe('a live payout that waits for approval', () => {
  const LIVE = { environment: 'live' } as const;

  /** A shop whose every payout waits; its owner orders. */
  async function buildWaiting() {
    const shop = await buildUser(database.db, { funds: { live: { XOF: 20_000_000n } } });
    const rule = { user_id: shop.id, currency: 'XOF', approval_above_minor: 0 };
    await database.owner('payout_settings').insert(rule);
    return { shop, ordered_by: await loginOf(shop) };
  }

  /** Another owner of the shop, who reads French. */
  async function addOther({ id: user_id }: TestUser): Promise<TestUser> {
    const other = await buildUser(database.db);
    const login_id = await loginOf(other);
    await setLoginLanguage(database.db, login_id, 'fr');
    await database.owner('memberships').insert({ login_id, user_id, role: 'owner' });
    return other;
  }

  const sixteenMinutesLater = ({ id }: TestUser): Promise<unknown> =>
    database.owner.raw(
      `update told set at = at - interval '16 minutes' where kind = 'payout' and subject = ?`,
      [id],
    );

  it.each<[string, string, (shop: TestUser, ordered_by: string) => Promise<string>]>([
    [
      'is told once, to the owners who may approve it',
      'Un envoi attend votre approbation : 5 000 FCFA',
      async (shop, ordered_by) => {
        const id = await orderedPayout(database.db, shop, { ...LIVE, ordered_by });
        return `payouts/${(await getPayout(database.db, id)).reference}`;
      },
    ],
    [
      'is told once, to the owners who may approve it, when it is a batch',
      'Des envois groupés attendent votre approbation : 2 envois, 10 000 FCFA',
      async (shop, ordered_by) => {
        const items = [
          buildItem('100'),
          buildItem('101'),
          buildItem('102', { amount_minor: '100' }),
        ];
        const id = await orderedBatch(database.db, shop, items, { ...LIVE, ordered_by });
        await createSteps(database.db).run(id);
        return `payout-batches/${id}`;
      },
    ],
  ])('%s', async (_, subject, order) => {
    const { shop, ordered_by } = await buildWaiting();
    const other = await addOther(shop);
    const path = await order(shop, ordered_by);
    await tell();
    await tell();
    expect(await toldTo(shop)).toEqual([]);
    const text = expect.stringContaining(`${DASHBOARD}/${path}`);
    expect(await toldTo(other)).toEqual([{ subject, text }]);
  });

  it('is told again when it waits again, because an approver has left before its confirmation', async () => {
    const { shop } = await buildWaiting();
    const leaver = await addMember(database, shop, 'owner');
    const id = await orderedPayout(database.db, shop, { ...LIVE, confirm: false });
    await tell();
    expect(await toldTo(shop)).toHaveLength(1);
    await approvePayout(database.db, id, leaver);
    await database.owner('memberships').where({ login_id: leaver }).delete();
    await confirmPayout(database.db, id, { login_id: leaver });
    await sixteenMinutesLater(shop);
    await tell();
    await tell();
    expect(await toldTo(shop)).toHaveLength(2);
  });

  it('is told with the others that wait, once in 15 minutes, without what one has ordered', async () => {
    const { shop, ordered_by: own } = await buildWaiting();
    await setLoginLanguage(database.db, own, 'en');
    const ordered_by = await addMember(database, shop, 'owner');
    const order = (fields = {}) => orderedPayout(database.db, shop, { ...LIVE, ...fields });
    for (let ordered = 0; ordered <= LINES; ordered += 1) await order();
    await order({ ordered_by: own });
    await Promise.all([tell(), tell()]);
    const [mail, ...others] = await toldTo(shop);
    const subject = 'Waiting for your approval: 21 orders of payouts';
    expect([mail!.subject, others]).toEqual([subject, []]);
    expect(mail!.text.match(/5,000 FCFA · https:.*\/payouts\/PYT-/g)).toHaveLength(LINES);
    // A payout that is ordered meanwhile waits, and then the mail names only that one.
    await order({ ordered_by });
    await tell();
    expect(await toldTo(shop)).toHaveLength(1);
    await sixteenMinutesLater(shop);
    await tell();
    await tell();
    const told = await toldTo(shop);
    const next = 'A payout waits for your approval: 5,000 FCFA';
    expect([told.length, told[0]!.subject]).toEqual([2, next]);
  });
});

describe('a key that expires', () => {
  const SOON = 'Une clé d’API expire bientôt';
  const OVER = 'Une clé d’API a expiré';
  const subjectsOf = async (user: TestUser) => (await toldTo(user)).map(({ subject }) => subject);

  /** Made so long ago that every mail was due since. */
  async function buildOldKey(user: TestUser, expires_in: string): Promise<string> {
    const { id } = await buildApiKey(database.db, { user, environment: 'sandbox' });
    await database.owner.raw(
      `update api_keys set created_at = now() - interval '60 days',
                           expires_at = now() + ?::interval where id = ?`,
      [expires_in, id],
    );
    return id;
  }

  /** So much time passes for the key and what was told of it. */
  async function pass(id: string, time: string): Promise<void> {
    const columns = { api_keys: 'expires_at', told: 'at' };
    for (const [table, column] of Object.entries(columns)) {
      await database.owner.raw(
        `update ${table} set ${column} = ${column} - ?::interval where ${table === 'told' ? 'subject' : 'id'} = ?`,
        [time, id],
      );
    }
  }

  it('is told to the owners 14 days, 3 days and no day before, each once', async () => {
    const shop = await buildShop({ mails: [] });
    const id = await buildOldKey(shop, '14 days 1 hour');
    for (const [time, mails] of [
      ['0', 0],
      ['1 hour', 1],
      ['10 days 23 hours', 1],
      ['1 hour', 2],
      ['2 days 23 hours', 2],
      ['1 hour', 3],
      ['5 days', 3],
    ] as const) {
      await pass(id, time);
      await Promise.all([tell(), tell()]);
      expect([time, (await subjectsOf(shop)).length]).toEqual([time, mails]);
    }
    expect((await subjectsOf(shop)).sort()).toEqual([OVER, SOON, SOON]);
    const soon = (await toldTo(shop)).find(({ subject }) => subject === SOON)!;
    expect(soon.text).toMatch(
      /La clé d’API test \(pay_test_….{4}\) du compte \S+ \(mode test\) expire le \d/,
    );
  });

  it('is told the last only that is due, when nothing was told for long', async () => {
    const shop = await buildShop();
    await buildOldKey(shop, '-2 days');
    await tell();
    expect(await subjectsOf(shop)).toEqual([OVER]);
  });

  it('is not told of what lay before it was made, nor of one that is revoked', async () => {
    const shop = await buildShop();
    await buildApiKey(database.db, { user: shop, expires_in_days: 10 });
    await revokeKey(database.db, await buildOldKey(shop, '2 days'));
    await tell();
    expect(await subjectsOf(shop)).toEqual([]);
  });
});

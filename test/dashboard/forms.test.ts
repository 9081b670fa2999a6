// Every declared form, without scripts: what is wrong stands beside its field in the reader's language, what was typed
// stays, it needs its token, and an order whose outcome is not known is asked for again with the same key. Each form is
// a row.

import type { TestApi } from '../support/api';
import { openSession, type TestDatabase } from '../support/database';
import { postOne } from '../support/postings';
import { payIntent } from '../support/refunds';
import { buildUser } from '../support/users';
import { createTestEndpoint } from '../support/webhooks';
import { signInOwner, type Member } from './accounts';
import { buildReusableLink } from './payment-links';
import { startPayoutApi } from './payouts';
import type { GivenFields, VisitedPage, Visitor } from './visitor';

let api: TestApi;
let database: TestDatabase;
let owner: Member;
let visitor: Visitor;

beforeAll(async () => {
  api = await startPayoutApi();
  ({ database } = api);
  const funds = { sandbox: { XOF: 10_000_000n }, live: { XOF: 10_000_000n } };
  owner = await signInOwner(api.service, database, { funds });
  ({ visitor } = owner);
});

const faultsOf = ({ document }: VisitedPage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    document
      .querySelectorAll('.fault')
      .map((fault) => [
        fault.id.replace(/-fault$/, ''),
        fault.textContent.replace(/[\u00a0\u202f]/g, ' '),
      ]),
  );

interface Row {
  readonly path: string | (() => Promise<string>);
  /** The end of the form's action. */
  readonly action: string;
  readonly wrong: GivenFields;
  readonly faults: Readonly<Record<string, readonly [english: string, french: string]>>;
}

const AMOUNT = [
  'Write an amount such as 15,000 or 12.50.',
  'Écrivez un montant tel que 15 000 ou 12,50.',
] as const;
const TOO_LONG = ['At most 500 characters.', '500 caractères au plus.'] as const;
const NONE = ['Choose at least one.', 'Choisissez-en au moins un.'] as const;
const NO_CHOICE = ['There is no such choice.', 'Ce choix n’existe pas.'] as const;
const NO_RATE = [
  'Write a whole number from 1 to 10,000.',
  'Écrivez un nombre entier de 1 à 10 000.',
] as const;
const NO_TITLE = [
  'Write what your customers pay for.',
  'Écrivez ce que vos clients paient.',
] as const;
const LONG = 'x'.repeat(501);

const endpoint = async (page: string): Promise<string> => {
  const { id } = await createTestEndpoint(database, {
    user_id: owner.user.id,
    url: 'https://shop.example/hooks',
  });
  return `/webhooks/${id}/${page}`;
};

const FORMS: Readonly<Record<string, Row>> = {
  'payment link': {
    path: '/links/new',
    action: '/links',
    wrong: { amount: 'x', description: LONG, customer_email: 'nobody', customer_phone: '77 123' },
    faults: {
      amount: AMOUNT,
      description: TOO_LONG,
      customer_email: ['This is not an e-mail address.', 'Ce n’est pas une adresse e-mail.'],
      customer_phone: [
        'Write it in international form, such as +221 77 123 45 67.',
        'Écrivez-le au format international, par exemple +221 77 123 45 67.',
      ],
    },
  },
  'reusable link': {
    path: '/reusable-links/new',
    action: '/reusable-links',
    wrong: { title: '', minimum: 'x', description: LONG },
    faults: { title: NO_TITLE, minimum: AMOUNT, description: TOO_LONG },
  },
  'changed reusable link': {
    path: async () =>
      `/reusable-links/${(await buildReusableLink(database.db, owner.user)).id}/change`,
    action: '/change',
    wrong: { title: '', description: LONG },
    faults: { title: NO_TITLE, description: TOO_LONG },
  },
  transfer: {
    path: '/transfers/new',
    action: '/transfers/preview',
    wrong: { to_username: '', amount: '10.50', currency: 'XOF' },
    faults: {
      to_username: [
        'Write the recipient’s username.',
        'Indiquez le nom d’utilisateur du destinataire.',
      ],
      amount: ['The franc CFA has no decimals.', 'Le franc CFA n’a pas de décimales.'],
    },
  },
  reversal: {
    path: async () => `/transfers/${await received('sandbox')}/reversal`,
    action: '/reversal/check',
    wrong: { amount: 'x', reason: LONG },
    faults: { amount: AMOUNT, reason: TOO_LONG },
  },
  refund: {
    path: async () => `/links/${(await payIntent(database.db, owner.user)).id}/refund`,
    action: '/refund/check',
    wrong: { amount: 'x', reason: LONG },
    faults: { amount: AMOUNT, reason: TOO_LONG },
  },
  payout: {
    path: '/payouts/new',
    action: '/payouts/check',
    wrong: { phone: '77 123 45', amount: 'x', description: 'x'.repeat(141) },
    faults: {
      amount: AMOUNT,
      description: ['At most 140 characters.', '140 caractères au plus.'],
    },
  },
  'payout to a bank': {
    path: '/payouts/new?type=bank',
    action: '/payouts/check',
    wrong: { account: 'SN', amount: 'x', bank_code: 'x'.repeat(65) },
    faults: {
      account: [
        'Write 4 to 64 letters and digits, such as an IBAN.',
        'Écrivez 4 à 64 lettres et chiffres, par exemple un IBAN.',
      ],
      amount: AMOUNT,
      bank_code: ['At most 64 characters.', '64 caractères au plus.'],
    },
  },
  'rule of payouts': {
    path: '/payouts/settings',
    action: '/payouts/settings',
    wrong: { approval_above: 'x', daily: '0' },
    faults: {
      approval_above: AMOUNT,
      daily: ['The amount must be more than zero.', 'Le montant doit être supérieur à zéro.'],
    },
  },
  key: {
    path: '/keys/new',
    action: '/keys/new',
    wrong: { name: '', scopes: [], daily_EUR: 'x' },
    faults: {
      name: [
        'Give the key a name, so that you can tell your keys apart.',
        'Donnez un nom à la clé, pour distinguer vos clés.',
      ],
      scopes: [
        'Choose at least one thing that the key may do.',
        'Choisissez au moins une chose que la clé peut faire.',
      ],
      daily_EUR: AMOUNT,
    },
  },
  endpoint: {
    path: '/webhooks/new',
    action: '/webhooks/new',
    wrong: { url: '', types: [], description: LONG, max_per_second: '0' },
    faults: {
      url: ['Fill this in.', 'Remplissez ce champ.'],
      types: NONE,
      description: TOO_LONG,
      max_per_second: NO_RATE,
    },
  },
  'changed endpoint': {
    path: () => endpoint('edit'),
    action: '/edit',
    wrong: { types: [], max_per_second: '10 001' },
    faults: { types: NONE, max_per_second: NO_RATE },
  },
  'secret of an endpoint': {
    path: () => endpoint('secret'),
    action: '/secret',
    wrong: { overlap_seconds: '12' },
    faults: { overlap_seconds: NO_CHOICE },
  },
  resend: {
    path: () => endpoint('resend'),
    action: '/resend',
    wrong: { statuses: [], created_to: 'soon' },
    faults: {
      statuses: NONE,
      created_to: ['Write a date and a time.', 'Écrivez une date et une heure.'],
    },
  },
};

/** The reference of a transfer to the owner. */
async function received(environment: 'live' | 'sandbox'): Promise<string> {
  const from = await buildUser(database.db, { funds: { [environment]: { XOF: 1_000_000n } } });
  const { reference } = await postOne(database.db, {
    from,
    to: owner.user,
    amount: 500_000n,
    environment,
  });
  return reference!;
}

describe.each(Object.entries(FORMS))('a %s', (_name, { path, action, wrong, faults }) => {
  it('says all that is wrong beside its fields, in both languages, and keeps what was typed', async () => {
    const at = typeof path === 'string' ? path : await path();
    for (const [index, lang] of (['en', 'fr'] as const).entries()) {
      await visitor.open(`${at}${at.includes('?') ? '&' : '?'}lang=${lang}`);
      const page = await visitor.submit(action, wrong);
      const expected = Object.entries(faults).map(([name, texts]) => [name, texts[index]]);
      expect([page.status, faultsOf(page)]).toEqual([422, Object.fromEntries(expected)]);
      for (const name of Object.keys(faults)) {
        const control = page.document.querySelector(`[name=${name}]`)!;
        const described = page.document.querySelector(`[aria-describedby~=${name}-fault]`);
        expect([name, described]).toEqual([name, expect.anything()]);
        if (control.tagName !== 'INPUT' || Array.isArray(wrong[name])) continue;
        expect([name, control.getAttribute('value')]).toEqual([name, wrong[name]]);
      }
    }
    await visitor.open('/?lang=en');
  });

  it('does nothing without the token of its page, and comes back', async () => {
    await visitor.open(typeof path === 'string' ? path : await path());
    const page = await visitor.submit(action, { form_token: 'x' });
    expect(page.text).toContain('Your session had ended, so nothing was sent.');
  });
});

/** Leads to the page with the button that sends, and says what its action ends with. */
const ORDERS: Readonly<Record<string, () => Promise<string>>> = {
  transfer: async () => {
    const { username: to_username } = await buildUser(database.db);
    await visitor.open('/transfers/new');
    await visitor.submit('/transfers/preview', { to_username, amount: '1000', currency: 'XOF' });
    return '/transfers';
  },
  payout: async () => {
    await visitor.open('/payouts/new');
    await visitor.submit('/payouts/check', { phone: '+221 77 123 45 67', amount: '1000' });
    return '/payouts';
  },
  refund: async () => {
    await visitor.open(`/links/${(await payIntent(database.db, owner.user)).id}/refund`);
    await visitor.submit('/refund/check', { amount: '1000' });
    return '/refund';
  },
  reversal: async () => {
    await visitor.open(`/transfers/${await received('live')}/reversal`);
    await visitor.submit('/reversal/check', { amount: '1000' });
    return '/reversal';
  },
};

const count = async (name: string): Promise<number> => {
  const [row] = (await database.owner(`${name}s`).count('* as count')) as [{ count: string }];
  return Number(row.count);
};

it.each(Object.entries(ORDERS))(
  'a %s whose outcome is not known in time is asked for again, and made once',
  async (name, begin) => {
    const environment = ['transfer', 'reversal'].includes(name) ? 'live' : 'sandbox';
    await visitor.open('/');
    await visitor.submit('/environment', { environment });
    const action = await begin();
    const before = await count(name);
    const session = await openSession(database.owner_url);
    await session.query('begin');
    await session.query('select 1 from ledger_accounts where user_id = $1 for update', [
      owner.user.id,
    ]);
    const unknown = await visitor.submit(action);
    await session.query('rollback');
    expect([unknown.status, unknown.heading, unknown.headers.get('retry-after')]).toEqual([
      503,
      'It is not known yet',
      '1',
    ]);
    expect(unknown.text).toContain('Do not begin a new one');
    let page = await visitor.submit(action);
    while (page.status === 503) page = await visitor.submit(action);
    expect([page.status, await count(name)]).toEqual([200, before + 1]);
  },
);

// Every declared form, without scripts: what is wrong stands beside its field in the reader's language, what was typed
// stays, and it needs its token. Each form is a row. What becomes of orders: drafts.test.ts.

import { freezeAccount } from '../../db/accounts/users';
import { postOne } from '../support/postings';
import { payIntent } from '../support/refunds';
import { buildUser } from '../support/users';
import { createTestEndpoint } from '../support/webhooks';
import { buildReusableLink } from './payment-links';
import { PHONE } from './payouts';
import { expectPage, type GivenFields } from './visitor';
import { PAYS_AT_ONCE, useWorld } from './world';

const w = useWorld({
  gateway: PAYS_AT_ONCE,
  funds: { sandbox: { XOF: 10_000_000n }, live: { XOF: 10_000_000n } },
});

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
  const of = { user_id: w.user.id, url: 'https://shop.example/hooks' };
  const { id } = await createTestEndpoint(w.database, of);
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
      `/reusable-links/${(await buildReusableLink(w.database.db, w.user)).id}/change`,
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
    path: async () => `/transfers/${await received()}/reversal`,
    action: '/reversal/check',
    wrong: { amount: 'x', reason: LONG },
    faults: { amount: AMOUNT, reason: TOO_LONG },
  },
  refund: {
    path: async () => `/links/${(await payIntent(w.database.db, w.user)).id}/refund`,
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
async function received(): Promise<string> {
  const from = await buildUser(w.database.db, { funds: { sandbox: { XOF: 1_000_000n } } });
  const sent = { from, to: w.user, amount: 500_000n, environment: 'sandbox' } as const;
  return (await postOne(w.database.db, sent)).reference!;
}

describe.each(Object.entries(FORMS))('a %s', (_name, { path, action, wrong, faults }) => {
  it('says all that is wrong beside its fields, in both languages, and keeps what was typed', async () => {
    const at = typeof path === 'string' ? path : await path();
    for (const [index, lang] of (['en', 'fr'] as const).entries()) {
      await w.visitor.open(`${at}${at.includes('?') ? '&' : '?'}lang=${lang}`);
      const page = await w.visitor.submit(action, wrong);
      const expected = Object.entries(faults).map(([name, texts]) => [name, texts[index]]);
      expect([page.status, page.faults]).toEqual([422, Object.fromEntries(expected)]);
      for (const name of Object.keys(faults)) {
        const control = page.document.querySelector(`[name=${name}]`)!;
        const described = page.document.querySelector(`[aria-describedby~=${name}-fault]`);
        expect([name, described]).toEqual([name, expect.anything()]);
        if (control.tagName !== 'INPUT' || Array.isArray(wrong[name])) continue;
        expect([name, page.value(name)]).toEqual([name, wrong[name]]);
      }
    }
    await w.visitor.open('/?lang=en');
  });

  it('does nothing without the token of its page, and comes back', async () => {
    await w.visitor.open(typeof path === 'string' ? path : await path());
    const page = await w.visitor.submit(action, { form_token: 'x' });
    expectPage(page, 200, 'Your session had ended, so nothing was sent.');
  });
});

/** Right but for what a row says. */
const RIGHT: Readonly<Record<string, GivenFields>> = {
  '/links/new': { amount: '5 000', description: 'kept' },
  '/reusable-links/new': { title: 'Coffee', amount: '500', description: 'kept' },
  '/keys/new': { name: 'kept' },
  '/webhooks/new': { url: 'https://shop.example.com/', description: 'kept' },
  '/payouts/new': { phone: PHONE, operator: 'orange_sn', amount: '15 000', description: 'kept' },
  '/payouts/new?type=bank': { name: 'Awa Diop', amount: '15 000', description: 'kept' },
  '/transfers/new': { to_username: 'user-nobody', amount: '1000', currency: 'XOF' },
};

/** The form, what is typed, and a part of what is said beside which field. */
const MORE: readonly (readonly [string, GivenFields, Readonly<Record<string, string>>])[] = [
  ['/links/new', { expires_in: '9999999999' }, { expires_in: 'There is no such choice.' }],
  ['/links/new', { return_url: 'http://shop.example/' }, { return_url: 'begins with https://' }],
  ['/links/new', { cancel_url: 'javascript:alert(1)' }, { cancel_url: 'begins with https://' }],
  ['/links/new', { metadata: 'no equals sign' }, { metadata: 'name=value' }],
  ['/links/new', { metadata: '__proto__=polluted' }, { metadata: 'name=value' }],
  ['/links/new', { metadata: `${'n'.repeat(41)}=1` }, { metadata: 'name=value' }],
  ['/reusable-links/new', { minimum: '5' }, { minimum: 'or leave the amount empty.' }],
  ['/reusable-links/new', { amount: '', minimum: '0.5' }, { minimum: 'has no decimals.' }],
  [
    '/reusable-links/new',
    { amount: '', minimum: '9', maximum: '8' },
    { maximum: 'At least the minimum amount.' },
  ],
  ['/reusable-links/new', { amount: '', maximum: '8', suggestions: '9' }, { suggestions: '' }],
  ['/reusable-links/new', { amount: '', suggestions: '1;2;3;4;5' }, { suggestions: '4' }],
  ['/reusable-links/new', { quantity_minimum: '2' }, { quantity_maximum: 'price' }],
  ['/reusable-links/new', { quantity_maximum: '1001' }, { quantity_maximum: '1 to 1,000.' }],
  ['/reusable-links/new', { amount: '', quantity_maximum: '2' }, { quantity_maximum: 'price' }],
  ['/reusable-links/new', { currency: 'GBP' }, { currency: '' }],
  ['/reusable-links/new', { max_payments: '0' }, { max_payments: '1 to 1,000,000.' }],
  ['/reusable-links/new', { active_until: '2001-01-01T00:00' }, { active_until: 'later' }],
  ['/reusable-links/new', { active_until: 'soon' }, { active_until: 'later' }],
  ['/reusable-links/new', { return_url: 'javascript:alert(1)' }, { return_url: 'https://' }],
  ['/keys/new', { allowed_ips: 'shop.example' }, { allowed_ips: 'Write addresses or ranges' }],
  ['/keys/new', { daily_EUR: '1.000' }, { daily_EUR: 'Is it €1,000.00 or €1.00?' }],
  ['/webhooks/new', { url: 'http://shop.example.com/' }, { url: 'must begin with https://.' }],
  ['/webhooks/new', { url: 'https://10.0.0.1/' }, { url: 'an address that is not public' }],
  ['/payouts/new', { phone: '12 ext 3' }, { phone: 'with its country code' }],
  ['/payouts/new', { phone: '77 123 45' }, { phone: 'Two digits are missing.' }],
  ['/payouts/new', { phone: '+221771234567.0' }, { phone: 'made a decimal of this number' }],
  [
    '/payouts/new?type=bank',
    { account: 'SN0812345678', bank_code: '10001.0' },
    { bank_code: 'made a decimal of this number' },
  ],
  ['/links/new', { customer_phone: '+221771234567.0' }, { customer_phone: 'A spreadsheet' }],
  ['/payouts/new', { currency: 'EUR' }, { phone: 'No operator pays this destination' }],
  ['/payouts/new', { phone: '+221770000001' }, { phone: 'The operator cannot pay' }],
  ['/payouts/new', { amount: '99' }, { amount: 'between 100 FCFA and 2,000,000 FCFA' }],
  ['/payouts/new', { amount: '1 000 001' }, { amount: 'your wallet holds only' }],
  [
    '/payouts/new?type=bank',
    { account: 'FR76 3000 6000 0112 3456 7890 188' },
    { account: 'its check digits do not fit' },
  ],
  ['/payouts/new?type=bank', { account: 'SN0812345678', name: '' }, { name: 'account holder' }],
  ['/transfers/new', {}, { to_username: 'No account has this username.' }],
];

it.each(MORE)(
  '%s answers 422 for %j beside its field, and keeps the values',
  async (path, fields, faults) => {
    const given = { ...RIGHT[path], ...fields };
    const page = await w.visitor.fill(path, given);
    const expected = Object.entries(faults).map(([name, text]) => [
      name,
      expect.stringContaining(text),
    ]);
    expect([page.status, page.faults]).toEqual([422, Object.fromEntries(expected)]);
    // An amount that was read is shown as it is read; a choice that is none is not there.
    for (const name of ['currency', 'expires_in', 'amount'])
      delete (given as Record<string, unknown>)[name];
    for (const [name, value] of Object.entries(given)) {
      expect([name, page.value(name)]).toEqual([name, value]);
    }
    // Nothing leads past the fault.
    expect(page.document.querySelector('form[action="/dashboard/payouts"]')).toBeNull();
  },
);

it.each([
  ['/links/new', { amount: '500' }],
  ['/reusable-links/new', { title: 'Tea', amount: '500' }],
  ['/reusable-links/ID/change', { title: 'Tea' }],
])('%s takes nothing that is sent once the account is frozen', async (path, fields) => {
  const { visitor, user } = await w.signIn();
  const { id } = await buildReusableLink(w.database.db, user);
  await visitor.open(path.replace('ID', id));
  const action = path.includes('ID') ? '/change' : path.replace('/new', '');
  await freezeAccount(w.database.owner, user.id, 'stolen card', 'tests');
  const { status, document } = await visitor.submit(action, fields);
  const notice = document.querySelector('main .notice.bad')!.textContent;
  expect([status, notice]).toEqual([403, expect.stringContaining('is frozen')]);
});

// Reusable links in the dashboard: made, changed, taken out of use, and their payments as a page and a file.

import { freezeAccount } from '../../db/accounts/users';
import { openIntent, payIntent } from '../support/refunds';
import { startTestApi, type TestApi } from '../support/api';
import { signInColleague, signInOwner, type Member } from './accounts';
import { buildReusableLink, ofLink } from './payment-links';
import type { VisitedPage, Visitor } from './visitor';

let api: TestApi;
let owner: Member;
let visitor: Visitor;

beforeAll(async () => {
  api = await startTestApi();
  owner = await signInOwner(api.service, api.database);
  ({ visitor } = owner);
});

type Fields = Readonly<Record<string, string>>;

const make = async (fields: Fields = {}): Promise<VisitedPage> => {
  await visitor.open('/reusable-links/new');
  return visitor.submit('/reusable-links', { title: 'Coffee', amount: '500', ...fields });
};

const faultsOf = ({ document }: VisitedPage) =>
  Object.fromEntries(
    document
      .querySelectorAll('.fault')
      .map((fault) => [fault.id.replace(/-fault$/, ''), fault.textContent]),
  );

describe('making one', () => {
  it('leads to its page, whose link customers open', async () => {
    const page = await make({
      title: `  Café Touba${' '.repeat(200)}`,
      amount: '1 500',
      description: 'From Casamance',
      quantity_minimum: '2',
      quantity_maximum: '10',
      max_payments: '1 000',
      active_until: '2099-01-02T03:04',
      question_1: 'Numéro de table',
      question_1_required: 'on',
      question_3: 'Numéro de table !',
      return_url: 'https://shop.example/thanks',
    });
    expect([page.status, page.heading]).toEqual([200, 'Café Touba']);
    for (const text of [
      'The link was created.',
      '0 payments',
      'Active',
      '1,500 FCFA',
      '2 – 10',
      '1000',
      '2 Jan 2099, 03:04 UTC',
      'Numéro de table * · Numéro de table !',
      'From Casamance',
      'https://shop.example/thanks',
    ]) {
      expect(page.text).toContain(text);
    }
    const url = page.document.querySelector('.copyable code')!.textContent;
    const customers = await (await fetch(url)).text();
    expect(customers).toContain('name="collect_numero_de_table"');
    expect(customers).toContain('name="collect_numero_de_table_2"');
  });

  it('lets customers choose the amount, within what is typed', async () => {
    const page = await make({
      amount: '',
      minimum: '200',
      maximum: '10 000',
      suggestions: '500; 1 000',
    });
    for (const text of ['Customer chooses', '200 FCFA', '10,000 FCFA', '500 FCFA · 1,000 FCFA']) {
      expect(page.text).toContain(text);
    }
  });

  it.each([
    [{ minimum: '5' }, { minimum: 'Leave it empty, or leave the amount empty.' }],
    [{ amount: '', minimum: '0.5' }, { minimum: 'The franc CFA has no decimals.' }],
    [{ amount: '', minimum: '9', maximum: '8' }, { maximum: 'At least the minimum amount.' }],
    [{ amount: '', maximum: '8', suggestions: '9' }, { suggestions: expect.any(String) }],
    [{ amount: '', suggestions: '1;2;3;4;5' }, { suggestions: expect.stringContaining('4') }],
    [{ quantity_minimum: '2' }, { quantity_maximum: expect.stringContaining('price') }],
    [{ quantity_maximum: '1001' }, { quantity_maximum: 'Write a whole number from 1 to 1,000.' }],
    [{ amount: '', quantity_maximum: '2' }, { quantity_maximum: expect.stringContaining('price') }],
    [{ currency: 'GBP' }, { currency: expect.any(String) }],
    [{ max_payments: '0' }, { max_payments: 'Write a whole number from 1 to 1,000,000.' }],
    [{ active_until: '2001-01-01T00:00' }, { active_until: expect.stringContaining('later') }],
    [{ active_until: 'soon' }, { active_until: expect.stringContaining('later') }],
    [{ return_url: 'javascript:alert(1)' }, { return_url: expect.stringContaining('https://') }],
  ])('answers 422 for %j beside its field, and keeps what was typed', async (fields, faults) => {
    const page = await make({ description: 'kept', ...fields });
    expect([page.status, faultsOf(page)]).toEqual([422, faults]);
    for (const [name, value] of Object.entries({ title: 'Coffee', ...fields }).filter(
      ([one]) => one !== 'currency',
    )) {
      expect([name, page.document.querySelector(`#${name}`)!.getAttribute('value')]).toEqual([
        name,
        value,
      ]);
    }
  });

  it.each([
    ['/links/new', '/links', { amount: '500', currency: 'XOF' }],
    ['/reusable-links/new', '/reusable-links', { title: 'Tea', amount: '500', currency: 'XOF' }],
    ['/reusable-links/ID/change', '/change', { title: 'Tea' }],
  ])('%s takes nothing that is sent once the account is frozen', async (path, action, fields) => {
    const { visitor: frozen, user } = await signInOwner(api.service, api.database);
    const { id } = await buildReusableLink(api.database.db, user);
    await frozen.open(path.replace('ID', id));
    await freezeAccount(api.database.owner, user.id, 'stolen card', 'tests');
    const { status, document } = await frozen.submit(action, fields);
    const notice = document.querySelector('main .notice.bad')!.textContent;
    expect([status, notice]).toEqual([403, expect.stringContaining('is frozen')]);
  });

  it('is not for a frozen account, and neither is changing one', async () => {
    const frozen = await signInOwner(api.service, api.database);
    const { id } = await buildReusableLink(api.database.db, frozen.user);
    await frozen.visitor.open(`/reusable-links/${id}`);
    const form = { active: 'false' };
    await freezeAccount(api.database.owner, frozen.user.id, 'stolen card', 'tests');
    const refused = await frozen.visitor.submit(`/reusable-links/${id}/active`, form);
    expect(refused.document.querySelector('main .notice.bad')!.textContent).toContain('is frozen');
    expect((await frozen.visitor.open('/reusable-links/new')).text).toContain('is frozen, so');
    const shown = await frozen.visitor.open(`/reusable-links/${id}`);
    expect(shown.text).not.toContain('Take out of use');
  });
});

describe('one of them', () => {
  it('shows what was paid and leads to each payment, which names it', async () => {
    const link = await buildReusableLink(api.database.db, owner.user);
    const paid = await payIntent(api.database.db, owner.user, ofLink(link));
    await openIntent(api.database.db, owner.user, { ...ofLink(link), collected: {} });
    const page = await visitor.open(`/reusable-links/${link.id}`);
    expect(page.document.querySelector('[data-live-part=state]')!.structuredText).toMatch(
      /1,000.FCFA Active\s+1 payment$/,
    );
    const rows = page.document.querySelectorAll('tbody tr').map((row) => row.structuredText);
    expect(rows).toEqual([
      expect.stringMatching(/TRX-.*× 2.*1,000.FCFA.*Open/s),
      expect.stringMatching(/Table number: 7.*× 2.*1,000.FCFA.*Paid/s),
    ]);
    const payment = await visitor.open(`/links/${paid.id}`);
    const named = payment.document.querySelector(`a[href$="/reusable-links/${link.id}"]`)!;
    expect([named.textContent, payment.text]).toEqual([
      'Coffee',
      expect.stringMatching(/Quantity\s+2\s+Table number\s+7/),
    ]);
    const list = await visitor.open('/reusable-links');
    expect(list.document.querySelector('tbody tr')!.structuredText).toMatch(
      /Coffee.*500.FCFA.*1 payment.*1,000.FCFA.*Active/s,
    );
  });

  it('is found from the payment links, newest first, a page at a time', async () => {
    const other = await signInOwner(api.service, api.database);
    for (let count = 0; count <= 50; count += 1) {
      await buildReusableLink(api.database.db, other.user, { title: `Link ${count}` });
    }
    const links = await other.visitor.open('/links');
    const tab = links.document.querySelector('.tabs a:not([aria-current])')!.getAttribute('href')!;
    const titlesOf = ({ document }: VisitedPage) =>
      document.querySelectorAll('tbody a').map(({ textContent }) => textContent);
    const first = await other.visitor.open(tab);
    expect([titlesOf(first).length, titlesOf(first)[0]]).toEqual([50, 'Link 50']);
    const older = first.document.querySelector('.pager a')!.getAttribute('href')!;
    expect(titlesOf(await other.visitor.open(older))).toEqual(['Link 0']);
  });

  it('is a file for spreadsheets, in the reader’s language, and a plain one', async () => {
    const link = await buildReusableLink(api.database.db, owner.user);
    await payIntent(api.database.db, owner.user, ofLink(link));
    const csv = async (query: string) => {
      const response = await visitor.request(
        `/dashboard/reusable-links/${link.id}/payments.csv${query}`,
      );
      return [response.headers.get('content-disposition'), await response.text()] as const;
    };
    const [name, plain] = await csv('?form=plain');
    expect(name).toBe(`attachment; filename="payments-${link.code}.csv"`);
    expect(plain).toMatch(/^id,.*,collected_table\n.*,1000\.00,.*,7\n$/);
    await visitor.open('/reusable-links?lang=fr');
    const [, french] = await csv('');
    await visitor.open('/reusable-links?lang=en');
    expect(french).toMatch(/;collected_table\r\n.*;1000,00;/);
  });

  it('is changed, and its end stays while it is not touched', async () => {
    const { db } = api.database;
    const link = await buildReusableLink(db, owner.user);
    await api.database.owner.raw(
      `update payment_links set active_until = '2001-01-01 00:00:30+00' where id = ?`,
      [link.id],
    );
    await visitor.open(`/reusable-links/${link.id}/change`);
    const fields = { title: 'Tea', description: '', max_payments: '' };
    const page = await visitor.submit('/change', fields);
    expect([page.status, page.heading]).toEqual([200, 'Tea']);
    expect(page.text).toContain('The link was changed.');
    expect(page.text).toContain('Expired');
    for (const text of ['From Casamance', 'Maximum number']) expect(page.text).not.toContain(text);
    await visitor.open(`/reusable-links/${link.id}/change`);
    const wrong = await visitor.submit('/change', { title: '', active_until: '2001-01-01T00:01' });
    expect([wrong.status, faultsOf(wrong)]).toEqual([
      422,
      { title: 'Write what your customers pay for.' },
    ]);
    const early = await visitor.submit('/change', { title: 'Tea' });
    expect([early.status, Object.keys(faultsOf(early))]).toEqual([422, ['active_until']]);
    expect((await visitor.submit('/change', { active_until: '' })).text).toContain('Active');
  });

  it('is taken out of use and put back, and offers no poster meanwhile', async () => {
    const { id } = await buildReusableLink(api.database.db, owner.user);
    await visitor.open(`/reusable-links/${id}`);
    const out = await visitor.submit('/active');
    expect([out.text, out.document.querySelector('.poster')]).toEqual([
      expect.stringMatching(/link is out of use.*Out of use/s),
      null,
    ]);
    const back = await visitor.submit('/active');
    expect(back.text).toMatch(/back in use.*Active/s);
    expect(back.document.querySelector('.poster svg.qr')).not.toBeNull();
    const log = await visitor.open('/activity');
    expect(log.text).toContain('Changed a reusable link');
    expect(log.document.querySelector(`a[href$="/reusable-links/${id}"]`)).not.toBeNull();
  });

  it.each([
    ['cashier', true, false],
    ['accountant', false, true],
  ] as const)('offers a %s what the role may do', async (role, changes, exports) => {
    const { id } = await buildReusableLink(api.database.db, owner.user);
    const colleague = await signInColleague(api.service, api.database, owner.user, role);
    const page = await colleague.open(`/reusable-links/${id}`);
    expect([page.text.includes('Take out of use'), page.text.includes('Plain CSV')]).toEqual([
      changes,
      exports,
    ]);
    const list = await colleague.open('/reusable-links');
    expect(list.text.includes('New reusable link')).toBe(changes);
  });
});

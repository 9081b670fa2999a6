// The history in the dashboard: filters, pages, one transaction, and the file.

import { randomUUID } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { postOne } from '../support/postings';
import { buildItem, orderedBatch } from '../support/payout-batches';
import { startTestService, type TestService } from '../support/service';
import { buildUser, credit, fund, type TestUser } from '../support/users';
import { waitFor } from '../support/wait';
import { signInOwner, type Member } from './accounts';
import { buildLongHistory } from './history';
import type { VisitedPage, Visitor } from './visitor';

let database: TestDatabase;
let service: TestService;
let owner: Member;
let partner: TestUser;
let visitor: Visitor;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database });
  owner = await signInOwner(service, database, { funds: { sandbox: { EUR: 5_000n } } });
  ({ visitor } = owner);
  partner = await buildUser(database.db, { funds: { live: { EUR: 10_000n } } });
  await visitor.submit('/environment', { environment: 'live' });
});

const rowsOf = ({ document }: VisitedPage): string[] =>
  document
    .querySelectorAll('main tbody tr')
    .map((row) => row.structuredText.replace(/\s+/g, ' ').trim());

const linkTo = ({ document }: VisitedPage, text: string): string =>
  document
    .querySelectorAll('main a')
    .find((link) => link.textContent === text)!
    .getAttribute('href')!
    .replaceAll('&amp;', '&');

const readCsv = async (path: string): Promise<Record<string, string>[]> => {
  const response = await visitor.request(`/dashboard${path}`);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/csv; charset=utf-8',
  ]);
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer());
  // Excel needs this mark to read the text as UTF-8.
  expect(text).toMatch(/^\ufeffId,Type,.*\r\n/);
  return parse(text, { bom: true, columns: true });
};

describe('a short history', () => {
  let sent: string;

  beforeAll(async () => {
    const { user } = owner;
    await fund(database.db, user.id, 'live', 'XOF', 500_000n);
    const { reference } = await postOne(database.db, { from: user, to: partner, amount: 120_000n });
    sent = reference!;
    await postOne(database.db, { from: partner, to: user, amount: 990n, currency: 'EUR' });
  });

  it('is listed newest first, with what each wallet gained or lost', async () => {
    const page = await visitor.open('/transactions');
    expect(rowsOf(page)).toEqual([
      expect.stringMatching(/Transfer received .*\+€9\.90 €9\.90 Completed/),
      expect.stringMatching(/Transfer sent .*−1,200 FCFA 3,800 FCFA Completed/),
      expect.stringMatching(/Adjustment .*\+5,000 FCFA 5,000 FCFA Completed/),
    ]);
  });

  it.each([
    ['type=transfer', 2],
    ['direction=out', 1],
    ['to=2020-01-01', 0],
    ['type=&currency=&status=&direction=in&from=&to=&reference=', 2],
  ])('is filtered by %s: %i rows', async (query, count) => {
    const page = await visitor.open(`/transactions?${query}`);
    expect(rowsOf(page)).toHaveLength(count);
    expect(await readCsv(`/transactions.csv?${query}`)).toHaveLength(count);
  });

  it('includes the last day of a period, and the first', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const page = await visitor.open(`/transactions?from=${today}&to=${today}`);
    // Midnight may pass during the test.
    const begun = new Date().toISOString().slice(0, 10) === today;
    expect(begun ? rowsOf(page).length : 3).toBe(3);
  });

  it('shows one transaction, and leads to its transfer', async () => {
    await visitor.open('/transactions');
    const page = await visitor.open(linkTo(visitor.page, 'Transfer sent'));
    expect(page.heading).toBe('Transfer sent');
    expect(page.text).toContain('−1,200 FCFA');
    expect(page.text).toContain(partner.username);
    expect(linkTo(page, sent)).toBe(`/dashboard/transfers/${sent}`);
  });

  it.each([
    ['from=yesterday', 'Write a date as YYYY-MM-DD.'],
    ['to=2026-02-30', 'Write a date as YYYY-MM-DD.'],
    ['type=gift', 'There is no such choice.'],
    [`reference=${'x'.repeat(65)}`, 'This is too long.'],
  ])('answers 422 for %s and says why beside the field', async (query, text) => {
    const page = await visitor.open(`/transactions?${query}`);
    expect([page.status, page.document.querySelector('.fault')?.textContent]).toEqual([422, text]);
    expect((await visitor.open(`/transactions.csv?${query}`)).status).toBe(422);
  });
});

describe('the file', () => {
  it('has the words of the page, amounts with two decimals, and no cell that a spreadsheet would run', async () => {
    const { user } = owner;
    for (const reason of ['=1+1', '+1', '-1', '@SUM(A1)', 'a "quoted", word\nand more', 'plain']) {
      await credit(database.db, {
        reference: `ADJ-${randomUUID()}`,
        user_id: user.id,
        environment: 'sandbox',
        currency: 'EUR',
        source: 'sandbox_source',
        amount_minor: 5n,
        reason,
      });
    }
    await visitor.open('/transactions');
    await visitor.submit('/environment', { environment: 'sandbox' });
    const rows = await readCsv('/transactions.csv');
    await visitor.submit('/environment', { environment: 'live' });
    expect(Object.keys(rows[0]!).join()).toBe(
      'Id,Type,Status,Direction,Currency,Amount,Fee,Net amount,Balance after,Reference,With,Description,Belongs to,Date (UTC)',
    );
    expect(rows.map(({ Description }) => Description).slice(0, 6)).toEqual([
      'plain',
      'a "quoted", word\nand more',
      "'@SUM(A1)",
      "'-1",
      "'+1",
      "'=1+1",
    ]);
    expect(rows[0]).toMatchObject({ Amount: '0.05', Fee: '0.00', 'Balance after': '50.30' });
    expect(rows[0]!['Date (UTC)']).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  });

  it('is in French for Excel in French, and in the names of the API for programs', async () => {
    const text = async (path: string): Promise<string> => {
      const response = await visitor.request(`/dashboard${path}`);
      return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer());
    };
    const french = await text('/transactions.csv?lang=fr&currency=EUR');
    const plain = await text('/transactions.csv?form=plain&currency=EUR&lang=en');
    expect(french.split('\r\n')[0]).toBe(
      '\ufeffIdentifiant;Nature;État;Sens;Devise;Montant;Frais;Montant net;Solde après;Référence;Avec;Description;Se rapporte à;Date (UTC)',
    );
    expect(french.split('\r\n')[1]).toContain(';Transfert reçu;Effectuée;Entrée;EUR;9,90;0,00;');
    expect(plain.split('\n')[0]).toMatch(/^id,type,status,direction,.*,created_at$/);
    expect(plain.split('\n')[1]).toContain(',transfer_in,completed,in,EUR,9.90,0.00,');
  });
});

describe('a long history', () => {
  let rich: Member;

  beforeAll(async () => {
    rich = await signInOwner(service, database);
    const { user } = rich;
    await buildLongHistory(database, { user, rows: 50_000, days: 300 });
    await buildLongHistory(database, { user, rows: 3, currency: 'EUR', days: 300 });
    await fund(database.db, user.id, 'live', 'USD', 100n);
    await rich.visitor.submit('/environment', { environment: 'live' });
  });

  it('is a file of all its rows, one at a time for each person', async () => {
    const live = { environment: 'live' } as const;
    const batch = await orderedBatch(database.db, rich.user, [buildItem()], live);
    const first = await rich.visitor.request('/dashboard/transactions.csv');
    const second = await rich.visitor.request(`/dashboard/payout-batches/${batch}/payouts.csv`);
    expect(second.status).toBe(429);
    expect(await second.text()).toContain('An export is under way');
    const rows = parse(await first.text(), { columns: true }) as { readonly Id: string }[];
    expect(rows).toHaveLength(50_004);
    expect(new Set(rows.map(({ Id }) => Id)).size).toBe(rows.length);
    const third = await waitFor(async () => {
      const again = await rich.visitor.request('/dashboard/transactions.csv?currency=EUR');
      return again.status === 200 && again;
    });
    expect(parse(await third.text(), { columns: true })).toHaveLength(3);
  });

  it('never looks complete when it is not: the connection breaks, and operators read why', async () => {
    const { username } = new URL(database.app_url);
    await database.owner.raw('revoke select on transactions from ??', [username]);
    const text = rich.visitor
      .request('/dashboard/transactions.csv')
      .then((response) => response.text());
    await expect(text).rejects.toThrow(/terminated|fetch failed/);
    await database.owner.raw('grant select on transactions to ??', [username]);
    expect(service.log).toContainEqual(
      expect.objectContaining({ error: expect.stringContaining('permission denied') as string }),
    );
  });
});

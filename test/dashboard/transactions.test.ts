// The history in the dashboard: what each row says, one transaction, and the file. Its filters: lists.test.ts.

import { randomUUID } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import { postOne } from '../support/postings';
import { buildItem, orderedBatch } from '../support/payout-batches';
import { buildUser, credit, fund, type TestUser } from '../support/users';
import { waitFor } from '../support/wait';
import type { Member } from './accounts';
import { buildLongHistory } from './history';
import { expectPage } from './visitor';
import { useWorld } from './world';

const w = useWorld({ funds: { sandbox: { EUR: 5_000n }, live: { XOF: 500_000n } } });
let partner: TestUser;
let sent: string;

beforeAll(async () => {
  const { db } = w.database;
  partner = await buildUser(db, { funds: { live: { EUR: 10_000n } } });
  await w.show('live');
  sent = (await postOne(db, { from: w.user, to: partner, amount: 120_000n })).reference!;
  await postOne(db, { from: partner, to: w.user, amount: 990n, currency: 'EUR' });
});

const textOf = async (path: string, { visitor } = w.owner): Promise<string> => {
  // The place of the file before it is free a moment after its last byte was read.
  const response = await waitFor(async () => {
    const answer = await visitor.request(`/dashboard/transactions.csv${path}`);
    return answer.status === 429 ? undefined : answer;
  });
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer());
};

it('is listed newest first, with what each wallet gained or lost', async () => {
  expect((await w.visitor.open('/transactions')).rows).toEqual([
    expect.stringMatching(/Transfer received .*\+€9\.90 €9\.90 Completed/),
    expect.stringMatching(/Transfer sent .*−1,200 FCFA 3,800 FCFA Completed/),
    expect.stringMatching(/Credit .*\+5,000 FCFA 5,000 FCFA Completed/),
  ]);
});

it('shows one transaction, and leads to its transfer', async () => {
  const page = await w.visitor.open((await w.visitor.open('/transactions')).link('Transfer sent'));
  expectPage(page, 200, 'Transfer sent', '−1,200 FCFA', partner.username);
  expect(page.link(sent)).toBe(`/dashboard/transfers/${sent}`);
});

describe('the file', () => {
  it('has the words of the page, amounts with two decimals, and no cell that a spreadsheet would run', async () => {
    for (const reason of ['=1+1', '+1', '-1', '@SUM(A1)', 'a "quoted", word\nand more', 'plain']) {
      await credit(w.database.db, {
        reference: `ADJ-${randomUUID()}`,
        user_id: w.user.id,
        environment: 'sandbox',
        currency: 'EUR',
        source: 'sandbox_source',
        amount_minor: 5n,
        reason,
      });
    }
    await w.show('sandbox');
    const text = await textOf('');
    await w.show('live');
    // Excel needs this mark to read the text as UTF-8.
    expect(text).toMatch(
      /^\ufeffId,Type,Status,Direction,Currency,Amount,Fee,of which tax,Net amount,Balance after,Reference,With,Description,Belongs to,Date \(UTC\)\r\n/,
    );
    const rows = parse<Record<string, string>>(text, { bom: true, columns: true });
    expect(rows.map((row) => row['Description']).slice(0, 6)).toEqual([
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
    const french = (await textOf('?lang=fr&currency=EUR')).split('\r\n');
    const plain = (await textOf('?form=plain&currency=EUR&lang=en')).split('\n');
    expect(french[0]).toBe(
      '\ufeffIdentifiant;Nature;État;Sens;Devise;Montant;Frais;dont taxe;Montant net;Solde après;Référence;Avec;Description;Se rapporte à;Date (UTC)',
    );
    expect(french[1]).toContain(';Transfert reçu;Effectuée;Entrée;EUR;9,90;0,00;');
    expect(plain[0]).toMatch(/^id,type,status,direction,.*,created_at$/);
    expect(plain[1]).toContain(',transfer_in,completed,in,EUR,9.90,0.00,');
  });
});

describe('a long history', () => {
  let rich: Member;

  beforeAll(async () => {
    rich = await w.signIn();
    const { user } = rich;
    await buildLongHistory(w.database, { user, rows: 50_000, days: 300 });
    await buildLongHistory(w.database, { user, rows: 3, currency: 'EUR', days: 300 });
    await fund(w.database.db, user.id, 'live', 'USD', 100n);
    await w.show('live', rich.visitor);
  });

  it('is a file of all its rows, one at a time for each person', async () => {
    const live = { environment: 'live' } as const;
    const batch = await orderedBatch(w.database.db, rich.user, [buildItem()], live);
    const ask = (path: string) => rich.visitor.request(`/dashboard${path}`);
    const first = await ask('/transactions.csv');
    const second = await ask(`/payout-batches/${batch}/payouts.csv`);
    expect([second.status, await second.text()]).toEqual([
      429,
      expect.stringContaining('An export is under way'),
    ]);
    const rows = parse<{ readonly Id: string }>(await first.text(), { columns: true });
    expect(rows).toHaveLength(50_004);
    expect(new Set(rows.map(({ Id }) => Id)).size).toBe(rows.length);
    await textOf('?currency=EUR', rich);
  });

  it('never looks complete when it is not: the connection breaks, and operators read why', async () => {
    const { username } = new URL(w.database.app_url);
    await w.sql('revoke select on transactions from ??', [username]);
    await expect(textOf('', rich)).rejects.toThrow(/terminated|fetch failed/);
    await w.sql('grant select on transactions to ??', [username]);
    const error = expect.stringContaining('permission denied') as string;
    expect(w.service.log).toContainEqual(expect.objectContaining({ error }));
  });
});

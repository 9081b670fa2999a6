// GET /statements: the list, and a month as JSON, CSV and PDF.

import { parse } from 'csv-parse/sync';
import { createTestDatabase, setUp } from '../support/database';
import { request, type HttpResponse } from '../support/http';
import { answerPayout, noticeOfPayout, orderedPayout } from '../support/payouts';
import { postOne } from '../support/postings';
import { startTestService } from '../support/service';
import { passTime } from '../support/time';
import { fund } from '../support/users';
import { buildAccount, type Account } from './support/accounts';
import { callApi, refusal } from './support/contract';

const database = setUp(createTestDatabase);
const service = setUp(() => startTestService({ database }));
const merchant = setUp(() =>
  buildAccount(database, { live: { XOF: 500_000n }, sandbox: { EUR: 1_000n } }),
);
/** The payer's orders in the last of the months, which are not sent yet. */
let ordered: string[];
let payer: Account;
/** Newest first: the running month, the one before it, and so on. */
let months: string[];

interface Row {
  readonly currency: string;
  readonly month: string;
  readonly opening: number;
  readonly closing: number;
  readonly is_closed: boolean;
}

beforeAll(async () => {
  const customer = await buildAccount(database, { live: {} });
  await postOne(database.db, {
    from: merchant,
    to: customer,
    amount: 120_000n,
    description: '=HYPERLINK("x");Loyer d’août ŋ ߒ',
  });
  payer = await buildAccount(database, { live: { XOF: 2_000_000n } });
  const live = { environment: 'live' } as const;
  ordered = [
    await orderedPayout(database.db, payer, live),
    await orderedPayout(database.db, payer, live),
  ];
  // The entries move to the middle of the month before the last.
  const now = new Date();
  const then = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 2, 15);
  await passTime(database, Math.round((now.getTime() - then) / 86_400_000));
  await fund(database.db, merchant.id, 'live', 'XOF', 100n);
  const { json } = await list();
  months = [...new Set((json.statements as Row[]).map(({ month }) => month))];
});

const list = (query = '', key = merchant.live) =>
  callApi(service, 'GET', `/statements${query}`, { key });
const show = (path: string, key = merchant.live) =>
  callApi(service, 'GET', `/statements/${path}`, { key });
const file = (path: string, headers: Record<string, string>): Promise<HttpResponse> =>
  request(service, 'GET', `/statements/${path}`, { key: merchant.live, headers });

it('lists each wallet and month, newest first, and each closing is the next opening', async () => {
  const { statements, has_more } = (await list()).json as { statements: Row[]; has_more: boolean };
  expect(has_more).toBe(false);
  expect(months).toHaveLength(3);
  expect(statements.map(({ month, currency }) => `${month} ${currency}`)).toEqual(
    months.flatMap((month) => ['XOF', 'EUR', 'USD'].map((currency) => `${month} ${currency}`)),
  );
  const xof = statements.filter(({ currency }) => currency === 'XOF');
  expect(xof.map(({ opening, closing }) => [opening, closing])).toEqual([
    [3_800, 3_801],
    [3_800, 3_800],
    [0, 3_800],
  ]);
  expect(statements.map(({ is_closed }) => is_closed)).toEqual(
    months.flatMap((_, index) => [index > 0, index > 0, index > 0]),
  );
});

it.each([1, 2, 4])('neither skips nor repeats one in pages of %i', async (limit) => {
  const whole = (await list()).json.statements as Row[];
  const seen: Row[] = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? '' : `&cursor=${cursor}`;
    const { json } = await list(`?limit=${limit}${query}`);
    seen.push(...(json.statements as Row[]));
    cursor = json.next_cursor as string | null;
  } while (cursor !== null);
  expect(seen).toEqual(whole);
});

it('shows a month with its transactions and their totals', async () => {
  const { json } = await show(`XOF/${months[2]}`);
  expect(json).toMatchObject({ opening: 0, closing: 3_800, is_closed: true });
  expect(json.generated_at).toBe(`${months[1]}-01T00:00:00.000000Z`);
  expect(json.transactions.map(({ type }: { type: string }) => type)).toEqual([
    'adjustment',
    'transfer_out',
  ]);
  expect(json.totals).toEqual([
    { type: 'adjustment', direction: 'in', count: 1, amount: 5_000, fee: 0, tax: 0 },
    { type: 'transfer_out', direction: 'out', count: 1, amount: 1_200, fee: 0, tax: 0 },
  ]);
  const [row] = json.transactions as [{ id: string }];
  expect(
    (await callApi(service, 'GET', `/transactions/${row.id}`, { key: merchant.live })).json,
  ).toEqual({ ok: true, status: 'completed', ...row });
});

it('never changes a byte of a closed month, whatever happens later', async () => {
  const TYPES = ['application/json', 'text/csv', 'application/pdf'];
  const read = async (): Promise<string[]> => {
    const files: string[] = [];
    for (const type of TYPES) {
      const options = { key: payer.live, headers: { Accept: type } };
      const path = `/statements/XOF/${months[2]}`;
      const { status, text } = await request(service, 'GET', path, options);
      expect(status).toBe(200);
      files.push(text);
    }
    return files;
  };
  const before = await read();
  expect(JSON.parse(before[0]!)).toMatchObject({ is_closed: true, closing: 10_000 });
  await fund(database.db, payer.id, 'live', 'XOF', 100n);
  const [paid, failed] = ordered as [string, string];
  await answerPayout(database.db, paid, { status: 'succeeded' });
  await answerPayout(database.db, failed, { status: 'failed' });
  expect(await read()).toEqual(before);
  await noticeOfPayout(database, paid);
  await answerPayout(database.db, paid, { status: 'returned', returned: 500_000n });
  expect(await read()).toEqual(before);
  const { json } = await callApi(service, 'GET', '/transactions', { key: payer.live });
  const statuses = (json.transactions as { status: string }[]).map(({ status }) => status);
  const ends = ['completed', 'completed', 'completed', 'completed', 'failed', 'reversed'];
  expect(statuses.sort()).toEqual(ends);
});

it('shows a test key the wallets of the sandbox', async () => {
  const { json } = await show(`EUR/${months[2]}`, merchant.sandbox);
  expect([json.opening, json.closing]).toEqual([0, 10]);
});

it.each(['XOF/2019-12', 'XOF/2999-01', 'XOF/2026-13', 'XOF/2026-1', 'GBP/2026-11', 'xof/2026-11'])(
  'knows no statement %s',
  async (path) => {
    expect(await show(path)).toMatchObject(refusal('statement_not_found'));
  },
);

it('gives a month as CSV, with running balances and formulas defused', async () => {
  const { headers, text } = await file(`XOF/${months[2]}`, { Accept: 'text/csv' });
  expect(headers['content-type']).toBe('text/csv; charset=utf-8');
  const rows = parse(text, { columns: true }) as Record<string, string>[];
  expect(rows.map(({ type, credit, debit, balance }) => [type, credit, debit, balance])).toEqual([
    ['opening_balance', '', '', '0.00'],
    ['adjustment', '5000.00', '', '5000.00'],
    ['transfer_out', '', '1200.00', '3800.00'],
    ['closing_balance', '', '', '3800.00'],
  ]);
  expect(rows[2]!['description']).toMatch(/^'=HYPERLINK/);
});

describe('as PDF', () => {
  const textOf = (pdf: string): string =>
    [...pdf.matchAll(/\[([^\]]*)\] TJ/g)]
      .map(([, parts]) =>
        [...parts!.matchAll(/<([0-9a-f]*)>/g)]
          .map(([, hex]) => Buffer.from(hex!, 'hex').toString('latin1'))
          .join(''),
      )
      .join('\n');
  const pdf = async (month: string, language: string): Promise<string> => {
    const response = await file(`XOF/${month}`, {
      Accept: 'application/pdf',
      'Accept-Language': language,
    });
    expect([response.status, response.headers['content-type']]).toEqual([200, 'application/pdf']);
    expect(response.text).toMatch(/^%PDF-1\.[^]*%%EOF\s*$/);
    return response.text;
  };

  it('is in the language that the caller prefers, English otherwise', async () => {
    const french = textOf(await pdf(months[2]!, 'fr-SN, en;q=0.5'));
    expect(french).toContain('Relevé de compte · XOF');
    expect(french).toContain('3\u00a0800');
    expect(french).toContain('Transfert envoyé');
    expect(french).not.toContain('Provisoire');
    expect(textOf(await pdf(months[2]!, 'de'))).toContain('Wallet statement · XOF');
    expect(textOf(await pdf(months[0]!, 'fr'))).toContain('Provisoire');
  });

  it('brings the font of letters that others lack, and says so where it has none either', async () => {
    const says = 'Le fichier CSV les contient.';
    const wide = await pdf(months[2]!, 'fr');
    // The characters that the font is there for, to be copied and searched.
    const [, known = ''] = /beginbfrange\s*<0000> <\w+> \[([^\]]*)\]/.exec(wide) ?? [];
    expect(known).toContain('<014b>');
    expect(known).toContain('<003f>');
    expect(known).not.toContain('<07d2>');
    expect(textOf(wide)).toContain(says);
    const plain = await pdf(months[0]!, 'fr');
    expect(plain).not.toContain('DejaVu');
    expect(textOf(plain)).not.toContain(says);
  });
});

import { createTestDatabase, type TestDatabase } from '../support/database';
import { postOne } from '../support/postings';
import { startTestService, type TestService } from '../support/service';
import { CURRENCIES } from '../../domain/currency';
import { TRANSACTION_FILTERS } from '../../domain/transaction';
import { buildAccount, type Account } from './support/accounts';
import { callApi, refusal } from './support/contract';
import type { ApiRequest } from '../../api/context';
import { readPage } from '../../api/paging';

let database: TestDatabase;
let service: TestService;
let merchant: Account;
let customer: Account;

const ROWS = 130;

interface Row {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
}

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database });
  merchant = await buildAccount(database, { live: { XOF: 10_000n, EUR: 10_000n, USD: 10_000n } });
  customer = await buildAccount(database, { live: { XOF: 10_000n, EUR: 10_000n, USD: 10_000n } });
  for (let index = 3; index < ROWS; index += 1) {
    const [from, to] = index % 4 === 0 ? [customer, merchant] : [merchant, customer];
    await postOne(database.db, { from, to, amount: 100n, currency: CURRENCIES[index % 3]! });
  }
});

function list(query = '') {
  return callApi(service, 'GET', `/transactions${query}`, { key: merchant.live });
}

async function rowsOf(query: string): Promise<Row[]> {
  return (await list(query)).json.transactions;
}

describe('limit', () => {
  it('§8 is 25 by default', async () => {
    expect((await rowsOf('')).length).toBe(25);
  });

  it.each([1, 2, 25, 99, 100])('§8 takes %i', async (limit) => {
    expect((await rowsOf(`?limit=${limit}`)).length).toBe(limit);
  });

  it.each([
    '0',
    '-1',
    '-0',
    '101',
    '1000000000',
    '99999999999999999999',
    '',
    '%205',
    '5%20',
    '+5',
    '%2B5',
    '1e1',
    '1E1',
    '0x10',
    '0b1',
    '5.0',
    '5.5',
    '"5"',
    '%225%22',
    'five',
    'NaN',
    'Infinity',
    'null',
    'true',
    '٥',
    '５',
    '5%00',
    '[5]',
    "5'--",
  ])('§8 refuses %j: it is never clamped or guessed', async (limit) => {
    const response = await list(`?limit=${encodeURI(limit).replaceAll('%25', '%')}`);
    expect(response).toMatchObject(refusal('invalid_request', 'limit'));
  });

  it('refuses two limits, even when they are equal', async () => {
    expect(await list('?limit=5&limit=5')).toMatchObject(refusal('invalid_request', 'limit'));
  });
});

describe('type', () => {
  it.each(TRANSACTION_FILTERS)('§4 takes %s', async (type) => {
    const expected = type === 'transfer' ? ['transfer_in', 'transfer_out'] : [type];
    const all: Row[] = [
      ...(await rowsOf('?limit=100')),
      ...(await rowsOf('?limit=100&type=adjustment')),
    ];
    const rows = await rowsOf(`?limit=100&type=${type}`);
    expect(rows.every((row) => expected.includes(row.type))).toBe(true);
    expect(rows.length > 0).toBe(all.some((row) => expected.includes(row.type)));
  });

  it('finds every row of its type and no other, page by page', async () => {
    const types: Record<string, number> = {};
    for (const type of ['transfer_in', 'transfer_out', 'adjustment', 'transfer', undefined]) {
      let count = 0;
      let cursor: string | null = '';
      while (cursor !== null) {
        const query = new URLSearchParams({ limit: '50' });
        if (type) query.set('type', type);
        if (cursor) query.set('cursor', cursor);
        const { json } = await list(`?${query.toString()}`);
        count += json.transactions.length;
        cursor = json.next_cursor;
      }
      types[type ?? 'all'] = count;
    }
    expect(types['all']).toBe(ROWS);
    expect(types['adjustment']).toBe(3);
    expect(types['transfer']).toBe(ROWS - 3);
    expect(types['transfer_in']! + types['transfer_out']!).toBe(types['transfer']);
  });

  it.each([
    '',
    'Deposit',
    'deposits',
    'transfer%20',
    'transfer_in,transfer_out',
    '*',
    "'%20or%201=1",
  ])('refuses %j', async (type) => {
    expect(await list(`?type=${type}`)).toMatchObject(refusal('invalid_request', 'type'));
  });
});

describe('cursor', () => {
  it('may be any instant: rows before it are listed', async () => {
    const rows = await rowsOf('?limit=100');
    const [newer, older] = [rows[40]!, rows[41]!];
    const nanosecondsLater = `${older.created_at.slice(0, -1)}001Z`;
    expect((await rowsOf(`?limit=1&cursor=${nanosecondsLater}`))[0]!.id).toBe(older.id);
    expect((await rowsOf(`?limit=1&cursor=${newer.created_at}`))[0]!.id).toBe(older.id);
    expect(await rowsOf('?cursor=2001-01-01')).toEqual([]);
    expect((await rowsOf('?limit=1&cursor=9999-12-31'))[0]!.id).toBe(rows[0]!.id);
  });

  it('is null on the last page, even when that page is full', async () => {
    const rows = await rowsOf('?limit=100');
    const [third_last] = (await rowsOf(`?limit=100&cursor=${rows.at(-1)!.created_at}`)).slice(-3);
    const last_two = await list(`?limit=2&cursor=${third_last!.created_at}`);
    expect(last_two.json).toMatchObject({ next_cursor: null, has_more: false });
    expect(last_two.json.transactions).toHaveLength(2);
    const before = await list(`?limit=1&cursor=${third_last!.created_at}`);
    expect(before.json).toMatchObject({
      next_cursor: before.json.transactions[0].created_at,
      has_more: true,
    });
  });

  it.each([
    '',
    'yesterday',
    '1700000000',
    '1700000000000',
    '2026-13-01T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:00',
    '2026-01-01T00:00:00.Z',
    '2026-01-01T00:00:00.0000000001Z',
    '2026-1-1',
    '26-01-01T00:00:00Z',
    '2026-01-01 00:00:00Z; select 1',
    "2026-01-01T00:00:00Z'--",
    '2026-01-01T00:00:00Z%00',
    '2026-01-01T00:00:00%2B99:99',
    'infinity--------',
    'now()-----',
    '2026-01-01T00:00:00ZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZ',
  ])('refuses %j', async (cursor) => {
    expect(await list(`?cursor=${cursor}`)).toMatchObject(refusal('invalid_request', 'cursor'));
  });

  it('refuses one that lost the digits between two rows, and takes one that skips nothing', async () => {
    const [newest] = await rowsOf('?limit=1');
    const { created_at } = newest!;
    expect(await list(`?cursor=${created_at.slice(0, 19)}Z`)).toMatchObject(
      refusal('invalid_request', 'cursor'),
    );
    expect(await rowsOf('?limit=1&cursor=9999-12-31T00:00:00.000Z')).toEqual([newest]);
  });
});

describe('pages', () => {
  it('are newest first, to the microsecond', async () => {
    const times = (await rowsOf('?limit=100')).map((row) => row.created_at);
    expect(times).toEqual([...times].sort().reverse());
    for (const time of times) expect(time).toMatch(/\.\d{6}Z$/);
    expect(new Set(times).size).toBe(times.length);
  });
});

describe('the cursor of all lists', () => {
  const rowsOf = (...micros: string[]) =>
    micros.map((digits) => ({ created_at: `2026-11-21T04:39:12.${digits}Z` }));

  const pageAfter = (cursor: string, rows: readonly { readonly created_at: string }[]) => {
    const caller = { user_id: 'x', environment: 'live' };
    const request = { caller, query: { limit: 2, cursor } } as unknown as ApiRequest<{
      limit: number;
      cursor: string;
    }>;
    return readPage(request, ({ before, limit }) =>
      Promise.resolve(
        rows.filter((row) => before === undefined || row.created_at < before).slice(0, limit),
      ),
    );
  };

  it.each([
    ['2026-11-21T04:39:12.123Z', rowsOf('123456', '123455', '122000')],
    ['2026-11-21T04:39:12Z', rowsOf('000001')],
  ])('%s is refused while it hides rows', async (cursor, rows) => {
    await expect(pageAfter(cursor, rows)).rejects.toThrow('cursor has lost digits');
  });

  it.each([
    ['2026-11-21T04:39:12.123Z', rowsOf('122999', '122000'), rowsOf('122999', '122000')],
    ['2026-11-21T04:39:12.123456Z', rowsOf('123456', '123455'), rowsOf('123455')],
  ])('%s is taken when it hides none', async (cursor, rows, expected) => {
    expect(await pageAfter(cursor, rows)).toMatchObject({ rows: expected, has_more: false });
  });
});

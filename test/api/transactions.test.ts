import { createTestDatabase, setUp } from '../support/database';
import { postOne } from '../support/postings';
import { startTestService } from '../support/service';
import { ROUTES } from '../../api/routes';
import { CURRENCIES } from '../../domain/currency';
import { TRANSACTION_FILTERS } from '../../domain/transaction';
import { buildAccount } from './support/accounts';
import { callApi, refusal } from './support/contract';
import type { ApiRequest } from '../../api/context';
import { readPage } from '../../api/paging';

const database = setUp(createTestDatabase);
const service = setUp(() => startTestService({ database }));
const merchant = setUp(() =>
  buildAccount(database, { live: { XOF: 10_000n, EUR: 10_000n, USD: 10_000n } }),
);
const customer = setUp(() =>
  buildAccount(database, { live: { XOF: 10_000n, EUR: 10_000n, USD: 10_000n } }),
);

const ROWS = 130;

interface Row {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
}

beforeAll(async () => {
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

/** The lists that have a period. */
const LISTS = ROUTES.filter(
  ({ query, path }) => query?.properties['created_from'] && !path.includes('{'),
).map(({ path }) => path);

describe('limit', () => {
  it('§8 is 25 by default', async () => {
    expect((await rowsOf('')).length).toBe(25);
  });

  it.each([1, 2, 25, 99, 100])('§8 takes %i', async (limit) => {
    expect((await rowsOf(`?limit=${limit}`)).length).toBe(limit);
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

  // test/domain/instant.test.ts says which texts are instants. Where one is read: each list.
  it.each(['cursor', 'created_from', 'created_to'])(
    '%s refuses what is no instant',
    async (name) => {
      for (const path of LISTS) {
        const query = `${name}=2026-02-30T00:00:00Z`;
        const response = await callApi(service, 'GET', `${path}?${query}`, { key: merchant.live });
        expect([path, response]).toMatchObject([path, refusal('invalid_request', name)]);
      }
    },
  );

  it('refuses one that lost the digits between two rows, and takes one that skips nothing', async () => {
    const [newest] = await rowsOf('?limit=1');
    const { created_at } = newest!;
    expect(await list(`?cursor=${created_at.slice(0, 19)}Z`)).toMatchObject(
      refusal('invalid_request', 'cursor'),
    );
    expect(await rowsOf('?limit=1&cursor=9999-12-31T00:00:00.000Z')).toEqual([newest]);
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

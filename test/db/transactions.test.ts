import { createTestDatabase, connectAgain, type TestDatabase } from '../support/database';
import { createTestUser, fund, type TestUser } from '../support/people';
import { makePosting, post } from '../support/postings';
import type { Db } from '../../db/connect';
import {
  findTransaction,
  listTransactions,
  type TransactionQuery,
  type TransactionRow,
} from '../../db/transactions';
import { postTransfers } from '../../db/transfers';
import { verifyLedger } from '../../db/verify';
import { CURRENCIES } from '../../domain/currency';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterEach(async () => {
  expect(await verifyLedger(database.db)).toEqual([]);
});

function list(user: TestUser, query: Partial<TransactionQuery> = {}): Promise<TransactionRow[]> {
  return listTransactions(database.db, {
    owner_id: user.id,
    environment: 'live',
    before: undefined,
    limit: 100,
    types: undefined,
    ...query,
  });
}

/** Follows the cursor from page to page, as a caller does, until a page is empty. */
async function readPages(user: TestUser, query: Partial<TransactionQuery>) {
  const rows: TransactionRow[] = [];
  for (;;) {
    const before = rows.at(-1)?.created_at;
    const page = await list(user, { ...query, before });
    if (page.length === 0) return rows;
    rows.push(...page);
  }
}

const FUNDS = { XOF: 10_000_000n, EUR: 10_000_000n, USD: 10_000_000n };

describe('created_at', () => {
  let people: TestUser[];

  beforeAll(async () => {
    people = await Promise.all(
      [1, 2, 3].map(() => createTestUser(database.db, { funds: { live: FUNDS, sandbox: FUNDS } })),
    );
    // All three wallets of three people, both ways and in both worlds, over two pools, singly and
    // in batches.
    const pools = [database.db, connectAgain(database)];
    const posting = (index: number) =>
      makePosting({
        from: people[index % 3]!,
        to: people[(index + 1 + (index % 2)) % 3]!,
        amount: 100n,
        currency: CURRENCIES[(index % 7) % 3]!,
        environment: index % 5 === 0 ? 'sandbox' : 'live',
      });
    await Promise.all([
      ...Array.from({ length: 300 }, (_, index) =>
        postTransfers(pools[index % 2]!, [posting(index)]),
      ),
      ...Array.from({ length: 10 }, (_, batch) =>
        postTransfers(
          pools[batch % 2]!,
          Array.from({ length: 30 }, (_, index) => posting(batch + index)),
        ),
      ),
    ]);
  });

  it('is unique per owner and environment, in microseconds', async () => {
    for (const user of people) {
      for (const environment of ['live', 'sandbox'] as const) {
        const rows = await readPages(user, { environment });
        expect(new Set(rows.map((row) => row.created_at)).size).toBe(rows.length);
        for (const row of rows) {
          expect(row.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
        }
      }
    }
  });

  it('orders each wallet as its entries are ordered', async () => {
    const { rows } = await database.owner.raw(`
      select count(*)::int as disorder from (
        select t.created_at <= lag(t.created_at) over (
                 partition by e.account_id order by e.account_version) as late
          from ledger_entries e
          join ledger_accounts a on a.id = e.account_id and a.kind = 'wallet'
          join ledger_transactions j on j.id = e.transaction_id
          join transactions t on t.ledger_transaction_id = j.id and t.owner_id = a.owner_id) t
       where late`);
    expect(rows).toEqual([{ disorder: 0 }]);
  });

  it.each([1, 2, 7, 100])('neither skips nor repeats a row in pages of %i', async (limit) => {
    for (const user of people) {
      const whole = await list(user, { limit: 10_000 });
      const paged = await readPages(user, { limit });
      expect(paged.map(({ id }) => id)).toEqual(whole.map(({ id }) => id));
    }
  });

  it('is one order over all three wallets, newest first', async () => {
    const rows = await list(people[0]!, { limit: 10_000 });
    const times = rows.map(({ created_at }) => created_at);
    expect(times).toEqual([...times].sort().reverse());
    expect(new Set(rows.map(({ currency }) => currency))).toEqual(new Set(CURRENCIES));
  });

  it('stays unique and in order when the clock stands still or steps back', async () => {
    const [alice, bob] = [people[0]!, people[1]!];
    const wallets = [alice.id, bob.id];
    // The wallets' last posting lies an hour ahead, as after a clock that stepped back.
    await database.owner.raw(
      `update ledger_accounts set last_posted_at = now() + interval '1 hour'
        where owner_id = any(?::uuid[]) and environment = 'live'`,
      [wallets],
    );
    const before = (await list(alice, { limit: 1 }))[0]!.created_at;
    for (let i = 0; i < 5; i += 1) {
      for (const currency of CURRENCIES) {
        await post(database.db, { from: alice, to: bob, amount: 100n, currency });
      }
    }
    await fund(database.db, alice.id, 'live', 'EUR', 100n);
    const rows = await list(alice, { limit: 16 });
    const times = rows.map(({ created_at }) => created_at);
    expect(new Set(times).size).toBe(16);
    expect(times.at(-1)! > before).toBe(true);
    expect(rows[0]!.type).toBe('adjustment');
    const balances = rows
      .filter((row) => row.currency === 'XOF')
      .map((row) => row.balance_after_minor);
    expect(balances).toEqual([...balances].sort((a, b) => Number(a - b)));
  });

  it.each(['payer', 'payee'] as const)(
    'never goes before the last posting of the %s',
    async (who) => {
      const payer = await createTestUser(database.db, { funds: { live: FUNDS } });
      const payee = await createTestUser(database.db, { funds: { live: FUNDS } });
      const ahead = { payer, payee }[who];
      await database.owner.raw(
        `update ledger_accounts set last_posted_at = now() + interval '1 hour' where owner_id = ?`,
        [ahead.id],
      );
      const start = Date.now();
      await post(database.db, { from: payer, to: payee, amount: 100n });
      const [row] = await list(ahead, { limit: 1, types: ['transfer_in', 'transfer_out'] });
      expect(Date.parse(row!.created_at)).toBeGreaterThan(start + 3_590_000);
    },
  );
});

describe('listTransactions', () => {
  let alice: TestUser;
  let bob: TestUser;

  beforeAll(async () => {
    alice = await createTestUser(database.db, { funds: { live: FUNDS, sandbox: FUNDS } });
    bob = await createTestUser(database.db, { funds: { live: FUNDS } });
    for (let i = 0; i < 4; i += 1) {
      await post(database.db, { from: alice, to: bob, amount: 100n });
      await post(database.db, { from: bob, to: alice, amount: 100n });
      await post(database.db, { from: alice, to: bob, amount: 100n, environment: 'sandbox' });
    }
  });

  it('shows one environment and one owner only', async () => {
    const live = await list(alice);
    const sandbox = await list(alice, { environment: 'sandbox' });
    expect(live.filter(({ status }) => status === 'simulated')).toEqual([]);
    expect(sandbox.map(({ type }) => type)).toEqual([
      ...Array<string>(4).fill('transfer_out'),
      ...Array<string>(3).fill('adjustment'),
    ]);
    const mine = new Set([...live, ...sandbox].map(({ id }) => id));
    for (const { id } of await list(bob)) expect(mine.has(id)).toBe(false);
  });

  it.each([
    [['transfer_in'], 4],
    [['transfer_out'], 4],
    [['transfer_in', 'transfer_out'], 8],
    [['adjustment'], 3],
    [['deposit'], 0],
    [[], 0],
  ] as const)('finds of the types %j %i, over pages too', async (types, count) => {
    const rows = await list(alice, { types });
    expect(rows).toHaveLength(count);
    expect(new Set(rows.map(({ type }) => type))).toEqual(new Set(types.slice(0, count)));
    const all = await list(alice);
    expect(rows).toEqual(all.filter(({ type }) => (types as readonly string[]).includes(type)));
    expect(await readPages(alice, { types, limit: 1 })).toEqual(rows);
  });

  it('takes the instant of the cursor itself out, to the microsecond', async () => {
    const [first, second] = await list(alice, { limit: 2 });
    expect((await list(alice, { before: first!.created_at, limit: 1 }))[0]).toEqual(second);
    expect(await list(alice, { before: '0001-01-01T00:00:00.000000Z' })).toEqual([]);
    expect(await list(alice, { before: '9999-12-31T23:59:59.999999Z', limit: 1 })).toEqual([first]);
  });

  it('reads one row by its id, for its owner in its environment only', async () => {
    const [row] = await list(alice, { limit: 1 });
    const find = (db: Db, user: TestUser, environment: 'live' | 'sandbox') =>
      findTransaction(db, user.id, environment, row!.id);
    expect(await find(database.db, alice, 'live')).toEqual(row);
    expect(await find(database.db, bob, 'live')).toBeUndefined();
    expect(await find(database.db, alice, 'sandbox')).toBeUndefined();
  });
});

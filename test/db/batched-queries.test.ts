import { randomUUID } from 'node:crypto';
import { DatabaseError } from 'pg';
import { createTestDatabase, connectAgain, openSession, setUp } from '../support/database';
import { buildApiKey, buildUser } from '../support/users';
import { identify } from '../../db/keys/api-keys';
import { batchQueries, type Query } from '../../db/batched-queries';
import { isDatabaseUnavailable } from '../../db/errors';
import { listTransactions } from '../../db/ledger/transactions';
import { listWallets } from '../../db/ledger/wallets';
import { hashApiKey } from '../../secrets/api-key';

const INVALID = -1;
const WHILE_AWAY = -2;

/** Doubles numbers, each into as many rows as it says, and returns them when the test says so. */
function openTestConnection() {
  const sent: unknown[][] = [];
  const results: (() => void)[] = [];
  const connection: Query = (_statement, columns) => {
    const numbers = columns[0] as number[];
    sent.push([...numbers]);
    const rows = numbers.flatMap((number, index) =>
      Array.from({ length: number % 3 }, () => ({ position: index + 1, double: 2 * number })),
    );
    return new Promise((resolve, reject) => {
      results.push(() => {
        if (numbers.includes(INVALID)) reject(makeError('22P02'));
        else if (numbers.includes(WHILE_AWAY)) reject(makeError('57P01'));
        else resolve(rows.reverse());
      });
    });
  };
  return { connection, sent, results };
}

function makeError(code: string): DatabaseError {
  return Object.assign(new DatabaseError(code, 0, 'error'), { code });
}

const statement = (name: string) => ({ name, text: '' });
const turn = () => new Promise((resolve) => setImmediate(resolve));
const doubles = (rows: unknown[]) => rows.map((row) => (row as { double: number }).double);

describe('batchQueries', () => {
  it('sends the queries of one turn in one statement, and gives each caller its own rows', async () => {
    const { connection, sent, results } = openTestConnection();
    const query = batchQueries(connection, 1);
    const calls = [5, 3, 4].map((number) => query(statement('double'), [number]));
    await turn();
    expect(sent).toEqual([[5, 3, 4]]);
    results[0]!();
    expect((await Promise.all(calls)).map(doubles)).toEqual([[10, 10], [], [8]]);
  });

  it('collects while its connections are busy, by statement, in the order of the callers', async () => {
    const { connection, sent, results } = openTestConnection();
    const query = batchQueries(connection, 2);
    const calls: Promise<unknown[]>[] = [];
    const call = (name: string, number: number) => calls.push(query(statement(name), [number]));
    call('a', 1);
    call('b', 2);
    await turn();
    call('c', 4);
    await turn();
    call('a', 5);
    call('c', 7);
    await turn();
    expect(sent).toEqual([[1], [2]]);
    results[1]!();
    await turn();
    await turn();
    expect(sent).toEqual([[1], [2], [4, 7]]);
    results[0]!();
    await turn();
    await turn();
    expect(sent.at(-1)).toEqual([5]);
    for (const finish of results.slice(2)) finish();
    expect((await Promise.all(calls)).map((rows) => doubles(rows)[0])).toEqual([2, 4, 8, 10, 14]);
  });

  it('puts 64 queries into a statement at most', async () => {
    const { connection, sent, results } = openTestConnection();
    const query = batchQueries(connection, 2);
    const calls = Array.from({ length: 150 }, () => query(statement('double'), [1]));
    await turn();
    for (const finish of results) finish();
    await turn();
    await turn();
    results.at(-1)!();
    await Promise.all(calls);
    expect(sent.map((numbers) => numbers.length)).toEqual([64, 64, 22]);
  });

  it('fails all of a statement when the database is away, once, and goes on', async () => {
    const { connection, sent, results } = openTestConnection();
    const query = batchQueries(connection, 1);
    const calls = Promise.allSettled(
      [1, WHILE_AWAY].map((number) => query(statement('double'), [number])),
    );
    await turn();
    results[0]!();
    expect((await calls).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(sent).toHaveLength(1);
    const next = query(statement('double'), [4]);
    await turn();
    await turn();
    results[1]!();
    expect(doubles(await next)).toEqual([8]);
  });

  it('runs the queries of a refused statement one by one: only the refused one fails', async () => {
    const { connection, sent, results } = openTestConnection();
    const query = batchQueries(connection, 1);
    const calls = Promise.allSettled(
      [4, INVALID, 5].map((number) => query(statement('double'), [number])),
    );
    await turn();
    results[0]!();
    await turn();
    expect(sent).toEqual([[4, INVALID, 5], [4], [INVALID], [5]]);
    for (const finish of results.slice(1)) finish();
    const [first, refused, last] = await calls;
    expect(first).toEqual({ status: 'fulfilled', value: [{ position: 1, double: 8 }] });
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: '22P02' } });
    expect(last).toMatchObject({ status: 'fulfilled', value: [{ double: 10 }, { double: 10 }] });
    const next = query(statement('double'), [7]);
    await turn();
    await turn();
    results.at(-1)!();
    expect(doubles(await next)).toEqual([14]);
  });
});

describe('batched reads of Postgres', () => {
  const database = setUp(createTestDatabase);

  const PAGE = { environment: 'live', before: undefined, limit: 1, types: undefined } as const;

  it('give each caller what it would get alone', async () => {
    const db = connectAgain(database, 2);
    const people = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const funds = { live: { EUR: BigInt(index + 1) } };
        const user = await buildUser(database.db, { funds });
        const { key } = await buildApiKey(database.db, { user });
        return { user, hash: hashApiKey(key), funds: BigInt(index + 1) };
      }),
    );
    const unknown = hashApiKey('unknown');
    await Promise.all(
      people.map(async ({ user, hash, funds }) => {
        const [identity, stranger, wallets, history] = await Promise.all([
          identify(db, hash),
          identify(db, unknown),
          listWallets(db, user.id, 'live'),
          listTransactions(db, { user_id: user.id, ...PAGE }),
        ]);
        expect(identity).toMatchObject({ user_id: user.id, username: user.username });
        expect(stranger).toBeUndefined();
        expect(wallets.map(({ balance_minor }) => balance_minor)).toEqual([0n, funds, 0n]);
        const shown = { currency: 'EUR', amount: Number(funds) / 100 };
        expect(JSON.parse(history.transactions)).toMatchObject(shown);
      }),
    );
  });

  it.each([
    ['a user id that is no UUID', { user_id: 'not-a-uuid' }, '22P02'],
    ['an instant out of range', { before: '999999-01-01T00:00:00Z' }, '22008'],
    ['a character that Postgres has not', { environment: 'li\u0000ve' as 'live' }, '22021'],
  ])('fail only the caller with %s', async (_, odd, code) => {
    const db = connectAgain(database, 2);
    const user = await buildUser(database.db, { funds: { live: { EUR: 500n } } });
    const calls = Array.from({ length: 60 }, (__, index) =>
      listTransactions(db, {
        ...PAGE,
        user_id: user.id,
        ...(index % 20 === 7 ? { user_id: randomUUID(), ...odd } : {}),
      }).then(
        ({ transactions }) => (JSON.parse(transactions) as { amount: number }).amount,
        (error: unknown) => (error as { code?: unknown }).code,
      ),
    );
    expect(await Promise.all(calls)).toEqual(
      calls.map((__, index) => (index % 20 === 7 ? code : 5)),
    );
  });

  it('fail together when their connection is ended', async () => {
    const db = connectAgain(database, 2);
    const user = await buildUser(database.db);
    await listWallets(db, user.id, 'live');
    const session = await openSession(database.owner_url);
    await session.query('begin; lock table ledger_accounts in access exclusive mode');
    const calls = Promise.allSettled(
      Array.from({ length: 10 }, () => listWallets(db, user.id, 'live')),
    );
    await turn();
    await session.query(
      `select pg_terminate_backend(l.pid) from pg_locks l
        where l.relation = 'ledger_accounts'::regclass and not l.granted`,
    );
    const outcomes = await calls;
    await session.query('rollback');
    const failed = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
    );
    expect(failed).toHaveLength(10);
    for (const error of failed) expect(isDatabaseUnavailable(error)).toBe(true);
  });
});

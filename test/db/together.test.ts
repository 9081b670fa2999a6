import type { QueryResult } from 'pg';
import { createTestDatabase, connectAgain, type TestDatabase } from '../support/database';
import { createTestKey, createTestUser } from '../support/people';
import { identify } from '../../db/api-keys';
import { gatherQuestions, type Query } from '../../db/together';
import { listTransactions } from '../../db/transactions';
import { listWallets } from '../../db/wallets';
import { hashApiKey } from '../../secrets/api-key';

/** A line that doubles numbers, each as often as it says, and answers when it is told to. */
function openTestLine() {
  const asked: unknown[][] = [];
  const answers: (() => void)[] = [];
  const line: Query = (_name, _text, columns) => {
    const numbers = columns[0] as number[];
    asked.push([...numbers]);
    const rows = numbers.flatMap((number, index) =>
      Array.from({ length: number % 3 }, () => ({ position: index + 1, double: 2 * number })),
    );
    return new Promise((resolve, reject) => {
      answers.push(() => {
        if (numbers.includes(-1)) reject(new Error('refused'));
        else resolve({ rows: rows.reverse() } as unknown as QueryResult);
      });
    });
  };
  return { line, asked, answers };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const doubles = (rows: unknown[]) => rows.map((row) => (row as { double: number }).double);

describe('gatherQuestions', () => {
  it('asks in one statement what is asked in one turn, and gives everybody their own rows', async () => {
    const { line, asked, answers } = openTestLine();
    const ask = gatherQuestions([line]);
    const calls = [5, 3, 4].map((number) => ask('double', '', [number]));
    await turn();
    expect(asked).toEqual([[5, 3, 4]]);
    answers[0]!();
    expect((await Promise.all(calls)).map(doubles)).toEqual([[10, 10], [], [8]]);
  });

  it('gathers while its lines are busy, by statement, the first to come first', async () => {
    const { line, asked, answers } = openTestLine();
    const ask = gatherQuestions([line, line]);
    const calls: Promise<unknown[]>[] = [];
    const call = (name: string, number: number) => calls.push(ask(name, '', [number]));
    call('a', 1);
    call('b', 2);
    await turn();
    call('c', 4);
    await turn();
    call('a', 5);
    call('c', 7);
    await turn();
    expect(asked).toEqual([[1], [2]]);
    answers[1]!();
    await turn();
    await turn();
    expect(asked).toEqual([[1], [2], [4, 7]]);
    answers[0]!();
    await turn();
    await turn();
    expect(asked.at(-1)).toEqual([5]);
    for (const answer of answers.slice(2)) answer();
    expect((await Promise.all(calls)).map((rows) => doubles(rows)[0])).toEqual([2, 4, 8, 10, 14]);
  });

  it('puts 64 questions into a statement at most', async () => {
    const { line, asked, answers } = openTestLine();
    const ask = gatherQuestions([line, line]);
    const calls = Array.from({ length: 150 }, () => ask('double', '', [1]));
    await turn();
    for (const answer of answers) answer();
    await turn();
    await turn();
    answers.at(-1)!();
    await Promise.all(calls);
    expect(asked.map((numbers) => numbers.length)).toEqual([64, 64, 22]);
  });

  it('fails those of one statement together, and goes on', async () => {
    const { line, answers } = openTestLine();
    const ask = gatherQuestions([line]);
    const calls = Promise.allSettled([1, -1].map((number) => ask('double', '', [number])));
    await turn();
    answers[0]!();
    expect((await calls).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const next = ask('double', '', [4]);
    await turn();
    await turn();
    answers[1]!();
    expect(doubles(await next)).toEqual([8]);
  });
});

describe('what is asked together', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  it('is answered to each as if it were alone', async () => {
    const db = connectAgain(database, 2);
    const people = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const funds = { live: { EUR: BigInt(index + 1) } };
        const user = await createTestUser(database.db, { funds });
        const { key } = await createTestKey(database.db, { user });
        return { user, hash: hashApiKey(key), funds: BigInt(index + 1) };
      }),
    );
    const unknown = hashApiKey('unknown');
    const page = { environment: 'live', before: undefined, limit: 1, types: undefined } as const;
    await Promise.all(
      people.map(async ({ user, hash, funds }) => {
        const [identity, stranger, wallets, history] = await Promise.all([
          identify(db, hash),
          identify(db, unknown),
          listWallets(db, user.id, 'live'),
          listTransactions(db, { user_id: user.id, ...page }),
        ]);
        expect(identity).toMatchObject({ user_id: user.id, username: user.username });
        expect(stranger).toBeUndefined();
        expect(wallets.map(({ balance_minor }) => balance_minor)).toEqual([0n, funds, 0n]);
        const shown = { currency: 'EUR', amount: Number(funds) / 100 };
        expect(JSON.parse(history.transactions)).toMatchObject(shown);
      }),
    );
  });
});

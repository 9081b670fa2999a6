import {
  connectAgain,
  createTestDatabase,
  openSession,
  type TestDatabase,
} from '../support/database';
import { buildApiKey, buildUser } from '../support/users';
import { pickTestPort } from '../support/ports';
import { waitFor } from '../support/wait';
import { authenticate } from '../../db/api-keys';
import { lookUp, connectDatabase, type Db } from '../../db/connect';
import { isDatabaseUnavailable } from '../../db/errors';
import { hashApiKey } from '../../secrets/api-key';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

const ECHO = { name: 'echo', text: 'select $1::int as value, pg_backend_pid() as pid' };
const DIVIDE = { name: 'divide', text: 'select 100 / $1::int as value' };
const SLEEP = { name: 'sleep', text: 'select pg_sleep($1::float8)' };

type Echo = { value: number; pid: number };

const echo = async (db: Db, value: number): Promise<Echo> =>
  (await lookUp<Echo>(db, ECHO, [value]))[0]!;

const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

/** The server processes of the pipelined connections, which the statements of all callers share. */
async function pipelinePids(db: Db): Promise<number[]> {
  const echoes = await Promise.all(Array.from({ length: 20 }, (_, index) => echo(db, index)));
  return [...new Set(echoes.map(({ pid }) => pid))];
}

describe('lookUp', () => {
  it('gives each of many simultaneous callers its own rows, over two connections', async () => {
    const db = connectAgain(database, 2);
    // Both are open: sending so much takes a busy machine longer than it may take to connect.
    await pipelinePids(db);
    const values = Array.from({ length: 2_000 }, (_, index) => index);
    const answers = await Promise.all(values.map((value) => echo(db, value)));
    expect(answers.map(({ value }) => value)).toEqual(values);
    expect(new Set(answers.map(({ pid }) => pid)).size).toBe(2);
  });

  it('keeps the errors of one caller from the results of the others', async () => {
    const db = connectAgain(database, 2);
    const calls = Array.from({ length: 400 }, (_, index) =>
      lookUp<{ value: number }>(db, DIVIDE, [index % 4]).then(
        ([row]) => row!.value,
        (error: { code: string }) => error.code,
      ),
    );
    const expected = ['22012', 100, 50, 33];
    expect(await Promise.all(calls)).toEqual(
      calls.map((_, index) => expected[index % expected.length]),
    );
  });

  it('keeps the effects of one caller when the statement beside it fails', async () => {
    const db = connectAgain(database, 2);
    const user = await buildUser(database.db);
    const { id, key } = await buildApiKey(database.db, { user });
    const calls = Array.from({ length: 100 }, (_, index) =>
      index % 2 === 0
        ? authenticate(db, hashApiKey(key), false)
        : failureOf(lookUp(db, DIVIDE, [0])),
    );
    await Promise.all(calls);
    const { rows } = await database.owner.raw(
      'select requests_total from rate_windows where key_id = ?',
      [id],
    );
    expect(rows).toEqual([{ requests_total: 50 }]);
  });

  it('fails alone when it takes longer than a statement may', async () => {
    const db = connectAgain(database, 2);
    const slow = failureOf(lookUp(db, SLEEP, [10]));
    const beside = Array.from({ length: 10 }, (_, index) => echo(db, index));
    const error = await slow;
    expect(error).toMatchObject({ code: '57014' });
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect((await Promise.all(beside)).map(({ value }) => value)).toEqual([...beside.keys()]);
  });

  it('reads as the pool reads: big integers, instants, JSON', async () => {
    const text = `select 9007199254740993::int8 as big, '{"a":1}'::jsonb as json,
                         timestamptz '2026-11-21 04:39:12.1234+00' as at`;
    expect(await lookUp(database.db, { name: 'types', text }, [])).toEqual([
      { big: 9_007_199_254_740_993n, json: { a: 1 }, at: '2026-11-21T04:39:12.123400Z' },
    ]);
  });
});

describe('a pipelined connection that breaks', () => {
  it('fails the statements under way as unavailable and is opened again for the next caller', async () => {
    const db = connectAgain(database, 2);
    const session = await openSession(database.owner_url);
    for (let round = 0; round < 5; round += 1) {
      const pids = await pipelinePids(db);
      const under_way = [failureOf(lookUp(db, SLEEP, [2])), failureOf(lookUp(db, SLEEP, [2]))];
      await waitFor(async () => {
        const { rows } = await session.query(
          `select 1 from pg_stat_activity where pid = any($1) and query like '%pg_sleep%'`,
          [pids],
        );
        return rows.length === 2;
      });
      await session.query('select pg_terminate_backend(pid) from unnest($1::int[]) pid', [pids]);
      for (const error of await Promise.all(under_way)) {
        expect(isDatabaseUnavailable(error)).toBe(true);
      }
      expect((await echo(db, round)).value).toBe(round);
      expect((await echo(db, round)).value).toBe(round);
    }
  });

  it('is opened again after a server that fell silent, and mixes up no results', async () => {
    const db = connectAgain(database, 2);
    const pids = await pipelinePids(db);
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    try {
      const silent = Array.from({ length: 20 }, (_, index) => failureOf(echo(db, index)));
      for (const error of await Promise.all(silent)) {
        expect(isDatabaseUnavailable(error)).toBe(true);
      }
      const values = Array.from({ length: 200 }, (_, index) => 1_000 + index);
      const fresh = await Promise.all(values.map((value) => echo(db, value)));
      expect(fresh.map(({ value }) => value)).toEqual(values);
      for (const { pid } of fresh) expect(pids).not.toContain(pid);
    } finally {
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    }
    expect((await echo(db, 7)).value).toBe(7);
  });

  it('is unavailable when nobody listens', async () => {
    const url = `postgres://nobody:x@127.0.0.1:${await pickTestPort()}/none`;
    const db = connectDatabase({ url, pool_size: 2, name: 'test-nobody' });
    const errors = await Promise.all([1, 2, 3].map((value) => failureOf(echo(db, value))));
    for (const error of errors) expect(isDatabaseUnavailable(error)).toBe(true);
    await db.destroy();
  });

  it('is closed with the pool', async () => {
    const db = connectDatabase({ url: database.app_url, pool_size: 2, name: 'test-closing' });
    const pids = await pipelinePids(db);
    expect(pids).toHaveLength(2);
    await db.destroy();
    await waitFor(async () => {
      const { rows } = await database.owner.raw(
        'select 1 from pg_stat_activity where pid = any(?::int[])',
        [pids],
      );
      return (rows as unknown[]).length === 0;
    });
  });
});

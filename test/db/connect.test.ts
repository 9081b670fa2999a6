import { createTestDatabase, openSession, type TestDatabase } from '../support/database';
import { pickTestPort } from '../support/ports';
import { connectDatabase, execute, type Db } from '../../db/connect';
import { isDatabaseUnavailable } from '../../db/errors';
import { buildUser } from '../support/users';
import { createUser } from '../../db/users';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

const select = (text: string) => ({ name: text.slice(0, 63), text });

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** A pool for one test, closed at its end. */
async function withPool<T>(url: string, size: number, use: (db: Db) => Promise<T>): Promise<T> {
  const db = connectDatabase({ url, pool_size: size, name: 'test-pool' });
  try {
    return await use(db);
  } finally {
    await db.destroy();
  }
}

describe('run', () => {
  it('reads big integers exactly and instants to the microsecond', async () => {
    const statement = select(
      `select 9007199254740993::int8 as big, timestamptz '2026-11-21 04:39:12.1234+00' as at,
              timestamptz '2026-11-21 06:39:12+02' as whole, '-infinity'::timestamptz as never`,
    );
    expect(await execute(database.db, statement, [])).toEqual([
      {
        big: 9_007_199_254_740_993n,
        at: '2026-11-21T04:39:12.123400Z',
        whole: '2026-11-21T04:39:12.000000Z',
        never: '-infinity',
      },
    ]);
  });

  it('gives the connection back when the statement fails', async () => {
    await withPool(database.app_url, 1, async (db) => {
      for (let i = 0; i < 3; i += 1) {
        await expect(execute(db, select('select 1 / 0'), [])).rejects.toMatchObject({
          code: '22012',
        });
      }
      expect(await execute(db, select('select 1 as one'), [])).toEqual([{ one: 1 }]);
    });
  });

  it('works again after its connections were cut', async () => {
    await withPool(database.app_url, 2, async (db) => {
      const running = failureOf(execute(db, select('select pg_sleep(2)'), []));
      const session = await openSession(database.owner_url);
      let cut = 0;
      while (cut === 0) {
        const { rows } = await session.query<{ cut: string }>(
          `select count(pg_terminate_backend(pid)) as cut from pg_stat_activity
            where application_name = 'test-pool' and query like '%pg_sleep%'`,
        );
        cut = Number(rows[0]!.cut);
      }
      expect(isDatabaseUnavailable(await running)).toBe(true);
      expect(await execute(db, select('select 2 as two'), [])).toEqual([{ two: 2 }]);
    });
  });
});

describe('isDatabaseUnavailable', () => {
  it('is true when nobody listens', async () => {
    const url = `postgres://nobody:x@127.0.0.1:${await pickTestPort()}/none`;
    await withPool(url, 2, async (db) => {
      expect(isDatabaseUnavailable(await failureOf(db.raw('select 1')))).toBe(true);
      expect(isDatabaseUnavailable(await failureOf(execute(db, select('select 1'), [])))).toBe(
        true,
      );
    });
  });

  it('is true when the pool has no connection to give in time', async () => {
    await withPool(database.app_url, 1, async (db) => {
      const running = db.raw('select pg_sleep(2.5)').then();
      await expect(failureOf(db.raw('select 1')).then(isDatabaseUnavailable)).resolves.toBe(true);
      await running;
    });
  });

  it('is true when a statement takes longer than it may', async () => {
    const error = await failureOf(database.db.raw('select pg_sleep(10)').then());
    expect(error).toMatchObject({ code: '57014' });
    expect(isDatabaseUnavailable(error)).toBe(true);
  });

  it('is false for what another try would not change', async () => {
    const user = await buildUser(database.db);
    const again = { ...user, password_hash: 'x', first_name: '', last_name: '', country: 'SN' };
    const taken = await failureOf(createUser(database.db, again));
    expect(taken).toMatchObject({ code: '23505' });
    for (const error of [taken, new TypeError('bug'), undefined, null, 'text', { code: '08006' }]) {
      expect(isDatabaseUnavailable(error)).toBe(false);
    }
  });

  it.each([
    '08006',
    '53300',
    '57P01',
    '57P03',
    '40001',
    '40P01',
    '25006',
    '55P03',
    'ECONNRESET',
    'EPIPE',
  ])('is true for %s', (code) => {
    expect(isDatabaseUnavailable(Object.assign(new Error('x'), { code }))).toBe(true);
  });

  it('is true for a standby that has no unlogged tables, not for what no server can do', () => {
    const lacking = Object.assign(new Error('x'), { code: '0A000' });
    expect(isDatabaseUnavailable(lacking)).toBe(false);
    expect(isDatabaseUnavailable(Object.assign(lacking, { routine: 'get_relation_info' }))).toBe(
      true,
    );
  });

  it.each(['23514', '42P01', '22P02', '42501', 'ERR_INVALID_ARG_TYPE', 'P0001'])(
    'is false for %s',
    (code) => {
      expect(isDatabaseUnavailable(Object.assign(new Error('x'), { code }))).toBe(false);
    },
  );
});

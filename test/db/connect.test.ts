import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { DatabaseError } from 'pg';
import { createTestDatabase, openSession, setUp } from '../support/database';
import { pickTestPort } from '../support/ports';
import { connectDatabase, execute, lookUp, type Db } from '../../db/connect';
import { isDatabaseUnavailable, isRefused, isSessionOver } from '../../db/errors';
import { buildUser } from '../support/users';
import { waitFor } from '../support/wait';
import { createUser } from '../../db/accounts/users';

const database = setUp(createTestDatabase);

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

it('outlives a server that ends a session as soon as it has begun', async () => {
  const message = (type: string, body: Buffer): Buffer => {
    const head = Buffer.from(`${type}    `, 'latin1');
    head.writeInt32BE(body.length + 4, 1);
    return Buffer.concat([head, body]);
  };
  const fields = 'SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0';
  // In one packet: no line of ours runs between the two.
  const welcome = Buffer.concat([
    message('R', Buffer.alloc(4)),
    message('Z', Buffer.from('I')),
    message('E', Buffer.from(fields)),
  ]);
  const server = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.end(welcome));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await withPool(`postgres://nobody@127.0.0.1:${port}/none`, 1, async (db) => {
    const failure = await failureOf(execute(db, select('select 1'), []));
    expect([failure, isDatabaseUnavailable(failure)]).toEqual([expect.any(Error), true]);
  });
  server.close();
});

it('closes its connections, those of look-ups too', async () => {
  const pids = await withPool(database.app_url, 2, async (db) => {
    const statement = select('select pg_backend_pid() as pid');
    const found = await Promise.all(
      [execute, lookUp].map((send) => send<{ pid: number }>(db, statement, [])),
    );
    return found.flat().map(({ pid }) => pid);
  });
  expect(new Set(pids).size).toBe(2);
  await waitFor(async () => {
    const text = 'select from pg_stat_activity where pid = any(?::int[])';
    return ((await database.owner.raw(text, [pids])).rows as unknown[]).length === 0;
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
    await withPool(database.app_url, 1, async (db) => {
      const error = await failureOf(db.raw('select pg_sleep(10)').then());
      expect(error).toMatchObject({ code: '57014' });
      expect(isDatabaseUnavailable(error)).toBe(true);
    });
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

  it('is true for a line that broke', () => {
    for (const code of ['ECONNRESET', 'EPIPE']) {
      expect(isDatabaseUnavailable(Object.assign(new Error('x'), { code }))).toBe(true);
    }
    const bug = Object.assign(new Error('x'), { code: 'ERR_INVALID_ARG_TYPE' });
    expect(isDatabaseUnavailable(bug)).toBe(false);
  });
});

describe('an error of Postgres', () => {
  const REFUSED = { is_refused: true, is_unavailable: false, is_session_over: false };
  const AWAY = { is_refused: false, is_unavailable: true, is_session_over: false };
  const SESSION_OVER = { ...AWAY, is_session_over: true };
  const AT_FAULT = { is_refused: false, is_unavailable: false, is_session_over: false };

  it.each([
    ['a value that is too large', '22003', REFUSED],
    ['a check constraint, or a function that raises one', '23514', REFUSED],
    ['a foreign key', '23503', REFUSED],
    ['a function that raises an error without a code', 'P0001', REFUSED],
    ['a row that a function requires', 'P0002', REFUSED],
    ['a second operator is needed', 'AP001', REFUSED],
    ['the other of two that insert one key', '23505', AT_FAULT],
    ['a deadlock', '40P01', AWAY],
    ['a serialization failure', '40001', AWAY],
    ['a connection that the server lost', '08006', SESSION_OVER],
    ['a message that the server does not understand', '08P01', SESSION_OVER],
    ['no connection is left', '53300', AWAY],
    ['a full disk', '53100', AWAY],
    ['transaction ids that run out', '54000', AWAY],
    ['a lock that was not to be had', '55P03', AWAY],
    ['a timeout of the statement', '57014', AWAY],
    ['a server that shuts down', '57P01', SESSION_OVER],
    ['a server that crashed', '57P02', SESSION_OVER],
    ['a server that starts', '57P03', SESSION_OVER],
    ['a session that was idle in its transaction for too long', '25P03', SESSION_OVER],
    ['a transaction that took too long', '25P04', SESSION_OVER],
    ['a transaction that has failed before', '25P02', AWAY],
    ['a standby', '25006', SESSION_OVER],
    ['a password that is being replaced', '28P01', AWAY],
    ['a database that is being restored', '3D000', AWAY],
    ['a prepared statement of another session', '26000', SESSION_OVER],
    ['a disk that cannot be read', '58030', AT_FAULT],
    ['a page that is damaged', 'XX001', AT_FAULT],
    ['an internal error', 'XX000', AT_FAULT],
    ['a table that there is not', '42P01', AT_FAULT],
    ['a right that the role has not', '42501', AT_FAULT],
    ['what no server can do', '0A000', AT_FAULT],
    ['a code that Postgres has not yet', 'ZZ999', AT_FAULT],
  ])('%s, %s, is no more than that', (_what, code, expected) => {
    const error = Object.assign(new DatabaseError('x', 1, 'error'), { code });
    expect({
      is_refused: isRefused(error),
      is_unavailable: isDatabaseUnavailable(error),
      is_session_over: isSessionOver(error),
    }).toEqual(expected);
  });

  it('of a standby that has no unlogged tables is an outage', () => {
    const code = { code: '0A000', routine: 'get_relation_info' };
    const lacking = Object.assign(new DatabaseError('x', 1, 'error'), code);
    expect([isDatabaseUnavailable(lacking), isSessionOver(lacking)]).toEqual([true, true]);
  });
});

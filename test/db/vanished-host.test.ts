// A database host that vanishes: its packets are lost, and no connection is closed or reset. A proxy in
// between loses them.

import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import type { Client } from 'pg';
import { connectDatabase, execute, lookUp, type ConnectOptions, type Db } from '../../db/connect';
import { lineOf } from '../../db/connection';
import { isDatabaseUnavailable } from '../../db/errors';
import { listen } from '../../db/listen';
import { withResolvers } from '../../domain/promises';
import { startPostgresProxy, type PostgresProxy } from '../api/support/tcp-proxy';
import { closeAfterFile } from '../support/cleanup';
import { createTestDatabase, openSession, setUp } from '../support/database';

const database = setUp(createTestDatabase);
let proxy: PostgresProxy;
let url: string;

beforeAll(async () => {
  await database.owner.raw('create table notes (text text primary key)');
  await database.owner.raw('grant select, insert on notes to public');
  proxy = await startPostgresProxy(database);
  url = proxy.url;
});

afterEach(() => proxy.reappear());

const PID = { name: 'pid', text: 'select pg_backend_pid() as pid' };
const NOTE = { name: 'note', text: 'insert into notes values ($1)' };

/** A new connection has time on a busy machine, unless the test opens one to a host that is gone. */
function connect(
  pool_size: number,
  { is_patient = false, acquire_timeout_ms = 60_000 }: Partial<ConnectOptions> = {},
): Db {
  const options = { name: 'test-vanished', is_patient, acquire_timeout_ms };
  const db = connectDatabase({ url, pool_size, ...options });
  closeAfterFile(() => db.destroy());
  return db;
}

const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

/** Opens every connection that the pool may have: each is kept until all are there. */
async function fill(db: Db, pool_size: number): Promise<number[]> {
  const pids: number[] = [];
  const all_there = withResolvers();
  const hold = (): Promise<void> =>
    db.transaction(async (tx) => {
      const [row] = await execute<{ pid: number }>(tx, PID, []);
      pids.push(row!.pid);
      if (pids.length === pool_size) all_there.resolve();
      await all_there.promise;
    });
  await Promise.all(Array.from({ length: pool_size }, hold));
  expect(new Set(pids).size).toBe(pool_size);
  return pids;
}

describe('when the host of the database vanishes', () => {
  it('a statement of the pool fails as unavailable, and no connection from before is used again', async () => {
    const db = connect(4);
    const before = await fill(db, 4);
    proxy.vanish('everything');
    expect(isDatabaseUnavailable(await failureOf(execute(db, PID, [])))).toBe(true);
    proxy.reappear();
    // The three that were idle are gone as well: no caller waits for them in turn.
    for (const pid of await fill(db, 4)) expect(before).not.toContain(pid);
  });

  it('a statement fails also on a connection that was idle before for longer than the limit', async () => {
    const db = connect(1);
    const client = db.client as {
      acquireConnection(): Promise<Client>;
      releaseConnection(connection: Client): Promise<void>;
    };
    const connection = await client.acquireConnection();
    const quiet = once(lineOf(connection) as unknown as EventEmitter, 'timeout');
    await client.releaseConnection(connection);
    await quiet;
    proxy.vanish('everything');
    expect(isDatabaseUnavailable(await failureOf(execute(db, PID, [])))).toBe(true);
  });

  it('a process that stops closes its connections all the same', async () => {
    const patient = connect(1, { is_patient: true });
    const db = connect(1);
    for (const pool of [patient, db]) {
      await execute(pool, PID, []);
      await lookUp(pool, PID, []);
    }
    const heard = new EventEmitter();
    const listener = listen({ url, channels: {}, onConnected: () => heard.emit('connected') });
    await once(heard, 'connected');
    proxy.vanish('everything');
    await Promise.all([listener.close(), patient.destroy(), db.destroy()]);
  });

  it('a transaction fails, and its connection is never given to another caller', async () => {
    const db = connect(1);
    const [pid] = await fill(db, 1);
    const [lost, kept] = [randomUUID(), randomUUID()];
    const failed = failureOf(
      db.transaction(async (tx) => {
        await execute(tx, NOTE, [lost]);
        proxy.vanish('answers');
        await tx.raw('select 1');
      }),
    );
    expect(isDatabaseUnavailable(await failed)).toBe(true);
    proxy.reappear();
    await execute(db, NOTE, [kept]);
    expect((await fill(db, 1))[0]).not.toBe(pid);
    // Had the open transaction been reused, this one would have been written in it.
    const { rows } = await database.db.raw('select text from notes');
    expect(rows).toEqual([{ text: kept }]);
  });

  it('look-ups fail as unavailable, and the next ones use new connections', async () => {
    const db = connect(1, { acquire_timeout_ms: 2_000 });
    await Promise.all([lookUp(db, PID, []), lookUp(db, PID, [])]);
    proxy.vanish('everything');
    const failed = await Promise.all([1, 2, 3, 4].map(() => failureOf(lookUp(db, PID, []))));
    expect(failed.map(isDatabaseUnavailable)).toEqual([true, true, true, true]);
    proxy.reappear();
    await Promise.all([1, 2, 3, 4].map(() => lookUp(db, PID, [])));
  });

  it('a new connection fails as unavailable', async () => {
    const db = connect(2, { acquire_timeout_ms: 2_000 });
    proxy.vanish('everything');
    expect(isDatabaseUnavailable(await failureOf(execute(db, PID, [])))).toBe(true);
    expect(isDatabaseUnavailable(await failureOf(lookUp(db, PID, [])))).toBe(true);
  });
});

it('lets a command wait for a statement that takes longer than the service would', async () => {
  const db = connect(1, { is_patient: true });
  await db.transaction(async (tx) => {
    await tx.raw('set local statement_timeout = 0');
    await tx.raw('select pg_sleep(6)');
  });
});

describe('on a server whose default isolation is serializable', () => {
  it('works at read committed, on every kind of connection', async () => {
    const strict = await createTestDatabase();
    await strict.owner.raw(`alter database ${strict.name}
      set default_transaction_isolation = 'serializable'`);
    const other = await openSession(strict.app_url);
    const show = { name: 'isolation', text: 'show transaction_isolation' };
    expect((await other.query(show.text)).rows).toEqual([
      { transaction_isolation: 'serializable' },
    ]);
    const db = connectDatabase({ url: strict.app_url, pool_size: 2, name: 'test-isolation' });
    closeAfterFile(() => db.destroy());
    const expected = [{ transaction_isolation: 'read committed' }];
    expect(await execute(db, show, [])).toEqual(expected);
    expect(await lookUp(db, show, [])).toEqual(expected);
    expect(await db.transaction((tx) => execute(tx, show, []))).toEqual(expected);
  });
});

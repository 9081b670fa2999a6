// A primary and its standby, both real, behind one address with two hosts.

import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectDatabase, execute, type Db } from '../../db/connect';
import { isDatabaseUnavailable } from '../../db/errors';
import { findHost } from '../../db/hosts';
import { listen } from '../../db/listen';
import { migrate } from '../../db/schema/migrate';
import { forLongReads } from '../../db/standby';
import { verifyLedger } from '../../db/verify/verify';
import { withResolvers } from '../../domain/promises';
import { startPostgres, type EmbeddedPostgres } from '../../dev/embedded/postgres';
import { copyServer } from '../faults/support/archive';
import { closeAfterFile } from '../support/cleanup';
import { openSession } from '../support/database';
import { pickTestPort } from '../support/ports';
import { waitFor } from '../support/wait';

const PORT = { name: 'port', text: `select current_setting('port')::int as port` };
const NOTE = { name: 'note', text: 'insert into notes values (default)' };

const folder = mkdtempSync(join(tmpdir(), 'payment-api-hosts-'));
const options = (name: string, settings: Record<string, string> = {}) => ({
  directory: join(folder, name),
  log_file: join(folder, `${name}.log`),
  is_durable: false,
  settings: { wal_level: 'replica', ...settings },
});

let primary: EmbeddedPostgres;
let standby: EmbeddedPostgres;
/** A host that takes connections and never says a word. */
let silent_port: number;

beforeAll(async () => {
  primary = await startPostgres({ ...options('one'), port: await pickTestPort() });
  const superuser_url = primary.superuser_url('postgres');
  const session = await openSession(superuser_url);
  await migrate({ owner_url: superuser_url, app_role: 'postgres' });
  await session.query('create table notes (id int generated always as identity)');
  mkdirSync(join(folder, 'two'));
  await copyServer(superuser_url, join(folder, 'one/data'), join(folder, 'two/data'));
  cpSync(join(folder, 'one/superuser-password'), join(folder, 'two/superuser-password'));
  writeFileSync(join(folder, 'two/data/standby.signal'), '');
  const { username, password } = new URL(superuser_url);
  const primary_conninfo = `host=127.0.0.1 port=${primary.port} user=${username} password=${password}`;
  standby = await startPostgres({
    ...options('two', { primary_conninfo }),
    port: await pickTestPort(),
  });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  silent_port = (server.address() as { port: number }).port;
  closeAfterFile(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await Promise.all([primary.stop(), standby.stop()]);
    rmSync(folder, { recursive: true, force: true });
  });
}, 120_000);

/** The address of these hosts, in this order. */
function urlOf(ports: readonly number[], query = ''): string {
  const { host, href } = new URL(primary.superuser_url('postgres'));
  return href.replace(host, ports.map((port) => `127.0.0.1:${port}`).join(',')) + query;
}

function connect(url: string): Db {
  const db = connectDatabase({ url, pool_size: 2, name: 'test-hosts', acquire_timeout_ms: 60_000 });
  closeAfterFile(() => db.destroy());
  return db;
}

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  );
}

async function portOf(db: Db): Promise<number> {
  return (await execute<{ port: number }>(db, PORT, []))[0]!.port;
}

it.each([
  ['read-write', '?target_session_attrs=read-write', () => primary.port],
  ['no target, as read-write', '', () => primary.port],
  ['prefer-standby', '?target_session_attrs=prefer-standby', () => standby.port],
])(
  'chooses by %s, wherever the host stands and though another one is silent',
  async (_, query, port) => {
    for (const ports of [
      [silent_port, standby.port, primary.port],
      [primary.port, standby.port, silent_port],
    ]) {
      expect(await portOf(connect(urlOf(ports, query)))).toBe(port());
    }
  },
);

it('takes the primary where a standby is preferred and there is none', async () => {
  const url = urlOf([await pickTestPort(), primary.port], '?target_session_attrs=prefer-standby');
  expect(await portOf(connect(url))).toBe(primary.port);
});

it('asks one host as well when the address says what it wants', async () => {
  const url = urlOf([standby.port]);
  expect(await portOf(connect(url))).toBe(standby.port);
  const failure = await failureOf(portOf(connect(`${url}?target_session_attrs=read-write`)));
  expect(failure).toMatchObject({
    message: expect.stringContaining(`(127.0.0.1:${standby.port}: reads only)`),
  });
  expect(isDatabaseUnavailable(failure)).toBe(true);
});

it('says of each host why it cannot be used', async () => {
  const closed = await pickTestPort();
  await expect(findHost(urlOf([closed, standby.port]))).rejects.toThrow(
    `no host of Postgres takes writes (127.0.0.1:${closed}: connect ECONNREFUSED 127.0.0.1:${closed}; ` +
      `127.0.0.1:${standby.port}: reads only)`,
  );
});

describe('a long read', () => {
  const READ_URL = () => urlOf([standby.port, primary.port]);

  function connectBoth(read_url: string): Db {
    const db = connectDatabase({
      url: urlOf([primary.port]),
      read_url: `${read_url}?target_session_attrs=prefer-standby`,
      pool_size: 2,
      name: 'test-reads',
    });
    closeAfterFile(() => db.destroy());
    return db;
  }

  it('is on the standby, and sees there what was committed before it', async () => {
    const db = connectBoth(READ_URL());
    const count = { name: 'count', text: 'select count(*)::int as count from notes' };
    const [before] = await execute<{ count: number }>(db, count, []);
    for (let notes = 1; notes <= 20; notes += 1) {
      await execute(db, NOTE, []);
      const source = await forLongReads(db);
      expect(await portOf(source)).toBe(standby.port);
      expect(await execute(source, count, [])).toEqual([{ count: before!.count + notes }]);
    }
  });

  it('is on the primary while the standby is behind, or is none', async () => {
    const db = connectBoth(READ_URL());
    const session = await openSession(standby.superuser_url('postgres'));
    await session.query('select pg_wal_replay_pause()');
    await execute(db, NOTE, []);
    expect(await forLongReads(db)).toBe(db);
    await session.query('select pg_wal_replay_resume()');
    await waitFor(async () => (await forLongReads(db)) === db.standby);
    const another = connectBoth(urlOf([primary.port]));
    expect(await forLongReads(another)).toBe(another);
  });

  it('verifies the ledger on the standby', async () => {
    expect(await verifyLedger(connect(urlOf([standby.port])))).toEqual([]);
  });
});

it('asks again when a connection has ended, and leaves the old primary when another one is promoted', async () => {
  const url = urlOf([primary.port, standby.port]);
  const db = connect(url);
  const connected = [withResolvers<void>(), withResolvers<void>()];
  let connections = 0;
  const heard: string[] = [];
  const listener = listen({
    url,
    channels: { news: (text) => heard.push(text) },
    onConnected: () => connected[connections++]?.resolve(),
  });
  closeAfterFile(() => listener.close());
  await connected[0]!.promise;
  const other = connect(url);
  expect([await portOf(db), await portOf(other)]).toEqual([primary.port, primary.port]);
  const transaction = await db.transaction();

  const old = await openSession(primary.superuser_url('postgres'));
  await (await openSession(standby.superuser_url('postgres'))).query('select pg_promote()');
  // The old primary lives on as a standby does: it reads, and refuses writes.
  await old.query('alter system set default_transaction_read_only = on');
  await old.query('select pg_reload_conf()');
  await waitFor(async () => {
    const { rows } = await old.query(`select current_setting('transaction_read_only') as it`);
    return (rows as { it: string }[])[0]!.it === 'on';
  });
  const refused = await failureOf(execute(other, NOTE, []));
  expect(refused).toMatchObject({ code: '25006' });
  expect(isDatabaseUnavailable(refused)).toBe(true);
  // The transaction has the pool's one connection, so this one is new, and the host that was remembered reads only.
  const answers: unknown[] = [];
  await waitFor(async () => {
    answers.push(await portOf(db).catch((error: unknown) => isDatabaseUnavailable(error)));
    return typeof answers.at(-1) === 'number';
  });
  expect(new Set(answers)).toEqual(new Set([true, standby.port]));
  // It must not go on reading what the old primary still shows.
  expect(isDatabaseUnavailable(await failureOf(transaction.raw('select 1')))).toBe(true);
  await failureOf(transaction.rollback());
  await waitFor(async () => (await failureOf(execute(other, NOTE, []))) === undefined);

  await old.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'payment-listener'`,
  );
  await connected[1]!.promise;
  await db.raw(`notify news, 'of the new primary'`);
  await waitFor(() => heard.length > 0);
  expect(heard).toEqual(['of the new primary']);
});

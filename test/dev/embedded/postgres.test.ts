import { chmodSync, existsSync, mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { EmbeddedError } from '../../../dev/embedded/error';
import { pickTestPort } from '../../support/ports';
import { startPostgres } from '../../../dev/embedded/postgres';
import type { EmbeddedPostgres } from '../../../dev/embedded/postgres';
import { processIdentity } from '../../../dev/embedded/process';
import { stopAfterEach, takePort, tempFolder } from './temp-folder';

const root = tempFolder();
const track = stopAfterEach();

async function start(folder: string, port?: number): Promise<EmbeddedPostgres> {
  return track(
    await startPostgres({
      directory: join(folder, 'postgres'),
      port: port ?? (await pickTestPort()),
      log_file: join(folder, 'postgres.log'),
      settings: { shared_buffers: '16MB', fsync: 'off' },
    }),
  );
}

async function query(server: EmbeddedPostgres, sql: string): Promise<unknown[][]> {
  const client = new Client({ connectionString: server.superuser_url('postgres') });
  await client.connect();
  try {
    return (await client.query<unknown[]>({ text: sql, rowMode: 'array' })).rows;
  } finally {
    await client.end();
  }
}

describe('startPostgres', () => {
  // Only root can enter this folder, so a server that runs as nobody needs root's help to reach it.
  let folder: string;
  let open_folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(root, 'private-'));
    open_folder = mkdtempSync(join(root, 'open-'));
  });

  it('starts with durability, checksums, UTF-8 and a password, on the loopback interface', async () => {
    const server = await start(folder);
    for (const [name, value] of Object.entries({
      fsync: 'on',
      synchronous_commit: 'on',
      data_checksums: 'on',
      shared_buffers: '16MB',
      max_connections: '400',
      listen_addresses: '127.0.0.1',
      server_encoding: 'UTF8',
      timezone: 'UTC',
    })) {
      expect([name, await query(server, `show ${name}`)]).toEqual([name, [[value]]]);
    }
    const password_file = join(folder, 'postgres', 'superuser-password');
    expect(statSync(password_file).mode & 0o777).toBe(0o600);
    const wrong = server.superuser_url('postgres').replace(/:[0-9a-f]{48}@/, ':wrong@');
    await expect(new Client({ connectionString: wrong }).connect()).rejects.toThrow(/password/);
  });

  it('keeps its data when it is stopped, when it is killed, and when its parent was', async () => {
    const keeps = async (server: EmbeddedPostgres): Promise<void> => {
      expect(await query(server, 'select answer from kept')).toEqual([[42]]);
    };
    const stopped = await start(folder);
    await query(stopped, 'create table kept as select 42 as answer');
    await stopped.stop();
    expect(await stopped.exited).toEqual({ code: 0, signal: null });
    // On another port.
    const killed = await start(folder);
    await keeps(killed);
    process.kill(killed.pid, 'SIGKILL');
    expect((await killed.exited).signal).toBe('SIGKILL');
    const orphan = await start(folder);
    await keeps(orphan);
    const last = await start(folder, orphan.port);
    expect(processIdentity(orphan.pid)).toBeUndefined();
    await keeps(last);
  });

  it('starts even if another program has the process id of a dead server', async () => {
    const first = await start(folder);
    await first.stop();
    const pid_file = join(folder, 'postgres', 'data', 'postmaster.pid');
    writeFileSync(pid_file, `${process.pid}\n${join(folder, 'postgres', 'data')}\n`);
    await start(folder);
  });

  it('creates the data folder again after an interrupted creation', async () => {
    const draft = join(folder, 'postgres', 'data.new-0a0b0c0d');
    mkdirSync(draft, { recursive: true });
    writeFileSync(join(draft, 'PG_VERSION'), '18');
    const server = await start(folder);
    expect(existsSync(draft)).toBe(false);
    expect(await query(server, 'select 1')).toEqual([[1]]);
  });

  it('moves between a folder that everyone may enter and one that only root may', async () => {
    chmodSync(root, 0o755);
    chmodSync(open_folder, 0o755);
    const server = await start(open_folder);
    await query(server, 'create table kept as select 42 as answer');
    await server.stop();
    chmodSync(open_folder, 0o700);
    expect(await query(await start(open_folder), 'select answer from kept')).toEqual([[42]]);
  });

  it('names the port when another program listens on it', async () => {
    const port = await takePort();
    const attempt = start(folder, port);
    await expect(attempt).rejects.toThrow(EmbeddedError);
    await expect(attempt).rejects.toThrow(`Port ${port} on 127.0.0.1 is in use`);
  });

  it('shows the last lines of the log when the server refuses to start', async () => {
    const attempt = startPostgres({
      directory: join(folder, 'postgres'),
      port: await pickTestPort(),
      log_file: join(folder, 'postgres.log'),
      settings: { shared_buffers: 'plenty' },
    });
    await expect(attempt).rejects.toThrow(/invalid value for parameter "shared_buffers"/);
  });

  it('says what to do when the password file is gone', async () => {
    mkdirSync(join(folder, 'postgres', 'data'), { recursive: true });
    await expect(start(folder)).rejects.toThrow(/superuser-password is missing/);
  });
});

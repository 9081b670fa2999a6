import { chmodSync, existsSync, mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { EmbeddedError } from '../../../dev/embedded/error';
import { pickTestPort } from '../../support/ports';
import { startPostgres } from '../../../dev/embedded/postgres';
import type { EmbeddedPostgres } from '../../../dev/embedded/postgres';
import { processIdentity } from '../../../dev/embedded/process';
import { stopAfterEach, tempFolder } from './temp-folder';

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

async function setting(server: EmbeddedPostgres, name: string): Promise<unknown> {
  return (await query(server, `show ${name}`))[0]?.[0];
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
    expect(await setting(server, 'fsync')).toBe('on');
    expect(await setting(server, 'synchronous_commit')).toBe('on');
    expect(await setting(server, 'data_checksums')).toBe('on');
    expect(await setting(server, 'shared_buffers')).toBe('16MB');
    expect(await setting(server, 'max_connections')).toBe('400');
    expect(await setting(server, 'listen_addresses')).toBe('127.0.0.1');
    expect(await setting(server, 'server_encoding')).toBe('UTF8');
    expect(await setting(server, 'timezone')).toBe('UTC');
    const password_file = join(folder, 'postgres', 'superuser-password');
    expect(statSync(password_file).mode & 0o777).toBe(0o600);
    const wrong = server.superuser_url('postgres').replace(/:[0-9a-f]{48}@/, ':wrong@');
    await expect(new Client({ connectionString: wrong }).connect()).rejects.toThrow(/password/);
  });

  it('keeps its data across an orderly stop and a start on another port', async () => {
    const first = await start(folder);
    await query(first, 'create table kept as select 42 as answer');
    await first.stop();
    expect(await first.exited).toEqual({ code: 0, signal: null });
    const second = await start(folder);
    expect(await query(second, 'select answer from kept')).toEqual([[42]]);
  });

  it('keeps what was committed when the server is killed', async () => {
    const first = await start(folder);
    await query(first, 'create table kept as select 42 as answer');
    process.kill(first.pid, 'SIGKILL');
    expect((await first.exited).signal).toBe('SIGKILL');
    const second = await start(folder);
    expect(await query(second, 'select answer from kept')).toEqual([[42]]);
  });

  it('stops the server that a killed parent has left on the same folder', async () => {
    const orphan = await start(folder);
    await query(orphan, 'create table kept as select 42 as answer');
    const second = await start(folder, orphan.port);
    expect(processIdentity(orphan.pid)).toBeUndefined();
    expect(await query(second, 'select answer from kept')).toEqual([[42]]);
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
    const blocker = createServer();
    const port = await pickTestPort();
    await new Promise<void>((resolve) => blocker.listen(port, '127.0.0.1', resolve));
    try {
      const attempt = start(folder, port);
      await expect(attempt).rejects.toThrow(EmbeddedError);
      await expect(attempt).rejects.toThrow(`Port ${port} on 127.0.0.1 is in use`);
    } finally {
      await new Promise((resolve) => blocker.close(resolve));
    }
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

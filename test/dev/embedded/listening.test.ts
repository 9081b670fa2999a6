// Temporal has no sign-in, and the embedded Postgres a password in a file: nothing of them may be
// reachable from another machine.

import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pickTestPort } from '../../support/ports';
import { startPostgres } from '../../../dev/embedded/postgres';
import { processTree } from '../../../dev/embedded/process';
import { startTemporal } from '../../../dev/embedded/temporal';
import { acquireTemporalBinary } from '../../../dev/embedded/temporal-binary';
import { stopAfterEach, tempFolder } from './temp-folder';

// The first run on a machine may have to build the binary.
jest.setTimeout(900_000);

const root = tempFolder();
const track = stopAfterEach();

// Linux writes addresses in hex, and the bytes of each word of four backwards.
const LOOPBACK = /^(0100007F|00000000000000000000000001000000|0000000000000000FFFF00000100007F):/;
const LISTENS = '0A';
/** Linux tells which process has which socket; elsewhere the title says that it was not asked. */
function onLinux(title: string, test: () => Promise<void>): void {
  if (existsSync('/proc/net/tcp')) it(title, test);
  else it(`${title}: skipped, because this system has no /proc`, () => undefined);
}

/** Local addresses, `hex:hex`, on which a process or a child of it listens. */
function listeningAddresses(pid: number): string[] {
  const sockets = new Set(processTree(pid).flatMap(socketsOf));
  return ['tcp', 'tcp6']
    .flatMap((name) => readFileSync(`/proc/net/${name}`, 'utf8').split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === LISTENS && sockets.has(inode!))
    .map(([, local]) => local!);
}

function socketsOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return unlessGone(() => readdirSync(folder)).flatMap((name) =>
    unlessGone(() => /^socket:\[(\d+)\]$/.exec(readlinkSync(join(folder, name)))?.slice(1) ?? []),
  );
}

/** Nothing where the file was closed, or the process has ended, since it was listed. */
function unlessGone(read: () => string[]): string[] {
  try {
    return read();
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code!)) return [];
    throw error;
  }
}

onLinux('finds a socket on another address than loopback’s own, if there is one', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.2', resolve));
  track({ stop: () => new Promise<void>((resolve) => server.close(() => resolve())) });
  const open = listeningAddresses(process.pid).filter((address) => !LOOPBACK.test(address));
  expect(open.length).toBeGreaterThanOrEqual(1);
});

onLinux('L5: the embedded Temporal, with its UI, listens on loopback only', async () => {
  const folder = join(root, 'temporal');
  const temporal = track(
    await startTemporal({
      binary: await acquireTemporalBinary({ env: process.env, log: () => undefined }),
      database_file: join(folder, 'temporal.db'),
      port: await pickTestPort(),
      ui_port: await pickTestPort(),
      namespace: 'payments',
      log_file: join(folder, 'temporal.log'),
    }),
  );
  const addresses = listeningAddresses(temporal.pid);
  // The frontend and the UI at least; its services have ports of their own.
  expect(addresses.length).toBeGreaterThanOrEqual(2);
  expect(addresses.filter((address) => !LOOPBACK.test(address))).toEqual([]);
});

onLinux('L5: the embedded Postgres listens on loopback only', async () => {
  const folder = join(root, 'postgres');
  const postgres = track(
    await startPostgres({
      directory: folder,
      port: await pickTestPort(),
      log_file: join(root, 'postgres.log'),
    }),
  );
  const addresses = listeningAddresses(postgres.pid);
  expect(addresses.length).toBeGreaterThanOrEqual(1);
  expect(addresses.filter((address) => !LOOPBACK.test(address))).toEqual([]);
});

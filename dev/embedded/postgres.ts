// A real Postgres server on this machine, durable, reachable on the loopback interface only.

import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { startChild, waitUntilReady, CHILD_PATH } from './child';
import type { Child, ChildExit, ChildOptions } from './child';
import { DiskFullError, EmbeddedError, explainPathError, systemErrorCode } from './error';
import { isPortFree, LOOPBACK, PortTakenError } from './ports';
import { findPostgresBinaries, hydratePostgresSymlinks } from './postgres-binaries';
import type { PostgresBinaries } from './postgres-binaries';
import { commandLine, processIdentity, stopProcess } from './process';
import { chooseRunAs, giveTo } from './run-as';
import type { RunAs } from './run-as';

export type EmbeddedPostgresOptions = {
  /** Contains the data folder and the superuser's password; created when missing. */
  readonly directory: string;
  readonly port: number;
  readonly log_file: string;
  /** Server settings, such as { shared_buffers: '256MB' }; not those that we set. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** False for data that is thrown away with the server: a crash of the machine may lose or break it. */
  readonly is_durable?: boolean;
  /** Whatever ends our process group ends the server as well. */
  readonly shares_group?: boolean;
};

export type EmbeddedPostgres = {
  readonly port: number;
  readonly pid: number;
  superuser_url(database: string): string;
  /** Ends sessions, writes a checkpoint, and waits for the end of the process. */
  stop(): Promise<void>;
  readonly exited: Promise<ChildExit>;
};

type Place = {
  readonly binaries: PostgresBinaries;
  readonly directory: string;
  readonly data: string;
  readonly run_as: RunAs;
  readonly log_file: string;
  readonly shares_group: boolean;
};

const SUPERUSER = 'postgres';
const START_LIMIT_SECONDS = 60;
const MAX_CONNECTIONS = 400;

// The sessions of a killed server end within moments, but hold its shared memory until then.
const SHARED_MEMORY_ATTEMPTS = 20;
const SHARED_MEMORY_PAUSE_MS = 250;

// Callers may not change these: no other machine may connect.
const FIXED_SETTINGS = { listen_addresses: LOOPBACK, unix_socket_directories: '' };

// The ledger must survive a crash.
const DURABLE_SETTINGS = { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' };
const UNSAFE_SETTINGS = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' };

// Fast (roll back and disconnect), then immediate (recovery at the next start), then by force.
const STOP_STEPS = [
  { signal: 'SIGINT', wait_seconds: 30 },
  { signal: 'SIGQUIT', wait_seconds: 5 },
  { signal: 'SIGKILL', wait_seconds: 5 },
] as const;

export async function startPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  hydratePostgresSymlinks();
  const place = openPlace(options);
  await stopOrphan(place.data);
  if (!(await isPortFree(options.port))) throw new PortTakenError('Postgres', options.port);
  const password = superuserPassword(place);
  if (!fs.existsSync(place.data)) await initialise(place, password);
  giveTo(place.run_as.owner, place.data);
  const superuser_url = (database: string): string =>
    `postgres://${SUPERUSER}:${password}@${LOOPBACK}:${options.port}/${encodeURIComponent(database)}`;
  const child = await startServer(place, options, superuser_url('postgres'));
  const { pid, exited } = child;
  return { port: options.port, pid, superuser_url, stop: () => child.stop(), exited };
}

function openPlace({ directory, log_file, shares_group = false }: EmbeddedPostgresOptions): Place {
  const binaries = findPostgresBinaries();
  try {
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    const folder = fs.realpathSync(directory);
    // `--show` finds the other programs and prints initdb's settings.
    const probe = [binaries.initdb, '--show', `--pgdata=${folder}`];
    const run_as = chooseRunAs(dirname(folder), probe);
    if (run_as.owner !== undefined) fs.chownSync(folder, run_as.owner.uid, run_as.owner.gid);
    return {
      binaries,
      directory: folder,
      data: join(folder, 'data'),
      run_as,
      log_file,
      shares_group,
    };
  } catch (error) {
    throw explainPathError(error, directory);
  }
}

// A killed parent leaves its server running. It is stopped only if it is a Postgres on this very folder:
// its command line names the folder, or the folder is its working directory (after a move).
async function stopOrphan(data: string): Promise<void> {
  const pid_file = join(data, 'postmaster.pid');
  const pid = Number(readIfThere(pid_file)?.split('\n')[0]);
  const identity = processIdentity(pid);
  if (identity === undefined) return;
  const [program = '', ...args] = commandLine(pid);
  if (basename(program) !== 'postgres') {
    // Another program has the process id now. Postgres would take it for a running server.
    fs.rmSync(pid_file, { force: true });
    return;
  }
  const is_ours = args.includes(data) || workingDirectory(pid) === data;
  if (!is_ours || !(await stopProcess(pid, identity, STOP_STEPS))) {
    throw new EmbeddedError(`Another Postgres (process ${pid}) runs on ${data}: stop it first.`);
  }
}

// Kept beside the data, readable only by the user who started us.
function superuserPassword({ directory, data }: Place): string {
  const file = join(directory, 'superuser-password');
  const known = readIfThere(file)?.trim();
  if (known) return known;
  if (fs.existsSync(data)) {
    throw new EmbeddedError(
      `${file} is missing, and without it the database in ${data} cannot be used. ` +
        'Restore it, or delete the folder to start again without its data.',
    );
  }
  const password = randomBytes(24).toString('hex');
  writeSecret(file, password);
  return password;
}

// Created under another name and then renamed, so that a folder named `data` is always complete, even
// after an interrupted start.
async function initialise(place: Place, password: string): Promise<void> {
  const { directory, run_as, binaries } = place;
  for (const entry of fs.readdirSync(directory)) {
    if (entry.startsWith('data.new')) removeFolder(join(directory, entry));
  }
  const draft = join(directory, `data.new-${randomBytes(4).toString('hex')}`);
  const password_file = `${draft}.password`;
  writeSecret(password_file, password, run_as);
  try {
    const child = await startChild({
      ...command(place, [
        binaries.initdb,
        `--pgdata=${draft}`,
        `--username=${SUPERUSER}`,
        `--pwfile=${password_file}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        // Postgres' built-in locale: the same sort order on every system, also after an upgrade of
        // the C library.
        '--locale=C',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--data-checksums',
      ]),
    });
    const { code } = await child.exited;
    if (code !== 0) throw explainFailure(child.logTail(), place);
    fs.renameSync(draft, place.data);
  } catch (error) {
    removeFolder(draft);
    throw explainPathError(error, draft);
  } finally {
    fs.rmSync(password_file, { force: true });
  }
}

async function startServer(
  place: Place,
  options: EmbeddedPostgresOptions,
  url: string,
): Promise<Child> {
  const settings = {
    max_connections: MAX_CONNECTIONS,
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...options.settings,
    ...(options.is_durable === false ? UNSAFE_SETTINGS : DURABLE_SETTINGS),
    ...FIXED_SETTINGS,
    port: options.port,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  for (let attempt = 1; ; attempt++) {
    const child = await startChild(
      command(place, [place.binaries.postgres, '-D', place.data, ...flags]),
    );
    try {
      await waitUntilReady(
        child,
        START_LIMIT_SECONDS,
        () => acceptsConnections(url),
        (log_tail) => explainFailure(log_tail, { ...place, port: options.port }),
      );
      return child;
    } catch (error) {
      const is_memory_held = /shared memory block .* is still in use/.test(child.logTail());
      if (!is_memory_held || attempt === SHARED_MEMORY_ATTEMPTS) throw error;
      await delay(SHARED_MEMORY_PAUSE_MS);
    }
  }
}

function command({ run_as, log_file, shares_group }: Place, line: readonly string[]): ChildOptions {
  const [program = '', ...args] = [...run_as.prefix, ...line];
  return {
    name: 'Postgres',
    command: program,
    args,
    // The server's user may not be able to enter the caller's working directory.
    cwd: '/',
    env: { PATH: CHILD_PATH, LC_ALL: 'C', TZ: 'UTC' },
    log_file,
    stop_steps: STOP_STEPS,
    shares_group,
    ...run_as.user,
  };
}

async function acceptsConnections(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  // If the server goes away meanwhile, the query reports it; this event need not.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch (error) {
    // 28P01: the password is wrong, so retrying will not help.
    if (systemErrorCode(error) === '28P01') {
      throw new EmbeddedError(
        'The embedded Postgres refuses the password in its file superuser-password: ' +
          'the password was changed, or another Postgres listens on this port.',
      );
    }
    // The server does not listen yet, or is still starting up.
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

function explainFailure(
  log_tail: string,
  { log_file, data, port }: { log_file: string; data: string; port?: number },
): EmbeddedError {
  if (/Address already in use|could not bind/.test(log_tail) && port) {
    return new PortTakenError('Postgres', port);
  }
  if (/No space left on device|Check free disk space/.test(log_tail)) {
    return new DiskFullError(`The disk is full: Postgres cannot write to ${data}.`);
  }
  if (/wrong ownership|data directory [^\n]*: Permission denied/.test(log_tail)) {
    return new EmbeddedError(
      `Postgres may not use ${data}: it belongs to another user. ` +
        'Start as the user who created it, or take it over with chown -R.',
    );
  }
  if (/incompatible with server/.test(log_tail)) {
    return new EmbeddedError(
      `${data} was created by another major version of Postgres: use that version again, ` +
        'or delete the folder to start again without its data.',
    );
  }
  return new EmbeddedError(
    `Postgres did not start. The last lines of ${log_file}:\n${log_tail || '(none)'}`,
  );
}

function writeSecret(file: string, content: string, run_as?: RunAs): void {
  try {
    fs.writeFileSync(file, content, { mode: 0o600 });
    if (run_as?.owner !== undefined) fs.chownSync(file, run_as.owner.uid, run_as.owner.gid);
  } catch (error) {
    throw explainPathError(error, file);
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw explainPathError(error, file);
  }
}

function workingDirectory(pid: number): string | undefined {
  try {
    return fs.readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    // The system is not Linux, or the process not ours: only the command line can identify it.
    return undefined;
  }
}

function removeFolder(folder: string): void {
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

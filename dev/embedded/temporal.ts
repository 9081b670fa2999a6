// The Temporal dev server with its state in a file, reachable on the loopback interface only.

import * as fs from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { Connection, isGrpcServiceError } from '@temporalio/client';
import { startChild, waitUntilReady, CHILD_PATH } from './child';
import type { Child, ChildExit } from './child';
import { DiskFullError, EmbeddedError, explainPathError, systemErrorCode } from './error';
import { isListening, isPortFree, LOOPBACK, PortTakenError } from './ports';
import { isSameProcess, stopProcess } from './process';
import { openingStatements } from './temporal-file';

export type EmbeddedTemporalOptions = {
  /** The official CLI, as found by acquireTemporalBinary. */
  readonly binary: string;
  readonly database_file: string;
  readonly port: number;
  /** Null disables the user interface. */
  readonly ui_port: number | null;
  /** The address at which the user interface has encrypted payloads decrypted. */
  readonly ui_codec_endpoint?: string;
  readonly namespace: string;
  readonly log_file: string;
  /** Server settings by dotted name; they override ours. */
  readonly dynamic_config?: Readonly<Record<string, string | number | boolean>>;
  /** Told when the server has to be started again. */
  readonly say?: (text: string) => void;
};

export type EmbeddedTemporal = {
  readonly address: string;
  readonly ui_url: string | null;
  readonly pid: number;
  stop(): Promise<void>;
  readonly exited: Promise<ChildExit>;
};

const START_LIMIT_SECONDS = 60;
// Besides the given ports the server takes five that it finds free itself, some hundred milliseconds before
// it binds them: for HTTP, metrics and its inner services.
const START_ATTEMPTS = 5;
const CALL_LIMIT_MS = 2000;

const STOP_STEPS = [
  { signal: 'SIGTERM', wait_seconds: 15 },
  { signal: 'SIGKILL', wait_seconds: 5 },
] as const;

const DYNAMIC_CONFIG = {
  // There is one server process: with the default four partitions per queue, tasks and pollers only
  // miss each other and wait to be forwarded.
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
  // How often per second the one shard may poll for tasks. With the default of 20, a signal or a timer
  // wakes its workflow up to 50 ms late.
  'history.transferProcessorMaxPollRPS': 500,
  'history.timerProcessorMaxPollRPS': 500,
  // A workflow that has closed before its start was listed is listed once. Lists are up to a second late;
  // each poll takes all that waits.
  'history.visibilityProcessorMaxPollRPS': 1,
  'history.visibilityTaskBatchSize': 1000,
  // Workflows in memory, nearly all of them closed: with 8,096 they were most of the server's memory.
  'history.hostLevelCacheMaxSize': 512,
  // A worker that stops cancels its open polls. Otherwise it could still get a task, lost for seconds.
  'frontend.enableCancelWorkerPollsOnShutdown': true,
};

// A commit in the write-ahead log survives the end of the server's process without a sync to disk. A
// power cut may lose the last commits, but never consistency. Postgres, which has the money, does sync.
const SQLITE_PRAGMAS = {
  journal_mode: 'wal',
  synchronous: 'normal',
  busy_timeout: 5000,
  // Pages are read from memory, and the log is checkpointed every 40 MB instead of every 4 MB.
  cache_size: -32_768,
  mmap_size: 67_108_864,
  wal_autocheckpoint: 10_000,
};

// In a profile the server spent an eighth of its time on garbage collection of a small heap. Near the limit
// it collects more often, whatever the heap.
const GO_RUNTIME = { GOGC: '400', GOMEMLIMIT: '384MiB' };

export async function startTemporal(options: EmbeddedTemporalOptions): Promise<EmbeddedTemporal> {
  const database = resolve(options.database_file);
  await stopOrphan(pidFile(database));
  await requireFreePorts(options);
  const child = await startReadyServer(database, options);
  return {
    address: `${LOOPBACK}:${options.port}`,
    ui_url: options.ui_port === null ? null : `http://${LOOPBACK}:${options.ui_port}`,
    pid: child.pid,
    stop: async () => {
      await child.stop();
      fs.rmSync(pidFile(database), { force: true });
    },
    exited: child.exited,
  };
}

/** A server that dies because one of its own ports was taken is started again: it then finds others. */
async function startReadyServer(
  database: string,
  options: EmbeddedTemporalOptions,
): Promise<Child> {
  const { port, ui_port, say = () => {} } = options;
  for (let attempt = 1; ; attempt++) {
    prepareFolder(database);
    const is_new = !fs.existsSync(database);
    const child = await startServer(database, options);
    try {
      fs.writeFileSync(
        pidFile(database),
        JSON.stringify({ pid: child.pid, identity: child.identity }),
      );
      await waitUntilReady(
        child,
        START_LIMIT_SECONDS,
        () => isReady(options),
        (log_tail) => explainFailure(child.logHead(), log_tail, options),
      );
      fs.writeFileSync(readyFile(database), '');
      if (!is_new) return child;
      // It has made the file, all indexes included, and opens it without them from now on. No
      // client has used it yet, and SQLite's log survives the end of a process.
      process.kill(child.pid, 'SIGKILL');
      await child.exited;
    } catch (error) {
      await child.stop();
      const is_own_port =
        error instanceof PortTakenError && error.port !== port && error.port !== ui_port;
      if (!is_own_port || attempt >= START_ATTEMPTS) throw explainPathError(error, database);
      say(`Temporal found its port ${error.port} taken: starting it again.`);
    }
  }
}

// A killed parent leaves its server running, on the database that we are about to open.
async function stopOrphan(pid_file: string): Promise<void> {
  const orphan = readOrphan(pid_file);
  if (orphan === undefined || !isSameProcess(orphan.pid, orphan.identity)) return;
  if (!(await stopProcess(orphan.pid, orphan.identity, STOP_STEPS))) {
    throw new EmbeddedError(
      `The Temporal server of an earlier start (process ${orphan.pid}) does not stop: end it first.`,
    );
  }
}

function readOrphan(pid_file: string): { pid: number; identity: string } | undefined {
  try {
    return JSON.parse(fs.readFileSync(pid_file, 'utf8')) as { pid: number; identity: string };
  } catch (error) {
    // Missing, or cut short by a full disk: then its server could not have started.
    if (systemErrorCode(error) === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw explainPathError(error, pid_file);
  }
}

async function requireFreePorts({ port, ui_port }: EmbeddedTemporalOptions): Promise<void> {
  for (const wanted of ui_port === null ? [port] : [port, ui_port]) {
    if (!(await isPortFree(wanted))) throw new PortTakenError('Temporal', wanted);
  }
}

// The server creates its tables only if the file does not exist, so an interrupted first start leaves a
// file that can never be used. A file whose server was never ready is moved aside.
function prepareFolder(database: string): void {
  try {
    // The file holds who pays whom. `mode` is for a folder that is made; one that is there may be wider.
    fs.mkdirSync(dirname(database), { recursive: true, mode: 0o700 });
    fs.chmodSync(dirname(database), 0o700);
    if (!fs.existsSync(database) || fs.existsSync(readyFile(database))) return;
    for (const suffix of ['', '-wal', '-shm']) {
      if (!fs.existsSync(database + suffix)) continue;
      fs.renameSync(database + suffix, `${database}.incomplete${suffix}`);
    }
  } catch (error) {
    throw explainPathError(error, database);
  }
}

function startServer(database: string, options: EmbeddedTemporalOptions): Promise<Child> {
  const { binary, port, ui_port, ui_codec_endpoint, namespace, log_file } = options;
  const dynamic_config = { ...DYNAMIC_CONFIG, ...options.dynamic_config };
  const folder = dirname(database);
  // The CLI takes no SQL but pragmas, and the driver runs what follows one as well.
  const pragmas = Object.entries(SQLITE_PRAGMAS).map(([name, value], index, { length }) => [
    name,
    index < length - 1 ? value : [value, ...openingStatements(database)].join(';'),
  ]);
  return startChild({
    name: 'Temporal',
    command: binary,
    args: [
      'server',
      'start-dev',
      '--ip',
      LOOPBACK,
      '--port',
      String(port),
      ...(ui_port === null ? ['--headless'] : ['--ui-ip', LOOPBACK, '--ui-port', String(ui_port)]),
      ...(ui_codec_endpoint === undefined ? [] : ['--ui-codec-endpoint', ui_codec_endpoint]),
      '--ui-disable-news-fetch',
      '--namespace',
      namespace,
      // Relative to the working directory: the server puts the name into a URL without escaping, and a
      // folder's name may contain a question mark or a percent sign.
      '--db-filename',
      basename(database),
      ...pragmas.flatMap(([name, value]) => ['--sqlite-pragma', `${name}=${value}`]),
      ...Object.entries(dynamic_config).flatMap(([name, value]) => [
        '--dynamic-config-value',
        `${name}=${JSON.stringify(value)}`,
      ]),
      // The log level stays unset: then it is "warn", but without the warnings of every shutdown.
      '--disable-config-env',
      '--disable-config-file',
    ],
    cwd: folder,
    env: { PATH: CHILD_PATH, HOME: folder, TZ: 'UTC', ...GO_RUNTIME },
    log_file: resolve(log_file),
    stop_steps: STOP_STEPS,
  });
}

// Checks the parts that a workflow needs, not only the port: the frontend and its database (the
// namespace), history (a workflow, which does not exist), and matching (a task queue).
async function isReady({ port, namespace }: EmbeddedTemporalOptions): Promise<boolean> {
  // Checking the port first is cheap; the gRPC client would back off for a second.
  if (!(await isListening(port))) return false;
  const connection = Connection.lazy({ address: `${LOOPBACK}:${port}` });
  try {
    const { workflowService: service } = connection;
    await connection.withDeadline(Date.now() + CALL_LIMIT_MS, async () => {
      await service.describeNamespace({ namespace });
      await service.describeTaskQueue({ namespace, taskQueue: { name: 'ready' } });
      const execution = { workflowId: 'ready' };
      await service.describeWorkflowExecution({ namespace, execution }).catch(passNotFound);
    });
    return true;
  } catch (error) {
    if (isGrpcServiceError(error)) return false;
    throw error;
  } finally {
    await connection.close();
  }
}

function passNotFound(error: unknown): void {
  const NOT_FOUND = 5;
  if (!isGrpcServiceError(error) || error.code !== NOT_FOUND) throw error;
}

function explainFailure(
  log_head: string,
  log_tail: string,
  options: EmbeddedTemporalOptions,
): EmbeddedError {
  const taken = /:(\d+): bind: address already in use/.exec(log_head)?.[1];
  if (taken !== undefined) return new PortTakenError('Temporal', Number(taken));
  if (/no space left on device|database or disk is full/i.test(log_tail)) {
    return new DiskFullError(
      `The disk is full: Temporal cannot write to ${options.database_file}.`,
    );
  }
  return new EmbeddedError(
    `Temporal did not start. The last lines of ${options.log_file}:\n${log_tail || '(none)'}`,
  );
}

function pidFile(database: string): string {
  return `${database}.pid`;
}

function readyFile(database: string): string {
  return `${database}.ready`;
}

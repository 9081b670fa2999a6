// One process of the service, from the built program, that an experiment kills, freezes and starts
// again on the same port, as a supervisor would.

import { spawn, type ChildProcess } from 'node:child_process';
import { appendFileSync, closeSync, openSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { noteSeen, waitFor } from '../../support/wait';

export interface AppProcessOptions {
  readonly name: string;
  /** The compiled file of `bin` to run. */
  readonly script: string;
  readonly env: Readonly<Record<string, string>>;
  /** Gets standard error. */
  readonly log_file: string;
  /** Gets standard output, which is thrown away when left out. */
  readonly access_log_file?: string;
}

export interface AppProcess {
  readonly name: string;
  /** Resolves when it says it is ready; starts it again when it ends before that. */
  start(): Promise<void>;
  /** The folder of the compiled program that it runs from its next start on. */
  useProgram(folder: string): void;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** SIGTERM, as a rolling restart sends it; resolves when it has ended by itself, and rejects when it does not. */
  terminate(): Promise<void>;
  /** Ends it for good: a restart that was planned meanwhile does nothing. */
  close(): Promise<void>;
  /** SIGSTOP: it holds everything it holds, and does nothing. */
  freeze(): void;
  thaw(): void;
  isRunning(): boolean;
  /** Undefined before its first start. */
  pid(): number | undefined;
  /** How often it ended, once it was ready, although the experiment had not stopped it. */
  readonly unasked_ends: () => number;
}

/** Covers a start on a machine that is six times overloaded, and a server that is still away. */
const READY_LIMIT_MS = 180_000;
/** The `stop_grace_period` of docker-compose.yml. */
const TERMINATE_LIMIT_MS = 50_000;

export function createAppProcess(options: AppProcessOptions): AppProcess {
  let child: ChildProcess | undefined;
  let { script } = options;
  let unasked_ends = 0;
  let isClosed = false;
  let isAsked = false;

  const isRunning = (): boolean => child?.exitCode === null && child.signalCode === null;
  const launch = (): { isReady: () => boolean } => {
    const { env, log_file, access_log_file, name } = options;
    const output = access_log_file === undefined ? 'ignore' : openSync(access_log_file, 'a');
    const launched = spawn(process.execPath, [script], {
      env: { ...env },
      stdio: ['ignore', output, 'pipe'],
    });
    if (typeof output === 'number') closeSync(output);
    child = launched;
    isAsked = false;
    let ready = false;
    let rest = '';
    launched.stderr!.on('data', (chunk: Buffer) => {
      appendFileSync(log_file, chunk);
      rest = (rest + chunk.toString('utf8')).slice(-2000);
      ready ||= rest.includes('"log":"ready"');
    });
    launched.once('exit', (code, signal) => {
      appendFileSync(log_file, `# ${name} ended: ${code ?? signal}\n`);
      // One that cannot reach Temporal gives up its stop after its limit, and says so.
      const isClean = isAsked && (code === 0 || rest.includes('"part":"stop"'));
      if (ready && signal !== 'SIGKILL' && !isClean) unasked_ends += 1;
    });
    return {
      isReady: () => {
        noteSeen(`${name} said`, rest);
        return ready;
      },
    };
  };

  const endBy = async (signal: NodeJS.Signals): Promise<void> => {
    if (!isRunning()) return;
    const ended = new Promise<void>((resolve) => child!.once('exit', () => resolve()));
    child!.kill(signal);
    await ended;
  };
  const kill = (): Promise<void> => endBy('SIGKILL');

  return {
    name: options.name,
    async start() {
      if (isRunning()) throw new Error(`${options.name} runs already`);
      let current: ReturnType<typeof launch> | undefined;
      await waitFor(() => {
        if (isClosed) throw new Error(`${options.name} is closed`);
        if (!isRunning()) current = launch();
        return current!.isReady();
      }, READY_LIMIT_MS);
    },
    useProgram: (folder) => void (script = join(folder, 'bin', basename(script))),
    kill,
    async terminate() {
      isAsked = true;
      const ended = endBy('SIGTERM').then(() => true as const);
      const limit = delay(TERMINATE_LIMIT_MS, false as const, { ref: false });
      if (await Promise.race([ended, limit])) return;
      throw new Error(`${options.name} did not end within ${TERMINATE_LIMIT_MS} ms of SIGTERM`);
    },
    async close() {
      isClosed = true;
      await kill();
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    isRunning,
    pid: () => child?.pid,
    unasked_ends: () => unasked_ends,
  };
}

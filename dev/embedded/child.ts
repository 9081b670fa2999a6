// A child process with a log file, in its own process group: Ctrl-C in the terminal reaches only the
// parent, which then stops its children in order.

import { spawn } from 'node:child_process';
import { closeSync, fstatSync, mkdirSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EmbeddedError, explainPathError, systemErrorCode } from './error';
import { processIdentity, stopProcess, type StopStep } from './process';

export type ChildExit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

export type Child = {
  readonly pid: number;
  readonly identity: string;
  /** Resolves when the process ends; never rejects. */
  readonly exited: Promise<ChildExit>;
  /** The last lines that this run has written to its log. */
  logTail(): string;
  /** The first part of what this run has written to its log: a crash ends with long stack traces. */
  logHead(): string;
  stop(): Promise<void>;
};

export type ChildOptions = {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly log_file: string;
  readonly stop_steps: readonly StopStep[];
  /** Ctrl-C and a time-out that ends our process group end the child as well. */
  readonly shares_group?: boolean;
  readonly uid?: number;
  readonly gid?: number;
};

// Enough for the programs that the children's shell scripts call. Children get no other variable of the
// caller, so that none changes how they behave.
export const CHILD_PATH = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin';

const MAX_LOG_BYTES = 20 * 1024 * 1024;
const TAIL_BYTES = 8 * 1024;
const TAIL_LINES = 15;
const HEAD_BYTES = 256 * 1024;
const PROBE_MS = 50;

export async function startChild(options: ChildOptions): Promise<Child> {
  const log = openLogFile(options.log_file);
  const log_start = fstatSync(log).size;
  const identity = options.uid === undefined ? {} : { uid: options.uid, gid: options.gid ?? 0 };
  const child = spawn(options.command, [...options.args], {
    cwd: options.cwd,
    env: { ...options.env },
    detached: options.shares_group !== true,
    stdio: ['ignore', log, log],
    ...identity,
  });
  closeSync(log);
  const exited = new Promise<ChildExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const { pid } = await new Promise<{ pid: number }>((resolve, reject) => {
    child.once('error', (error) => reject(explainSpawnError(error, options)));
    child.once('spawn', () => resolve({ pid: child.pid ?? 0 }));
  });
  const process_identity = processIdentity(pid) ?? '';
  return {
    pid,
    identity: process_identity,
    exited,
    logTail: () => readTail(options.log_file, log_start),
    logHead: () => readLog(options.log_file, log_start, log_start + HEAD_BYTES),
    stop: async () => {
      if (!(await stopProcess(pid, process_identity, options.stop_steps))) {
        throw new EmbeddedError(`${options.name} (process ${pid}) does not stop.`);
      }
      await exited;
    },
  };
}

/**
 * Polls the probe until it returns true. A child that ends before, or takes longer than the limit, is
 * stopped, and `explain` makes the error from the last lines of its log.
 */
export async function waitUntilReady(
  child: Child,
  limit_seconds: number,
  probe: () => Promise<boolean>,
  explain: (log_tail: string) => EmbeddedError,
): Promise<void> {
  let ended = false;
  void child.exited.then(() => (ended = true));
  const limit = Date.now() + limit_seconds * 1000;
  try {
    for (;;) {
      const is_ready = await probe();
      // The end counts also when the probe succeeds: then another server has answered on the
      // child's port.
      if (ended) throw explain(child.logTail());
      if (is_ready) return;
      if (Date.now() > limit) throw explain(child.logTail());
      await delay(PROBE_MS);
    }
  } catch (error) {
    await child.stop();
    throw error;
  }
}

/** One that has grown too large is put aside first. */
export function openLogFile(file: string): number {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size > MAX_LOG_BYTES) renameSync(file, `${file}.old`);
    return openSync(file, 'a', 0o600);
  } catch (error) {
    throw explainPathError(error, file);
  }
}

function readTail(file: string, from: number): string {
  const end = statSync(file).size;
  const start = Math.max(Math.min(from, end), end - TAIL_BYTES);
  return readLog(file, start, end).trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
}

function readLog(file: string, from: number, to: number): string {
  const log = openSync(file, 'r');
  try {
    const buffer = Buffer.alloc(Math.max(0, to - from));
    return buffer.toString('utf8', 0, readSync(log, buffer, 0, buffer.length, from));
  } finally {
    closeSync(log);
  }
}

// ENOENT also means that the program exists but its loader does not.
function explainSpawnError(error: Error, { name, command }: ChildOptions): Error {
  const code = systemErrorCode(error);
  if (code === 'ENOENT' || code === 'ENOEXEC') {
    return new EmbeddedError(
      `${name} cannot run here: ${command} is missing or not for this system.`,
    );
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return new EmbeddedError(`${name} cannot run here: no permission to execute ${command}.`);
  }
  return error;
}

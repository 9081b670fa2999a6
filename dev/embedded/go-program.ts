// Programs in Go, built once per machine from a pinned module in dev/tools and kept in the cache.

import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EmbeddedError, explainPathError } from './error';
import { takeLock, type RunLock } from './run-lock';

export type Log = (message: string) => void;

export interface GoProgram {
  /** The name of the program's file. */
  readonly name: string;
  /** A folder of dev/tools with a go.mod. */
  readonly module: string;
  /** The package to build, of the module or of one that it requires. */
  readonly package: string;
  /** That package's module, whose version go.mod pins. */
  readonly from: string;
  readonly ldflags?: string;
}

export interface GoOptions {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** Called when something takes long, and repeatedly while it lasts. */
  readonly log: Log;
}

const GO_MISSING = 'the program `go` is not installed';
const REPORT_MS = 15_000;
const LOCK_POLL_MS = 500;

/** @returns its file, from the cache or built now */
export async function acquireGoProgram(program: GoProgram, options: GoOptions): Promise<string> {
  const folder = `${program.name}-${goVersionOf(program)}`;
  const file = join(cacheFolder(options.env), folder, program.name);
  if (isExecutable(file)) return file;
  const lock = await waitForLock(`${file}.lock`, program.name, options.log);
  const draft = `${file}.draft`;
  try {
    // The previous owner of the lock may have built it.
    if (isExecutable(file)) return file;
    const fault = await buildGoProgram(program, draft, options);
    if (fault !== undefined) {
      throw new EmbeddedError(
        `${program.name} is not in the cache (${file}), and its build with Go failed: ${fault}`,
      );
    }
    fs.renameSync(draft, file);
    return file;
  } catch (error) {
    throw explainPathError(error, file);
  } finally {
    fs.rmSync(draft, { force: true });
    lock.release();
  }
}

/** Builds into the file; returns the reason when it cannot. */
export async function buildGoProgram(
  program: GoProgram,
  file: string,
  { env, log }: GoOptions,
): Promise<string | undefined> {
  const source = findModule(program.module);
  if (source === undefined) return `the folder dev/tools/${program.module} is missing`;
  const args = [
    'build',
    '-trimpath',
    `-ldflags=-s -w ${program.ldflags ?? ''}`.trimEnd(),
    '-o',
    file,
    program.package,
  ];
  // Nothing is said to be under way that cannot begin.
  const folders = (env['PATH'] ?? '').split(delimiter);
  if (!folders.some((one) => isExecutable(join(one, 'go')))) return GO_MISSING;
  const message = `Building ${program.name} with Go (once per machine, takes minutes)`;
  return reporting(message, log, () => run('go', args, source, { ...env, CGO_ENABLED: '0' }));
}

/** Returns the pinned version, without its `v`. */
export function goVersionOf({ module, from }: Pick<GoProgram, 'module' | 'from'>): string {
  const source = findModule(module);
  if (source === undefined) throw new EmbeddedError(`The folder dev/tools/${module} is missing.`);
  const pinned = fs
    .readFileSync(join(source, 'go.mod'), 'utf8')
    .split('\n')
    .map((line) => line.trim().replace(/^require /, ''))
    .find((line) => line.startsWith(`${from} v`));
  if (pinned === undefined)
    throw new EmbeddedError(`dev/tools/${module}/go.mod does not pin ${from}.`);
  return pinned.slice(from.length + 2).split(' ')[0]!;
}

export function cacheFolder(env: Readonly<NodeJS.ProcessEnv>): string {
  const cache = env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache');
  return join(cache, 'payment-api');
}

export function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    // Missing, or not executable for us.
    return false;
  }
}

/** Says what is done, and again while it lasts. */
export async function reporting<T>(message: string, log: Log, work: () => Promise<T>): Promise<T> {
  const started = Date.now();
  log(`${message} …`);
  const timer = setInterval(() => {
    log(`${message} … ${Math.round((Date.now() - started) / 1000)} s`);
  }, REPORT_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

export async function waitForLock(file: string, what: string, log: Log): Promise<RunLock> {
  for (let waited = false; ; waited = true) {
    const lock = takeLock(file);
    if ('release' in lock) return lock;
    if (!waited) log(`Waiting for process ${lock.pid}, which is getting ${what} …`);
    await delay(LOCK_POLL_MS);
  }
}

// Finds the module from the sources and from dist.
function findModule(name: string): string | undefined {
  return ['..', '../../../dev']
    .map((up) => join(__dirname, up, 'tools', name))
    .find((candidate) => fs.existsSync(join(candidate, 'go.mod')));
}

// Resolves to undefined, or to the last lines that the program wrote to standard error.
function run(
  program: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, [...args], { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
    let complaint = '';
    child.stderr.on('data', (chunk: Buffer) => {
      complaint = (complaint + chunk.toString('utf8')).slice(-2000);
    });
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => {
      if (code === 0) return resolve(undefined);
      resolve(
        complaint.trim().split('\n').slice(-3).join(' | ') || `it ended with ${code ?? signal}`,
      );
    });
  });
}

// The Temporal server is part of the official CLI, a Go program that npm does not carry. This finds one
// on the machine, or downloads or builds one.

import { execFile, spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import * as fs from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { EmbeddedError, explainPathError } from './error';
import { takeLock } from './run-lock';
import type { RunLock } from './run-lock';

type Log = (message: string) => void;

export type TemporalBinaryOptions = {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** Called when something takes long, and repeatedly while it lasts. */
  readonly log: Log;
};

// Must agree with tools/temporal/go.mod.
const CLI_VERSION = '1.8.2';
// The version that we test with. Older servers lack features that we need, such as cancelling a stopped
// worker's polls.
const MINIMUM_SERVER = [1, 31] as const;

/**
 * SHA-256 of the official archives of this version, from the release's `checksums.txt`. An archive that
 * differs is not unpacked.
 */
export const ARCHIVE_SHA256: Readonly<Record<string, string>> = {
  'darwin/amd64': '489d7f5420cae02b559774ac23df035141954c33a51dba96f5759a0ddccdf1b6',
  'darwin/arm64': 'dacdc3587682c04cf27e67c8878ca2d755230b6ad63c0c6ebddd7348ae90ed94',
  'linux/amd64': 'd8421bda989e6514b4bdb4d63a9012a8a05a806892e881a5aad8510496349a94',
  'linux/arm64': '83600a8fac6e3da54093e5da6918d399f501532b9f1172235603f9606f4ac6e4',
};

const DOWNLOAD_RESPONSE_MS = 10_000;
const DOWNLOAD_LIMIT_MS = 10 * 60_000;
const REPORT_MS = 15_000;
const LOCK_POLL_MS = 500;

const HOW_TO_HELP =
  'Install the Temporal CLI (https://docs.temporal.io/cli) so that `temporal` is on PATH, ' +
  'or set TEMPORAL_CLI to its file, or install Go, ' +
  'or set TEMPORAL_ADDRESS to use a Temporal cluster of your own.';

/** TEMPORAL_CLI, then `temporal` on PATH, then our cache folder. */
export async function findTemporalBinary(
  options: TemporalBinaryOptions,
): Promise<string | undefined> {
  const { env, log } = options;
  if (env['TEMPORAL_CLI']) {
    const fault = await findFault(env['TEMPORAL_CLI']);
    // An explicit setting must not be ignored silently.
    if (fault !== undefined) {
      throw new EmbeddedError(`TEMPORAL_CLI=${env['TEMPORAL_CLI']} cannot be used: ${fault}.`);
    }
    return env['TEMPORAL_CLI'];
  }
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    const file = join(folder, 'temporal');
    if (folder === '' || !isExecutable(file)) continue;
    const fault = await findFault(file);
    if (fault === undefined) return file;
    log(`Not using ${file}: ${fault}.`);
  }
  // Not checked again: it was checked before it got this name.
  const cached = cachedBinary(env);
  return isExecutable(cached) ? cached : undefined;
}

/** Like findTemporalBinary, then downloads the official CLI, then builds it with Go. */
export async function acquireTemporalBinary(options: TemporalBinaryOptions): Promise<string> {
  const found = await findTemporalBinary(options);
  if (found !== undefined) return found;
  const cached = cachedBinary(options.env);
  const lock = await waitForLock(`${cached}.lock`, options.log);
  try {
    // The previous owner of the lock may have put it there.
    if (!isExecutable(cached)) await fillCache(cached, options);
    return cached;
  } finally {
    lock.release();
  }
}

async function fillCache(cached: string, options: TemporalBinaryOptions): Promise<void> {
  const draft = `${cached}.draft`;
  const faults: string[] = [];
  try {
    for (const obtain of [download, build]) {
      fs.rmSync(draft, { recursive: true, force: true });
      fs.mkdirSync(draft);
      const binary = join(draft, 'temporal');
      const fault = (await obtain(draft, options)) ?? (await findFault(binary));
      if (fault === undefined) {
        fs.renameSync(binary, cached);
        return;
      }
      faults.push(fault);
    }
  } catch (error) {
    throw explainPathError(error, cached);
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
  throw new EmbeddedError(
    [
      'The Temporal server is missing, and none of the four ways to get it worked:',
      '  1. TEMPORAL_CLI, or `temporal` on PATH: not found, or too old',
      `  2. the cache: no file ${cached}`,
      `  3. the download of the official CLI: ${faults[0]}`,
      `  4. a build of the official CLI with Go: ${faults[1]}`,
      HOW_TO_HELP,
    ].join('\n'),
  );
}

// As the Temporal SDKs do for their test environments: one response says where the archive for this
// platform is and which of its files is the program.
async function download(
  folder: string,
  { log }: TemporalBinaryOptions,
): Promise<string | undefined> {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const expected = ARCHIVE_SHA256[`${process.platform}/${arch}`];
  if (expected === undefined) return `there is no archive for ${process.platform}/${arch}`;
  const address = `https://temporal.download/cli/v${CLI_VERSION}?platform=${process.platform}&arch=${arch}`;
  return fetchArchive({ address, expected_sha256: expected, folder, log });
}

export interface WantedArchive {
  /** Responds with `{archiveUrl, fileToExtract}`. */
  readonly address: string;
  readonly expected_sha256: string;
  /** Gets the program. */
  readonly folder: string;
  readonly log: Log;
}

/** Undefined when the program is in the folder, otherwise the reason why it is not. */
export async function fetchArchive({
  address,
  expected_sha256,
  folder,
  log,
}: WantedArchive): Promise<string | undefined> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(DOWNLOAD_RESPONSE_MS) });
    if (!response.ok) return `${address} responded with ${response.status}`;
    const place = (await response.json()) as { archiveUrl: string; fileToExtract: string };
    return await reporting('Downloading the Temporal CLI', log, async () => {
      const limit = AbortSignal.timeout(DOWNLOAD_LIMIT_MS);
      const archive = await fetch(place.archiveUrl, { signal: limit });
      if (!archive.ok) return `${place.archiveUrl} responded with ${archive.status}`;
      const bytes = Buffer.from(await archive.arrayBuffer());
      const sha256 = hash('sha256', bytes, 'hex');
      if (sha256 !== expected_sha256) {
        return `${place.archiveUrl} is not the release: its SHA-256 is ${sha256}, not ${expected_sha256}`;
      }
      const file = join(folder, 'archive.tar.gz');
      fs.writeFileSync(file, bytes);
      await promisify(execFile)('tar', ['-xzf', file, '-C', folder, place.fileToExtract]);
      return undefined;
    });
  } catch (error) {
    return reason(error);
  }
}

async function build(
  folder: string,
  { env, log }: TemporalBinaryOptions,
): Promise<string | undefined> {
  const source = ['..', '../..']
    .map((up) => join(__dirname, up, 'tools', 'temporal'))
    .find((candidate) => fs.existsSync(join(candidate, 'go.mod')));
  if (source === undefined) return 'the folder tools/temporal is missing';
  const version = `github.com/temporalio/cli/internal/temporalcli.Version=${CLI_VERSION}`;
  const args = [
    'build',
    '-trimpath',
    `-ldflags=-s -w -X ${version}`,
    ...['-o', join(folder, 'temporal'), 'github.com/temporalio/cli/cmd/temporal'],
  ];
  const message = 'Building the Temporal server with Go (once per machine, takes minutes)';
  return reporting(message, log, () => run('go', args, source, { ...env, CGO_ENABLED: '0' }));
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
    child.once('error', () => resolve(`the program \`${program}\` is not installed`));
    child.once('close', (code, signal) => {
      if (code === 0) return resolve(undefined);
      resolve(
        complaint.trim().split('\n').slice(-3).join(' | ') || `it ended with ${code ?? signal}`,
      );
    });
  });
}

async function reporting<T>(message: string, log: Log, work: () => Promise<T>): Promise<T> {
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

async function waitForLock(file: string, log: Log): Promise<RunLock> {
  for (let waited = false; ; waited = true) {
    const lock = takeLock(file);
    if ('release' in lock) return lock;
    if (!waited) log(`Waiting for process ${lock.pid}, which is getting the Temporal server …`);
    await delay(LOCK_POLL_MS);
  }
}

// Undefined if the program runs and is new enough.
async function findFault(binary: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(binary, ['--version'], { timeout: 20_000 });
    const [, major, minor] = /server (\d+)\.(\d+)\./i.exec(stdout) ?? [];
    if (major === undefined || minor === undefined) return 'it is not the Temporal CLI';
    const is_new_enough =
      Number(major) > MINIMUM_SERVER[0] ||
      (Number(major) === MINIMUM_SERVER[0] && Number(minor) >= MINIMUM_SERVER[1]);
    if (is_new_enough) return undefined;
    return `it has server ${major}.${minor}, we need ${MINIMUM_SERVER.join('.')} or later`;
  } catch (error) {
    return reason(error);
  }
}

function cachedBinary(env: Readonly<NodeJS.ProcessEnv>): string {
  const cache = env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache');
  return join(cache, 'payment-api', `temporal-cli-${CLI_VERSION}`, 'temporal');
}

function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    // Missing, or not executable for us.
    return false;
  }
}

// fetch's message is only "fetch failed"; the cause has the reason.
function reason(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string } };
  return cause?.message ?? message ?? String(error);
}

// The Temporal server is part of the official CLI, a Go program that npm does not carry. This finds one
// on the machine, or downloads or builds one.

import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import * as fs from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedError, explainPathError } from './error';
import {
  buildGoProgram,
  cacheFolder,
  isExecutable,
  reporting,
  waitForLock,
  type GoProgram,
  type Log,
} from './go-program';

export type TemporalBinaryOptions = {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** Called when something takes long, and repeatedly while it lasts. */
  readonly log: Log;
};

// Must agree with dev/tools/temporal/go.mod.
const CLI_VERSION = '1.8.2';
const CLI_SOURCE: GoProgram = {
  name: 'the Temporal server',
  module: 'temporal',
  package: 'github.com/temporalio/cli/cmd/temporal',
  from: 'github.com/temporalio/cli',
  ldflags: `-X github.com/temporalio/cli/internal/temporalcli.Version=${CLI_VERSION}`,
};
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

const HOW_TO_HELP =
  'A Temporal server is needed: install the Temporal CLI (https://docs.temporal.io/cli) or Go, ' +
  'or set TEMPORAL_CLI to the file of the CLI, or TEMPORAL_ADDRESS to a cluster of your own.';

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
  // The cached one was checked before it got this name.
  const cached = cachedBinary(env);
  return isExecutable(cached) ? cached : undefined;
}

/**
 * Finds the binary as findTemporalBinary does, or downloads the official CLI, or builds it with Go.
 */
export async function acquireTemporalBinary(options: TemporalBinaryOptions): Promise<string> {
  const found = await findTemporalBinary(options);
  if (found !== undefined) return found;
  const cached = cachedBinary(options.env);
  const lock = await waitForLock(`${cached}.lock`, 'the Temporal server', options.log);
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
      const fault = (await obtain(binary, options)) ?? (await findFault(binary));
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
  // One line, and first what to do.
  throw new EmbeddedError(
    `${HOW_TO_HELP} (The official CLI could not be downloaded: ${faults[0]}; nor built: ${faults[1]}.)`,
  );
}

// Downloads as the Temporal SDKs do for their test environments: one response says where the
// archive for this platform is and which of its files is the program.
async function download(
  binary: string,
  { log }: TemporalBinaryOptions,
): Promise<string | undefined> {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const expected = ARCHIVE_SHA256[`${process.platform}/${arch}`];
  if (expected === undefined) return `there is no archive for ${process.platform}/${arch}`;
  const address = `https://temporal.download/cli/v${CLI_VERSION}?platform=${process.platform}&arch=${arch}`;
  return fetchArchive({ address, expected_sha256: expected, folder: dirname(binary), log });
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

function build(binary: string, options: TemporalBinaryOptions): Promise<string | undefined> {
  return buildGoProgram(CLI_SOURCE, binary, options);
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
  return join(cacheFolder(env), `temporal-cli-${CLI_VERSION}`, 'temporal');
}

// fetch's message is only "fetch failed"; the cause has the reason.
function reason(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string } };
  return cause?.message ?? message ?? String(error);
}

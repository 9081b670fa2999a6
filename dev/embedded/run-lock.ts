// Allows one running system per data folder. The lock is a file that names its owner. An owner that no
// longer runs loses the lock, so nothing must be cleaned up by hand after a crash.

import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EmbeddedError, explainPathError, systemErrorCode } from './error';
import { isSameProcess, processIdentity, stopProcess, type StopStep } from './process';

export type RunLock = { release(): void };
export type LockOwner = { readonly pid: number; readonly identity: string };

// Each round takes the lock, finds a running owner, or removes a dead one. More rounds than this mean
// that another program writes to the file.
const MAX_ROUNDS = 20;

/** @throws EmbeddedError with the owner's process id while another program runs on this folder */
export function takeRunLock(directory: string): RunLock {
  const lock = takeLock(join(directory, 'run.lock'));
  if ('release' in lock) return lock;
  throw new EmbeddedError(
    `Already running on ${directory} (process ${lock.pid}). ` +
      'Stop it first, or choose another data folder.',
  );
}

/** Takes the lock file, or returns its owner. */
export function takeLock(file: string): RunLock | LockOwner {
  const self = { pid: process.pid, identity: processIdentity(process.pid) ?? '' };
  try {
    mkdirSync(dirname(file), { recursive: true });
    for (let round = 0; round < MAX_ROUNDS; round++) {
      if (createWhole(file, JSON.stringify(self))) return { release: () => release(file, self) };
      const owner = readOwner(file);
      if (owner !== undefined && isSameProcess(owner.pid, owner.identity)) return owner;
      removeStale(file, owner);
    }
  } catch (error) {
    throw explainPathError(error, file);
  }
  throw new EmbeddedError(`Cannot take ${file}: another program keeps writing it.`);
}

/** Stops the process that has the lock, if one has. @throws EmbeddedError when it does not stop */
export async function endOwner(file: string, steps: readonly StopStep[]): Promise<void> {
  const owner = readOwner(file);
  if (owner === undefined || (await stopProcess(owner.pid, owner.identity, steps))) return;
  throw new EmbeddedError(`Process ${owner.pid}, which uses ${file}, does not stop: end it first.`);
}

// A link appears with its whole content at once. A file opened with 'wx' could be read while empty,
// between opening and writing.
function createWhole(file: string, content: string): boolean {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, content, { mode: 0o644 });
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

// Two programs may see the same dead owner. Renaming is atomic, so only one of them gets the file. If a
// third has taken the lock in between, its file is put back.
function removeStale(file: string, stale: LockOwner | undefined): void {
  const aside = `${file}.${process.pid}.stale`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return;
    throw error;
  }
  const moved = readOwner(aside);
  if (moved !== undefined && moved.identity !== stale?.identity) linkSync(aside, file);
  rmSync(aside, { force: true });
}

function release(file: string, self: LockOwner): void {
  if (readOwner(file)?.identity === self.identity) rmSync(file, { force: true });
}

function readOwner(file: string): LockOwner | undefined {
  try {
    const { pid, identity } = JSON.parse(readFileSync(file, 'utf8')) as Partial<LockOwner>;
    return typeof pid === 'number' && typeof identity === 'string' ? { pid, identity } : undefined;
  } catch {
    // Missing, or cut short by a full disk: in both cases it has no owner.
    return undefined;
  }
}

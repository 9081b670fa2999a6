// A disk that an experiment fills, and makes room on again: a tmpfs whose limit is lowered to what is on it.
// Nothing has to be written for that, so it takes no memory of its own, and writers get the same ENOSPC as from
// any other file system.
//
// A mount needs the right to mount. run.mjs gives it to the experiments that ask for it, in a mount namespace of
// their own, where it can: as root, or in a user namespace.

import { execFileSync } from 'node:child_process';
import { mkdirSync, statfsSync } from 'node:fs';

export interface SmallDisk {
  /** It has no room from now on: what is deleted meanwhile makes none. */
  fill(): void;
  /** It has room again. */
  free(): void;
  /** Ends it for good; what is on it is lost. */
  close(): void;
}

/** More than any run needs. Only what is used takes memory. */
const ROOM = '16g';
const KEPT_FULL_MS = 50;

/** Why disks cannot be mounted here; undefined when they can. */
export function whyNoDisks(): string | undefined {
  if (process.env['FAULT_MOUNTS'] === 'own') return undefined;
  return process.env['FAULT_MOUNTS'] || 'it needs mounts of its own: start it by npm run faults';
}

/** Says that an experiment cannot run on this machine; where everything has to be proved it is a failure. */
export function leaveOut(title: string, why: string): void {
  it(`${title}: not tried, because ${why}`, () => {
    if (process.env['CI']) throw new Error(why);
    console.warn(`${title}: not tried, because ${why}`);
  });
}

/** @param folder made when it is not there; what is in it is hidden */
export function openSmallDisk(folder: string): SmallDisk {
  mkdirSync(folder, { recursive: true });
  mount('-t', 'tmpfs', '-o', `size=${ROOM},mode=0755`, 'tmpfs', folder);
  let keeping: NodeJS.Timeout | undefined;
  const limit = (): void => {
    const { blocks, bfree, bsize } = statfsSync(folder);
    if (bfree === 0) return;
    try {
      mount('-o', `remount,size=${(blocks - bfree) * bsize}`, folder);
    } catch {
      // A process has written meanwhile: the next turn has the new sum.
    }
  };
  return {
    fill() {
      limit();
      keeping ??= setInterval(limit, KEPT_FULL_MS);
    },
    free() {
      if (keeping === undefined) return;
      clearInterval(keeping);
      keeping = undefined;
      mount('-o', `remount,size=${ROOM}`, folder);
    },
    close() {
      clearInterval(keeping);
      // Lazily: a server that hangs must not keep the experiment from its end.
      execFileSync('umount', ['--lazy', folder], { stdio: 'pipe' });
    },
  };
}

function mount(...args: string[]): void {
  execFileSync('mount', args, { stdio: 'pipe' });
}

// Postgres refuses to run as root. This finds a way to run it as `nobody` that can still reach its
// programs and its data, which may be in a folder that only root can enter (/root, mktemp -d).

import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CHILD_PATH } from './child';
import { EmbeddedError, explainPathError } from './error';

type User = { readonly uid: number; readonly gid: number };

export type RunAs = {
  /** A program, put before the command, that changes the user and then executes the command. */
  readonly prefix: readonly string[];
  /** Set when Node itself changes the user. */
  readonly user?: User;
  /** The user that must own the data; undefined if that is us anyway. */
  readonly owner?: User;
};

/** Tries each way by entering `directory` and running `probe`, which shows whether the programs work. */
export function chooseRunAs(directory: string, probe: readonly string[]): RunAs {
  if (process.getuid?.() !== 0) return { prefix: [] };
  const nobody = findNobody();
  for (const candidate of candidates(nobody)) {
    if (reaches(candidate, directory, probe)) return candidate;
  }
  throw new EmbeddedError(
    `Postgres does not run as root, and the user nobody cannot reach ${directory} or the Postgres ` +
      'programs in node_modules. Run as another user, or move the project to a folder that ' +
      'everyone may enter (chmod o+x on its parents), or set DATABASE_URL.',
  );
}

/** Gives a folder and everything in it to the user that the server runs as. */
export function giveTo(owner: User | undefined, path: string): void {
  if (owner === undefined) return;
  const { uid, gid } = lstatSync(path);
  // The top folder is changed last: if it is right, everything below is, even after an interruption.
  if (uid === owner.uid && gid === owner.gid) return;
  try {
    for (const entry of readdirSync(path, { recursive: true, encoding: 'utf8' })) {
      const child = join(path, entry);
      if (!lstatSync(child).isSymbolicLink()) chownSync(child, owner.uid, owner.gid);
    }
    chownSync(path, owner.uid, owner.gid);
  } catch (error) {
    throw explainPathError(error, path);
  }
}

// 1. Plain nobody, if the paths allow it.
// 2. nobody with the right to enter and read any folder: Postgres checks its user, not its capabilities.
//    Only these two of root's capabilities are kept. The secure bit makes the system call access(),
//    which initdb uses for its programs, respect them.
// 3. root mapped to nobody in a user namespace, for containers that deny the capabilities.
function candidates(nobody: User): RunAs[] {
  const { uid, gid } = nobody;
  const reach = '-all,+dac_override,+dac_read_search';
  return [
    { prefix: [], user: nobody, owner: nobody },
    {
      prefix: [
        'setpriv',
        `--reuid=${uid}`,
        `--regid=${gid}`,
        '--clear-groups',
        '--securebits=+no_setuid_fixup',
        `--inh-caps=${reach}`,
        `--ambient-caps=${reach}`,
      ],
      owner: nobody,
    },
    {
      prefix: ['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`],
      owner: { uid: 0, gid: 0 },
    },
  ];
}

// Tried for real, because mode bits say nothing about ACLs, mounts and a container's restrictions.
function reaches(run_as: RunAs, directory: string, probe: readonly string[]): boolean {
  const script = 'cd "$1" && cd / && shift && exec "$@"';
  const line = [...run_as.prefix, 'sh', '-c', script, 'sh', directory, ...probe];
  const [command = 'sh', ...args] = line;
  const result = spawnSync(command, args, {
    cwd: '/',
    env: { PATH: CHILD_PATH },
    stdio: 'ignore',
    ...run_as.user,
  });
  return result.status === 0;
}

function findNobody(): User {
  const id = (flag: string): number =>
    // macOS writes its nobody as 4294967294; the system calls take the same bits as -2.
    Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8', stdio: 'pipe' })) | 0;
  try {
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    throw new EmbeddedError(
      'Postgres does not run as root, and this system has no user nobody to run it as. ' +
        'Run as another user, or set DATABASE_URL.',
    );
  }
}

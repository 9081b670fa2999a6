// Continuous archiving of a Postgres, and the way back: a base backup, the write-ahead log since then, and a
// new folder made of both. By the functions that every backup program uses, because the embedded binaries
// come without `pg_basebackup`.
// https://www.postgresql.org/docs/18/continuous-archiving.html

import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { waitFor } from '../../support/wait';

export interface Archive {
  /** The server that is archived and the one that recovers both need them. */
  settings(): Readonly<Record<string, string>>;
  /** Copies the server's files while it works. */
  takeBase(superuser_url: string): Promise<void>;
  /** Gives this moment a name, and waits until the archive reaches it. */
  markMoment(superuser_url: string, name: string): Promise<void>;
  /**
   * Destroys the folder of a server that is down and puts the base in its place: the next start recovers,
   * to a named moment or, with what is left of its own log, to its last commit.
   */
  restore(to: { readonly moment: string } | 'last commit'): void;
}

/** Files that a server makes anew, or that must not be there twice. */
const LEFT_OUT = /^(postmaster\.(pid|opts)|pg_internal\.init|pgsql_tmp.*)$/;
const EMPTY_FOLDERS: readonly string[] = [
  'pg_wal',
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
];
const ARCHIVE_LIMIT_MS = 30_000;

/** @param directory the server's: it has a folder `data`, and belongs to the user that it runs as */
export function openArchive(directory: string): Archive {
  const data = join(directory, 'data');
  const base = join(directory, 'base');
  const log = join(directory, 'archive');
  mkdirSync(log, { recursive: true });
  // The server may run as another user.
  chmodSync(log, 0o777);
  let moment: string | undefined;
  return {
    settings: () => ({
      archive_mode: 'on',
      // A file has its name only when it is whole.
      archive_command: `cp "%p" "${log}/%f.part" && mv "${log}/%f.part" "${log}/%f"`,
      restore_command: `cp "${log}/%f" "%p"`,
      recovery_target_action: 'promote',
      ...(moment === undefined ? {} : { recovery_target_name: moment }),
    }),
    takeBase: (url) => copyServer(url, data, base),
    markMoment: (url, name) =>
      withClient(url, async (client) => {
        await client.query('select pg_create_restore_point($1)', [name]);
        const { rows } = await client.query<{ file: string }>(
          'select pg_walfile_name(pg_switch_wal()) as file',
        );
        await waitFor(() => existsSync(join(log, rows[0]!.file)), ARCHIVE_LIMIT_MS);
      }),
    restore(to) {
      const left = join(directory, 'left-wal');
      rmSync(left, { recursive: true, force: true });
      renameSync(join(data, 'pg_wal'), left);
      rmSync(data, { recursive: true });
      cpSync(base, data, { recursive: true });
      chmodSync(data, 0o700);
      writeFileSync(join(data, 'recovery.signal'), '');
      moment = to === 'last commit' ? undefined : to.moment;
      if (to !== 'last commit') return;
      for (const { name, parentPath } of readdirSync(left, { withFileTypes: true })) {
        if (/^[0-9A-F]{24}$/.test(name))
          copyFileSync(join(parentPath, name), join(data, 'pg_wal', name));
      }
    },
  };
}

/** Copies the files of a server while it works: what is in `to` is replaced. */
export async function copyServer(superuser_url: string, from: string, to: string): Promise<void> {
  await withClient(superuser_url, async (client) => {
    rmSync(to, { recursive: true, force: true });
    await client.query(`select pg_backup_start('copy', fast => true)`);
    copyLive(from, to);
    const { rows } = await client.query<{ labelfile: string }>('select * from pg_backup_stop()');
    writeFileSync(join(to, 'backup_label'), rows[0]!.labelfile);
  });
}

/** Files that change or vanish meanwhile are right: the write-ahead log since the start repairs them. */
function copyLive(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (LEFT_OUT.test(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    try {
      if (!entry.isDirectory()) copyFileSync(source, target);
      else if (EMPTY_FOLDERS.includes(entry.name)) mkdirSync(target, { mode: 0o700 });
      else copyLive(source, target);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

// Months as files that are kept for ever: written, verified, compared with the database, and read
// back.

import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  archiveName,
  ArchiveError,
  MANIFEST,
  MONTH_PATTERN,
  readManifest,
} from '../../db/archives/manifest';
import { readArchivedFile } from '../../db/archives/read';
import { dropMonth } from '../../db/archives/drop';
import { compareArchive, verifyArchive, type VerifiedArchive } from '../../db/archives/verify';
import { writeArchive } from '../../db/archives/write';
import type { JsonValue } from '../../domain/json';
import { counted } from '../../domain/language';
import { addAuditRowOf } from '../audit-entry';
import { command, group, run, runAlone } from '../command';
import type { CommandResult } from '../context';
import { CommandError } from '../error';
import { surroundings } from '../surroundings';
import { printableJson } from '../terminal';
import { table } from '../table';

function readMonthOption(text: string): string {
  if (MONTH_PATTERN.test(text)) return text;
  throw new CommandError('usage', '--month must be a month such as 2026-10');
}

async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ArchiveError) throw new CommandError(error.code, error.message);
    throw error;
  }
}

async function verifyAll(path: string): Promise<VerifiedArchive[]> {
  const found: VerifiedArchive[] = [];
  for (const folder of await foldersAt(path)) found.push(await verifyArchive(folder));
  return found;
}

const NAME = /^(books|attempts)-\d{4}-\d\d$/;

async function foldersAt(path: string): Promise<string[]> {
  const names: readonly string[] = await readdir(path).catch(() => []);
  if (names.includes(MANIFEST) || NAME.test(basename(path))) return [path];
  const folders = names.filter((name) => NAME.test(name)).sort();
  if (folders.length > 0) return folders.map((name) => join(path, name));
  throw new CommandError('archive_not_found', `There is no archive at ${path}`);
}

function report(archives: readonly VerifiedArchive[]): CommandResult {
  const is_ok = archives.every(({ faults }) => faults.length === 0);
  const lines = archives.flatMap(({ folder, manifest, sha256, faults }) => {
    const rows = (manifest?.files ?? []).reduce((sum, file) => sum + file.rows, 0);
    if (faults.length === 0)
      return [`${folder} holds: ${counted('en', rows, 'row', 'rows')}, ${sha256}`];
    return [`${folder} DOES NOT HOLD:`, ...faults.map(({ file, what }) => `  ${file} ${what}`)];
  });
  return {
    json: {
      ok: is_ok,
      archives: archives.map(({ folder, manifest, sha256, faults }): JsonValue => ({
        folder,
        sha256: sha256 ?? null,
        ledger_seal: manifest?.ledger_seal ?? null,
        faults: faults.map((fault) => ({ ...fault })),
      })),
    },
    text: lines.join('\n'),
    exit_status: is_ok ? 0 : 1,
  };
}

async function fileAt(path: string, name: string | undefined): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() && name === undefined) return path;
  if (!found?.isDirectory()) {
    throw new CommandError('archive_not_found', `There is no archive at ${path}`);
  }
  const read = await readManifest(path);
  if ('fault' in read)
    throw new CommandError('archive_not_found', `${path}: ${MANIFEST} ${read.fault}`);
  const tables = read.manifest.files.map(({ table: one }) => one);
  const file = read.manifest.files.find(({ table: one }) => one === name);
  if (file) return join(path, file.file);
  throw new CommandError('usage', `--table must be one of ${tables.join(', ')}`);
}

export const archive = group([
  command('write', 'Write a month that is over to a folder, with checksums')
    .requiredOption('--month <month>', 'such as 2026-10, in UTC', readMonthOption)
    .requiredOption('--to <directory>', 'where archives are kept: the folder is made there')
    .option(
      '--attempts',
      'the attempts of webhooks, in a folder of their own, instead of the books',
    )
    .action(
      run(async (context, { month, to: directory, attempts }) => {
        const { db } = context;
        const kind = attempts ? 'attempts' : 'books';
        const written = await refusing(() => writeArchive(db, { kind, month, directory }));
        const { folder, manifest, sha256 } = written;
        // The chain of the audit log keeps the hash too.
        await addAuditRowOf(context, 'archive.write', archiveName(kind, month), { sha256 });
        const rows = manifest.files.map(({ table: name, rows: count, bytes }) => [
          name,
          String(count),
          String(bytes),
        ]);
        return {
          json: { folder, sha256, ...manifest, files: manifest.files.map((file) => ({ ...file })) },
          text:
            `${table([['TABLE', 'ROWS', 'BYTES'], ...rows])}\n` +
            `Wrote ${folder}. Note its hash elsewhere:\n${sha256}`,
        };
      }),
    ),
  command(
    'verify',
    'Check archives by themselves, without a database; if one does not hold, exit with status 1',
  )
    .argument('<path>', 'an archive, or the folder that has several')
    .action(runAlone(async (_, path) => report(await verifyAll(path)))),
  command(
    'compare',
    'Check archives, and each of their rows against the database; if one differs, exit with status 1',
  )
    .argument('<path>', 'an archive, or the folder that has several')
    .action(
      run(async ({ db }, path) => {
        const compared: VerifiedArchive[] = [];
        for (const found of await verifyAll(path)) {
          const { folder, manifest, faults } = found;
          const others =
            manifest && faults.length === 0
              ? await compareArchive(db, folder, manifest, found.sha256)
              : [];
          compared.push({ ...found, faults: [...faults, ...others] });
        }
        return report(compared);
      }),
    ),
  command('read', 'Print the rows of a table, one line of JSON each')
    .argument('<path>', 'an archive, or one file of it')
    .option('--table <table>', 'which, when the path is an archive')
    .action(
      runAlone(async ({ note }, path, { table: name }) => {
        const file = await fileAt(path, name);
        const reading = readArchivedFile(file);
        const { stdout } = surroundings();
        try {
          for await (const line of reading.lines()) {
            // Waiting for a slow reader bounds the memory.
            if (!stdout.write(`${printableJson(line)}\n`)) await once(stdout, 'drain');
          }
        } catch (error) {
          const { message } = error as Error;
          const what = `${file} cannot be read to its end: ${message}`;
          throw new CommandError('archive_damaged', what);
        }
        const read = await readManifest(dirname(file));
        if ('fault' in read) {
          note(
            `Nothing was compared with the ${counted('en', reading.rows, 'row', 'rows')}: ${MANIFEST} ${read.fault}`,
          );
          return null;
        }
        const known = read.manifest.files.find((one) => one.file === basename(file));
        if (known?.sha256 === reading.sha256 && known.rows === reading.rows) return null;
        throw new CommandError('archive_damaged', `${file} is not the file that was written`);
      }),
    ),
  command(
    'drop',
    'Delete the histories of the oldest month, once its archive was read back, compared row by row, and its seals verified. The journal stays',
  )
    .requiredOption('--month <month>', 'over since 92 days', readMonthOption)
    .requiredOption('--from <directory>', 'where archives are kept', String)
    .action(
      run(async ({ db, actor, note }, { month, from: directory }) => {
        const onRows = (deleted: number): void => {
          if (deleted % 500_000 === 0) note(`${counted('en', deleted, 'row', 'rows')} deleted`);
        };
        const { archived_rows, manifest_hash } = await refusing(() =>
          dropMonth(db, { month, directory, actor, onRows }),
        );
        return {
          json: { month, rows: archived_rows, sha256: manifest_hash },
          text:
            `The histories of ${month} are in its archive alone: ${counted('en', archived_rows, 'row', 'rows')}. ` +
            `Keep it, with its hash:\n${manifest_hash}`,
        };
      }),
    ),
]);

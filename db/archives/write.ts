// Writes the archive of a month. It is there as a whole or not at all: it is written under another name, every
// file of it reaches the disk, and only then it gets its own.

import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import {
  ARCHIVED,
  readMonth,
  type ArchivedTable,
  type ArchiveKind,
  type MonthReader,
} from './archives';
import type { Db } from '../connect';
import { counted } from '../../domain/language';
import {
  ArchiveError,
  archiveName,
  fileName,
  MANIFEST,
  renderManifest,
  sha256,
  type ArchivedFile,
  type Manifest,
} from './manifest';

export interface ArchiveOrder {
  readonly kind: ArchiveKind;
  /** `2026-10`: over since ten minutes. */
  readonly month: string;
  /** The folder of all archives; made when it is missing. */
  readonly directory: string;
}

export interface WrittenArchive {
  readonly folder: string;
  readonly manifest: Omit<Manifest, 'format'>;
  /** The manifest's hash: an operator who notes it elsewhere knows the archive by it. */
  readonly sha256: string;
}

/** Throws an ArchiveError when it cannot be written now, or is there already. */
export async function writeArchive(
  db: Db,
  { kind, month, directory }: ArchiveOrder,
): Promise<WrittenArchive> {
  const name = archiveName(kind, month);
  const folder = join(directory, name);
  const written = await readMonth(db, month, { is_alone: true }, async (reader) => {
    refuseTooEarly(reader, kind, month);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await refuseExisting(folder);
    await removeLeftovers(directory, name);
    const part = await mkdtemp(join(directory, `.${name}.`));
    try {
      const done = await writeFiles(part, reader, { kind, month });
      await rename(part, folder);
      await flush(directory);
      return done;
    } catch (error) {
      await rm(part, { recursive: true, force: true });
      throw error;
    }
  });
  if (written) return { folder, ...written };
  throw new ArchiveError('archive_busy', 'Another process writes an archive: try again later');
}

function refuseTooEarly({ state }: MonthReader, kind: ArchiveKind, month: string): void {
  if (!state.is_over) {
    const message = `${month} is archived when it is over: ten minutes after its end, in UTC`;
    throw new ArchiveError('month_not_over', message);
  }
  if (kind === 'books' && state.unsealed > 0) {
    const message =
      `${counted('en', state.unsealed, 'entry has', 'entries have')} no seal yet. A process of the service seals them within a minute: ` +
      'is none running?';
    throw new ArchiveError('entries_not_sealed', message);
  }
}

async function refuseExisting(folder: string): Promise<void> {
  if ((await stat(folder).catch(() => undefined)) === undefined) return;
  throw new ArchiveError('archive_exists', `${folder} is there already: verify or remove it`);
}

/** Removes what crashed writers left: this is the only writer for this database now. */
async function removeLeftovers(directory: string, name: string): Promise<void> {
  for (const entry of await readdir(directory)) {
    if (entry.startsWith(`.${name}.`)) {
      await rm(join(directory, entry), { recursive: true, force: true });
    }
  }
}

async function writeFiles(
  part: string,
  reader: MonthReader,
  { kind, month }: Pick<ArchiveOrder, 'kind' | 'month'>,
): Promise<Omit<WrittenArchive, 'folder'>> {
  const files: ArchivedFile[] = [];
  for (const table of ARCHIVED[kind]) files.push(await writeTable(part, reader, table));
  const { schema, seal: ledger_seal } = reader.state;
  const written_at = new Date().toISOString();
  const manifest = { kind, month, written_at, schema, ledger_seal, files };
  const text = renderManifest(manifest);
  await writeFile(join(part, MANIFEST), text, FLUSHED);
  await flush(part);
  return { manifest, sha256: sha256(text) };
}

/** A new file that has reached the disk. */
const FLUSHED = { flag: 'wx', mode: 0o600, flush: true } as const;
/** Bytes that are written at once. */
const CHUNK = 64 * 1024;

async function writeTable(
  part: string,
  reader: MonthReader,
  table: ArchivedTable,
): Promise<ArchivedFile> {
  const file = fileName(table.table);
  const hash = createHash('sha256');
  let rows = 0;
  let bytes = 0;
  const lines = async function* (): AsyncGenerator<string> {
    for await (const page of reader.lines(table)) {
      rows += page.length;
      yield page.map((line) => `${line}\n`).join('');
    }
  };
  const measured = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  };
  await pipeline(Readable.from(lines()), createGzip({ chunkSize: CHUNK }), (zipped) =>
    writeFile(join(part, file), measured(zipped as AsyncIterable<Buffer>), FLUSHED),
  );
  return { table: table.table, file, rows, bytes, sha256: hash.digest('hex') };
}

/** Syncs the folder, so that the names in it outlast a power cut. */
async function flush(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

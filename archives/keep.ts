// Keeps a folder of archives up to date: the books of each month that is over, and the attempts of a month that
// is about to be dropped.

import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { listOldAttemptMonths } from '../db/attempt-months';
import type { Db } from '../db/connect';
import { ArchiveError, archiveName, type Manifest } from './manifest';
import { verifyArchive } from './verify';
import { writeArchive } from './write';

/**
 * Writes the books of the months after the newest that is there; into an empty folder those of last month.
 * Returns what was written. Throws an ArchiveError when one cannot be written yet.
 */
export async function keepBooks(
  db: Db,
  directory: string,
  signal?: AbortSignal,
): Promise<string[]> {
  const written: string[] = [];
  for (const month of await findMissingMonths(directory, new Date())) {
    if (signal?.aborted) break;
    await writeArchive(db, { kind: 'books', month, directory });
    written.push(month);
  }
  return written;
}

async function findMissingMonths(directory: string, now: Date): Promise<string[]> {
  const last = monthAfter(now.toISOString().slice(0, 7), -1);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const names = await readdir(directory);
  const newest = names
    .flatMap((name) => /^books-(\d{4}-\d\d)$/.exec(name)?.[1] ?? [])
    .sort()
    .at(-1);
  const missing: string[] = [];
  let month = newest === undefined ? last : monthAfter(newest, 1);
  for (; month <= last; month = monthAfter(month, 1)) missing.push(month);
  return missing;
}

function monthAfter(month: string, months: number): string {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, 7);
}

/**
 * Archives the attempts of a month, and of those before it that the version before has left, where that has not
 * been done. What is on the disk is read again. Returns how many attempts the month's archive has; throws when
 * one of them cannot be written, or does not hold.
 */
export async function keepAttempts(db: Db, directory: string, month: string): Promise<number> {
  const earlier = (await listOldAttemptMonths(db)).filter((one) => one < month);
  for (const one of earlier) await keepAttemptsOf(db, directory, one);
  const { files } = await keepAttemptsOf(db, directory, month);
  return files.reduce((sum, { rows }) => sum + rows, 0);
}

async function keepAttemptsOf(db: Db, directory: string, month: string): Promise<Manifest> {
  try {
    await writeArchive(db, { kind: 'attempts', month, directory });
  } catch (error) {
    if (!(error instanceof ArchiveError) || error.code !== 'archive_exists') throw error;
  }
  const folder = join(directory, archiveName('attempts', month));
  const { manifest, faults } = await verifyArchive(folder);
  if (manifest && faults.length === 0) return manifest;
  const [fault] = faults;
  throw new Error(`${folder} does not hold, so nothing is dropped: ${fault?.file} ${fault?.what}`);
}

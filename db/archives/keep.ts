// Keeps a folder of archives up to date: the books of each month that is over, and the attempts of a month that
// is about to be dropped; and drops it.

import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  dropAttemptMonth,
  listDueAttemptMonths,
  makeAttemptMonths,
} from '../webhooks/attempt-months';
import type { Db } from '../connect';
import { ArchiveError, archiveName } from './manifest';
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

export function monthAfter(month: string, months: number): string {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, 7);
}

/**
 * Makes the months of attempts to come, and drops those that ended more than so many days ago; zero: none. With a
 * directory each is archived before.
 */
export async function dropOldAttempts(
  db: Db,
  days: number,
  directory: string | undefined,
  signal?: AbortSignal,
): Promise<void> {
  await makeAttemptMonths(db);
  if (days === 0) return;
  for (const month of await listDueAttemptMonths(db, days)) {
    if (signal?.aborted) return;
    const archived = directory === undefined ? null : await keepAttempts(db, directory, month);
    await dropAttemptMonth(db, month, archived);
  }
}

/**
 * Archives the attempts of a month where that has not been done. What is on the disk is read again. Returns how
 * many attempts the archive has; throws when it cannot be written, or does not hold.
 */
async function keepAttempts(db: Db, directory: string, month: string): Promise<number> {
  try {
    await writeArchive(db, { kind: 'attempts', month, directory });
  } catch (error) {
    if (!(error instanceof ArchiveError) || error.code !== 'archive_exists') throw error;
  }
  const folder = join(directory, archiveName('attempts', month));
  const { manifest, faults } = await verifyArchive(folder);
  if (manifest && faults.length === 0) {
    return manifest.files.reduce((sum, { rows }) => sum + rows, 0);
  }
  const [fault] = faults;
  throw new Error(`${folder} does not hold, so nothing is dropped: ${fault?.file} ${fault?.what}`);
}

// Checks an archive by itself: that its files are those that were written, and that its entries balance. With a
// database, that it has the same rows.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ARCHIVED, hasSeal, readMonth, type MonthReader } from './archives';
import { findDroppedAttempts } from '../webhooks/attempt-months';
import type { Db } from '../connect';
import { findHistoryDrop } from '../ledger/history-drops';
import { counted } from '../../domain/language';
import { fileName, MANIFEST, readManifest, type ArchivedFile, type Manifest } from './manifest';
import { readArchivedFile, type FileReading } from './read';

export interface ArchiveFault {
  readonly file: string;
  readonly what: string;
}

export interface VerifiedArchive {
  readonly folder: string;
  /** Undefined when the manifest cannot be read. */
  readonly manifest: Manifest | undefined;
  /** The manifest's hash. */
  readonly sha256: string | undefined;
  readonly faults: readonly ArchiveFault[];
}

/** Needs no database. Reports of each file at most one fault of its bytes, and the first of its rows. */
export async function verifyArchive(folder: string): Promise<VerifiedArchive> {
  const read = await readManifest(folder);
  if ('fault' in read) {
    const faults = [{ file: MANIFEST, what: read.fault }];
    return { folder, manifest: undefined, sha256: undefined, faults };
  }
  const { manifest, sha256 } = read;
  const faults: ArchiveFault[] = [];
  const say = (file: string, what: string): void => void faults.push({ file, what });
  for (const what of await listFaults(folder, manifest)) say(what.file, what.what);
  for (const file of manifest.files) {
    const what = await findFileFault(folder, file);
    if (what !== undefined) say(file.file, what);
  }
  // A file that cannot be read to its end has been reported.
  if (faults.length === 0 && manifest.kind === 'books') {
    const what = await findImbalance(folder);
    if (what !== undefined) say(fileName('ledger_entries'), what);
  }
  return { folder, manifest, sha256, faults };
}

/** The files that must be there, and no others. */
async function listFaults(folder: string, manifest: Manifest): Promise<ArchiveFault[]> {
  const named = new Set(manifest.files.map(({ file }) => file));
  const others = (await readdir(folder)).filter((name) => name !== MANIFEST && !named.has(name));
  const tables = new Set(manifest.files.map(({ table }) => table));
  return [
    ...others.map((file) => ({ file, what: 'is not in the manifest' })),
    ...ARCHIVED[manifest.kind]
      .filter(({ table }) => !tables.has(table))
      .map(({ table }) => ({ file: MANIFEST, what: `names no file of ${table}` })),
  ];
}

async function findFileFault(folder: string, file: ArchivedFile): Promise<string | undefined> {
  const reading = readArchivedFile(join(folder, file.file));
  let unreadable: number | undefined;
  try {
    for await (const line of reading.lines()) {
      if (unreadable === undefined && !isRow(line)) unreadable = reading.rows;
    }
  } catch (error) {
    return describeFailure(error as NodeJS.ErrnoException, reading);
  }
  if (reading.rows !== file.rows)
    return `has ${rowCount(reading.rows)} instead of the ${file.rows} written`;
  if (reading.sha256 !== file.sha256) return 'is not the file that was written: another SHA-256';
  if (unreadable !== undefined) return `line ${unreadable} is not JSON`;
  return reading.is_ended ? undefined : 'its last line has no end';
}

function rowCount(rows: number): string {
  return counted('en', rows, 'row', 'rows');
}

function describeFailure({ code, message }: NodeJS.ErrnoException, { rows }: FileReading): string {
  if (code === 'ENOENT') return 'is missing';
  if (code === 'Z_BUF_ERROR') return `is truncated: it ends after ${rowCount(rows)}`;
  return `cannot be decompressed after ${rowCount(rows)}: ${message}`;
}

function isRow(line: string): boolean {
  try {
    return typeof JSON.parse(line) === 'object';
  } catch {
    return false;
  }
}

interface Journal {
  readonly id: string;
  readonly environment: string;
  readonly reference: string;
}

interface Entry {
  readonly transaction_id: string;
  readonly environment: string;
  readonly account_id: number;
  readonly currency: string;
  readonly amount_minor: number;
}

/**
 * The first transaction whose entries do not sum to zero in their one currency, or that has fewer than two. Both
 * files are in the order of the transactions, so that one of them is held at a time.
 */
async function findImbalance(folder: string): Promise<string | undefined> {
  const entries = rowsOf<Entry>(folder, 'ledger_entries');
  const accounts = new Set<number>();
  for await (const { id } of rowsOf<{ id: number }>(folder, 'ledger_accounts')) accounts.add(id);
  let next = await entries.next();
  for await (const { id, environment, reference } of rowsOf<Journal>(
    folder,
    'ledger_transactions',
  )) {
    let sum = 0n;
    let count = 0;
    const currencies = new Set<string>();
    while (
      !next.done &&
      next.value.transaction_id === id &&
      next.value.environment === environment
    ) {
      const { account_id, currency, amount_minor } = next.value;
      if (!accounts.has(account_id))
        return `${reference} names the account ${account_id}, which is not there`;
      sum += BigInt(amount_minor);
      count += 1;
      currencies.add(currency);
      next = await entries.next();
    }
    if (count < 2) return `${reference} has ${count} of its entries`;
    if (currencies.size !== 1)
      return `${reference} has entries in ${[...currencies].join(' and ')}`;
    if (sum !== 0n) return `the entries of ${reference} sum to ${sum}, and not to zero`;
  }
  if (next.done) return undefined;
  return `entries of ${next.value.transaction_id} have no transaction`;
}

async function* rowsOf<Row>(folder: string, table: string): AsyncGenerator<Row> {
  for await (const line of readArchivedFile(join(folder, fileName(table))).lines()) {
    yield JSON.parse(line) as Row;
  }
}

/**
 * Compares each row with the database's, in one snapshot. Reports the first difference of each file. Call it
 * for an archive that holds by itself.
 */
export async function compareArchive(
  db: Db,
  folder: string,
  manifest: Manifest,
  sha256?: string,
): Promise<ArchiveFault[]> {
  const faults: ArchiveFault[] = [];
  const seal = manifest.ledger_seal;
  if (seal && !(await hasSeal(db, seal.id, seal.hash))) {
    faults.push({ file: MANIFEST, what: `the database has another seal ${seal.id}, or none` });
  }
  if (manifest.kind === 'attempts') {
    const dropped = await findDroppedAttempts(db, manifest.month);
    if (dropped !== undefined) return compareCount(manifest.files, dropped);
  }
  const drop = manifest.kind === 'books' ? await findHistoryDrop(db, manifest.month) : undefined;
  if (drop && drop.manifest_hash !== sha256) {
    faults.push({
      file: MANIFEST,
      what: 'is not that of the archive with which the month was dropped',
    });
  }
  const gone = manifest.files.filter(({ table }) => drop && table === 'transactions');
  if (drop) faults.push(...compareCount(gone, drop.archived_rows));
  await readMonth(db, manifest.month, { is_alone: false }, async (reader) => {
    for (const { table, file } of manifest.files.filter((one) => !gone.includes(one))) {
      const what = await findDifference(reader, manifest, table, join(folder, file));
      if (what !== undefined) faults.push({ file, what });
    }
  });
  return faults;
}

/** All that is left of a month that was dropped. */
function compareCount(files: readonly ArchivedFile[], dropped: number): ArchiveFault[] {
  return files
    .filter(({ rows }) => rows !== dropped)
    .map(({ file, rows }) => ({
      file,
      what: `has ${rowCount(rows)} instead of the ${dropped} dropped`,
    }));
}

async function findDifference(
  reader: MonthReader,
  { kind }: Manifest,
  name: string,
  path: string,
): Promise<string | undefined> {
  const table = ARCHIVED[kind].find((one) => one.table === name);
  if (!table) return 'is of a table that this version does not archive';
  const archived = readArchivedFile(path).lines();
  let number = 0;
  let difference: string | undefined;
  // The loop goes on to the end, so that the cursor is closed.
  for await (const page of reader.lines(table)) {
    for (const line of difference === undefined ? page : []) {
      number += 1;
      const next = await archived.next();
      if (next.done) difference = `has ${rowCount(number - 1)}, and the database has more`;
      else if (next.value !== line) {
        difference = `line ${number} is not the database's: ${next.value.slice(0, SHOWN)}`;
      }
      if (difference !== undefined) break;
    }
  }
  if (difference === undefined && !(await archived.next()).done) {
    difference = `has more rows than the database, which has ${number}`;
  }
  await archived.return(undefined);
  return difference;
}

/** Characters of a line that differs: its keys come first. */
const SHOWN = 120;

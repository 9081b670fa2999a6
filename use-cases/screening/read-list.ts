// Reads a list of names: every line, or the place of the first that cannot be read.

import { createHash } from 'node:crypto';
import { CsvError, parse } from 'csv-parse/sync';
import { addKeys, addNames, beginList, endList, type ListedName } from '../../db/risk/lists';
import type { Db } from '../../db/connect';
import { plainCell } from '../../domain/csv';
import { keysOf, partsOf, slipsOf } from '../../domain/names';

export const MAX_LIST_BYTES = 64 * 1_024 * 1_024;
const MAX_ENTRIES = 100_000;
const MAX_ID = 100;
const MAX_NAME = 300;
const MAX_FACTS = 300;
/** Two words that more names have say little: the others of a name lead to it. */
const MOST_NAMES = 1_000;
/** Rows in a statement: a fraction of a second each. */
const AT_ONCE = 10_000;

const COLUMNS = ['id', 'name', 'aliases', 'type', 'birth_date', 'country'] as const;
const FACTS = ['type', 'birth_date', 'country'] as const;
type Column = (typeof COLUMNS)[number];

export interface ListEntry {
  readonly id: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly facts: string;
}

export const LIST_FAULTS = {
  too_large: 'the file has more than 64 MiB',
  encoding: 'the file is not in UTF-8',
  empty: 'the file has no names',
  too_many: 'the file has more than 100,000 entries',
  header: `the first line must name id and name, and may name ${COLUMNS.slice(2).join(', ')}`,
  columns: 'this line has not as many columns as the first one',
  syntax: 'this is not CSV: a quotation mark is missing, or stands where none may',
  id: 'the id must be 1 to 100 characters',
  repeated: 'this id is there already',
  name: 'the name must be 1 to 300 characters, letters among them',
  alias: 'an alias must be 1 to 300 characters, letters among them',
} as const;
export type ListFault = keyof typeof LIST_FAULTS;

export type ReadList =
  | { readonly ok: true; readonly version: string; readonly entries: readonly ListEntry[] }
  | { readonly ok: false; readonly fault: ListFault; readonly line: number };

interface Row {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

export function readList(bytes: Uint8Array): ReadList {
  if (bytes.length > MAX_LIST_BYTES) return { ok: false, fault: 'too_large', line: 1 };
  const text = new TextDecoder().decode(bytes);
  const unreadable = text.search(/[\0\ufffd]/);
  if (unreadable >= 0) {
    return { ok: false, fault: 'encoding', line: text.slice(0, unreadable).split('\n').length };
  }
  let rows: readonly Row[];
  try {
    const options = { info: true, relax_column_count: true, skip_empty_lines: true, trim: true };
    rows = parse(text, options) as unknown as readonly Row[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const { lines: line = 1 } = error as { readonly lines?: number };
    return { ok: false, fault: 'syntax', line };
  }
  return readRows(rows, createHash('sha256').update(bytes).digest('hex'));
}

function readRows([header, ...rows]: readonly Row[], version: string): ReadList {
  const columns = header?.record.map((name) => name.toLowerCase()) ?? [];
  const is_known =
    columns.every((name) => COLUMNS.includes(name as Column)) &&
    new Set(columns).size === columns.length;
  if (!is_known || !columns.includes('id') || !columns.includes('name')) {
    return { ok: false, fault: 'header', line: 1 };
  }
  const entries: ListEntry[] = [];
  const ids = new Set<string>();
  for (const { record, info } of rows) {
    const line = info.lines;
    if (record.every((cell) => cell === '')) continue;
    const read = record.length === columns.length ? readEntry(columns, record) : 'columns';
    if (typeof read === 'string') return { ok: false, fault: read, line };
    if (ids.has(read.id)) return { ok: false, fault: 'repeated', line };
    if (entries.length === MAX_ENTRIES) return { ok: false, fault: 'too_many', line };
    ids.add(read.id);
    entries.push(read);
  }
  return entries.length === 0
    ? { ok: false, fault: 'empty', line: 1 }
    : { ok: true, version, entries };
}

function readEntry(
  columns: readonly string[],
  record: readonly string[],
): ListEntry | Extract<ListFault, 'id' | 'name' | 'alias'> {
  const cell = (name: Column): string => plainCell(record[columns.indexOf(name)] ?? '').trim();
  const [id, name] = [cell('id'), cell('name')];
  if (id === '' || id.length > MAX_ID) return 'id';
  if (!isName(name)) return 'name';
  const aliases = cell('aliases')
    .split(';')
    .map((alias) => alias.trim())
    .filter((alias) => alias !== '');
  if (!aliases.every(isName)) return 'alias';
  const facts = FACTS.map(cell).filter((fact) => fact !== '');
  return { id, name, aliases, facts: facts.join(', ').slice(0, MAX_FACTS) };
}

const isName = (text: string): boolean => text.length <= MAX_NAME && partsOf(text).length > 0;

/** Stores what was read, beside what holds; an operator puts it into force. A stop in between leaves nothing that holds. */
export async function storeList(
  db: Db,
  list: string,
  { version, entries }: Extract<ReadList, { readonly ok: true }>,
): Promise<void> {
  const file = await beginList(db, list, version, entries.length);
  if (file === null) return;
  const names: ListedName[] = [];
  const found = new Map<string, { names: number[]; of_keys: string[] }>();
  const at = (key: string) => {
    const one = found.get(key) ?? { names: [], of_keys: [] };
    found.set(key, one);
    return one;
  };
  // Among names that have the same words of another, the one with fewer others is the likest, and comes first.
  const spelt = entries
    .flatMap((entry) =>
      [...new Set([entry.name, ...entry.aliases])].map((name) => ({
        entry,
        name,
        words: partsOf(name),
      })),
    )
    .sort((one, other) => one.words.length - other.words.length);
  const known = new Set<string>();
  for (const { entry, name, words } of spelt) {
    const number = names.length;
    names.push([number, entry.id, name, entry.name, entry.facts]);
    const { keys, slipping } = keysOf(words);
    for (const key of keys) {
      const named = at(key).names;
      if (named.length < MOST_NAMES) named.push(number);
    }
    for (const word of slipping) {
      if (known.has(word)) continue;
      known.add(word);
      for (const slip of slipsOf(word)) at(slip).of_keys.push(word);
    }
  }
  // In their order an index takes them several times faster.
  const keys = [...found.keys()].sort().map((key) => ({ key, ...found.get(key)! }));
  for (const rows of pagesOf(names)) await addNames(db, file, rows);
  for (const rows of pagesOf(keys)) await addKeys(db, file, rows);
  await endList(db, file);
}

function* pagesOf<One>(all: readonly One[]): Generator<readonly One[]> {
  for (let at = 0; at < all.length; at += AT_ONCE) yield all.slice(at, at + AT_ONCE);
}

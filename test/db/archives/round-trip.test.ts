// An archive has all that the database has: compared by a query of the test's own, after random operations of every
// kind.

import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import type { Manifest } from '../../../db/archives/manifest';
import { readArchivedFile } from '../../../db/archives/read';
import { compareArchive, verifyArchive } from '../../../db/archives/verify';
import { ARCHIVED, monthBounds } from '../../../db/archives/archives';
import { PEOPLE, type Person } from '../../invariants/ledger-model';
import { operations, run, setScene } from '../../invariants/operations';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { buildUser, type TestUser } from '../../support/users';
import { NOT_ARCHIVED } from './left-out';
import { archiveBooks, buildBooks, MONTH } from './support';
import { setFees } from '../../support/fees';

type Row = Record<string, unknown>;

async function createPeople(database: TestDatabase): Promise<Readonly<Record<Person, TestUser>>> {
  const funds = { live: { XOF: 30_000n, EUR: 300n, USD: 300n } };
  const made = await Promise.all(
    PEOPLE.map(async (name) => [name, await buildUser(database.db, { funds })] as const),
  );
  return Object.fromEntries(made) as Record<Person, TestUser>;
}

async function archived(folder: string, { files }: Manifest, table: string): Promise<Row[]> {
  const { file } = files.find((one) => one.table === table)!;
  const rows: Row[] = [];
  for await (const line of readArchivedFile(join(folder, file)).lines()) {
    rows.push(JSON.parse(line) as Row);
  }
  return rows;
}

/** All rows of the table: everything has happened in the month. */
async function kept({ owner }: TestDatabase, table: string): Promise<Row[]> {
  const where: Readonly<Record<string, string>> = {
    ledger_accounts: 'where version > 0',
    payment_intents: 'where succeeded_at is not null',
    // Those without a beginning are of a migration.
    fee_rules: 'where isfinite(valid_from)',
  };
  const { rows } = await owner.raw(
    `select to_jsonb(t) as row from ${table} t ${where[table] ?? ''}`,
  );
  return (rows as { row: Row }[]).map(({ row }) => row);
}

/** The row as it is archived: without what is left out, bytes in hex. */
function asArchived(table: string, row: Row): Row {
  const left_out = NOT_ARCHIVED[table] ?? {};
  const shown = Object.entries(row)
    .filter(([column]) => !(column in left_out))
    .map(([column, value]) => {
      const is_bytes = typeof value === 'string' && value.startsWith('\\x');
      return [column, is_bytes ? value.slice(2) : value] as const;
    });
  const body = row['body'];
  return {
    ...Object.fromEntries(shown),
    ...(typeof body === 'string'
      ? { body_sha256: createHash('sha256').update(body).digest('hex') }
      : {}),
  };
}

const inOrder = (rows: readonly Row[]): string[] =>
  rows
    .map((row) =>
      JSON.stringify(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1))),
    )
    .sort();

/** `details` is archived as the text that was hashed. */
function withParsedDetails(rows: readonly Row[]): Row[] {
  return rows.map((row) =>
    typeof row['details'] === 'string'
      ? { ...row, details: JSON.parse(row['details']) as unknown }
      : row,
  );
}

it('has the rows of a random ledger, holds by itself, and is what the database has', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(operations, { minLength: 20, maxLength: 40, size: 'max' }),
      async (load) => {
        const database = await createTestDatabase();
        await setFees(database.owner, { percent: 1.5, fixed_minor: 100 });
        const scene = await setScene(database, await createPeople(database), new Map());
        await Promise.all(load.map((operation) => run(database.db, scene, operation)));
        await buildBooks(database);
        const { folder, manifest, sha256 } = await archiveBooks(database);
        expect(readdirSync(dirname(folder))).toEqual([`books-${MONTH}`]);
        const verified = await verifyArchive(folder);
        expect(verified).toMatchObject({ faults: [], sha256 });
        expect(await compareArchive(database.operator, folder, verified.manifest!)).toEqual([]);
        for (const { table, rows } of manifest.files) {
          const found = await archived(folder, verified.manifest!, table);
          expect([table, found.length]).toEqual([table, rows]);
          const expected = (await kept(database, table)).map((row) => asArchived(table, row));
          expect(inOrder(withParsedDetails(found))).toEqual(inOrder(expected));
          if (rows > 0) seen.add(table);
        }
        await database.close();
      },
    ),
    { numRuns: 3, endOnFailure: true },
  );
  expect(ARCHIVED.books.filter(({ table }) => !seen.has(table))).toEqual([]);
});

it('archives or leaves out, with a reason, every column of its tables', async () => {
  const database = await createTestDatabase();
  const columnsOf = async (table: string): Promise<string[]> => {
    const { rows } = await database.owner.raw(
      'select column_name as name from information_schema.columns where table_name = ?',
      [table],
    );
    return (rows as { name: string }[]).map(({ name }) => name).sort();
  };
  for (const { table, columns } of [...ARCHIVED.books, ...ARCHIVED.attempts]) {
    const taken = [...columns.matchAll(/\bt\.([a-z_0-9]+)/g)].map(([, name]) => name!);
    const left_out = Object.keys(NOT_ARCHIVED[table] ?? {});
    // The body of an event is taken as its hash.
    const known = new Set([...taken, ...left_out]);
    expect([table, [...known].sort()]).toEqual([table, await columnsOf(table)]);
  }
});

it('has no secret and nothing personal beside what the books consist of', async () => {
  const tables = new Set([...ARCHIVED.books, ...ARCHIVED.attempts].map(({ table }) => table));
  for (const table of [
    'users',
    'identity_data',
    'api_keys',
    'webhook_endpoints',
    'sessions',
    'mails',
  ]) {
    expect(tables).not.toContain(table);
  }
  const columns = ARCHIVED.books.map((one) => one.columns).join();
  expect(columns).not.toMatch(
    /email|phone|metadata|sealed_(?!at)|secret|fingerprint|key_id|t\.body\b(?!, 'UTF8')/,
  );
});

it.each([
  ['2026-01', '2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'],
  ['2026-12', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
  ['2028-02', '2028-02-01T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
])('knows the bounds of %s', (month, from, to) => {
  expect(monthBounds(month)).toEqual({ from, to });
});

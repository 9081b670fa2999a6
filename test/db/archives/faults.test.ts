// Every damage to an archive is found, and the message names it.

import { createHash } from 'node:crypto';
import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { MANIFEST, type Manifest } from '../../../db/archives/manifest';
import { compareArchive, verifyArchive } from '../../../db/archives/verify';
import { writeArchive, type WrittenArchive } from '../../../db/archives/write';
import { createTestDatabase, openSession, setUp } from '../../support/database';
import { setFees } from '../../support/fees';
import { buildUser } from '../../support/users';
import { archiveBooks, buildBooks, MONTH, newFolder } from './support';

const database = setUp(createTestDatabase);
let written: WrittenArchive;

beforeAll(async () => {
  await setFees(database.owner, { kinds: ['transfer'], fixed_minor: 100 });
  await buildBooks(database);
  written = await archiveBooks(database);
});

/** Copies the archive, so that a test may damage it. */
function copy(): string {
  const folder = join(newFolder(), `books-${MONTH}`);
  cpSync(written.folder, folder, { recursive: true });
  return folder;
}

const fileOf = (table: string): string => `${table}.ndjson.gz`;

type Edit = (lines: string[]) => string[];

/** `with_manifest`: as an attacker does who wants it to be unseen. */
function rewrite(folder: string, table: string, edit: Edit, with_manifest = false): void {
  const path = join(folder, fileOf(table));
  const lines = edit(gunzipSync(readFileSync(path)).toString().split('\n').slice(0, -1));
  const bytes = gzipSync(lines.map((line) => `${line}\n`).join(''));
  writeFileSync(path, bytes);
  if (!with_manifest) return;
  const manifest = JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8')) as Manifest;
  const files = manifest.files.map((file) =>
    file.table === table
      ? {
          ...file,
          rows: lines.length,
          bytes: bytes.length,
          sha256: createHash('sha256').update(bytes).digest('hex'),
        }
      : file,
  );
  writeFileSync(join(folder, MANIFEST), JSON.stringify({ ...manifest, files }));
}

const rowsIn = (table: string): number =>
  written.manifest.files.find((file) => file.table === table)!.rows;

const addTo =
  (field: string, amounts: readonly number[]): Edit =>
  (lines) =>
    lines.map((line, index) => {
      const row = JSON.parse(line) as Record<string, number>;
      return JSON.stringify({ ...row, [field]: row[field]! + (amounts[index] ?? 0) });
    });

it('holds as it was written, and has something of every table', async () => {
  const verified = await verifyArchive(copy());
  expect(verified).toMatchObject({ faults: [], sha256: written.sha256 });
  expect(written.manifest.files.filter(({ rows }) => rows === 0)).toEqual([]);
  expect(await compareArchive(database.operator, written.folder, verified.manifest!)).toEqual([]);
});

describe('verify finds', () => {
  const whatOf = async (folder: string): Promise<string[]> =>
    (await verifyArchive(folder)).faults.map(({ file, what }) => `${file} ${what}`);

  it.each(['ledger_entries', 'events', 'audit_log'])(
    'a flipped bit in any byte of %s',
    async (table) => {
      const folder = copy();
      const path = join(folder, fileOf(table));
      const bytes = readFileSync(path);
      for (let at = 0; at < bytes.length; at += Math.ceil(bytes.length / 25)) {
        const changed = Buffer.from(bytes);
        changed[at]! ^= 1 << (at % 8);
        writeFileSync(path, changed);
        const [what, ...others] = await whatOf(folder);
        expect(what).toMatch(
          new RegExp(
            `^${fileOf(table)} (is not the file|cannot be decompressed|is truncated|has \\d)`,
          ),
        );
        expect(others).toEqual([]);
      }
    },
  );

  it('a line that is missing', async () => {
    const folder = copy();
    rewrite(folder, 'transfers', (lines) => lines.slice(1));
    expect(await whatOf(folder)).toEqual([
      `transfers.ndjson.gz has ${rowsIn('transfers') - 1} rows instead of the ${rowsIn('transfers')} written`,
    ]);
  });

  it('a line that was added', async () => {
    const folder = copy();
    rewrite(folder, 'transactions', (lines) => [...lines, lines[0]!]);
    const count = rowsIn('transactions');
    expect(await whatOf(folder)).toEqual([
      `transactions.ndjson.gz has ${count + 1} rows instead of the ${count} written`,
    ]);
  });

  it('a line that was changed', async () => {
    const folder = copy();
    rewrite(folder, 'transfers', addTo('amount_minor', [100]));
    expect(await whatOf(folder)).toEqual([
      'transfers.ndjson.gz is not the file that was written: another SHA-256',
    ]);
  });

  it('a file that ends too early', async () => {
    const folder = copy();
    const path = join(folder, fileOf('events'));
    truncateSync(path, readFileSync(path).length - 12);
    expect(await whatOf(folder)).toEqual([
      expect.stringMatching(/^events\.ndjson\.gz is truncated: it ends after \d+ rows?$/),
    ]);
  });

  it('a file that is gone, one that is empty, and one that nobody has named', async () => {
    const folder = copy();
    rmSync(join(folder, fileOf('refunds')));
    writeFileSync(join(folder, fileOf('reversals')), '');
    writeFileSync(join(folder, 'more.txt'), '');
    expect((await whatOf(folder)).sort()).toEqual([
      'more.txt is not in the manifest',
      'refunds.ndjson.gz is missing',
      expect.stringMatching(/^reversals\.ndjson\.gz (is truncated|has 0 rows)/),
    ]);
  });

  it('a table that the manifest leaves out', async () => {
    const folder = copy();
    const path = join(folder, MANIFEST);
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
    const files = manifest.files.filter(({ table }) => table !== 'reversals');
    writeFileSync(path, JSON.stringify({ ...manifest, files }));
    expect(await whatOf(folder)).toEqual([
      'reversals.ndjson.gz is not in the manifest',
      'manifest.json names no file of reversals',
    ]);
  });

  it.each([
    ['none', undefined],
    ['an empty one', ''],
    ['one of another form', '{"format": 2}'],
    [
      'one that names a file elsewhere',
      JSON.stringify({
        format: 1,
        kind: 'books',
        month: MONTH,
        files: [{ table: 'x', file: '../x.ndjson.gz', rows: 0, bytes: 0, sha256: '0'.repeat(64) }],
      }),
    ],
  ])('no manifest that it could trust: %s', async (_, text) => {
    const folder = copy();
    if (text === undefined) rmSync(join(folder, MANIFEST));
    else writeFileSync(join(folder, MANIFEST), text);
    expect(await whatOf(folder)).toEqual([
      expect.stringMatching(/^manifest\.json is (missing: this is no whole archive|not one that)/),
    ]);
  });

  it.each([
    [
      'an amount that does not balance',
      addTo('amount_minor', [1]),
      /^the entries of \S+ sum to -?\d+/,
    ],
    [
      'an entry that is missing',
      (lines: string[]) => lines.slice(1),
      /has 1 of its entries|sum to/,
    ],
    [
      'entries without a transaction',
      (lines: string[]) => [...lines, ...lines.slice(0, 2)],
      /no transaction/,
    ],
    [
      'an account that is not there',
      addTo('account_id', [10_000]),
      /names the account \d+, which is not/,
    ],
    [
      'two currencies',
      (lines: string[]) => [
        lines[0]!.replace(/"currency":"\w+"/, '"currency":"USD"'),
        ...lines.slice(1),
      ],
      /has entries in USD and|has entries in \w+ and USD/,
    ],
  ])('%s, although the manifest was rewritten', async (_, edit, what) => {
    const folder = copy();
    rewrite(folder, 'ledger_entries', edit, true);
    const { faults } = await verifyArchive(folder);
    expect(faults).toEqual([
      { file: 'ledger_entries.ndjson.gz', what: expect.stringMatching(what) as string },
    ]);
  });
});

describe('compare finds what was rewritten so that it holds', () => {
  const differences = async (folder: string) => {
    const { manifest, faults } = await verifyArchive(folder);
    expect(faults).toEqual([]);
    const found = await compareArchive(database.operator, folder, manifest!);
    return found.map(({ file, what }) => `${file} ${what}`);
  };

  it.each([
    ['amounts that balance', 'ledger_entries', addTo('amount_minor', [1, -1]), 'line 1 is not'],
    ['an amount', 'transfers', addTo('amount_minor', [100]), 'line 1 is not'],
    [
      'a row that is gone',
      'events',
      (lines: string[]) => lines.slice(0, -1),
      'and the database has more',
    ],
    [
      'a row too many',
      'refunds',
      (lines: string[]) => [...lines, lines[0]!],
      'has more rows than the',
    ],
  ])('%s', async (_, table, edit, what) => {
    const folder = copy();
    rewrite(folder, table, edit, true);
    expect(await differences(folder)).toEqual([
      expect.stringMatching(new RegExp(`^${table}\\.ndjson\\.gz .*${what}`)),
    ]);
  });

  it('the seal of another ledger', async () => {
    const folder = copy();
    const path = join(folder, MANIFEST);
    const text = readFileSync(path, 'utf8');
    const { hash } = written.manifest.ledger_seal!;
    writeFileSync(path, text.replace(hash, 'f'.repeat(64)));
    expect(await differences(folder)).toEqual([
      `manifest.json the database has another seal ${written.manifest.ledger_seal!.id}, or none`,
    ]);
  });

  it('the archive of another database', async () => {
    const { manifest } = await verifyArchive(written.folder);
    const other = await createTestDatabase();
    const found = await compareArchive(other.operator, written.folder, manifest!);
    expect(found.map(({ file }) => file)).toContain('ledger_entries.ndjson.gz');
  });
});

describe('is not written', () => {
  const write = (month: string, directory = newFolder(), of = database) =>
    writeArchive(of.operator, { kind: 'books', month, directory });

  it('before its month is over', async () => {
    const month = new Date().toISOString().slice(0, 7);
    await expect(write(month)).rejects.toMatchObject({ code: 'month_not_over' });
  });

  it('over another one', async () => {
    const directory = join(written.folder, '..');
    await expect(write(MONTH, directory)).rejects.toMatchObject({ code: 'archive_exists' });
  });

  it('before its entries are sealed', async () => {
    const fresh = await createTestDatabase();
    await buildUser(fresh.db, { funds: { live: { XOF: 100n } } });
    await fresh.owner.raw(
      `set session_replication_role = replica;
       update ledger_transactions set created_at = '${MONTH}-10T00:00:00Z';
       set session_replication_role = origin`,
    );
    await expect(write(MONTH, newFolder(), fresh)).rejects.toMatchObject({
      code: 'entries_not_sealed',
      message: expect.stringContaining('2 entries') as string,
    });
  });

  it('by two at once', async () => {
    const other = await openSession(database.operator_url);
    await other.query('begin');
    await other.query('select pg_advisory_xact_lock(7203915)');
    await expect(write(MONTH)).rejects.toMatchObject({ code: 'archive_busy' });
    await other.query('rollback');
    await expect(write(MONTH)).resolves.toMatchObject({ manifest: { month: MONTH } });
  });
});

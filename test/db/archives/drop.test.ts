// The histories of a month leave the database once their archive was read back, and nothing else goes with them.

import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { monthBounds } from '../../../db/archives/archives';
import { dropMonth } from '../../../db/archives/drop';
import { compareArchive, verifyArchive } from '../../../db/archives/verify';
import { writeArchive } from '../../../db/archives/write';
import { findHistoryDrop } from '../../../db/ledger/history-drops';
import { sealLedger } from '../../../db/ledger/ledger-seals';
import { verifyPeriod } from '../../../db/verify/pieces';
import { verifyLedger } from '../../../db/verify/verify';
import { findStatement, listStatements } from '../../../use-cases/statements/months';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { buildTransferRequest, post } from '../../support/postings';
import { ACTOR, buildUser, type TestUser } from '../../support/users';
import { buildBooks, newFolder } from './support';

const monthAgo = (months: number): string => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months))
    .toISOString()
    .slice(0, 7);
};
const MONTH = monthAgo(5);

let database: TestDatabase;
let alice: TestUser;
let directory: string;

/** Books of a month that is long over, in its archive, and a transfer of now. */
beforeEach(async () => {
  database = await createTestDatabase();
  alice = await buildUser(database.db, { funds: { live: { XOF: 1_000_000n, EUR: 70_000n } } });
  const bob = await buildUser(database.db);
  await post(database.db, [buildTransferRequest({ from: alice, to: bob, amount: 100_000n })]);
  await buildBooks(database);
  directory = await archive(MONTH);
  await post(database.db, [buildTransferRequest({ from: alice, to: bob, amount: 200_000n })]);
});
afterEach(() => database.close());

async function archive(month: string): Promise<string> {
  const ms = Date.now() - Date.parse(monthBounds(month).from) - 10 * 24 * 60 * 60_000;
  await moveBack(ms);
  await sealLedger(database.db);
  const order = { kind: 'books', month, directory: newFolder() } as const;
  return dirname((await writeArchive(database.operator, order)).folder);
}

const MOMENTS: readonly (readonly [string, ...string[]])[] = [
  ['users', 'created_at'],
  ['ledger_accounts', 'last_posted_at'],
  ['ledger_transactions', 'created_at'],
  ['transactions', 'created_at'],
  ['transfers', 'created_at'],
  ['idempotency_keys', 'created_at'],
  ['reversals', 'created_at'],
  ['payment_intents', 'created_at', 'succeeded_at'],
  ['gateway_payments', 'booked_at'],
  ['suspense_items', 'created_at'],
  ['refunds', 'created_at'],
  ['disputes', 'created_at'],
  ['payouts', 'created_at'],
  ['events', 'created_at'],
  ['webhook_deliveries', 'created_at'],
  ['audit_log', 'at'],
];
const IDS: readonly (readonly [string, ...string[]])[] = [
  ['ledger_transactions', 'id'],
  ['ledger_entries', 'transaction_id'],
  ['transactions', 'id', 'ledger_transaction_id'],
  ['payment_intents', 'transaction_id'],
  ['payouts', 'transaction_id'],
];

/** Everything that has happened so far, as long after one another as it was, with the ids that begin with its moment. */
async function moveBack(ms: number): Promise<void> {
  const id = (column: string): string =>
    `(lpad(to_hex(('x' || substr(replace(${column}::text, '-', ''), 1, 12))::bit(48)::bigint - ${ms}), 12, '0')
       || substr(replace(${column}::text, '-', ''), 13))::uuid`;
  await damage(
    ...MOMENTS.flatMap(([table, ...columns]) =>
      columns.map(
        (column) => `update ${table} set ${column} = ${column} - interval '${ms} milliseconds'`,
      ),
    ),
    ...IDS.flatMap(([table, ...columns]) =>
      columns.map((column) => `update ${table} set ${column} = ${id(column)}`),
    ),
    'update transactions t set json = transaction_json(t)',
  );
}

async function damage(...statements: string[]): Promise<void> {
  await database.owner.transaction(async (tx) => {
    await tx.raw('set local session_replication_role = replica');
    for (const sql of statements) await tx.raw(sql);
  });
}

const drop = (order: Partial<Parameters<typeof dropMonth>[1]> = {}) =>
  dropMonth(database.operator, { month: MONTH, directory, actor: ACTOR, ...order });

async function countRows(): Promise<number> {
  const { rows } = await database.owner.raw('select count(*)::int as rows from transactions');
  return (rows as { rows: number }[])[0]!.rows;
}

it('goes, and balances, statements of later months, checks and the archive are as before', async () => {
  const owner = { user_id: alice.id, environment: 'live' } as const;
  const next = { month: monthAgo(4), currency: 'XOF' } as const;
  const quiet = { month: monthAgo(4), currency: 'EUR' } as const;
  const read = async () => ({
    violations: await verifyLedger(database.db),
    openings: [
      (await findStatement(database.db, owner, next))!.opening_minor,
      (await findStatement(database.db, owner, quiet))!.opening_minor,
    ],
    newest: (await listStatements(database.db, owner, { after: undefined, limit: 12 })).slice(
      0,
      12,
    ),
  });
  const before = await read();
  expect(before.openings).toEqual([900_000n, 70_000n]);
  expect(await findStatement(database.db, owner, { ...next, month: MONTH })).toBeDefined();
  const rows = await countRows();
  const dropped = await drop();
  expect(dropped.archived_rows).toBe(rows - 2);
  expect(await countRows()).toBe(2);
  expect(await read()).toEqual(before);
  expect(await findStatement(database.db, owner, { ...next, month: MONTH })).toBeUndefined();
  const { from, to } = monthBounds(MONTH);
  const period = { from: Date.parse(from), to: Date.parse(to) };
  expect(await verifyPeriod(database.db, period)).toEqual([]);

  const folder = join(directory, `books-${MONTH}`);
  const { manifest, sha256 } = await verifyArchive(folder);
  expect(await compareArchive(database.operator, folder, manifest!, sha256)).toEqual([]);
  const [fault] = await compareArchive(database.operator, folder, manifest!, 'f'.repeat(64));
  expect(fault).toMatchObject({ file: 'manifest.json' });
  const { rows: told } = await database.owner.raw(
    `select details ->> 'sha256' as sha256 from audit_log where action = 'archive.drop'`,
  );
  expect(told).toEqual([{ sha256 }]);
});

it('stays when its archive does not hold, is not what the database has, or seals do not hold', async () => {
  const rows = await countRows();
  const file = join(directory, `books-${MONTH}`, 'transfers.ndjson.gz');
  const bytes = readFileSync(file);
  appendFileSync(file, 'x');
  await expect(drop()).rejects.toThrow(`${MONTH} is not dropped: of its archive, transfers`);
  writeFileSync(file, bytes);
  await damage(`update transactions set amount_minor = amount_minor + 100
                 where type = 'transfer_in' and amount_minor = 100000`);
  await expect(drop()).rejects.toThrow("is not the database's");
  await damage(`update transactions set amount_minor = amount_minor - 100
                 where type = 'transfer_in' and amount_minor = 100100`);
  await damage(`update ledger_seals set database_role = 'x' where id = 1`);
  await expect(drop()).rejects.toThrow('its content is not what was hashed');
  expect(await findHistoryDrop(database.db, MONTH)).toBeUndefined();
  expect(await countRows()).toBe(rows);
});

it('stays while an earlier month has rows, and while it is not over for 92 days', async () => {
  await damage(`update transactions set id = '00000000-0001-7000-8000-000000000000', created_at = '2001-01-01Z'
                 where type = 'transfer_in' and amount_minor = 200000`);
  await expect(drop()).rejects.toThrow('an earlier month has rows');
  const young = monthAgo(1);
  await damage('truncate history_drops');
  const outcome = await database.operator.raw(
    `select begin_history_drop('${young}-01', 0, '${'0'.repeat(64)}', 'tests') as outcome`,
  );
  expect((outcome.rows as unknown[])[0]).toEqual({ outcome: 'too_young' });
});

it('stays until the invoices of its fees are issued', async () => {
  await damage(`update fee_rules set fixed_minor = 100 where kind = 'transfer' and not tax`);
  await expect(drop()).rejects.toThrow('the invoices of its fees are not issued yet');
  await damage(
    `insert into fee_invoice_months (until, finished_at) values ('${monthBounds(MONTH).to}', now())`,
  );
  expect(await drop()).toBeDefined();
});

it('goes on where it was broken off, with the same archive only', async () => {
  await damage(
    `insert into limit_days (account_id, day) values (1, '${MONTH}-20'), (1, '${monthAgo(4)}-01')`,
  );
  const broken = new Error('broken off');
  const onRows = (): never => {
    throw broken;
  };
  await expect(drop({ onRows })).rejects.toBe(broken);
  const other = await database.operator.raw(
    `select begin_history_drop('${MONTH}-01', 1, '${'0'.repeat(64)}', 'tests') as outcome`,
  );
  expect((other.rows as unknown[])[0]).toEqual({ outcome: 'other_archive' });
  await drop();
  expect(await countRows()).toBe(2);
  const { rows } = await database.owner.raw(
    'select ended_at is not null as has_ended from history_drops',
  );
  expect(rows).toEqual([{ has_ended: true }]);
  const { rows: counted } = await database.owner.raw('select day::text from limit_days');
  expect(counted).toEqual([{ day: `${monthAgo(4)}-01` }]);
});

import type { Client } from 'pg';
import { createTestDatabase, openSession, type TestDatabase } from '../support/database';
import { waitFor } from '../support/wait';
import {
  addAuditRow,
  findAuditHead,
  listAuditRows,
  NO_HASH,
  verifyAuditLog,
  type AuditEntry,
} from '../../db/audit';

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
});

const ENTRY: AuditEntry = {
  actor: 'awa@example.com',
  action: 'kyc.approve',
  subject: 'user/moussa',
  details: { username: 'moussa', before: 'pending', count: 3, list: ['é', 'a\nb'] },
};

const add = (entry: Partial<AuditEntry> = {}): Promise<void> =>
  database.owner.transaction((tx) => addAuditRow(tx, { ...ENTRY, ...entry }));

async function addThree(): Promise<void> {
  for (const subject of ['user/one', 'user/two', 'user/three']) await add({ subject });
}

/** As a superuser who switches the table's trigger off. */
async function damage(...statements: string[]): Promise<void> {
  await database.owner.transaction(async (tx) => {
    await tx.raw('set local session_replication_role = replica');
    for (const sql of statements) {
      const { rowCount } = (await tx.raw(sql)) as { rowCount: number | null };
      expect(rowCount).not.toBe(0);
    }
  });
}

describe('add_audit_row', () => {
  it('writes who did what to what, under which role, in the transaction of the effect', async () => {
    await add();
    const [row, ...others] = await listAuditRows(database.db, {}, 10);
    expect(others).toEqual([]);
    expect(row).toEqual({
      ...ENTRY,
      id: 1n,
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/) as string,
      database_role: 'postgres',
      hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    const failed = database.owner.transaction(async (tx) => {
      await addAuditRow(tx, { ...ENTRY, subject: 'user/never' });
      throw new Error('the effect failed');
    });
    await expect(failed).rejects.toThrow('the effect failed');
    expect(await listAuditRows(database.db, {}, 10)).toHaveLength(1);
  });

  it.each([
    ['an actor with a line break', { actor: 'awa\nother' }],
    ['no actor', { actor: '' }],
    ['an actor of 65 characters', { actor: 'a'.repeat(65) }],
    ['an action in words', { action: 'approve somebody' }],
    ['a subject with a line break', { subject: 'user/awa\nuser/other' }],
    ['no subject', { subject: '' }],
    ['details that are a list', { details: [] as never }],
    ['details without end', { details: { text: 'x'.repeat(16_384) } }],
  ])('refuses %s', async (_, entry) => {
    await expect(add(entry)).rejects.toMatchObject({ code: '23514' });
    expect(await listAuditRows(database.db, {}, 10)).toEqual([]);
  });

  it('writes one chain in the order of the commits, however many write at once', async () => {
    const [first, second] = await Promise.all([session(), session()]);
    await first.query('begin');
    await write(first, 'user/first');
    await second.query('begin');
    const waiting = write(second, 'user/second');
    await waitFor(async () => {
      const { rows } = await database.owner.raw(
        `select from pg_locks where relation = 'audit_log'::regclass and not granted`,
      );
      return (rows as unknown[]).length === 1;
    });
    await first.query('rollback');
    await waiting;
    await second.query('commit');
    await Promise.all(Array.from({ length: 20 }, (_, i) => add({ subject: `user/n${i}` })));
    const { rows, faults } = await verifyAuditLog(database.db);
    expect({ rows, faults }).toEqual({ rows: 21, faults: [] });
    const [oldest] = (await listAuditRows(database.db, {}, 100)).reverse();
    expect(oldest).toMatchObject({ id: 1n, subject: 'user/second' });
  });
});

const session = (): Promise<Client> => openSession(database.owner_url);

const write = (client: Client, subject: string): Promise<unknown> =>
  client.query(`select add_audit_row('awa', 'kyc.approve', $1, '{}')`, [subject]);

const PERMISSION_DENIED = '42501';
const APPEND_ONLY = '23001';

describe('audit_log', () => {
  const statements = [
    `update audit_log set actor = 'other'`,
    `update audit_log set actor = 'other' where false`,
    'delete from audit_log',
    'truncate audit_log',
  ];

  it.each([
    ...statements,
    `insert into audit_log select * from audit_log`,
    `select add_audit_row('awa', 'kyc.approve', 'user/awa', '{}')`,
    'do $$ begin lock table audit_log in share mode; end $$',
    'drop table audit_log',
    'alter table audit_log disable trigger all',
  ])('refuses the application: %s', async (sql) => {
    await add();
    await expect(database.db.raw(sql)).rejects.toMatchObject({ code: PERMISSION_DENIED });
  });

  it.each(statements)('refuses its owner: %s', async (sql) => {
    await add();
    await expect(database.owner.raw(sql)).rejects.toMatchObject({ code: APPEND_ONLY });
  });
});

describe('verifyAuditLog', () => {
  it('finds nothing in an empty log, and nothing in a whole one of several pages', async () => {
    const empty = { id: 0n, hash: NO_HASH };
    expect(await findAuditHead(database.db)).toEqual(empty);
    expect(await verifyAuditLog(database.db)).toEqual({ rows: 0, head: empty, faults: [] });
    await database.owner.raw(
      `select add_audit_row('awa', 'keys.create', 'key/' || n, jsonb_build_object('n', n))
         from generate_series(1, 2001) n`,
    );
    const head = await findAuditHead(database.db);
    expect(await verifyAuditLog(database.db, NO_HASH)).toEqual({ rows: 2001, head, faults: [] });
  });

  it.each([
    ['actor', `'mallory'`],
    ['at', `at - interval '1 microsecond'`],
    ['database_role', `'other'`],
    ['action', `'kyc.reject'`],
    ['subject', `'user/other'`],
    ['details', `details || '{"count": 4}'`],
  ])('finds a row whose %s a superuser changed', async (column, value) => {
    await addThree();
    await damage(`update audit_log set ${column} = ${value} where id = 2`);
    const { faults } = await verifyAuditLog(database.db);
    expect(faults).toEqual([{ id: 2n, what: 'its content is not what was hashed' }]);
  });

  it('finds a change with a new hash, because the next row has the old one', async () => {
    await addThree();
    await damage(
      `update audit_log set actor = 'mallory', hash = sha256(convert_to(concat_ws(e'\\n', id,
         to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'mallory', database_role,
         action, subject, details, encode(previous_hash, 'hex')), 'UTF8')) where id = 2`,
    );
    const { faults } = await verifyAuditLog(database.db);
    expect(faults).toEqual([{ id: 3n, what: 'the row before it is another one' }]);
  });

  it.each([
    ['first', 1],
    ['middle', 2],
  ])('finds that the %s row was removed', async (_, id) => {
    await addThree();
    await damage(`delete from audit_log where id = ${id}`);
    const { faults } = await verifyAuditLog(database.db);
    expect(faults).toEqual([
      { id: BigInt(id) + 1n, what: `rows between ${id - 1} and ${id + 1} are missing` },
      { id: BigInt(id) + 1n, what: 'the row before it is another one' },
    ]);
  });

  it('finds rows that changed places', async () => {
    await addThree();
    await damage(
      'update audit_log set id = 99 where id = 2',
      'update audit_log set id = 2 where id = 3',
      'update audit_log set id = 3 where id = 99',
    );
    const { faults } = await verifyAuditLog(database.db);
    expect(new Set(faults.map(({ id }) => id))).toEqual(new Set([2n, 3n]));
  });

  it('finds that the newest rows were removed by a head that was noted before', async () => {
    await addThree();
    const { hash } = await findAuditHead(database.db);
    expect((await verifyAuditLog(database.db, hash)).faults).toEqual([]);
    await damage('delete from audit_log where id = 3');
    expect((await verifyAuditLog(database.db)).faults).toEqual([]);
    const missing = [{ id: null, what: 'the given head is not in the log' }];
    expect((await verifyAuditLog(database.db, hash)).faults).toEqual(missing);
    // What is added later does not hide it.
    await add({ subject: 'user/four' });
    expect((await verifyAuditLog(database.db, hash)).faults).toEqual(missing);
  });
});

describe('listAuditRows', () => {
  it('finds by user, subject, action, actor and time, newest first, page by page', async () => {
    await add({ subject: 'key/1', details: { username: 'moussa' } });
    await add({ subject: 'user/moussa', action: 'users.create', details: {} });
    await add({ subject: 'user/other', actor: 'other', details: {} });
    await add({ subject: 'user/other', details: {} });
    const ids = async (
      filters: Parameters<typeof listAuditRows>[1],
      limit = 10,
    ): Promise<bigint[]> => (await listAuditRows(database.db, filters, limit)).map(({ id }) => id);
    expect(await ids({})).toEqual([4n, 3n, 2n, 1n]);
    expect(await ids({ username: 'moussa' })).toEqual([2n, 1n]);
    expect(await ids({ subject: 'user/other' })).toEqual([4n, 3n]);
    expect(await ids({ action: 'users.create' })).toEqual([2n]);
    expect(await ids({ actor: 'other', subject: 'user/other' })).toEqual([3n]);
    const [, third] = await listAuditRows(database.db, {}, 2);
    expect(await ids({ since: third!.at })).toEqual([4n, 3n]);
    expect(await ids({ before: 4n }, 2)).toEqual([3n, 2n]);
  });
});

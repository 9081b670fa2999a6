import type { Client } from 'pg';
import { createTestDatabase, openSession, type TestDatabase } from '../support/database';
import { waitFor } from '../support/wait';
import { addAuditRow, listAuditRows, type AuditEntry } from '../../db/operators/audit';

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

  it('numbers rows without gaps in the order of the commits, however many write at once', async () => {
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
    const rows = (await listAuditRows(database.db, {}, 100)).reverse();
    expect(rows.map(({ id }) => Number(id))).toEqual(Array.from({ length: 21 }, (_, n) => n + 1));
    expect(rows.map(({ at }) => at)).toEqual(rows.map(({ at }) => at).sort());
    expect(rows[0]).toMatchObject({ subject: 'user/second' });
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

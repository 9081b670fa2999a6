import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createTestDatabase, openSession, type TestDatabase } from '../support/database';
import { createTestUser } from '../support/people';
import { post } from '../support/postings';
import { readStack } from '../support/stack';
import { connectDatabase } from '../../db/connect';
import { migrate, pendingMigrations } from '../../db/migrate';
import { verifyLedger } from '../../db/verify';

const FILES = readdirSync(join(__dirname, '..', '..', 'db', 'migrations')).sort();

let database: TestDatabase;
let app_role: string;

beforeEach(async () => {
  ({ app_role } = readStack());
  database = await createTestDatabase({ empty: true });
});

describe('migrate', () => {
  it('brings an empty database to the newest schema, once', async () => {
    const { owner_url } = database;
    expect(await migrate({ owner_url, app_role })).toEqual(FILES);
    expect(await migrate({ owner_url, app_role })).toEqual([]);
    const alice = await createTestUser(database.db, { funds: { live: { XOF: 1_000n } } });
    const bob = await createTestUser(database.db);
    const outcome = await post(database.db, { from: alice, to: bob, amount: 1_000n });
    expect(outcome.outcome).toBe('completed');
    expect(await verifyLedger(database.db)).toEqual([]);
  });

  it('runs each migration once when many processes start at the same time', async () => {
    const { owner_url } = database;
    const ran = await Promise.all(
      Array.from({ length: 6 }, () => migrate({ owner_url, app_role })),
    );
    expect(ran.flat()).toEqual(FILES);
    const { rows } = await database.owner.raw('select name from knex_migrations order by id');
    expect(rows).toEqual(FILES.map((name) => ({ name })));
  });

  it('is known to be wanting, whichever migration the database lacks', async () => {
    const { owner, owner_url, db } = database;
    expect(await pendingMigrations(db)).toEqual(FILES);
    await migrate({ owner_url, app_role });
    expect(await pendingMigrations(db)).toEqual([]);
    await owner.raw('delete from knex_migrations where name = ?', [FILES[1]!]);
    expect(await pendingMigrations(db)).toEqual([FILES[1]]);
    // A newer version has been here: this one still does its work.
    await owner.raw('update knex_migrations set name = ? where name = ?', ['9999.sql', FILES[0]!]);
    await owner.raw(
      'insert into knex_migrations (name, batch, migration_time) values (?, 1, now()), (?, 1, now())',
      [FILES[0]!, FILES[1]!],
    );
    expect(await pendingMigrations(db)).toEqual([]);
  });

  it('takes over from a process that died while it migrated', async () => {
    const { owner_url } = database;
    await migrate({ owner_url, app_role });
    await database.owner.raw('update knex_migrations_lock set is_locked = 1');
    expect(await migrate({ owner_url, app_role })).toEqual([]);
  });

  it('keeps the data of an earlier version', async () => {
    const { owner_url } = database;
    await migrate({ owner_url, app_role });
    const alice = await createTestUser(database.db, { funds: { live: { XOF: 1_000n } } });
    await migrate({ owner_url, app_role });
    const { rows } = await database.db.raw('select username from users');
    expect(rows).toEqual([{ username: alice.username }]);
  });

  it('needs no superuser: a database of a managed service will do', async () => {
    const { name, owner_url } = database;
    const session = await openSession(owner_url);
    const owner = `owner_${name}`;
    await session.query(`create role ${owner} login password 'only-for-tests' nosuperuser`);
    await session.query(`alter database ${name} owner to ${owner}`);
    const url = new URL(owner_url);
    url.username = owner;
    url.password = 'only-for-tests';
    expect(await migrate({ owner_url: url.href, app_role })).toEqual(FILES);
    const funds = { live: { XOF: 1_000n } };
    const alice = await createTestUser(database.db, { funds });
    const bob = await createTestUser(database.db);
    expect((await post(database.db, { from: alice, to: bob, amount: 500n })).outcome).toBe(
      'completed',
    );
    // Development on one role: the owner is the application.
    const alone = connectDatabase({ url: url.href, pool_size: 2, name: 'alone' });
    try {
      expect((await post(alone, { from: alice, to: bob, amount: 500n })).outcome).toBe('completed');
    } finally {
      await alone.destroy();
    }
  });

  it('fails when the role of the application does not exist, and changes nothing', async () => {
    const { owner_url } = database;
    await expect(migrate({ owner_url, app_role: 'nobody_at_all' })).rejects.toThrow(
      /nobody_at_all/,
    );
    expect(await migrate({ owner_url, app_role })).toEqual(expect.any(Array));
    await createTestUser(database.db);
  });

  it('cannot inject SQL by the name of the role', async () => {
    const { owner_url } = database;
    const app_role_of_malice = 'x"; drop table users; --';
    await expect(migrate({ owner_url, app_role: app_role_of_malice })).rejects.toThrow(
      /does not exist/,
    );
    const { rows } = await database.owner.raw(`select to_regclass('users') is not null as kept`);
    expect(rows).toEqual([{ kept: true }]);
  });
});

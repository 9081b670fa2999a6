import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createTestDatabase,
  openSession,
  untilLocked,
  type TestDatabase,
} from '../support/database';
import { buildUser } from '../support/users';
import { postOne } from '../support/postings';
import { readStack } from '../support/stack';
import { connectDatabase } from '../../db/connect';
import { migrate } from '../../db/schema/migrate';
import { SchemaError } from '../../db/schema/schema-error';
import { findPendingFiles, readMigrations } from '../../db/schema/schema-files';
import { verifyLedger } from '../../db/verify/verify';

const DB = join(__dirname, '..', '..', 'db');
const SQL = (readdirSync(DB, { recursive: true }) as string[]).filter((name) =>
  name.endsWith('.sql'),
);
const MIGRATIONS = SQL.flatMap((name) => name.split('migrations/')[1] ?? []).sort();
const FUNCTIONS = SQL.filter((name) => !name.startsWith('migrations/')).sort();
const FILES = [...MIGRATIONS, ...FUNCTIONS];

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

let database: TestDatabase;
let app_role: string;
let operator_role: string;

beforeEach(async () => {
  ({ app_role, operator_role } = readStack());
  database = await createTestDatabase({ empty: true });
});

describe('migrate', () => {
  it('brings an empty database to the newest schema, once', async () => {
    const { owner_url } = database;
    expect((await migrate({ owner_url, app_role, operator_role })).sort()).toEqual(FILES);
    expect(await migrate({ owner_url, app_role, operator_role })).toEqual([]);
    const alice = await buildUser(database.db, { funds: { live: { XOF: 1_000n } } });
    const bob = await buildUser(database.db);
    const outcome = await postOne(database.db, { from: alice, to: bob, amount: 1_000n });
    expect(outcome.outcome).toBe('completed');
    expect(await verifyLedger(database.db)).toEqual([]);
  });

  it('runs each migration once when many processes start at the same time', async () => {
    const { owner_url } = database;
    const ran = await Promise.all(
      Array.from({ length: 6 }, () => migrate({ owner_url, app_role, operator_role })),
    );
    expect(ran.flat().sort()).toEqual(FILES);
    const { rows } = await database.owner.raw('select name from knex_migrations order by id');
    expect(rows).toEqual(MIGRATIONS.map((name) => ({ name })));
  });

  it('reports each file that the database lacks, and none when the database is newer', async () => {
    const { owner, owner_url, db } = database;
    const pending = async () => (await findPendingFiles(db)).sort();
    expect(await pending()).toEqual(FILES);
    await migrate({ owner_url, app_role, operator_role });
    expect(await pending()).toEqual([]);
    for (const name of ['0002-ledger.sql', 'transfers/transfers.sql']) {
      await owner.raw('update schema_files set checksum = ? || checksum where name = ?', [
        'older',
        name,
      ]);
    }
    expect(await pending()).toEqual(['0002-ledger.sql', 'transfers/transfers.sql']);
    await owner.raw(`update schema_files set checksum = replace(checksum, 'older', '')`);
    // A newer version was here: it added a migration and changed functions. This one still works.
    await owner.raw(`insert into schema_files values ('9999.sql', 'x', now() + interval '1 s'),
                     ('transfers/transfers.sql', 'newer', now() + interval '1 s')`);
    expect(await pending()).toEqual([]);
  });

  it('replaces the functions when one of their files has changed', async () => {
    const { owner, owner_url } = database;
    await migrate({ owner_url, app_role, operator_role });
    await owner.raw(`create or replace function idempotency_lock(
      account uuid, env text, op text, idem_key text) returns bigint language sql as 'select 1::bigint'`);
    const lock = async () =>
      (await owner.raw(`select idempotency_lock(gen_random_uuid(), '', '', '') as lock`)).rows[0]
        .lock;
    await owner.raw(
      `insert into schema_files values ('transfers/transfers.sql', 'newer', clock_timestamp())`,
    );
    expect(await lock()).toBe(1n);
    expect(await migrate({ owner_url, app_role, operator_role })).toEqual([
      'transfers/transfers.sql',
    ]);
    expect(await lock()).not.toBe(1n);
    expect(await migrate({ owner_url, app_role, operator_role })).toEqual([]);
  });

  it('has the released migrations as they were, and new ones after them', () => {
    const released = readFileSync(join(DB, 'migrations', 'SHA256SUMS'), 'utf8')
      .trim()
      .split('\n');
    const sums = MIGRATIONS.map((name) => {
      const sql = readFileSync(join(DB, 'migrations', name));
      return `${createHash('sha256').update(sql).digest('hex')}  ${name}`;
    });
    const edited = released.filter((sum, place) => sum !== sums[place]);
    const fault = 'released migrations are never edited; add a new one (CONTRIBUTING.md says how)';
    expect(edited.length === 0 ? [] : [fault, ...edited]).toEqual([]);
    expect(released.length).toBeGreaterThan(20);
  });

  it('refuses a database that applied another text of a migration, and changes nothing', async () => {
    const { owner, owner_url } = database;
    await migrate({ owner_url, app_role, operator_role });
    await owner.raw(`update schema_files set checksum = 'edited' where name = '0002-ledger.sql'`);
    await owner.raw(`delete from schema_files where name = 'ledger/ledger.sql'`);
    await expect(migrate({ owner_url, app_role, operator_role })).rejects.toThrow(
      new SchemaError(
        'The migration 0002-ledger.sql was edited after this database had applied it: ' +
          'restore the file, and make the change in a new migration.',
      ),
    );
    const { rows } = await owner.raw(`select 1 from schema_files where name = 'ledger/ledger.sql'`);
    expect(rows).toEqual([]);
  });

  it('refuses a database from before the first release in one sentence', async () => {
    const { owner, owner_url } = database;
    await owner.raw(`create table knex_migrations (
      id serial primary key, name varchar(255), batch integer, migration_time timestamptz)`);
    await owner.raw(`insert into knex_migrations (name, batch, migration_time)
                     values ('0001-users-and-keys.sql', 1, now()), ('0002-ledger.sql', 1, now())`);
    await expect(migrate({ owner_url, app_role, operator_role })).rejects.toThrow(
      new SchemaError(
        'This database was made by a development version from before the first release and cannot ' +
          'be upgraded: delete it (with npm start, the data folder .data) and start again.',
      ),
    );
    const { rows } = await owner.raw(`select to_regclass('users') is null as untouched`);
    expect(rows).toEqual([{ untouched: true }]);
  });

  it('refuses a database that a newer version migrated', async () => {
    const { owner, owner_url } = database;
    await migrate({ owner_url, app_role, operator_role });
    await owner.raw(`insert into knex_migrations (name, batch, migration_time)
                     values ('9999-later.sql', 2, now())`);
    await expect(migrate({ owner_url, app_role, operator_role })).rejects.toThrow(
      /^This database was migrated by a newer version, which has 9999-later.sql: migrate with that version.$/,
    );
  });

  it('gives up when a table stays locked, before the queries behind it do', async () => {
    const { owner, owner_url } = database;
    await migrate({ owner_url, app_role, operator_role });
    await owner.raw('delete from schema_files');
    const session = await openSession(owner_url);
    await session.query('begin; lock table schema_files in access exclusive mode');
    const error = await migrate({ owner_url, app_role, operator_role }).catch(
      (failure: unknown) => failure,
    );
    expect(error).toBeInstanceOf(SchemaError);
    expect((error as Error).message).toMatch(/^The schema was not changed, because other sessions/);
    await session.query('commit');
    expect((await migrate({ owner_url, app_role, operator_role })).sort()).toEqual(FUNCTIONS);
  });

  it('waits shortly for a table that is being read, lets the queries behind it pass, and tries again', async () => {
    const { owner_url } = database;
    await migrate({ owner_url, app_role });
    const sql = 'alter table users add column note text';
    const change = { name: '9000-note.sql', sql, checksum: sha256(sql) };
    const reader = await openSession(owner_url);
    await reader.query('begin; select count(*) from users');
    const migrating = migrate({ owner_url, app_role, migrations: [...readMigrations(), change] });
    await untilLocked(database, sql);
    // This query waits behind the migration, and passes although the reader stays.
    await database.db.raw('select count(*) from users');
    await reader.query('commit');
    expect(await migrating).toContain(change.name);
  });

  it('tries again after a deadlock with a transaction that locks the same tables the other way round', async () => {
    const { owner_url } = database;
    await migrate({ owner_url, app_role });
    const sql =
      'alter table users add column note text; alter table fee_rules add column note text';
    const change = { name: '9000-notes.sql', sql, checksum: sha256(sql) };
    const reader = await openSession(owner_url);
    // The migration is the one who notices.
    await reader.query(`set deadlock_timeout = '1min'; begin; select count(*) from fee_rules`);
    const migrating = migrate({ owner_url, app_role, migrations: [...readMigrations(), change] });
    await untilLocked(database, sql);
    await reader.query('select count(*) from users');
    await reader.query('commit');
    expect(await migrating).toContain(change.name);
  });

  describe('of a table that grows for ever, in steps', () => {
    const sql = `-- a comment is no step
-- step: the column
alter table big add column note text;
-- step: its index
create index concurrently if not exists big_by_note on big (note);
-- step: the rows of before
with batch as (select id from big where id > coalesce(:after, '0')::int order by id limit 10),
     done as (update big set note = case when '?' = '?' then 'old' end from batch where big.id = batch.id
              returning big.id)
select max(id)::text as reached from done;
-- step: the rule
alter table big alter column note set not null`;
    const stepped = { name: '9000-stepped.sql', sql, checksum: sha256(sql) };
    const small = `create table after_steps as select count(*) from big where note = 'old'`;
    const later = { name: '9001-later.sql', sql: small, checksum: sha256(small) };
    const upgrade = () => {
      const { owner_url } = database;
      const migrations = [...readMigrations(), stepped, later];
      return migrate({ owner_url, app_role, operator_role, migrations });
    };

    beforeEach(async () => {
      const { owner, owner_url } = database;
      await migrate({ owner_url, app_role, operator_role });
      await owner.raw('create table big as select id from generate_series(1, 35) id');
    });

    it('goes on where it was when it is killed, and comes before what follows it', async () => {
      const { owner } = database;
      await owner.raw('create table writes (id int, writer xid8)');
      await owner.raw(`create function note_write() returns trigger language plpgsql as $$
        begin
          if new.id = 25 and not exists (select from pg_class where relname = 'go') then raise 'killed'; end if;
          insert into writes values (new.id, pg_current_xact_id());
          return new;
        end $$`);
      await owner.raw(
        'create trigger big_note_write before update on big for each row execute function note_write()',
      );
      await expect(upgrade()).rejects.toThrow('killed');
      const progress = async () => (await owner.raw('select done, reached from schema_steps')).rows;
      expect(await progress()).toEqual([{ done: 2, reached: '20' }]);
      await owner.raw('create table go ()');
      expect(await upgrade()).toEqual([stepped.name, later.name]);
      const { rows } = await owner.raw(
        'select count(*)::int as writes, count(distinct id)::int as ids, count(distinct writer)::int as batches from writes',
      );
      expect(rows).toEqual([{ writes: 35, ids: 35, batches: 4 }]);
      expect((await owner.raw('select count::int from after_steps')).rows).toEqual([{ count: 35 }]);
      expect(await upgrade()).toEqual([]);
    });

    it('builds an index again whose build was killed', async () => {
      const { owner, owner_url } = database;
      await owner.raw('alter table big add column note text; update big set note = 1');
      const session = await openSession(owner_url);
      await expect(
        session.query('create unique index concurrently big_by_note on big (note)'),
      ).rejects.toThrow(/could not create unique index/);
      // The first step is done.
      await owner.raw(
        'create table schema_steps (name text primary key, done integer, reached text)',
      );
      await owner.raw('insert into schema_steps values (?, 1)', [stepped.name]);
      await upgrade();
      const { rows } = await owner.raw(
        `select indisvalid, indisunique from pg_index where indexrelid = 'big_by_note'::regclass`,
      );
      expect(rows).toEqual([{ indisvalid: true, indisunique: false }]);
    });
  });

  it('takes over from a process that died while it migrated', async () => {
    const { owner_url } = database;
    await migrate({ owner_url, app_role, operator_role });
    await database.owner.raw('update knex_migrations_lock set is_locked = 1');
    expect(await migrate({ owner_url, app_role, operator_role })).toEqual([]);
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
    expect((await migrate({ owner_url: url.href, app_role, operator_role })).sort()).toEqual(FILES);
    const funds = { live: { XOF: 1_000n } };
    const alice = await buildUser(database.db, { funds });
    const bob = await buildUser(database.db);
    expect((await postOne(database.db, { from: alice, to: bob, amount: 500n })).outcome).toBe(
      'completed',
    );
    // Development on one role: the owner is the application.
    const alone = connectDatabase({ url: url.href, pool_size: 2, name: 'alone' });
    try {
      expect((await postOne(alone, { from: alice, to: bob, amount: 500n })).outcome).toBe(
        'completed',
      );
    } finally {
      await alone.destroy();
    }
  });

  it('fails when the role of the application does not exist, and changes nothing', async () => {
    const { owner_url } = database;
    await expect(migrate({ owner_url, app_role: 'nobody_at_all' })).rejects.toThrow(
      /nobody_at_all/,
    );
    expect(await migrate({ owner_url, app_role, operator_role })).toEqual(expect.any(Array));
    await buildUser(database.db);
  });

  it('cannot inject SQL by the name of the role', async () => {
    const { owner_url } = database;
    await migrate({ owner_url, app_role, operator_role });
    const app_role_of_malice = 'x"; drop table users; --';
    await expect(migrate({ owner_url, app_role: app_role_of_malice })).rejects.toThrow(
      /does not exist/,
    );
    const { rows } = await database.owner.raw(`select to_regclass('users') is not null as kept`);
    expect(rows).toEqual([{ kept: true }]);
  });
});

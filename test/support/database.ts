// A database per test file: cloned from the migrated template in a moment. It is never dropped, because each drop is a
// checkpoint that the other test files wait for; it goes with the server.

import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import type { Knex } from 'knex';
import { connectDatabase, type Db } from '../../db/connect';
import { closeAfterFile } from './cleanup';
import { readStack } from './stack';
import { asSuperuser, withDatabase } from './superuser';
import { noteSeen, waitFor } from './wait';

export interface TestDatabase {
  readonly name: string;
  /** Has the application's role: what the service itself may do. */
  readonly db: Db;
  /** Has the operators' role: what the command line may do. */
  readonly operator: Db;
  /** Has the owner's role, a superuser's: for what only a test or an attacker does. */
  readonly owner: Db;
  readonly app_url: string;
  readonly operator_url: string;
  readonly owner_url: string;
  /** Ends its connections before the file is over: for a file that makes many databases. */
  close(): Promise<void>;
  /** Only for a test that needs it gone. */
  drop(): Promise<void>;
}

export interface TestDatabaseOptions {
  /** An empty database instead of a migrated one. */
  readonly empty?: boolean;
}

/** The machine does other work, too, and a test may send hundreds of statements at once. */
const PATIENCE = { acquire_timeout_ms: 60_000, statement_timeout_ms: 60_000 };

export async function createTestDatabase({
  empty = false,
}: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const stack = readStack();
  const name = `test_${randomBytes(8).toString('hex')}`;
  await asSuperuser(
    stack.superuser_url,
    `create database ${name} template ${empty ? 'template0' : stack.template}`,
  );
  const owner_url = withDatabase(stack.superuser_url, name);
  const app_url = withRole(owner_url, stack.app_role, stack.app_password);
  const operator_url = withRole(owner_url, stack.operator_role, stack.operator_password);
  // A test may verify the whole ledger, as the command line does.
  const connect = (url: string, pool_size: number, name: string): Db =>
    connectDatabase({
      url,
      pool_size,
      name,
      is_patient: true,
      ...PATIENCE,
    });
  const db = connect(app_url, 10, 'test');
  const operator = connect(operator_url, 10, 'test-operator');
  registerOperator(db, operator);
  const owner = connect(owner_url, 5, 'test-owner');
  // An error of `raw` then points at the test that called it.
  for (const pool of [db, operator, owner]) {
    (pool.client as Knex.Client).config.asyncStackTraces = true;
    pool.on('query-response', (rows: unknown, { sql }: { readonly sql: string }) =>
      noteSeen(sql.replaceAll(/\s+/g, ' '), (rows as { rows?: unknown } | undefined)?.rows),
    );
  }
  let closed: Promise<unknown> | undefined;
  const close = async (): Promise<void> => {
    await (closed ??= Promise.all([db, operator, owner].map((one) => one.destroy())));
  };
  const drop = async (): Promise<void> => {
    await close();
    await asSuperuser(stack.superuser_url, `drop database if exists ${name} with (force)`);
  };
  const database = { name, db, operator, owner, app_url, operator_url, owner_url, close, drop };
  closeAfterFile(close);
  return database;
}

/** Another pool on the same database, as another process would have. */
export function connectAgain({ app_url, operator }: TestDatabase, pool_size = 10): Db {
  const db = connectDatabase({
    url: app_url,
    pool_size,
    name: 'test-again',
    ...PATIENCE,
  });
  registerOperator(db, operator);
  closeAfterFile(() => db.destroy());
  return db;
}

const operators = new WeakMap<Db, Db>();

/** Names the operators' connection to the database of an application's connection. */
export function registerOperator(db: Db, operator: Db): void {
  operators.set(db, operator);
}

/** Returns what makes approved users, credits and keys without limits, as only an operator can. */
export function operatorOf(db: Db): Db {
  return operators.get(db) ?? db;
}

/** One session outside of any pool, for tests of locks and of what happens between statements. */
export async function openSession(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  // The session may be ended by the drop of its database, after the last test.
  client.on('error', () => undefined);
  await client.connect();
  closeAfterFile(() => client.end());
  return client;
}

/** Waits until so many of the pools' sessions wait for a lock. */
export function untilSessionsWait(
  database: Pick<TestDatabase, 'owner'>,
  count: number,
): Promise<true> {
  return waitFor(async () => (await countWaiting(database)) === count);
}

/** Waits until a statement with this text waits for a lock. */
export async function untilLocked(
  { owner }: Pick<TestDatabase, 'owner'>,
  text: string,
): Promise<void> {
  await waitFor(async () => {
    const { rows } = (await owner.raw(
      `select 1 from pg_stat_activity where datname = current_database()
          and wait_event_type = 'Lock' and query like ?`,
      [`%${text}%`],
    )) as { rows: unknown[] };
    return rows.length > 0;
  });
}

/** When the transaction that waits for a lock began, in text. */
export async function waitingTransaction({ owner }: Pick<TestDatabase, 'owner'>): Promise<string> {
  const { rows } = (await owner.raw(
    `select xact_start::text as begun from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
  )) as { rows: { readonly begun: string }[] };
  if (rows.length !== 1) throw new Error(`${rows.length} sessions wait`);
  return rows[0]!.begun;
}

async function countWaiting({ owner }: Pick<TestDatabase, 'owner'>): Promise<number> {
  const { rows } = await owner.raw(
    `select from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock' and application_name in ('test', 'test-operator', 'test-owner')`,
  );
  return (rows as unknown[]).length;
}

/** A session in whose open transaction this is done. */
async function holding(
  { owner_url }: Pick<TestDatabase, 'owner_url'>,
  first: (session: Client) => Promise<unknown>,
): Promise<Client> {
  const session = await openSession(owner_url);
  await session.query('begin');
  await first(session);
  return session;
}

/** What `second` answers, which begins while `first` is done, and has its locks, but is not committed yet. */
export async function whileUncommitted<T>(
  database: Pick<TestDatabase, 'owner' | 'owner_url'>,
  first: (session: Client) => Promise<unknown>,
  second: () => Promise<T>,
): Promise<T> {
  const session = await holding(database, first);
  // A query of knex is sent again by each one that waits for it.
  const answer = Promise.resolve(second());
  // One that waits for no lock answers.
  await Promise.race([untilSessionsWait(database, 1), answer.catch(() => undefined)]);
  await session.query('commit');
  return answer;
}

/** What `second` answers while another session holds what `lock` locks; fails when it waits for that. */
export async function pastLock<T>(
  database: Pick<TestDatabase, 'owner' | 'owner_url'>,
  lock: (session: Client) => Promise<unknown>,
  second: () => Promise<T>,
): Promise<T> {
  const session = await holding(database, lock);
  let is_answered = false;
  const answer = second().finally(() => (is_answered = true));
  // It may fail before it is waited for.
  answer.catch(() => undefined);
  const waited = await waitFor(
    async () => is_answered || ((await countWaiting(database)) > 0 && 'waited'),
  );
  await session.query('rollback');
  if (waited === 'waited') throw new Error('It waits for what another session has locked.');
  return answer;
}

/** What these answer, all of which wait for what `lock` locks before the first of them may go on. */
export async function allBehindLock<T>(
  database: Pick<TestDatabase, 'owner' | 'owner_url'>,
  lock: (session: Client) => Promise<unknown>,
  works: readonly (() => Promise<T>)[],
): Promise<T[]> {
  const session = await holding(database, lock);
  const all = Promise.all(works.map((work) => work()));
  await untilSessionsWait(database, works.length);
  await session.query('rollback');
  return all;
}

/** Above this an operator's decision needs a second operator; without one, none does. */
export const limitOperators = (
  { owner }: Pick<TestDatabase, 'owner'>,
  above_minor: bigint | null,
): Promise<unknown> => owner('approval_limits').where({ currency: 'XOF' }).update({ above_minor });

function withRole(url: string, role: string, password: string): string {
  const changed = new URL(url);
  changed.username = role;
  changed.password = password;
  return changed.href;
}

/** Stands for what `make` makes. It is there once tests run: outside of them only functions may name it. */
export function setUp<T extends object>(
  make: () => Promise<T>,
  before: (work: () => Promise<void>) => void = beforeAll,
): T {
  let made: T | undefined;
  before(async () => {
    made = await make();
  });
  const there = (): T => {
    if (made === undefined) throw new Error('This is made before the tests, and not there yet.');
    return made;
  };
  return new Proxy({} as T, {
    get: (_, name) => Reflect.get(there(), name) as unknown,
    set: (_, name, value) => Reflect.set(there(), name, value),
    has: (_, name) => Reflect.has(there(), name),
    ownKeys: () => Reflect.ownKeys(there()),
    getOwnPropertyDescriptor: (_, name) => {
      const described = Reflect.getOwnPropertyDescriptor(there(), name);
      return described && { ...described, configurable: true };
    },
  });
}

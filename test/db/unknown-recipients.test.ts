// How many usernames of no account an account may name, and whom it may name beyond that.

import { connectDatabase } from '../../db/connect';
import { waitBeforeNaming } from '../../db/transfers/recipients';
import type { Environment } from '../../domain/environment';
import { freezeAccount } from '../../db/accounts/users';
import { closeAfterFile } from '../support/cleanup';
import {
  createTestDatabase,
  openSession,
  setUp,
  untilLocked,
  type TestDatabase,
} from '../support/database';
import { postOne } from '../support/postings';
import { buildUser, type TestUser } from '../support/users';

const database = setUp(createTestDatabase);
let alice: TestUser;
let bob: TestUser;

beforeEach(async () => {
  const funds = { XOF: 1_000n };
  alice = await buildUser(database.db, { funds: { live: funds, sandbox: funds } });
  bob = await buildUser(database.db);
});

const LIMIT = 30;

interface Naming {
  readonly from?: TestUser;
  readonly environment?: Environment;
  /** The payment is of XOF; nothing is paid without it. */
  readonly amount_minor?: string;
  readonly db?: TestDatabase['db'];
}

async function may(
  names: string | readonly string[],
  { from = alice, environment = 'live', amount_minor, db = database.db }: Naming = {},
): Promise<boolean> {
  const payment =
    amount_minor === undefined ? undefined : ({ currency: 'XOF', amount_minor } as const);
  const account = { user_id: from.id, environment };
  return (await waitBeforeNaming(db, account, [names].flat(), payment)) === undefined;
}

const nobodies = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `nobody-${index}`);

async function storedNames(): Promise<number> {
  const text = 'select count(*)::int as count from unknown_recipients where user_id = ?';
  const { rows } = await database.owner.raw(text, [alice.id]);
  return (rows as { count: number }[])[0]!.count;
}

/** Moves the names so many minutes back. */
async function age(minutes: number): Promise<void> {
  await database.owner.raw(
    `update unknown_recipients set tried_at = tried_at - ? * interval '1 minute' where user_id = ?`,
    [minutes, alice.id],
  );
}

describe.each(['live', 'sandbox'] as const)('usernames that nobody has, in %s', (environment) => {
  it('B4 may be named 30 times an hour, each counted once, and no more', async () => {
    for (const name of [...nobodies(LIMIT), ...nobodies(LIMIT)]) {
      expect(await may(name, { environment })).toBe(true);
    }
    expect(await may('nobody-else', { environment })).toBe(false);
    expect(await storedNames()).toBe(LIMIT);
    expect(await may('nobody-3', { environment })).toBe(true);
  });

  it('are counted together in a list of them, which uses up what is left when it is refused', async () => {
    expect(await may([...nobodies(LIMIT - 1), bob.username], { environment })).toBe(true);
    expect(await may(['new-1', 'new-2', 'new-3'], { environment })).toBe(false);
    expect(await storedNames()).toBe(LIMIT);
  });
});

describe('past the limit', () => {
  it('only a payment tells a stranger from nobody', async () => {
    for (const environment of ['live', 'sandbox'] as const)
      await may(nobodies(LIMIT), { environment });
    const enough = { amount_minor: '1000' };
    expect(await may(bob.username, enough)).toBe(true);
    expect(await may('nobody-else', enough)).toBe(false);
    expect(await may(bob.username, { amount_minor: '1001' })).toBe(false);
    expect(await may(bob.username)).toBe(false);
    expect(await may(bob.username, { ...enough, environment: 'sandbox' })).toBe(false);
    const full = await buildUser(database.db, { funds: { live: { XOF: 999_999_999_999_900n } } });
    expect(await may(full.username, enough)).toBe(false);
  });

  it.each(['live', 'sandbox'] as const)(
    'recipients of earlier transfers may be named as ever, in %s',
    async (environment) => {
      await postOne(database.db, { from: alice, to: bob, amount: 100n, environment });
      await may(nobodies(LIMIT), { environment });
      expect(await may([bob.username, 'nobody-0'], { environment })).toBe(true);
    },
  );

  it('other accounts and the other environment have their own count', async () => {
    await may(nobodies(LIMIT));
    expect(await may('nobody-else', { environment: 'sandbox' })).toBe(true);
    expect(await may('nobody-else', { from: bob })).toBe(true);
  });

  it('names are forgotten after an hour, and so is their storage', async () => {
    await may(nobodies(LIMIT));
    await age(59);
    const account = { user_id: alice.id, environment: 'live' } as const;
    const wait = await waitBeforeNaming(database.db, account, ['nobody-else']);
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
    await age(2);
    expect(await may('nobody-else')).toBe(true);
    expect(await storedNames()).toBe(1);
  });

  it('the limit is a column of the account', async () => {
    const text = 'update users set unknown_recipients_per_hour = 2 where id = ?';
    await database.owner.raw(text, [alice.id]);
    expect([await may(nobodies(2)), await may('nobody-else')]).toEqual([true, false]);
  });
});

it('what a frozen account names is not counted: its transfers are refused before', async () => {
  await freezeAccount(database.operator, alice.id, 'test', 'awa');
  expect(await may(nobodies(LIMIT + 1))).toBe(true);
  expect(await storedNames()).toBe(0);
});

describe('at the same time', () => {
  it('another process counts after this one, so no more names get through', async () => {
    await may(nobodies(LIMIT - 1));
    const other = await openSession(database.app_url);
    await other.query('begin');
    const count = `select count_unknown_recipients($1, 'live', '{the-last}', null, null)`;
    await other.query(count, [alice.id]);
    const told = may('one-more');
    await Promise.race([told, untilLocked(database, 'count_unknown_recipients')]);
    await other.query('commit');
    expect(await told).toBe(false);
    expect(await storedNames()).toBe(LIMIT);
  });

  it('an account whose names wait for each other leaves the connections to others', async () => {
    const db = connectDatabase({ url: database.app_url, pool_size: 2, name: 'small' });
    closeAfterFile(() => db.destroy());
    const counting = await openSession(database.app_url);
    await counting.query('begin');
    const lock = `select pg_advisory_xact_lock(idempotency_lock($1, 'live', 'unknown_recipient', ''))`;
    await counting.query(lock, [alice.id]);
    const waiting = nobodies(10).map((name) => may(name, { db }));
    expect(await may('nobody', { from: bob, db })).toBe(true);
    await counting.query('rollback');
    expect(await Promise.all(waiting)).toEqual(Array(10).fill(true));
  });
});

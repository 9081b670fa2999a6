import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { expectBooksHold } from '../support/books';
import { createTestDatabase, openSession, setUp } from '../support/database';
import { balanceOf } from '../support/balances';
import { buildUser, credit, type TestUser } from '../support/users';
import { buildTransferRequest, post, postingValues, postOne } from '../support/postings';

const database = setUp(createTestDatabase);
let alice: TestUser;
let bob: TestUser;
let app: Client;
let owner: Client;

beforeAll(async () => {
  app = await openSession(database.app_url);
  owner = await openSession(database.owner_url);
  const funds = { live: { XOF: 1_000_000n, EUR: 1_000n }, sandbox: { XOF: 1_000_000n } };
  alice = await buildUser(database.db, { funds });
  bob = await buildUser(database.db, { funds });
  await postOne(database.db, { from: alice, to: bob, amount: 1_000n });
});

afterEach(async () => {
  await Promise.all([app.query('rollback'), owner.query('rollback')]);
  await expectBooksHold(database.db);
});

const PERMISSION_DENIED = '42501';
const APPEND_ONLY = '23001';
const CHECK = '23514';
const FOREIGN_KEY = '23503';
const UNIQUE = '23505';

interface Account {
  readonly id: string;
  readonly balance_minor: string;
  readonly version: string;
}

async function account(user: TestUser, currency = 'XOF', environment = 'live'): Promise<Account> {
  const { rows } = await owner.query<Account>(
    `select id, balance_minor, version from ledger_accounts
      where user_id = $1 and currency = $2 and environment = $3`,
    [user.id, currency, environment],
  );
  return rows[0]!;
}

/** Begins a transaction that holds a journal row without entries and returns its id. */
async function openJournal(environment = 'live'): Promise<string> {
  await owner.query('begin');
  const { rows } = await owner.query<{ id: string }>(
    `insert into ledger_transactions (reference, environment, kind, created_at)
     values ($1, $2, 'transfer', now()) returning id`,
    [`TEST-${randomUUID()}`, environment],
  );
  return rows[0]!.id;
}

interface Entry {
  readonly account: Account;
  readonly amount: number;
  readonly environment?: string;
  readonly currency?: string;
}

function insertEntries(journal: string, entries: readonly Entry[]): Promise<unknown> {
  const values = entries.map(
    ({ account: { id, version }, amount, environment = 'live', currency = 'XOF' }, index) =>
      `('${journal}', ${id}, '${environment}', '${currency}', ${amount}, 0, ${version}::bigint + ${index + 1})`,
  );
  return owner.query(`insert into ledger_entries values ${values.join(', ')}`);
}

describe.each(['ledger_entries', 'ledger_transactions'])('%s', (table) => {
  const statements = [
    `update ${table} set environment = 'live'`,
    `update ${table} set environment = 'live' where false`,
    `delete from ${table}`,
    `delete from ${table} where false`,
    `truncate ${table} cascade`,
  ];

  it.each(statements)('refuses the application: %s', async (sql) => {
    await expect(app.query(sql)).rejects.toMatchObject({ code: PERMISSION_DENIED });
  });

  it.each(statements)('refuses its owner: %s', async (sql) => {
    await expect(owner.query(sql)).rejects.toMatchObject({ code: APPEND_ONLY });
  });

  it.each([
    `insert into ${table} select * from ${table} limit 1`,
    `alter table ${table} disable trigger all`,
    `drop table ${table} cascade`,
    `set session_replication_role = replica`,
  ])('leaves the application no way around: %s', async (sql) => {
    await expect(app.query(sql)).rejects.toMatchObject({ code: PERMISSION_DENIED });
  });
});

describe("the application's role", () => {
  it.each([
    'drop table access_entries',
    'alter table access_entries add column mine integer',
    'truncate users cascade',
    'create table mine (id integer)',
    'create function mine() returns integer language sql as $$ select 1 $$',
    `select lock_accounts('{}')`,
    `select post_entries(gen_random_uuid(), 'REFERENCE', 'transfer', '', 'live', 'XOF', '{}')`,
    `select add_transactions(array[null::transaction_side], null, null, null, null, null, null, null,
       null, null, now())`,
  ])('may not: %s', async (sql) => {
    await expect(app.query(sql)).rejects.toMatchObject({ code: PERMISSION_DENIED });
  });

  it('reads everything but what identity checks submitted', async () => {
    const { rows } = await app.query<{ tablename: string }>(
      `select tablename from pg_tables where schemaname = 'public'`,
    );
    const readable = rows.filter(
      ({ tablename }) => !['identity_data', 'identity_pictures'].includes(tablename),
    );
    expect(readable).toHaveLength(rows.length - 2);
    for (const { tablename } of readable) await app.query(`select * from ${tablename} limit 1`);
  });

  it('cannot bend the posting functions by objects of its own', async () => {
    await app.query('begin');
    await app.query(`create temporary table ledger_accounts (id bigint, balance_minor bigint)`);
    await app.query(`set local search_path = pg_temp, public`);
    const request = buildTransferRequest({ from: alice, to: bob, amount: 1_000n });
    const { rows } = await app.query<{ outcome: string }>(
      'select outcome from post_transfer_batch($1, $2)',
      postingValues([request]),
    );
    expect(rows).toEqual([{ outcome: 'completed' }]);
  });
});

describe('the journal', () => {
  it('is never empty at commit', async () => {
    await openJournal();
    await expect(owner.query('commit')).rejects.toMatchObject({ code: CHECK });
  });

  it('takes balanced entries', async () => {
    const journal = await openJournal();
    await insertEntries(journal, [
      { account: await account(alice), amount: -100 },
      { account: await account(bob), amount: 100 },
    ]);
    // Rolled back: the balances of the accounts do not follow by themselves.
    await owner.query('set constraints all immediate');
  });

  it.each([
    ['a sum above zero', [-100, 101]],
    ['a sum below zero', [-101, 100]],
    ['one entry', [100]],
    ['an entry of nothing', [0, 0]],
  ])('refuses %s', async (_, amounts) => {
    const journal = await openJournal();
    const accounts = [await account(alice), await account(bob)];
    const entries = amounts.map((amount, index) => ({ account: accounts[index]!, amount }));
    await expect(insertEntries(journal, entries)).rejects.toMatchObject({ code: CHECK });
  });

  it('balances in each currency by itself', async () => {
    const journal = await openJournal();
    const call = insertEntries(journal, [
      { account: await account(alice), amount: -100 },
      { account: await account(bob, 'EUR'), amount: 100, currency: 'EUR' },
    ]);
    await expect(call).rejects.toMatchObject({ code: CHECK });
  });

  it('balances in each transaction by itself', async () => {
    const first = await openJournal();
    const { rows } = await owner.query<{ id: string }>(
      `insert into ledger_transactions (reference, environment, kind, created_at)
       values ($1, 'live', 'transfer', now()) returning id`,
      [`TEST-${randomUUID()}`],
    );
    const [debit, credit] = [await account(alice), await account(bob)];
    const call = owner.query(
      `insert into ledger_entries values
         ($1, ${debit.id}, 'live', 'XOF', -100, 0, 1000), ($2, ${credit.id}, 'live', 'XOF', 100, 0, 1000)`,
      [first, rows[0]!.id],
    );
    await expect(call).rejects.toMatchObject({ code: CHECK });
  });

  it.each([
    ['an account of the other environment', { environment: 'sandbox', currency: 'XOF' }],
    ['an account of another currency', { environment: 'live', currency: 'EUR' }],
  ])('refuses an entry on %s', async (_, of) => {
    const journal = await openJournal();
    const call = insertEntries(journal, [
      { account: await account(alice), amount: -100 },
      { account: await account(bob, of.currency, of.environment), amount: 100 },
    ]);
    await expect(call).rejects.toMatchObject({ code: FOREIGN_KEY });
  });

  it('refuses entries of one environment in a transaction of the other', async () => {
    const journal = await openJournal('sandbox');
    const call = insertEntries(journal, [
      { account: await account(alice), amount: -100 },
      { account: await account(bob), amount: 100 },
    ]);
    await expect(call).rejects.toMatchObject({ code: FOREIGN_KEY });
  });

  it('takes each version of an account once', async () => {
    const journal = await openJournal();
    const [debit, credit] = [await account(alice), await account(bob)];
    const call = insertEntries(journal, [
      { account: { ...debit, version: '0' }, amount: -100 },
      { account: credit, amount: 100 },
    ]);
    await expect(call).rejects.toMatchObject({ code: UNIQUE });
  });

  it('takes each reference once, for ever and in both environments', async () => {
    const { rows } = await owner.query<{ reference: string }>(
      'select reference from ledger_transactions limit 1',
    );
    for (const environment of ['live', 'sandbox']) {
      const call = owner.query(
        `insert into ledger_transactions (reference, environment, kind, created_at)
         values ($1, $2, 'transfer', now())`,
        [rows[0]!.reference, environment],
      );
      await expect(call).rejects.toMatchObject({ code: UNIQUE });
    }
  });
});

describe('a wallet', () => {
  it('never goes below zero, not even by its owner’s hand', async () => {
    const { id, balance_minor } = await account(alice);
    const call = owner.query(
      `update ledger_accounts set balance_minor = balance_minor - ${balance_minor} - 1 where id = $1`,
      [id],
    );
    await expect(call).rejects.toMatchObject({ code: CHECK, constraint: 'wallet_balance' });
  });

  it('never goes beyond fifteen digits', async () => {
    const { id } = await account(alice);
    const call = owner.query(
      'update ledger_accounts set balance_minor = 1000000000000000 where id = $1',
      [id],
    );
    await expect(call).rejects.toMatchObject({ code: CHECK, constraint: 'wallet_balance' });
  });

  it('never goes below zero when the posting function forgets to look', async () => {
    const { rows } = await owner.query<{ source: string }>(
      `select pg_get_functiondef('decide_transfers'::regproc) as source`,
    );
    const careful = rows[0]!.source;
    const careless = careful.replace('payer.balance_minor < o.debit_minor', 'false');
    expect(careless).not.toBe(careful);
    const before = await Promise.all([balanceOf(database.db, alice), balanceOf(database.db, bob)]);
    await owner.query(careless);
    try {
      const call = postOne(database.db, { from: alice, to: bob, amount: 100_000_000n });
      await expect(call).rejects.toMatchObject({ code: CHECK, constraint: 'wallet_balance' });
    } finally {
      await owner.query(careful);
    }
    const after = await Promise.all([balanceOf(database.db, alice), balanceOf(database.db, bob)]);
    expect(after).toEqual(before);
  });

  it('exists once per currency and environment from the start', async () => {
    const { rows } = await owner.query(
      `select environment, currency, balance_minor from ledger_accounts where user_id = $1
        order by environment, currency`,
      [(await buildUser(database.db)).id],
    );
    expect(rows).toEqual(
      ['live', 'sandbox'].flatMap((environment) =>
        ['EUR', 'USD', 'XOF'].map((currency) => ({ environment, currency, balance_minor: '0' })),
      ),
    );
    const call = owner.query(
      `insert into ledger_accounts (user_id, environment, currency, kind)
       values ($1, 'live', 'XOF', 'wallet')`,
      [alice.id],
    );
    await expect(call).rejects.toMatchObject({ code: UNIQUE });
  });
});

describe('a transfer row', () => {
  const insert = (environment: string, status: string, recipient: string) =>
    owner.query(
      `insert into transfers (reference, environment, sender_id, recipient_id, currency,
         amount_minor, fee_minor, status, idempotency_key, request_id, created_at)
       values ('TEST', $1, $2, $3, 'XOF', 100, 0, $4, 'k', 'r', now())`,
      [environment, alice.id, recipient, status],
    );

  it.each([
    ['live', 'simulated'],
    ['sandbox', 'completed'],
  ])('of %s is never %s', async (environment, status) => {
    const call = insert(environment, status, bob.id);
    await expect(call).rejects.toMatchObject({ code: CHECK });
  });

  it('never goes to its own sender', async () => {
    await expect(insert('live', 'completed', alice.id)).rejects.toMatchObject({ code: CHECK });
  });
});

describe('credit_wallet', () => {
  const FIELDS = {
    reference: '',
    environment: 'live',
    currency: 'XOF',
    source: 'operator',
    amount_minor: 1_000n,
    reason: 'test',
  } as const;
  const owned = () => ({ ...FIELDS, user_id: alice.id, reference: `ADJ-${randomUUID()}` });

  it.each([
    ['nothing', { amount_minor: 0n }],
    ['a debit', { amount_minor: -1_000n }],
    ['cents of XOF', { amount_minor: 1_050n }],
    ['more than a wallet holds', { amount_minor: 999_999_999_999_900n }],
    ['another source', { source: 'fees' as never }],
  ])('refuses %s', async (_, fields) => {
    const call = credit(database.db, { ...owned(), ...fields });
    await expect(call).rejects.toMatchObject({ code: CHECK });
  });
});

describe('post_transfer_batch', () => {
  it('refuses a sender that does not exist and an amount of nothing or less', async () => {
    const strangers = [
      buildTransferRequest({ from: { ...alice, id: randomUUID() }, to: bob, amount: 100n }),
      buildTransferRequest({ from: alice, to: bob, amount: 0n }),
      buildTransferRequest({ from: alice, to: bob, amount: -100n }),
    ];
    for (const request of strangers) {
      const call = post(database.db, [request]);
      await expect(call).rejects.toMatchObject({ code: expect.stringMatching(/^23/) });
    }
  });

  it('refuses an amount that is finer than its currency', async () => {
    const request = buildTransferRequest({ from: alice, to: bob, amount: 1_050n });
    await expect(post(database.db, [request])).rejects.toMatchObject({ code: CHECK });
  });
});

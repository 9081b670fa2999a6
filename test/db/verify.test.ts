import {
  createTestDatabase,
  openSession,
  untilLocked,
  type TestDatabase,
} from '../support/database';
import { buildUser, type TestUser } from '../support/users';
import { buildTransferRequest, post } from '../support/postings';
import { verifyLedger } from '../../db/verify/verify';

// Defects that only a superuser can make, with triggers and foreign keys switched off. A database
// for each: a defect is not undone.
interface Seed {
  readonly database: TestDatabase;
  /** References of one completed live transfer, and of one simulated one. */
  readonly live: string;
  readonly sandbox: string;
  readonly alice: TestUser;
  readonly bob: TestUser;
}

async function seed(): Promise<Seed> {
  const database = await createTestDatabase();
  const funds = { live: { XOF: 1_000_000n, EUR: 1_000_000n }, sandbox: { XOF: 1_000_000n } };
  const alice = await buildUser(database.db, { funds });
  const bob = await buildUser(database.db, { funds });
  const pair = { from: alice, to: bob, amount: 1_000n } as const;
  const outcomes = await post(database.db, [
    buildTransferRequest(pair),
    buildTransferRequest({ ...pair, environment: 'sandbox' }),
    buildTransferRequest({ ...pair, currency: 'EUR' }),
    buildTransferRequest({ ...pair, from: bob, to: alice }),
    buildTransferRequest({ ...pair, amount: 90_000_000n }),
    buildTransferRequest({ ...pair, to_username: 'nobody-at-all' }),
  ]);
  const references = outcomes.map((outcome) => ('reference' in outcome && outcome.reference) || '');
  return { database, live: references[0]!, sandbox: references[1]!, alice, bob };
}

async function damage({ database }: Seed, ...statements: string[]): Promise<void> {
  await database.owner.transaction(async (tx) => {
    await tx.raw('set local session_replication_role = replica');
    for (const sql of statements) {
      const { rowCount } = (await tx.raw(sql)) as { rowCount: number | null };
      expect(rowCount).not.toBe(0);
    }
    // The JSON text is another check's.
    await tx.raw(
      'update transactions t set json = transaction_json(t) where json <> transaction_json(t)',
    );
  });
}

const walletOf = ({ id }: TestUser, currency = 'XOF'): string =>
  `(select id from ledger_accounts where user_id = '${id}' and environment = 'live' and currency = '${currency}')`;

const journalOf = (reference: string): string =>
  `(select id from ledger_transactions where reference = '${reference}')`;

async function publicIdOf({ database }: Seed, account: string): Promise<string> {
  const { rows } = await database.db.raw(
    `select public_id from ledger_accounts where id = ${account}`,
  );
  return (rows as { public_id: string }[])[0]!.public_id;
}

describe('verifyLedger', () => {
  it('finds nothing in an empty ledger', async () => {
    expect(await verifyLedger((await createTestDatabase()).db)).toEqual([]);
  });

  it('finds nothing after postings and refusals of every kind', async () => {
    const { database } = await seed();
    expect(await verifyLedger(database.db)).toEqual([]);
  });

  it('I1 and I2: an entry that was changed', async () => {
    const seeded = await seed();
    await damage(
      seeded,
      `update ledger_entries set amount_minor = amount_minor + 100
        where transaction_id = ${journalOf(seeded.live)} and account_id = ${walletOf(seeded.bob)}`,
    );
    const found = await verifyLedger(seeded.database.db);
    expect(found).toContainEqual(
      expect.objectContaining({ invariant: 'I1', reference: 'live/XOF' }),
    );
    expect(found).toContainEqual(
      expect.objectContaining({ invariant: 'I2', reference: seeded.live }),
    );
    expect(found).toContainEqual(
      expect.objectContaining({
        invariant: 'I3',
        reference: await publicIdOf(seeded, walletOf(seeded.bob)),
      }),
    );
  });

  it('I2: a journal transaction whose entries were lost', async () => {
    const seeded = await seed();
    await damage(
      seeded,
      `delete from ledger_entries where transaction_id = ${journalOf(seeded.live)}`,
    );
    const found = await verifyLedger(seeded.database.db);
    expect(found).toContainEqual(
      expect.objectContaining({
        invariant: 'I2',
        what: expect.stringContaining('empty'),
        reference: seeded.live,
      }),
    );
  });

  it('I2: half of a posting that was lost', async () => {
    const seeded = await seed();
    await damage(
      seeded,
      `delete from ledger_entries where transaction_id = ${journalOf(seeded.live)}
          and amount_minor > 0`,
    );
    const found = await verifyLedger(seeded.database.db);
    expect(found).toContainEqual(
      expect.objectContaining({ invariant: 'I2', reference: seeded.live }),
    );
  });

  it('I3: a balance that was changed without an entry', async () => {
    const seeded = await seed();
    await damage(
      seeded,
      `update ledger_accounts set balance_minor = balance_minor + 1
        where id = ${walletOf(seeded.alice, 'EUR')}`,
    );
    const fault = {
      invariant: 'I3',
      reference: await publicIdOf(seeded, walletOf(seeded.alice, 'EUR')),
    };
    expect(await verifyLedger(seeded.database.db)).toEqual([
      { ...fault, what: 'balance is not the sum of its entries' },
      { ...fault, what: 'balance is not that of its last entry' },
      { invariant: 'I23', what: 'safeguarding report does not add up', reference: 'live/EUR' },
    ]);
  });

  it('I3: a version that does not count the entries', async () => {
    const seeded = await seed();
    await damage(
      seeded,
      `update ledger_accounts set version = version + 1 where id = ${walletOf(seeded.alice)}`,
    );
    const reference = await publicIdOf(seeded, walletOf(seeded.alice));
    expect(await verifyLedger(seeded.database.db)).toMatchObject([
      { invariant: 'I3', reference },
      { invariant: 'I3', reference },
    ]);
  });

  it('I3: a balance after an entry that does not follow from the one before', async () => {
    const seeded = await seed();
    await damage(
      seeded,
      `update ledger_entries set balance_after_minor = balance_after_minor + 7
        where transaction_id = ${journalOf(seeded.live)} and account_id = ${walletOf(seeded.alice)}`,
    );
    const found = await verifyLedger(seeded.database.db);
    // The entry itself, and the next one, which continues from a balance that was not there.
    expect(found.filter(({ invariant }) => invariant === 'I3')).toHaveLength(2);
    expect(found).toContainEqual({
      invariant: 'I3',
      what: 'entry does not continue the balance before it',
      reference: seeded.live,
    });
  });

  it('I3: a wallet below zero, also when it is above again', async () => {
    const seeded = await seed();
    const account = walletOf(seeded.alice, 'EUR');
    await damage(
      seeded,
      `alter table ledger_accounts drop constraint wallet_balance`,
      `update ledger_accounts set balance_minor = -1 where id = ${walletOf(seeded.bob)}`,
      `update ledger_entries set balance_after_minor = -1 where account_id = ${account}
          and account_version = 1`,
    );
    const found = await verifyLedger(seeded.database.db);
    const below = found.filter(({ what }) => what === 'wallet was below zero');
    const ids = [await publicIdOf(seeded, account), await publicIdOf(seeded, walletOf(seeded.bob))];
    expect(below.map(({ reference }) => reference).sort()).toEqual(ids.sort());
  });

  it('I5: a transfer answered ok whose journal transaction was lost', async () => {
    const seeded = await seed();
    await damage(
      seeded,
      `delete from ledger_entries where transaction_id = ${journalOf(seeded.live)}`,
      `delete from ledger_transactions where reference = '${seeded.live}'`,
    );
    expect(await verifyLedger(seeded.database.db)).toContainEqual({
      invariant: 'I5',
      what: 'completed transfer without its one journal transaction, or the reverse',
      reference: seeded.live,
    });
  });

  it('I5: a journal transaction whose transfer was lost', async () => {
    const seeded = await seed();
    await damage(seeded, `delete from transfers where reference = '${seeded.live}'`);
    const found = await verifyLedger(seeded.database.db);
    expect(found).toContainEqual({
      invariant: 'I5',
      what: 'completed transfer without its one journal transaction, or the reverse',
      reference: seeded.live,
    });
    expect(found).toContainEqual({
      invariant: 'I5',
      what: 'transfer without the answer stored for its key, or the reverse',
      reference: seeded.live,
    });
  });

  it.each(['live', 'sandbox'] as const)(
    'I5: a %s transfer whose answer was lost',
    async (which) => {
      const seeded = await seed();
      await damage(seeded, `delete from idempotency_keys where reference = '${seeded[which]}'`);
      expect(await verifyLedger(seeded.database.db)).toEqual([
        {
          invariant: 'I5',
          what: 'transfer without the answer stored for its key, or the reverse',
          reference: seeded[which],
        },
      ]);
    },
  );

  it('I5: a JSON text in the history that is not of its row', async () => {
    const { database, live } = await seed();
    await database.owner.raw(
      `update transactions set status = 'reversed' where reference = ? and direction = 'in'`,
      [live],
    );
    expect(await verifyLedger(database.db)).toEqual([
      { invariant: 'I5', what: 'history has another JSON text than its row', reference: live },
    ]);
  });

  it.each([
    ['is missing on one side', `delete from transactions where type = 'transfer_in'`],
    ['has another amount', `update transactions set amount_minor = 7 where direction = 'out'`],
    [
      'belongs to somebody else',
      `update transactions set user_id = gen_random_uuid() where direction = 'out'`,
    ],
  ])('I5: a transfer that %s in the history', async (_, sql) => {
    const seeded = await seed();
    await damage(seeded, `${sql} and reference = '${seeded.live}'`);
    expect(await verifyLedger(seeded.database.db)).toContainEqual({
      invariant: 'I5',
      what: 'transfer is not shown exactly once to each side with its figures',
      reference: seeded.live,
    });
  });

  it('sees in each check what was committed before it: it keeps no snapshot, which would keep dead rows', async () => {
    const seeded = await seed();
    const early = await openSession(seeded.database.owner_url);
    await early.query('begin; lock table ledger_entries');
    const verified = verifyLedger(seeded.database.db);
    await untilLocked(seeded.database, 'from ledger_entries');
    await damage(seeded, `delete from transactions where reference = '${seeded.live}'`);
    await early.query('rollback');
    expect(await verified).toContainEqual({
      invariant: 'I5',
      what: 'transfer is not shown exactly once to each side with its figures',
      reference: seeded.live,
    });
  });

  it('sees whole postings: one under way is no defect', async () => {
    const { database, alice, bob } = await seed();
    let isDone = false;
    const load = async (): Promise<void> => {
      while (!isDone)
        await post(database.db, [buildTransferRequest({ from: alice, to: bob, amount: 100n })]);
    };
    const loads = [load(), load(), load()];
    for (let i = 0; i < 20; i += 1) expect(await verifyLedger(database.db)).toEqual([]);
    isDone = true;
    await Promise.all(loads);
  });
});

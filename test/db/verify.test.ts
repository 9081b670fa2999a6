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

/** A violation of this invariant, which says this. */
const found = async (
  invariant: string,
  reference: string | Promise<string>,
  what = /./ as RegExp | string,
) =>
  expect.objectContaining({
    invariant,
    what: expect.stringMatching(what) as string,
    reference: await reference,
  }) as object;

describe('verifyLedger', () => {
  it('finds nothing in an empty ledger', async () => {
    expect(await verifyLedger((await createTestDatabase()).db)).toEqual([]);
  });

  it('finds nothing after postings and refusals of every kind', async () => {
    const { database } = await seed();
    expect(await verifyLedger(database.db)).toEqual([]);
  });

  const UNLIKE = 'completed transfer without its one journal transaction, or the reverse';
  const UNANSWERED = 'transfer without the answer stored for its key, or the reverse';
  const ofLive = (seeded: Seed) => `transaction_id = ${journalOf(seeded.live)}`;
  const aliceEuro = ({ alice }: Seed) => walletOf(alice, 'EUR');

  // The damage's own consequences are found beside it. A history that shows another transfer: damages.verify.test.ts.
  it.each<[string, (of: Seed) => string[], (of: Seed) => Promise<object>[]]>([
    [
      'I1 and I2: an entry that was changed',
      (of) => [
        `update ledger_entries set amount_minor = amount_minor + 100
          where ${ofLive(of)} and account_id = ${walletOf(of.bob)}`,
      ],
      (of) => [
        found('I1', 'live/XOF'),
        found('I2', of.live),
        found('I3', publicIdOf(of, walletOf(of.bob))),
      ],
    ],
    [
      'I2: a journal transaction whose entries were lost',
      (of) => [`delete from ledger_entries where ${ofLive(of)}`],
      (of) => [found('I2', of.live, /empty/)],
    ],
    [
      'I2: half of a posting that was lost',
      (of) => [`delete from ledger_entries where ${ofLive(of)} and amount_minor > 0`],
      (of) => [found('I2', of.live)],
    ],
    [
      'I3: a balance that was changed without an entry',
      (of) => [
        `update ledger_accounts set balance_minor = balance_minor + 1 where id = ${aliceEuro(of)}`,
      ],
      (of) => [
        found('I3', publicIdOf(of, aliceEuro(of)), /not the sum of its entries/),
        found('I3', publicIdOf(of, aliceEuro(of)), /not that of its last entry/),
        found('I23', 'live/EUR'),
      ],
    ],
    [
      'I3: a version that does not count the entries',
      (of) => [`update ledger_accounts set version = version + 1 where id = ${walletOf(of.alice)}`],
      (of) => [found('I3', publicIdOf(of, walletOf(of.alice)))],
    ],
    [
      'I3: a balance after an entry that does not follow from the one before',
      (of) => [
        `update ledger_entries set balance_after_minor = balance_after_minor + 7
          where ${ofLive(of)} and account_id = ${walletOf(of.alice)}`,
      ],
      (of) => [found('I3', of.live, /does not continue the balance before it/)],
    ],
    [
      'I3: a wallet below zero, also when it is above again',
      (of) => [
        `alter table ledger_accounts drop constraint wallet_balance`,
        `update ledger_accounts set balance_minor = -1 where id = ${walletOf(of.bob)}`,
        `update ledger_entries set balance_after_minor = -1
          where account_id = ${aliceEuro(of)} and account_version = 1`,
      ],
      (of) =>
        [aliceEuro(of), walletOf(of.bob)].map((wallet) =>
          found('I3', publicIdOf(of, wallet), /wallet was below zero/),
        ),
    ],
    [
      'I5: a transfer answered ok whose journal transaction was lost',
      (of) => [
        `delete from ledger_entries where ${ofLive(of)}`,
        `delete from ledger_transactions where reference = '${of.live}'`,
      ],
      (of) => [found('I5', of.live, UNLIKE)],
    ],
    [
      'I5: a journal transaction whose transfer was lost',
      (of) => [`delete from transfers where reference = '${of.live}'`],
      (of) => [found('I5', of.live, UNLIKE), found('I5', of.live, UNANSWERED)],
    ],
    ...(['live', 'sandbox'] as const).map(
      (which): [string, (of: Seed) => string[], (of: Seed) => Promise<object>[]] => [
        `I5: a ${which} transfer whose answer was lost`,
        (of) => [`delete from idempotency_keys where reference = '${of[which]}'`],
        (of) => [found('I5', of[which], UNANSWERED)],
      ],
    ),
  ])('%s', async (_, statements, expected) => {
    const seeded = await seed();
    await damage(seeded, ...statements(seeded));
    const violations = await Promise.all(expected(seeded));
    expect(await verifyLedger(seeded.database.db)).toEqual(expect.arrayContaining(violations));
  });

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

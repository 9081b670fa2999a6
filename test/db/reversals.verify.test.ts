// I18: each defect is made as a superuser, with triggers switched off, and must be named.

import { verifyLedger, type Violation } from '../../db/verify';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { postOne } from '../support/postings';
import { buildReversalRequest, reverse } from '../support/reversals';
import { buildUser, type TestUser } from '../support/users';

let database: TestDatabase;
let sender: TestUser;
let recipient: TestUser;

beforeEach(async () => {
  database = await createTestDatabase();
  const funds = { live: { XOF: 10_000_000n } };
  sender = await buildUser(database.db, { funds });
  recipient = await buildUser(database.db, { funds });
});

// Each test has one, and together they would take all the connections that Postgres has.
afterEach(() => database.close());

async function sent(): Promise<string> {
  const { reference } = await postOne(database.db, {
    from: sender,
    to: recipient,
    amount: 500_000n,
  });
  return reference!;
}

describe('ledger verify names a reversal', () => {
  interface Seed {
    readonly transfer: string;
    readonly reversal: string;
  }

  async function seed(): Promise<Seed> {
    const transfer = await sent();
    const request = buildReversalRequest({
      by: recipient,
      transfer_reference: transfer,
      amount: 100_000n,
    });
    await reverse(database.db, request);
    expect(await verifyLedger(database.db)).toEqual([]);
    return { transfer, reversal: request.reference };
  }

  async function damage(sql: string): Promise<Violation[]> {
    await database.owner.transaction(async (tx) => {
      await tx.raw('set local session_replication_role = replica');
      const { rowCount } = (await tx.raw(sql)) as { rowCount: number | null };
      expect(rowCount).not.toBe(0);
    });
    return verifyLedger(database.db);
  }

  it.each<[string, (seed: Seed) => string, string, keyof Seed]>([
    [
      'that its transfer does not count',
      ({ transfer }) => `update transfers set reversed_minor = 0 where reference = '${transfer}'`,
      'more of a transfer was reversed than it moved, or it says another sum',
      'transfer',
    ],
    [
      'of a transfer of others',
      ({ reversal }) =>
        `update reversals set user_id = gen_random_uuid() where reference = '${reversal}'`,
      'reversal is of a transfer of other parties, or of none',
      'reversal',
    ],
    [
      'that is not in the journal',
      ({ reversal }) =>
        `update ledger_transactions set kind = 'adjustment' where reference = '${reversal}'`,
      'reversal without its one journal transaction, or the reverse',
      'reversal',
    ],
    [
      'of other figures',
      ({ reversal }) => `update reversals set amount_minor = 90000 where reference = '${reversal}'`,
      'reversal moved other figures than its own',
      'reversal',
    ],
    [
      'that one side does not see',
      ({ reversal }) =>
        `delete from transactions where reference = '${reversal}' and direction = 'in'`,
      'reversal is not shown exactly once to each side with its figures',
      'reversal',
    ],
    [
      'that was never made',
      ({ reversal }) => `delete from reversals where reference = '${reversal}'`,
      'history shows a reversal that was never made',
      'reversal',
    ],
    [
      'without the response of its key',
      ({ reversal }) => `delete from idempotency_keys where reference = '${reversal}'`,
      'reversal without the response stored for its key, or the reverse',
      'reversal',
    ],
  ])('%s', async (_, sql, what, reference) => {
    const seeded = await seed();
    expect(await damage(sql(seeded))).toContainEqual({
      invariant: what.includes('response stored') ? 'I14' : 'I18',
      what,
      reference: seeded[reference],
    });
  });
});

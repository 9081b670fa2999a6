// A red test tells what broke: who asked for what the database refused, what a condition saw at last,
// and which test broke the books.

import { findIntent } from '../../db/payment-intents/intent-views';
import { listWallets } from '../../db/ledger/wallets';
import { expectBooksHold } from './books';
import { createTestDatabase, setUp } from './database';
import { buildTransferRequest, post } from './postings';
import { buildUser } from './users';
import { waitFor } from './wait';

const database = setUp(createTestDatabase);

async function errorOf(failing: Promise<unknown>): Promise<Error> {
  return failing.then(
    () => {
      throw new Error('It did not fail.');
    },
    (error: Error) => error,
  );
}

describe('an error of the database', () => {
  it.each([
    [
      'on a connection of the pool',
      'statement post_transfer_batch, PL/pgSQL function post_transfer_batch(jsonb,jsonb)',
      async function askPool() {
        const user = { ...(await buildUser(database.db)), id: 'no uuid' };
        await post(database.db, [buildTransferRequest({ from: user, to: user, amount: 1n })]);
      },
    ],
    [
      'of a look-up',
      'statement find_intent_by_id',
      async function askPipeline() {
        const scope = { user_id: 'no uuid', environment: 'live', pay_url_base: '' } as const;
        await findIntent(database.db, scope, { id: 'no uuid' });
      },
    ],
    [
      'of a batched look-up',
      'statement list_wallets',
      async function askBatched() {
        await listWallets(database.db, 'no uuid', 'live');
      },
    ],
  ])('%s names its statement and who asked, and not the room of all statements', async (...one) => {
    const [, statement, ask] = one;
    const { stack } = await errorOf(ask());
    expect(stack).toContain('a value that Postgres refused (string_to_uuid)');
    expect(stack).toContain(statement);
    expect(stack).toContain(ask.name);
    expect(stack).not.toContain('db/connect.ts');
  });

  it('of a test’s own statement points at the test', async () => {
    const { stack } = await errorOf(database.owner.raw('select nothing').then());
    expect(stack).toContain('messages.test.ts');
  });
});

describe('waitFor', () => {
  it('says what the condition saw at last', async () => {
    let asked = 0;
    const waiting = waitFor(async () => {
      asked += 1;
      const { rows } = await database.db.raw(`select 'seen ' || ?::int as what`, [asked]);
      return (rows as { what: string }[])[0]!.what === 'never';
    }, 500);
    const { message } = await errorOf(waiting);
    expect(message).toContain(`"what":"seen ${asked}"`);
    expect(message).not.toContain(`"what":"seen ${asked - 1}"`);
  });
});

describe('the books after each test', () => {
  it('are red for the test that broke them, and not for the next', async () => {
    const { owner, db } = database;
    const { id } = await buildUser(db, { funds: { live: { EUR: 500n } } });
    await expectBooksHold(db);
    await owner.raw(
      `update ledger_accounts set balance_minor = 501
        where user_id = ? and environment = 'live' and currency = 'EUR'`,
      [id],
    );
    const { message } = await errorOf(expectBooksHold(db));
    expect(message).toContain('broken_by_this_test');
    expect(message).toContain('balance is not the sum of its entries');
    await expectBooksHold(db);
  });
});

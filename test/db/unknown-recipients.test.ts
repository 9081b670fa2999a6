// How many usernames that nobody has an account may try, and what it may learn beyond that.

import { expectBooksHold } from '../support/books';
import { connectAgain, createTestDatabase, type TestDatabase } from '../support/database';
import { buildTransferRequest, insist, post, postOne } from '../support/postings';
import { buildUser, type TestUser } from '../support/users';
import { findUnknownRecipientWait } from '../../db/transfers';
import type { Db } from '../../db/connect';
import type { Environment } from '../../domain/environment';
import type { TransferRequest, TransferResult } from '../../domain/transfer';

let database: TestDatabase;
let alice: TestUser;
let bob: TestUser;
let rich: TestUser;

beforeAll(async () => {
  database = await createTestDatabase();
  rich = await buildUser(database.db, { funds: { live: { EUR: 999_999_999_999_999n } } });
});

beforeEach(async () => {
  const funds = { XOF: 1_000_000n, EUR: 10_000n };
  alice = await buildUser(database.db, { funds: { live: funds, sandbox: funds } });
  bob = await buildUser(database.db);
});

afterEach(async () => {
  await expectBooksHold(database.db);
});

const LIMIT = 30;

interface Try {
  readonly to_username?: string;
  readonly to?: TestUser;
  readonly amount?: bigint;
  readonly environment?: Environment;
  readonly currency?: 'XOF' | 'EUR';
}

async function outcomeOf(fields: Try, from = alice): Promise<string> {
  return (await postOne(database.db, { from, amount: 100n, ...fields })).outcome;
}

/** Tries as many unknown names as are allowed, all in one call. */
async function useUp(
  environment: Environment = 'live',
  from = alice,
  count = LIMIT,
): Promise<void> {
  const requests = Array.from({ length: count }, (_, index) =>
    buildTransferRequest({ from, to_username: `nobody-${index}`, amount: 100n, environment }),
  );
  const results = await post(database.db, requests);
  expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['recipient_not_found']));
}

async function storedNames(user = alice): Promise<number> {
  const { rows } = await database.owner.raw(
    'select count(*)::int as count from unknown_recipients where user_id = ?',
    [user.id],
  );
  return (rows as { count: number }[])[0]!.count;
}

/** As if the account's tries had been made earlier. */
async function age(minutes: number, user = alice): Promise<void> {
  await database.owner.raw(
    `update unknown_recipients set tried_at = tried_at - ? * interval '1 minute' where user_id = ?`,
    [minutes, user.id],
  );
}

describe.each(['live', 'sandbox'] as const)('unknown recipients in %s', (environment) => {
  it('B4 are answered 30 times an hour, and refused from the 31st on; nothing is stored for it', async () => {
    await useUp(environment);
    const request = buildTransferRequest({
      from: alice,
      to_username: 'nobody-else',
      amount: 100n,
      environment,
    });
    const refused = { outcome: 'unknown_recipient_limit', reference: null, is_replay: false };
    expect(await post(database.db, [request])).toEqual([refused]);
    // The key stayed free.
    await age(61);
    expect((await post(database.db, [request]))[0]!.outcome).toBe('recipient_not_found');
  });

  it('B4 count once however often they are tried, and stay answered', async () => {
    for (let i = 0; i < 3; i += 1) await useUp(environment);
    expect(await storedNames()).toBe(LIMIT);
    expect(await outcomeOf({ to_username: 'nobody-3', environment })).toBe('recipient_not_found');
    expect(await outcomeOf({ to_username: 'nobody-else', environment })).toBe(
      'unknown_recipient_limit',
    );
  });
});

describe('past the limit', () => {
  it('a payment still goes through, in live, to anyone who exists', async () => {
    await useUp();
    expect(await outcomeOf({ to: bob })).toBe('completed');
    expect(await outcomeOf({ to_username: 'nobody-else' })).toBe('unknown_recipient_limit');
  });

  it('only a payment tells a stranger from nobody: each other response is the same', async () => {
    await useUp();
    await useUp('sandbox');
    const refused = 'unknown_recipient_limit';
    for (const to of [{ to: bob }, { to_username: 'nobody-else' }]) {
      expect(await outcomeOf({ ...to, amount: 100_000_000n })).toBe(refused);
      expect(await outcomeOf({ ...to, environment: 'sandbox' })).toBe(refused);
      expect(await outcomeOf({ ...to, environment: 'sandbox', amount: 100_000_000n })).toBe(
        refused,
      );
    }
    expect(await outcomeOf({ to: rich, currency: 'EUR' })).toBe(refused);
  });

  it.each(['live', 'sandbox'] as const)(
    'recipients of earlier transfers are answered as ever, in %s',
    async (environment) => {
      const sent = environment === 'live' ? 'completed' : 'simulated';
      expect(await outcomeOf({ to: bob, environment })).toBe(sent);
      await useUp(environment);
      expect(await outcomeOf({ to: bob, environment })).toBe(sent);
      expect(await outcomeOf({ to: bob, environment, amount: 100_000_000n })).toBe(
        'insufficient_funds',
      );
    },
  );

  it('replays are answered, and count for nothing', async () => {
    const request = buildTransferRequest({ from: alice, to_username: 'nobody-0', amount: 100n });
    const [first] = await post(database.db, [request]);
    await age(120);
    for (let i = 0; i < 3; i += 1) {
      expect(await post(database.db, [request])).toEqual([{ ...first, is_replay: true }]);
    }
    await useUp('live', alice, LIMIT);
    expect(await post(database.db, [request])).toEqual([{ ...first, is_replay: true }]);
  });

  it('other accounts and the other environment have their own count', async () => {
    await useUp();
    expect(await outcomeOf({ to_username: 'nobody-else', environment: 'sandbox' })).toBe(
      'recipient_not_found',
    );
    expect(await outcomeOf({ to_username: 'nobody-else' }, bob)).toBe('recipient_not_found');
  });

  it('names are forgotten after an hour, and so is their storage', async () => {
    await useUp();
    await age(59);
    expect(await outcomeOf({ to_username: 'nobody-else' })).toBe('unknown_recipient_limit');
    expect(await findUnknownRecipientWait(database.db, alice.id, 'live')).toBeLessThanOrEqual(60);
    await age(2);
    expect(await outcomeOf({ to_username: 'nobody-else' })).toBe('recipient_not_found');
    expect(await storedNames()).toBe(1);
  });

  it('the limit is a column of the account', async () => {
    await database.owner.raw('update users set unknown_recipients_per_hour = 2 where id = ?', [
      alice.id,
    ]);
    await useUp('live', alice, 2);
    expect(await outcomeOf({ to_username: 'nobody-else' })).toBe('unknown_recipient_limit');
  });
});

/** As the activity does: where another holds a sender's count, each is tried alone. */
async function postThenAlone(
  db: Db,
  batch: readonly TransferRequest[],
): Promise<readonly TransferResult[]> {
  try {
    return await post(db, batch);
  } catch (error) {
    if ((error as { code?: unknown }).code !== '55P03') throw error;
    return (await Promise.all(batch.map((one) => insist(() => post(db, [one]))))).flat();
  }
}

describe('at the same time', () => {
  it('many processes let no more names through, and their batches do not wait in a circle', async () => {
    const others = await Promise.all(
      Array.from({ length: 3 }, () =>
        buildUser(database.db, { funds: { live: { XOF: 10_000n } } }),
      ),
    );
    const senders = [alice, ...others];
    const pools = [database.db, connectAgain(database), connectAgain(database)];
    const batches = Array.from({ length: 24 }, (_, batch) => {
      // Each batch names the senders, and their unknown names, in another order.
      const order = batch % 2 === 0 ? senders : senders.toReversed();
      return order.flatMap((from) =>
        [batch * 2, batch * 2 + 1].map((name) =>
          buildTransferRequest({ from, to_username: `nobody-${name}`, amount: 100n }),
        ),
      );
    });
    const results = await Promise.all(
      batches.map((batch, index) => postThenAlone(pools[index % pools.length]!, batch)),
    );
    const answered = results.flat().filter(({ outcome }) => outcome === 'recipient_not_found');
    expect(answered).toHaveLength(LIMIT * senders.length);
    for (const sender of senders) expect(await storedNames(sender)).toBe(LIMIT);
  });
});

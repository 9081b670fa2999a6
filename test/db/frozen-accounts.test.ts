// A frozen account: nothing leaves its wallets, whatever posts, and money may still arrive.

import { randomUUID } from 'node:crypto';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import {
  connectAgain,
  createTestDatabase,
  openSession,
  setUp,
  untilLocked,
} from '../support/database';
import { buildTransferRequest, post, postOne, postingValues } from '../support/postings';
import { buildApiKey, buildUser, fund, type TestUser } from '../support/users';
import { authenticate, identify } from '../../db/keys/api-keys';
import { listAuditRows } from '../../db/operators/audit';
import { findStoredResponse } from '../../db/requests/orders';
import { createIntent } from '../../db/payment-intents/intents';
import { applyNotification, storeNotification } from '../../db/suspense/notifications';
import { acceptSuspense, listSuspense } from '../../db/suspense/suspense';
import { findUserByName, freezeAccount, unfreezeAccount } from '../../db/accounts/users';
import { hashApiKey } from '../../secrets/api-key';
import { buildNewIntent, notificationOf, openAtOnce } from '../workflows/intents';

const PAY_URL = 'https://pay.example.com';

const database = setUp(createTestDatabase);
let alice: TestUser;
let bob: TestUser;

beforeEach(async () => {
  const funds = { XOF: 1_000_000n };
  alice = await buildUser(database.db, { funds: { live: funds, sandbox: funds } });
  bob = await buildUser(database.db, { funds: { live: funds } });
});

afterEach(async () => {
  await expectBooksHold(database.db);
});

const freeze = (user: TestUser, reason = 'stolen card', db = database.owner) =>
  freezeAccount(db, user.id, reason, 'tests');
const unfreeze = (user: TestUser) => unfreezeAccount(database.owner, user.id, 'all clear', 'tests');

/** Resolves when some other session waits for a lock. */
async function waitForLock(): Promise<void> {
  await untilLocked(database, '');
}

describe('a frozen account', () => {
  it.each(['live', 'sandbox'] as const)(
    'sends nothing in %s, and its keys stay free',
    async (environment) => {
      await freeze(alice);
      const request = buildTransferRequest({ from: alice, to: bob, amount: 100n, environment });
      const [result] = await post(database.db, [request]);
      expect(result).toEqual({ outcome: 'account_frozen', reference: null, is_replay: false });
      const scope = {
        user_id: alice.id,
        environment,
        operation: 'transfer',
        key: request.key,
      } as const;
      expect(await findStoredResponse(database.db, scope)).toBeUndefined();
      await unfreeze(alice);
      const [after] = await post(database.db, [request]);
      expect(after).toMatchObject({
        outcome: environment === 'live' ? 'completed' : 'simulated',
        is_replay: false,
      });
    },
  );

  it.each([
    ['an unknown recipient', { to_username: 'nobody-at-all', amount: 1n }],
    ['more than it has', { amount: 100_000_000n }],
  ])('is told so before anything else: %s', async (_name, fields) => {
    await freeze(alice);
    const { outcome } = await postOne(database.db, { from: alice, to: bob, ...fields });
    expect(outcome).toBe('account_frozen');
  });

  it('receives transfers and credits', async () => {
    await freeze(alice);
    expect((await postOne(database.db, { from: bob, to: alice, amount: 500n })).outcome).toBe(
      'completed',
    );
    await fund(database.db, alice.id, 'live', 'XOF', 300n);
    expect(await balanceOf(database.db, alice)).toBe(1_000_800n);
  });

  it('receives money that was held in suspense, when an operator accepts it', async () => {
    const intent = buildNewIntent(alice, 'sandbox', { environment: 'live' });
    await createIntent(database.db, intent);
    const checkout = { session_id: intent.id, checkout_url: PAY_URL, lapses_at: null };
    await openAtOnce(database.db, intent.id, checkout);
    // Paid twice: the second payment is held.
    for (let paid = 0; paid < 2; paid += 1) {
      const notification = notificationOf(intent);
      const { id } = await storeNotification(
        database.db,
        'sandbox',
        notification,
        Buffer.from('{}'),
      );
      await applyNotification(database.db, id, PAY_URL);
    }
    const [held] = (await listSuspense(database.db, false)).filter(
      ({ intent_id }) => intent_id === intent.id,
    );
    await freeze(alice);
    const wallet = () => balanceOf(database.db, alice, intent.currency);
    const before = await wallet();
    expect(await acceptSuspense(database.operator, held!.id, 'tests')).toBeDefined();
    expect(await wallet()).toBe(before + held!.amount_minor);
    // And stays there.
    const back = { from: alice, to: bob, amount: held!.amount_minor, currency: intent.currency };
    expect((await postOne(database.db, back)).outcome).toBe('account_frozen');
  });

  it('has the outcome of what was posted before: a retried activity reports what happened', async () => {
    const request = buildTransferRequest({ from: alice, to: bob, amount: 100n });
    const [first] = await post(database.db, [request]);
    await freeze(alice);
    const [again] = await post(database.db, [request]);
    expect(again).toEqual({ ...first, is_replay: true });
  });

  it('is debited by no posting, also by one that does not ask: post_entries refuses', async () => {
    const wallets = async (user: TestUser): Promise<string> => {
      const { rows } = await database.owner.raw(
        `select id from ledger_accounts where user_id = ? and environment = 'live' and currency = 'XOF'`,
        [user.id],
      );
      return String(rows[0].id);
    };
    const [from, to] = [await wallets(alice), await wallets(bob)];
    await freeze(alice);
    const move = (amount: number) =>
      database.owner.raw(
        `select post_entries(gen_random_uuid(), :ref, 'transfer', '', 'live', 'XOF', array[
           row(:from::bigint, -:amount::bigint)::ledger_leg, row(:to::bigint, :amount::bigint)::ledger_leg])`,
        { ref: `TRF-${randomUUID()}`, from, to, amount },
      );
    await expect(move(100)).rejects.toThrow('takes from a wallet that is held');
  });
});

describe('freezing', () => {
  it('keeps the first time and reason, and leaves one audit row with its actor for each change', async () => {
    expect(await freeze(alice, 'first')).toBe(true);
    const frozen = await findUserByName(database.db, alice.username);
    expect(frozen).toMatchObject({
      frozen_at: expect.stringMatching(/Z$/),
      frozen_reason: 'first',
    });
    expect(await freeze(alice, 'second')).toBe(false);
    expect(await findUserByName(database.db, alice.username)).toEqual(frozen);
    expect(await unfreeze(alice)).toBe(true);
    expect(await unfreeze(alice)).toBe(false);
    expect(await findUserByName(database.db, alice.username)).toMatchObject({
      frozen_at: null,
      frozen_reason: null,
    });
    const { username } = alice;
    const rows = await listAuditRows(database.owner, { username, actor: 'tests' }, 10);
    const of_both = { actor: 'tests', subject: `user/${username}` };
    expect(rows).toMatchObject([
      {
        ...of_both,
        action: 'users.unfreeze',
        details: { username, reason: 'all clear', frozen_reason: 'first' },
      },
      { ...of_both, action: 'users.freeze', details: { username, reason: 'first' } },
    ]);
    expect(rows).toHaveLength(2);
  });

  it('leaves no audit row when it is rolled back', async () => {
    const session = await openSession(database.owner_url);
    await session.query('begin');
    await session.query(`select freeze_account($1, 'why', 'tests')`, [alice.id]);
    await session.query('rollback');
    expect(
      await listAuditRows(database.owner, { username: alice.username, actor: 'tests' }, 10),
    ).toEqual([]);
    expect((await postOne(database.db, { from: alice, to: bob, amount: 1n * 100n })).outcome).toBe(
      'completed',
    );
  });

  it('waits for a posting that has the wallet, and refuses the one behind it', async () => {
    const posting = await openSession(database.app_url);
    await posting.query('begin');
    const early = buildTransferRequest({ from: alice, to: bob, amount: 100n });
    const { rows } = await posting.query(
      'select outcome from post_transfer_batch($1, $2)',
      postingValues([early]),
    );
    expect(rows).toEqual([{ outcome: 'completed' }]);
    const freezing = freeze(alice);
    await waitForLock();
    await posting.query('commit');
    await freezing;
    expect((await postOne(database.db, { from: alice, to: bob, amount: 100n })).outcome).toBe(
      'account_frozen',
    );
    expect(await balanceOf(database.db, alice)).toBe(999_900n);
  });

  it('holds when the posting of transfers forgets to look', async () => {
    await freeze(alice);
    const { rows } = await database.owner.raw(
      `select pg_get_functiondef('decide_transfers'::regproc) as source`,
    );
    const careful = (rows as { source: string }[])[0]!.source;
    const careless = careful.replace('when payer.held_by is not null then payer.held_by', '');
    expect(careless).not.toBe(careful);
    await database.owner.raw(careless.replaceAll('?', '\\?'));
    try {
      const call = postOne(database.db, { from: alice, to: bob, amount: 100n });
      await expect(call).rejects.toMatchObject({ code: '23514' });
    } finally {
      await database.owner.raw(careful.replaceAll('?', '\\?'));
    }
    expect(await balanceOf(database.db, alice)).toBe(1_000_000n);
  });

  it('holds for a posting that waits for it', async () => {
    const session = await openSession(database.owner_url);
    await session.query('begin');
    await session.query(`select freeze_account($1, 'why', 'tests')`, [alice.id]);
    const posting = postOne(database.db, { from: alice, to: bob, amount: 100n });
    await waitForLock();
    await session.query('commit');
    expect((await posting).outcome).toBe('account_frozen');
    expect(await balanceOf(database.db, alice)).toBe(1_000_000n);
  });
});

describe('the keys of a frozen account', () => {
  it('are known, counted or reserved, and marked from the next call on, by every process', async () => {
    const { key } = await buildApiKey(database.db, { user: alice, requests_per_minute: 6_000 });
    const hash = hashApiKey(key);
    const pools = [database.db, connectAgain(database)];
    const ask = () =>
      Promise.all(
        pools.flatMap((db) => [
          authenticate(db, hash, false, { may_reserve: true }),
          identify(db, hash),
        ]),
      );
    expect((await ask()).map((caller) => caller?.is_frozen)).toEqual([false, false, false, false]);
    await freeze(alice);
    expect((await ask()).map((caller) => caller?.is_frozen)).toEqual([true, true, true, true]);
    await unfreeze(alice);
    expect((await ask()).map((caller) => caller?.is_frozen)).toEqual([false, false, false, false]);
  });
});

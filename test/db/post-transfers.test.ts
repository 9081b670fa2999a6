import type { Client } from 'pg';
import { expectBooksHold } from '../support/books';
import {
  connectAgain,
  createTestDatabase,
  openSession,
  pastLock,
  setUp,
  untilLocked,
} from '../support/database';
import { balanceOf } from '../support/balances';
import { countTableReads } from '../support/plans';
import { buildApiKey, buildUser, fund, type TestUser } from '../support/users';
import { listTransactions } from '../support/transactions';
import {
  buildTransferRequest,
  insist,
  post,
  postingValues,
  postOne,
  responsesOf,
  type TransferRequestOptions,
} from '../support/postings';
import { findTransfer } from '../../db/transfers/transfers';

import type { Environment } from '../../domain/environment';

const database = setUp(createTestDatabase);
let alice: TestUser;
let bob: TestUser;

beforeEach(async () => {
  alice = await buildUser(database.db, {
    funds: { live: { XOF: 1_000_000n, EUR: 10_000n }, sandbox: { XOF: 1_000_000n } },
  });
  bob = await buildUser(database.db);
});

afterEach(async () => {
  await expectBooksHold(database.db);
});

async function countRows(table: string): Promise<number> {
  const { rows } = await database.owner.raw(`select count(*)::int as count from ${table}`);
  return (rows as { count: number }[])[0]!.count;
}

async function countAll(): Promise<Record<string, number>> {
  const tables = [
    'ledger_transactions',
    'ledger_entries',
    'transfers',
    'transactions',
    'idempotency_keys',
  ];
  const counts = await Promise.all(tables.map(countRows));
  return Object.fromEntries(tables.map((table, index) => [table, counts[index]!]));
}

function history(user: TestUser, environment: Environment = 'live') {
  return listTransactions(database.db, {
    user_id: user.id,
    environment,
    before: undefined,
    limit: 100,
    types: ['transfer_in', 'transfer_out'],
  });
}

describe('post_transfer_batch, completed', () => {
  it('moves the amount and keeps the answer that was rendered before', async () => {
    const request = buildTransferRequest({ from: alice, to: bob, amount: 250_000n });
    const [outcome] = await post(database.db, [request]);
    expect(outcome).toEqual({
      outcome: 'completed',
      reference: request.reference,
      is_replay: false,
      response: { ...responsesOf(request).completed, fingerprint: request.fingerprint },
    });
    expect(await balanceOf(database.db, alice)).toBe(750_000n);
    expect(await balanceOf(database.db, bob)).toBe(250_000n);
  });

  it('shows itself to both sides with the balance after it', async () => {
    const request = buildTransferRequest({ from: alice, to: bob, amount: 250_000n });
    await post(database.db, [request]);
    const shared = {
      status: 'completed',
      currency: 'XOF',
      amount_minor: 250_000n,
      fee_minor: 0n,
      reference: request.reference,
    };
    expect(await history(alice)).toMatchObject([
      {
        ...shared,
        type: 'transfer_out',
        direction: 'out',
        balance_after_minor: 750_000n,
        counterparty: bob.username,
      },
    ]);
    expect(await history(bob)).toMatchObject([
      {
        ...shared,
        type: 'transfer_in',
        direction: 'in',
        balance_after_minor: 250_000n,
        counterparty: alice.username,
      },
    ]);
  });

  it('can be read back by both sides and by nobody else', async () => {
    const outcome = await postOne(database.db, { from: alice, to: bob, amount: 100n });
    const reference = outcome.reference!;
    const carol = await buildUser(database.db);
    const read = (user: TestUser, environment: Environment = 'live') =>
      findTransfer(database.db, user.id, environment, reference);
    expect(await read(alice)).toMatchObject({
      direction: 'out',
      from_username: alice.username,
      to_username: bob.username,
      amount_minor: 100n,
      status: 'completed',
      simulated: false,
    });
    expect(await read(bob)).toMatchObject({ direction: 'in' });
    expect(await read(carol)).toBeUndefined();
    expect(await read(alice, 'sandbox')).toBeUndefined();
  });

  it('takes the whole balance, and not one unit more', async () => {
    const all = await postOne(database.db, { from: alice, to: bob, amount: 1_000_000n });
    expect(all.outcome).toBe('completed');
    const more = await postOne(database.db, { from: alice, to: bob, amount: 100n });
    expect(more.outcome).toBe('insufficient_funds');
    expect(await balanceOf(database.db, alice)).toBe(0n);
  });
});

describe('post_transfer_batch, refused', () => {
  it.each([
    ['§7 insufficient_funds', { amount: 1_000_100n }],
    ['§7 recipient_not_found', { amount: 100n, to_username: 'nobody-of-this-name' }],
  ] as const)('%s is kept under the key and moves nothing', async (row, options) => {
    const outcome = row.slice(3) as 'insufficient_funds' | 'recipient_not_found';
    const before = await countAll();
    const request = buildTransferRequest({ from: alice, to: bob, ...options });
    expect(await post(database.db, [request])).toEqual([
      {
        outcome,
        reference: null,
        is_replay: false,
        response: { ...responsesOf(request)[outcome], fingerprint: request.fingerprint },
      },
    ]);
    expect(await countAll()).toEqual({
      ...before,
      idempotency_keys: before['idempotency_keys']! + 1,
    });
  });

  it('keeps refusing under the same key when the funds have come', async () => {
    const request = buildTransferRequest({ from: bob, to: alice, amount: 500n });
    expect((await post(database.db, [request]))[0]!.outcome).toBe('insufficient_funds');
    await fund(database.db, bob.id, 'live', 'XOF', 100_000n);
    expect((await post(database.db, [request]))[0]).toMatchObject({
      outcome: 'insufficient_funds',
      is_replay: true,
    });
    expect(await balanceOf(database.db, bob)).toBe(100_000n);
  });

  it.each([
    ['lapsed', { accept_before: new Date(Date.now() - 1).toISOString() }],
    ['self_transfer', { to: 'alice' }],
    ['limit_exceeded', { to: 'rich' }],
  ] as const)('%s writes nothing and leaves the key free', async (outcome, { ...options }) => {
    const rich = await buildUser(database.db);
    await fund(database.db, rich.id, 'live', 'XOF', 999_999_999_999_900n);
    const to = 'to' in options ? { alice, rich }[options.to] : bob;
    const accept = 'accept_before' in options ? { accept_before: options.accept_before } : {};
    const key = 'kept-free';
    const before = await countAll();
    const refused = await postOne(database.db, { from: alice, to, amount: 1_000n, key, ...accept });
    const over = outcome === 'limit_exceeded' ? { over: { limit_name: 'recipient' } } : {};
    expect(refused).toEqual({ outcome, reference: null, is_replay: false, ...over });
    expect(await countAll()).toEqual(before);
    const retried = await postOne(database.db, { from: alice, to: bob, amount: 1_000n, key });
    expect(retried).toMatchObject({ outcome: 'completed', is_replay: false });
  });

  it('fills a wallet up to its limit of fifteen digits exactly', async () => {
    const rich = await buildUser(database.db);
    await fund(database.db, rich.id, 'live', 'EUR', 999_999_999_999_999n - 1_000n);
    const gift = { from: alice, to: rich, currency: 'EUR' } as const;
    expect((await postOne(database.db, { ...gift, amount: 1_001n })).outcome).toBe(
      'limit_exceeded',
    );
    expect((await postOne(database.db, { ...gift, amount: 1_000n })).outcome).toBe('completed');
  });
});

describe('post_transfer_batch, repeated', () => {
  it.each([
    ['completed', { amount: 250_000n }],
    ['insufficient_funds', { amount: 2_000_000n }],
    ['recipient_not_found', { amount: 100n, to_username: 'nobody-of-this-name' }],
    ['simulated', { amount: 250_000n, environment: 'sandbox' }],
  ] as const)('gives the first answer of %s byte for byte', async (outcome, options) => {
    const key = 'repeated';
    const first = await postOne(database.db, { from: alice, to: bob, key, ...options });
    const before = await countAll();
    // The retry has another reference, request id and deadline, so that other responses are rendered.
    const again = await postOne(database.db, { from: alice, to: bob, key, ...options });
    expect(first).toMatchObject({ outcome, is_replay: false });
    expect(again).toEqual({ ...first, is_replay: true });
    expect(await countAll()).toEqual(before);
  });

  it('gives the first answer also past the deadline and to another body', async () => {
    const first = await postOne(database.db, { from: alice, to: bob, amount: 100n, key: 'k' });
    const late = { accept_before: new Date(0).toISOString() };
    const again = await postOne(database.db, {
      from: alice,
      to: bob,
      amount: 900n,
      key: 'k',
      ...late,
    });
    expect(again).toEqual({ ...first, is_replay: true });
    expect(await balanceOf(database.db, alice)).toBe(999_900n);
  });

  it('keeps the keys of two senders and of two environments apart', async () => {
    await fund(database.db, bob.id, 'live', 'XOF', 1_000n);
    const key = 'shared';
    const outcomes = [
      await postOne(database.db, { from: alice, to: bob, amount: 100n, key }),
      await postOne(database.db, { from: bob, to: alice, amount: 100n, key }),
      await postOne(database.db, {
        from: alice,
        to: bob,
        amount: 100n,
        key,
        environment: 'sandbox',
      }),
    ];
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['completed', 'completed', 'simulated']);
    expect(new Set(outcomes.map(({ reference }) => reference)).size).toBe(3);
  });

  // The sandbox locks no account: only the key's own lock is left.
  it.each(['live', 'sandbox'] as const)(
    'has one effect for 200 simultaneous requests over several pools, %s',
    async (environment) => {
      const pools = [database.db, connectAgain(database), connectAgain(database)];
      const storm = { from: alice, to: bob, amount: 1_000n, key: 'storm' };
      const outcomes = await Promise.all(
        Array.from({ length: 200 }, (_, index) =>
          insist(() => postOne(pools[index % pools.length]!, { ...storm, environment })),
        ),
      );
      const bodies = new Set(outcomes.map(({ response }) => response?.body));
      expect(bodies.size).toBe(1);
      expect(outcomes.filter(({ is_replay }) => !is_replay)).toHaveLength(1);
      const moved = environment === 'live' ? 1_000n : 0n;
      expect(await balanceOf(database.db, alice)).toBe(1_000_000n - moved);
    },
  );

  it('waits for a request with the key that is about to be committed, also in the sandbox', async () => {
    const request = buildTransferRequest({
      from: alice,
      to: bob,
      amount: 100n,
      environment: 'sandbox',
    });
    const first = await openSession(database.app_url);
    await first.query('begin');
    await first.query('select from post_transfer_batch($1, $2)', postingValues([request]));
    const again = post(database.db, [request]);
    const ended = again.then(() => true, String);
    await untilLocked(database, 'post_transfer_batch');
    await first.query('commit');
    expect(await ended).toBe(true);
    expect(await again).toMatchObject([{ outcome: 'simulated', is_replay: true }]);
  });
});

describe('post_transfer_batch, in the sandbox', () => {
  const environment = 'sandbox';

  it('§4 is simulated: no entry, no balance changes, both sides see it', async () => {
    const before = await countAll();
    const outcome = await postOne(database.db, {
      from: alice,
      to: bob,
      amount: 250_000n,
      environment,
    });
    expect(outcome).toMatchObject({ outcome: 'simulated', response: { status: 200 } });
    expect(await countAll()).toEqual({
      ...before,
      transfers: before['transfers']! + 1,
      transactions: before['transactions']! + 2,
      idempotency_keys: before['idempotency_keys']! + 1,
    });
    const sides = [await history(alice, environment), await history(bob, environment)];
    expect(sides).toMatchObject([
      [{ type: 'transfer_out', status: 'simulated', balance_after_minor: 1_000_000n }],
      [{ type: 'transfer_in', status: 'simulated', balance_after_minor: 0n }],
    ]);
    expect(await history(alice)).toEqual([]);
  });

  it('is refused like a real one', async () => {
    const outcomes = [
      await postOne(database.db, { from: alice, to: bob, amount: 1_000_100n, environment }),
      await postOne(database.db, {
        from: alice,
        to_username: 'nobody-at-all',
        amount: 100n,
        environment,
      }),
      await postOne(database.db, { from: alice, to: alice, amount: 100n, environment }),
    ];
    expect(outcomes.map(({ outcome }) => outcome)).toEqual([
      'insufficient_funds',
      'recipient_not_found',
      'self_transfer',
    ]);
  });

  it('does not spend live money, nor live transfers sandbox money', async () => {
    const eur = { from: alice, to: bob, amount: 10_000n, currency: 'EUR' } as const;
    expect((await postOne(database.db, { ...eur, environment })).outcome).toBe(
      'insufficient_funds',
    );
    const carol = await buildUser(database.db, { funds: { sandbox: { USD: 500n } } });
    const usd = { from: carol, to: bob, amount: 500n, currency: 'USD' } as const;
    expect((await postOne(database.db, usd)).outcome).toBe('insufficient_funds');
  });
});

describe('post_transfer_batch, many in one call', () => {
  it('is all or nothing when one posting breaks a constraint', async () => {
    const before = await countAll();
    const reference = 'TRF-SAME0000000000000000';
    const call = post(database.db, [
      buildTransferRequest({ from: alice, to: bob, amount: 1_000n, reference }),
      buildTransferRequest({ from: alice, to: bob, amount: 1_000n, reference }),
    ]);
    await expect(call).rejects.toMatchObject({ code: '23505' });
    expect(await countAll()).toEqual(before);
  });
});

describe('post_transfer_batch, beside others', () => {
  it('locks only the wallets that it moves or counts', async () => {
    const { id: limited_key } = await buildApiKey(database.db, {
      user: alice,
      environment: 'sandbox',
      daily_limit: { XOF: '100000' },
    });
    const past = (user: TestUser, options: Partial<TransferRequestOptions>) =>
      pastLock(
        database,
        (session: Client) =>
          session.query('select from ledger_accounts where user_id = $1 for update', [user.id]),
        () => postOne(database.db, { from: alice, to: bob, amount: 100n, ...options }),
      );
    const results = [
      await past(alice, { to: alice }),
      await past(alice, { to_username: 'nobody-at-all' }),
      await past(alice, { environment: 'sandbox' }),
      await past(bob, { environment: 'sandbox', limited_key }),
    ];
    expect(results.map(({ outcome }) => outcome)).toEqual([
      'self_transfer',
      'recipient_not_found',
      'simulated',
      'simulated',
    ]);
  });

  it('reads its own accounts alone', async () => {
    const post = () => {
      const request = buildTransferRequest({ from: alice, to: bob, amount: 100n });
      return postingValues([request]);
    };
    const { ledger_accounts } = await database.owner.transaction(async (tx) => {
      // A session plans the function's statements at its first call, and planning reads, too.
      await tx.raw('select from post_transfer_batch(?, ?)', post());
      return countTableReads(tx, ['ledger_accounts'], () =>
        tx.raw('select from post_transfer_batch(?, ?)', post()),
      );
    });
    expect(ledger_accounts).toBeLessThan(20);
  });

  it('follows what its sides show in its environment, and no other history', async () => {
    const carol = await buildUser(database.db);
    for (const [user, environment, ahead] of [
      [carol, 'live', '1 hour'],
      [alice, 'sandbox', '2 hours'],
    ] as const) {
      await database.owner.raw(
        `update ledger_accounts set last_posted_at = now() + ?::interval
          where user_id = ? and environment = ?`,
        [ahead, user.id, environment],
      );
      await fund(database.db, user.id, environment, 'EUR', 100n);
    }
    await postOne(database.db, { from: alice, to: bob, amount: 100n });
    const [shown] = await history(alice);
    expect(Date.parse(shown!.created_at)).toBeLessThan(Date.now() + 1_800_000);
  });
});

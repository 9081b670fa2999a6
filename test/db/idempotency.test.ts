import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import type { Client } from 'pg';
import { connectAgain, createTestDatabase, openSession, setUp } from '../support/database';
import { buildNewBatch, storeBatch } from '../support/payout-batches';
import { buildPaymentLink } from '../support/payment-links';
import { orderPayout } from '../support/payouts';
import { order, payIntent } from '../support/refunds';
import { buildReversalRequest, reverse } from '../support/reversals';
import { makeTransferReference } from '../../secrets/random';
import { buildUser, type TestUser } from '../support/users';
import { buildTransferRequest, post, postingValues, responsesOf } from '../support/postings';
import { waitFor } from '../support/wait';
import { resolveOutcome, type KeyState } from '../../db/requests/orders';
import { FUNDS_A_DAY, fundSandboxWallet } from '../../db/sandbox/fund';
import { createBatch } from '../../db/transfer-batches/transfer-batches';
import type { Environment } from '../../domain/environment';
import type { IdempotencyScope, IdempotentOperation } from '../../domain/idempotency';
import type { TransferRequest } from '../../domain/transfer';
import { prepareBatch } from '../../use-cases/transfer-batches/prepare';

const FUNDS = { XOF: 10_000_000n };
const database = setUp(createTestDatabase);
const alice = setUp(() => buildUser(database.db, { funds: { live: { XOF: 1_000_000n } } }));
const bob = setUp(() => buildUser(database.db));
let session: Client;

beforeAll(async () => {
  session = await openSession(database.app_url);
});

afterEach(() => session.query('rollback'));

const soon = (ms: number): string => new Date(Date.now() + ms).toISOString();

function scopeOf({ sender_id, environment, key }: TransferRequest): IdempotencyScope {
  return { user_id: sender_id, environment, operation: 'transfer', key };
}

/** Posts in a transaction that stays open: a commit that is under way. */
async function postWithoutCommit(request: TransferRequest): Promise<string> {
  await session.query('begin');
  const { rows } = await session.query<{ outcome: string }>(
    'select outcome from post_transfer_batch($1, $2)',
    postingValues([request]),
  );
  return rows[0]!.outcome;
}

function isWaitingForLock(): Promise<boolean> {
  return database.owner
    .raw(
      `select 1 from pg_stat_activity where datname = current_database()
          and wait_event_type = 'Lock' and query like '%resolve_idempotency_key%'`,
    )
    .then(({ rows }: { rows: unknown[] }) => rows.length > 0);
}

/** Asks on a connection of its own and reports when the result is there. */
function startResolving(request: TransferRequest): {
  result: Promise<KeyState>;
  is_done: () => boolean;
} {
  let is_done = false;
  const result = resolveOutcome(connectAgain(database, 2), scopeOf(request), request.accept_before);
  const ended = () => {
    is_done = true;
  };
  result.then(ended, ended);
  return { result, is_done: () => is_done };
}

describe('resolveOutcome', () => {
  it('finds the stored response, before and after the deadline', async () => {
    const request = buildTransferRequest({ from: alice, to: bob, amount: 100n });
    await post(database.db, [request]);
    const answered = {
      state: 'answered',
      response: { ...responsesOf(request).completed, fingerprint: request.fingerprint },
    };
    expect(await resolveOutcome(database.db, scopeOf(request), soon(60_000))).toEqual(answered);
    expect(await resolveOutcome(database.db, scopeOf(request), soon(-60_000))).toEqual(answered);
  });

  it('gives a transfer up that was not posted, and an earlier one with its key, but no later one', async () => {
    const request = buildTransferRequest({ from: alice, to: bob, amount: 100n });
    const at = (ms: number) => new Date(Date.parse(request.accept_before) + ms).toISOString();
    const outcomes = async (ms: number) =>
      (await post(database.db, [{ ...request, accept_before: at(ms) }])).map((one) => one.outcome);
    const giveUp = (ms: number) => resolveOutcome(database.db, scopeOf(request), at(ms));
    expect(await giveUp(0)).toEqual({ state: 'lapsed' });
    // An earlier answer leaves the later one as it is.
    expect(await giveUp(-1)).toEqual({ state: 'lapsed' });
    expect(await outcomes(-1)).toEqual(['lapsed']);
    expect(await outcomes(0)).toEqual(['lapsed']);
    expect(await outcomes(1)).toEqual(['completed']);
    expect(await giveUp(2)).toMatchObject({ state: 'answered' });
    expect(await outcomes(0)).toEqual(['completed']);
    // Another key, account and environment are not given up.
    const others = [
      buildTransferRequest({ from: alice, to: bob, amount: 100n }),
      {
        ...request,
        reference: makeTransferReference(),
        sender_id: bob.id,
        sender_username: bob.username,
      },
      { ...request, reference: makeTransferReference(), environment: 'sandbox' as const },
    ];
    expect((await post(database.db, others)).map((one) => one.outcome)).not.toContain('lapsed');
  });

  it('gives a reversal up that was not posted, and forgets what was given up days ago', async () => {
    const transfer = buildTransferRequest({ from: alice, to: bob, amount: 100n });
    await post(database.db, [transfer]);
    const old = { user_id: alice.id, environment: 'live', operation: 'transfer', key: 'old' };
    const days = (count: number) => soon(-count * 86_400_000);
    await database.owner('lapsed_keys').insert([
      { ...old, accept_before: days(2) },
      { ...old, key: 'yesterday', accept_before: days(0.9) },
    ]);
    const request = buildReversalRequest({ by: bob, transfer_reference: transfer.reference });
    const { key, accept_before } = request;
    const scope = { user_id: bob.id, environment: 'live', operation: 'reversal', key } as const;
    const lapsed = { state: 'lapsed' };
    expect(await resolveOutcome(database.db, scope, accept_before)).toEqual(lapsed);
    expect(await reverse(database.db, request)).toMatchObject({ outcome: 'lapsed' });
    const kept = await database.owner('lapsed_keys').where({ operation: 'transfer' }).pluck('key');
    expect([kept.includes('old'), kept.includes('yesterday')]).toEqual([false, true]);
  });

  it('says pending until the deadline of what no workflow carries out, and only then lapsed', async () => {
    const accept_before = soon(1_000);
    const scope = {
      user_id: alice.id,
      environment: 'live',
      operation: 'payout',
      key: 'late',
    } as const;
    const ask = (until = accept_before) => resolveOutcome(database.db, scope, until);
    expect(await ask(soon(60_000))).toEqual({ state: 'pending' });
    const resolved = await waitFor(async () => {
      const found = await ask();
      return found.state !== 'pending' && found;
    });
    expect(resolved).toEqual({ state: 'lapsed' });
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(accept_before));
  });

  it('waits for a posting under way and finds its response, though the deadline has passed', async () => {
    const request = buildTransferRequest({ from: alice, to: bob, amount: 100n });
    expect(await postWithoutCommit(request)).toBe('completed');
    const resolving = startResolving({ ...request, accept_before: soon(-1) });
    await waitFor(isWaitingForLock);
    expect(resolving.is_done()).toBe(false);
    await session.query('commit');
    expect(await resolving.result).toMatchObject({ state: 'answered', response: { status: 200 } });
  });

  it('says lapsed when the posting it waited for is rolled back', async () => {
    const request = buildTransferRequest({ from: alice, to: bob, amount: 100n });
    expect(await postWithoutCommit(request)).toBe('completed');
    const late = { ...request, accept_before: soon(-1) };
    const resolving = startResolving(late);
    await waitFor(isWaitingForLock);
    await session.query('rollback');
    expect(await resolving.result).toEqual({ state: 'lapsed' });
    expect((await post(database.db, [late]))[0]!.outcome).toBe('lapsed');
  });

  it('judges the deadline after the wait, not before it', async () => {
    const request = buildTransferRequest({ from: alice, to: bob, amount: 100n });
    expect(await postWithoutCommit(request)).toBe('completed');
    const accept_before = soon(1_000);
    const resolving = startResolving({ ...request, accept_before });
    await waitFor(isWaitingForLock);
    await waitFor(() => Date.now() > Date.parse(accept_before));
    await session.query('rollback');
    expect(await resolving.result).toEqual({ state: 'lapsed' });
  });

  it('does not wait for a posting under another key', async () => {
    const running = buildTransferRequest({ from: alice, to: bob, amount: 100n });
    await postWithoutCommit(running);
    const other = buildTransferRequest({ from: alice, to: bob, amount: 100n });
    expect(await resolveOutcome(database.db, scopeOf(other), soon(-1))).toEqual({
      state: 'lapsed',
    });
  });

  it('makes a posting that comes later wait, so that lapsed stays true', async () => {
    const request = buildTransferRequest({
      from: alice,
      to: bob,
      amount: 100n,
      accept_before: soon(1_000),
    });
    const { user_id, environment, operation, key } = scopeOf(request);
    await session.query('begin');
    await session.query('select * from resolve_idempotency_key($1, $2, $3, $4, now())', [
      user_id,
      environment,
      operation,
      key,
    ]);
    const late = post(connectAgain(database, 2), [request]);
    await waitFor(() => Date.now() > Date.parse(request.accept_before));
    await session.query('commit');
    expect(await late).toMatchObject([{ outcome: 'lapsed' }]);
  });
});

const fundOf = ({ id: user_id }: TestUser, idempotency_key: string) =>
  fundSandboxWallet(database.db, {
    user_id,
    environment: 'sandbox',
    currency: 'XOF',
    amount_minor: '100',
    idempotency_key,
    fingerprint: {},
    reference: `FUND-${randomUUID()}`,
    request_id: 'test',
    accept_before: soon(60_000),
  });

it('counts the funds of a day by account, in the sandbox alone', async () => {
  const user = await buildUser(database.db);
  const own = { user_id: user.id, environment: 'sandbox', operation: 'sandbox_fund' };
  const used = { ...own, fingerprint: {}, status: 201, body: '', request_id: 'test' };
  const insert = (count: number, fields: object) => {
    const rows = Array.from({ length: count }, () => ({ ...used, key: randomUUID(), ...fields }));
    return database.owner('idempotency_keys').insert(rows);
  };
  await insert(FUNDS_A_DAY, { user_id: bob.id });
  await insert(FUNDS_A_DAY, { environment: 'live' });
  await insert(FUNDS_A_DAY, { operation: 'refund' });
  await insert(FUNDS_A_DAY, { created_at: new Date(Date.now() - 90_000_000) });
  await insert(FUNDS_A_DAY - 1, {});
  const outcome = async () => (await fundOf(user, randomUUID())).outcome;
  expect([await outcome(), await outcome()]).toEqual(['funded', 'too_many']);
});

describe('a key that another account, environment and operation have used', () => {
  type Order = (user: TestUser, idempotency_key: string) => Promise<unknown>;

  it.each<[IdempotentOperation, Environment, Order]>([
    [
      'transfer',
      'live',
      (from, key) =>
        post(database.db, [buildTransferRequest({ from, to: bob, amount: 100n, key })]),
    ],
    [
      'reversal',
      'live',
      async (by, key) => {
        const request = buildTransferRequest({ from: alice, to: by, amount: 100n });
        await post(database.db, [request]);
        const { reference: transfer_reference } = request;
        return reverse(database.db, buildReversalRequest({ by, transfer_reference, key }));
      },
    ],
    [
      'transfer_batch',
      'live',
      (user, idempotency_key) => {
        const { id: user_id } = user;
        const order = { user_id, environment: 'live', mode: 'independent' } as const;
        const items = [
          { to_username: bob.username, currency: 'XOF', amount_minor: '100' },
        ] as const;
        const { batch, items: stored } = prepareBatch({
          ...order,
          id: randomUUID(),
          items: items.map((item) => ({ ...item, idempotency_key: null })),
          dry_run: false,
          idempotency_key,
          request_id: 'test',
        });
        return createBatch(database.db, batch, stored, 10);
      },
    ],
    ['sandbox_fund', 'sandbox', fundOf],
    [
      'payment_link',
      'sandbox',
      (user, idempotency_key) => buildPaymentLink(database.db, user, { idempotency_key }),
    ],
    [
      'refund',
      'sandbox',
      async (user, idempotency_key) =>
        order(database.db, await payIntent(database.db, user), { idempotency_key }),
    ],
    [
      'payout',
      'sandbox',
      (user, idempotency_key) => orderPayout(database.db, user, { idempotency_key }),
    ],
    [
      'payout_batch',
      'sandbox',
      (user, idempotency_key) => storeBatch(database.db, buildNewBatch(user, { idempotency_key })),
    ],
  ])('is new to a %s', async (operation, environment, place) => {
    const user = await buildUser(database.db, { funds: { live: FUNDS, sandbox: FUNDS } });
    const key = randomUUID();
    const own = { user_id: user.id, environment, operation };
    const others = [
      { ...own, user_id: bob.id },
      { ...own, environment: environment === 'live' ? 'sandbox' : 'live' },
      { ...own, operation: 'payment_intent' },
      { ...own, key: randomUUID() },
    ];
    const used = {
      key,
      fingerprint: {},
      status: 201,
      body: 'of another order',
      request_id: 'test',
    };
    await database.owner('idempotency_keys').insert(others.map((one) => ({ ...used, ...one })));
    const answer = await place(user, key);
    expect(inspect(answer)).not.toContain('of another order');
    const stored = await database.owner('idempotency_keys').where({ ...own, key });
    expect(stored).toMatchObject([{ body: expect.not.stringContaining('of another order') }]);
    const resolved = await resolveOutcome(database.db, { ...own, key }, soon(60_000));
    expect(resolved).toMatchObject({ state: 'answered', response: { body: stored[0].body } });
  });
});

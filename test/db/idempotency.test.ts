import type { Client } from 'pg';
import { connectAgain, createTestDatabase, openSession, setUp } from '../support/database';
import { buildUser } from '../support/users';
import { buildTransferRequest, post, postingValues, responsesOf } from '../support/postings';
import { waitFor } from '../support/wait';
import { resolveOutcome, type KeyState } from '../../db/requests/orders';
import type { IdempotencyScope } from '../../domain/idempotency';
import type { TransferRequest } from '../../domain/transfer';

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

  it('says pending until the deadline, and only then lapsed', async () => {
    const request = buildTransferRequest({
      from: alice,
      to: bob,
      amount: 100n,
      accept_before: soon(1_000),
    });
    const ask = (accept_before = request.accept_before) =>
      resolveOutcome(database.db, scopeOf(request), accept_before);
    expect(await ask(soon(60_000))).toEqual({ state: 'pending' });
    const resolved = await waitFor(async () => {
      const found = await ask();
      return found.state !== 'pending' && found;
    });
    expect(resolved).toEqual({ state: 'lapsed' });
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(request.accept_before));
    expect((await post(database.db, [request]))[0]!.outcome).toBe('lapsed');
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

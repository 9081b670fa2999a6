import type { Client } from 'pg';
import {
  connectAgain,
  createTestDatabase,
  openSession,
  type TestDatabase,
} from '../support/database';
import { createTestUser, type TestUser } from '../support/people';
import { makePosting } from '../support/postings';
import { waitFor } from '../support/wait';
import { settleAttempt, type Settlement } from '../../db/idempotency';
import type { IdempotencyScope } from '../../domain/idempotency';
import { postTransfers, type Posting } from '../../db/transfers';

let database: TestDatabase;
let alice: TestUser;
let bob: TestUser;
let session: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  alice = await createTestUser(database.db, { funds: { live: { XOF: 1_000_000n } } });
  bob = await createTestUser(database.db);
  session = await openSession(database.app_url);
});

afterEach(() => session.query('rollback'));

const soon = (ms: number): string => new Date(Date.now() + ms).toISOString();

function scopeOf({ request }: Posting): IdempotencyScope {
  const { sender_id, environment, key } = request;
  return { user_id: sender_id, environment, operation: 'transfer', key };
}

/** Posts in a transaction that stays open: a commit that is under way. */
async function postWithoutCommit({ request, answers }: Posting): Promise<string> {
  await session.query('begin');
  const { rows } = await session.query<{ outcome: string }>(
    'select outcome from post_transfers($1::jsonb)',
    [JSON.stringify([{ ...request, answers }])],
  );
  return rows[0]!.outcome;
}

function isWaitingForLock(): Promise<boolean> {
  return database.owner
    .raw(
      `select 1 from pg_stat_activity where datname = current_database()
          and wait_event_type = 'Lock' and query like '%settle_idempotency_key%'`,
    )
    .then(({ rows }: { rows: unknown[] }) => rows.length > 0);
}

/** Asks on a connection of its own and reports when the answer is there. */
function settle(posting: Posting): { result: Promise<Settlement>; done: () => boolean } {
  let isDone = false;
  const result = settleAttempt(
    connectAgain(database, 2),
    scopeOf(posting),
    posting.request.accept_before,
  );
  const ended = () => {
    isDone = true;
  };
  result.then(ended, ended);
  return { result, done: () => isDone };
}

describe('settleAttempt', () => {
  it('tells the stored answer, before and after the deadline', async () => {
    const posting = makePosting({ from: alice, to: bob, amount: 100n });
    await postTransfers(database.db, [posting]);
    const answered = {
      state: 'answered',
      ...posting.answers.completed,
      fingerprint: posting.request.fingerprint,
    };
    expect(await settleAttempt(database.db, scopeOf(posting), soon(60_000))).toEqual(answered);
    expect(await settleAttempt(database.db, scopeOf(posting), soon(-60_000))).toEqual(answered);
  });

  it.each([
    ['insufficient_funds', { amount: 90_000_000n }],
    ['recipient_not_found', { amount: 100n, to_username: 'nobody-at-all' }],
  ] as const)('tells a stored %s', async (outcome, fields) => {
    const posting = makePosting({ from: alice, to: bob, ...fields });
    await postTransfers(database.db, [posting]);
    expect(await settleAttempt(database.db, scopeOf(posting), soon(-1))).toMatchObject({
      state: 'answered',
      body: posting.answers[outcome].body,
    });
  });

  it('says pending until the deadline, and only then lapsed', async () => {
    const posting = makePosting({ from: alice, to: bob, amount: 100n, accept_before: soon(1_000) });
    const ask = () => settleAttempt(database.db, scopeOf(posting), posting.request.accept_before);
    expect(await ask()).toEqual({ state: 'pending' });
    const settled = await waitFor(async () => {
      const settlement = await ask();
      return settlement.state !== 'pending' && settlement;
    });
    expect(settled).toEqual({ state: 'lapsed' });
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(posting.request.accept_before));
    expect((await postTransfers(database.db, [posting]))[0]!.outcome).toBe('lapsed');
  });

  it('waits for a posting under way and tells its answer, though the deadline has passed', async () => {
    const posting = makePosting({ from: alice, to: bob, amount: 100n, accept_before: soon(1_000) });
    expect(await postWithoutCommit(posting)).toBe('completed');
    await waitFor(() => Date.now() > Date.parse(posting.request.accept_before));
    const asked = settle(posting);
    await waitFor(isWaitingForLock);
    expect(asked.done()).toBe(false);
    await session.query('commit');
    expect(await asked.result).toMatchObject({ state: 'answered', status: 200 });
  });

  it('says lapsed when the posting it waited for is rolled back', async () => {
    const posting = makePosting({ from: alice, to: bob, amount: 100n, accept_before: soon(1_000) });
    expect(await postWithoutCommit(posting)).toBe('completed');
    await waitFor(() => Date.now() > Date.parse(posting.request.accept_before));
    const asked = settle(posting);
    await waitFor(isWaitingForLock);
    await session.query('rollback');
    expect(await asked.result).toEqual({ state: 'lapsed' });
    expect((await postTransfers(database.db, [posting]))[0]!.outcome).toBe('lapsed');
  });

  it('judges the deadline after the wait, not before it', async () => {
    const posting = makePosting({ from: alice, to: bob, amount: 100n, accept_before: soon(1_000) });
    expect(await postWithoutCommit(posting)).toBe('completed');
    const asked = settle(posting);
    await waitFor(isWaitingForLock);
    await waitFor(() => Date.now() > Date.parse(posting.request.accept_before));
    await session.query('rollback');
    expect(await asked.result).toEqual({ state: 'lapsed' });
  });

  it('does not wait for a posting under another key', async () => {
    const running = makePosting({ from: alice, to: bob, amount: 100n });
    await postWithoutCommit(running);
    const other = makePosting({ from: alice, to: bob, amount: 100n });
    expect(await settleAttempt(database.db, scopeOf(other), soon(-1))).toEqual({ state: 'lapsed' });
  });

  it('makes a posting that comes later wait, so that lapsed stays true', async () => {
    const posting = makePosting({ from: alice, to: bob, amount: 100n, accept_before: soon(1_000) });
    const { user_id, environment, operation, key } = scopeOf(posting);
    await session.query('begin');
    await session.query('select * from settle_idempotency_key($1, $2, $3, $4, now())', [
      user_id,
      environment,
      operation,
      key,
    ]);
    const late = postTransfers(connectAgain(database, 2), [posting]);
    await waitFor(() => Date.now() > Date.parse(posting.request.accept_before));
    await session.query('commit');
    expect(await late).toMatchObject([{ outcome: 'lapsed' }]);
  });
});

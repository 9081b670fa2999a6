import { randomBytes } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { createMetrics } from '../../telemetry/metrics';
import { createTransferActivities, type TransferActivities } from '../../activities/transfers';
import { createLocalResults } from '../../temporal/local-results';
import type { SealedTransfers, TransferRequest, TransferResult } from '../../domain/transfer';
import { idempotencyToken, transferBatchWorkflowId, transferWorkflowId } from '../../domain/ids';
import { searchAttributes, WORKFLOW_TYPES } from '../../workflows/messages';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { request } from '../support/http';
import { buildApiKey, buildUser, type TestUser } from '../support/users';
import { ERROR_DOCS, buildTransferRequest, type TransferRequestOptions } from '../support/postings';
import { startTestService, type TestService } from '../support/service';
import { testMessages } from '../support/secrets';
import { connectTestTemporal, startTestWorker } from '../support/temporal';
import { keepHistory } from './saved-histories';

type Transfers = (message: SealedTransfers) => Promise<TransferResult[]>;
type TransferHandle = WorkflowHandle<Transfers>;

/** Every event of a history is a write of the server. */
const MAX_EVENTS = 7;

let database: TestDatabase;
let service: TestService;
let temporal: Client;
let alice: TestUser;
let bob: TestUser;
let alice_key: string;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database });
  temporal = await connectTestTemporal();
  const funds = { live: { XOF: 1_000_000n }, sandbox: { XOF: 1_000_000n } };
  alice = await buildUser(database.db, { funds });
  bob = await buildUser(database.db, { funds });
  ({ key: alice_key } = await buildApiKey(database.db, { user: alice }));
});

afterEach(async () => {
  await expectBooksHold(database.db);
});

/** A result with these stands for no transfer and was not stored before. */
const NOTHING_NEW = { reference: null, is_replay: false } as const;

function handleOf(user: TestUser, key: string, environment: 'live' | 'sandbox' = 'live') {
  const id = transferWorkflowId(
    environment,
    user.id,
    idempotencyToken(key, (text) => testMessages.hashIdempotencyKey(text)),
  );
  return temporal.workflow.getHandle(id) as TransferHandle;
}

function send(key: string, fields: Readonly<Record<string, unknown>>) {
  const body = { to_username: bob.username, currency: 'XOF', ...fields };
  return request(service, 'POST', '/transfers', { key: alice_key, idempotency_key: key, body });
}

/** The API answers when the posting has committed; the workflow closes a moment later. */
async function resultOf(handle: TransferHandle): Promise<TransferResult> {
  const [result] = await handle.result();
  return result!;
}

async function eventCount(handle: TransferHandle): Promise<number> {
  return (await handle.fetchHistory()).events?.length ?? 0;
}

describe('the workflow of one transfer', () => {
  it('completes in at most 7 events with the outcome and the reference', async () => {
    const answer = await send('complete', { amount: 10 });
    const handle = handleOf(alice, 'complete');
    expect(await handle.result()).toEqual([
      { outcome: 'completed', reference: answer.json.reference, is_replay: false },
    ]);
    expect(await eventCount(handle)).toBeLessThanOrEqual(MAX_EVENTS);
    keepHistory('transfers-completed', await handle.fetchHistory());
  });

  it('is readable in the UI: who, how much, and what became of it', async () => {
    const answer = await send('readable', { amount: 5000 });
    const handle = handleOf(alice, 'readable');
    await handle.result();
    const shown = await handle.describe();
    expect(shown.type).toBe('transfers');
    expect(await shown.staticSummary()).toBe(
      `${answer.json.reference} · 5 000 XOF · ${alice.username} → ${bob.username}`,
    );
    expect(await shown.staticDetails()).toContain(answer.json.reference);
    expect(await shown.staticDetails()).toContain(answer.headers['x-request-id']);
    const { typedSearchAttributes: found } = shown;
    expect(found.get(searchAttributes.environment)).toBe('live');
    expect(found.get(searchAttributes.accounts)).toEqual([alice.username, bob.username]);
    expect(found.get(searchAttributes.references)).toEqual([answer.json.reference]);
    expect(found.get(searchAttributes.state)).toBe('completed');
  });

  it('has a refusal as a result, not as a failure', async () => {
    const outcome = 'insufficient_funds';
    const answer = await send(outcome, { amount: 99_999 });
    expect(answer.json.error.code).toBe(outcome);
    const handle = handleOf(alice, outcome);
    expect(await resultOf(handle)).toEqual({ outcome, ...NOTHING_NEW });
    const { status, typedSearchAttributes } = await handle.describe();
    expect(status.name).toBe('COMPLETED');
    expect(typedSearchAttributes.get(searchAttributes.state)).toBe(outcome);
    expect(await eventCount(handle)).toBeLessThanOrEqual(MAX_EVENTS);
  });
});

describe('the workflow of transfers, started by hand', () => {
  type Post = TransferActivities['postTransfers'];
  let task_queue: string;
  /** The messages that were posted, and what is around the real activity. */
  let calls: SealedTransfers[];
  let around: (real: Post, message: SealedTransfers) => ReturnType<Post>;

  beforeAll(async () => {
    const real = createTransferActivities({
      db: database.db,
      workflow_messages: testMessages,
      local_transfers: createLocalResults(),
      log: () => undefined,
      error_docs_url: ERROR_DOCS,
      metrics: createMetrics(),
    });
    const postTransfers: Post = (message) => {
      calls.push(message);
      return around((given) => real.postTransfers(given), message);
    };
    ({ task_queue } = await startTestWorker({ activities: { postTransfers } }));
  });

  beforeEach(() => {
    calls = [];
    around = (real, message) => real(message);
  });

  /** So often the database goes away: before anything is written, or after the commit. */
  function failing(when: 'before' | 'after', times: number): void {
    around = async (real, message) => {
      const unavailable = Object.assign(new Error('terminating connection'), { code: '57P01' });
      if (when === 'before' && calls.length <= times) throw unavailable;
      const results = await real(message);
      if (when === 'after' && calls.length <= times) throw unavailable;
      return results;
    };
  }

  const transfer = (fields: Partial<TransferRequestOptions> = {}) =>
    buildTransferRequest({ from: alice, to: bob, amount: 700n, ...fields });

  const start = (requests: readonly TransferRequest[]) =>
    temporal.workflow.start<Transfers>(WORKFLOW_TYPES.transfers, {
      taskQueue: task_queue,
      workflowId: transferBatchWorkflowId('live', randomBytes(8).toString('hex')),
      args: [testMessages.sealTransfers(requests)],
    });

  const completed = ({ reference }: TransferRequest, is_replay = false) => {
    return { outcome: 'completed', reference, is_replay };
  };

  it.each(['before', 'after'] as const)(
    'has one effect each when the database goes away %s the commit',
    async (when) => {
      failing(when, 3);
      const requests = Array.from({ length: 5 }, () => transfer());
      const before = await balanceOf(database.db, bob);
      const handle = await start(requests);
      // A commit whose response was lost is read back.
      const results = requests.map((one) => completed(one, when === 'after'));
      expect(await handle.result()).toEqual(results);
      expect(calls).toHaveLength(4);
      expect(new Set(calls.map((call) => JSON.stringify(call))).size).toBe(1);
      expect(await balanceOf(database.db, bob)).toBe(before + 3_500n);
    },
  );

  it('gives up nothing while the database is away, and ends lapsed when it comes back too late', async () => {
    failing('before', 6);
    const before = await balanceOf(database.db, bob);
    const late = transfer({ accept_before: new Date(Date.now() + 500).toISOString() });
    const handle = await start([late]);
    expect(await resultOf(handle)).toEqual({ outcome: 'lapsed', ...NOTHING_NEW });
    expect(calls).toHaveLength(7);
    expect(await balanceOf(database.db, bob)).toBe(before);
  });

  it('posts each once, refusals among them, in at most 7 events', async () => {
    const good = transfer();
    const requests = [
      good,
      transfer({ amount: 99_999_999_900n }),
      buildTransferRequest({ from: alice, to_username: 'nobody-at-all', amount: 700n }),
      transfer({ to: alice }),
      transfer({ accept_before: new Date(0).toISOString() }),
      // The same key again, as two requests that waited for one slot may have it.
      transfer({ key: good.key }),
    ];
    const before = await balanceOf(database.db, bob);
    const handle = await start(requests);
    expect(await handle.result()).toEqual([
      completed(good),
      { outcome: 'insufficient_funds', ...NOTHING_NEW },
      { outcome: 'recipient_not_found', ...NOTHING_NEW },
      { outcome: 'self_transfer', ...NOTHING_NEW },
      { outcome: 'lapsed', ...NOTHING_NEW },
      completed(good, true),
    ]);
    const { typedSearchAttributes } = await handle.describe();
    expect(typedSearchAttributes.get(searchAttributes.state)).toBe('mixed');
    expect(await balanceOf(database.db, bob)).toBe(before + 700n);
    expect(await eventCount(handle)).toBeLessThanOrEqual(MAX_EVENTS);
  });

  it('posts the others when the database refuses one', async () => {
    const [first, broken, last] = [transfer(), transfer({ amount: 750n }), transfer()];
    const before = await balanceOf(database.db, bob);
    const handle = await start([first, broken, last]);
    expect(await handle.result()).toEqual([
      completed(first),
      // Half a franc: the tables refuse it to every caller.
      { outcome: 'not_posted', ...NOTHING_NEW },
      completed(last),
    ]);
    expect(await balanceOf(database.db, bob)).toBe(before + 1_400n);
  });
});

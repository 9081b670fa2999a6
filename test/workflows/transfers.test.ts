import { randomBytes } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { createMetrics } from '../../telemetry/metrics';
import { createTransferActivities, type TransferActivities } from '../../activities/transfers';
import { createLocalResults } from '../../temporal/local-results';
import type { SealedTransfers, TransferRequest, TransferResult } from '../../domain/transfer';
import { idempotencyToken, transferBatchWorkflowId, transferWorkflowId } from '../../domain/ids';
import { sha256Hex } from '../../secrets/hash';
import { searchAttributes, WORKFLOW_TYPES } from '../../workflows/messages';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { request } from '../support/http';
import { buildApiKey, buildUser, type TestUser } from '../support/users';
import { ERROR_DOCS, buildTransferRequest } from '../support/postings';
import { startTestService, type TestService } from '../support/service';
import { testMessages } from '../support/secrets';
import { connectTestTemporal, startTestWorker } from '../support/temporal';
import { textOf } from '../support/text-of';
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
  alice = await buildUser(database.db, { funds, password: PASSWORD_CANARY });
  bob = await buildUser(database.db, { funds });
  ({ key: alice_key } = await buildApiKey(database.db, { user: alice }));
});

afterEach(async () => {
  await expectBooksHold(database.db);
});

const PASSWORD_CANARY = 'canary-of-a-password';

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

function send(key: string, body: Readonly<Record<string, unknown>>) {
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
    const answer = await send('complete', {
      to_username: bob.username,
      currency: 'XOF',
      amount: 10,
    });
    const handle = handleOf(alice, 'complete');
    expect(await handle.result()).toEqual([
      { outcome: 'completed', reference: answer.json.reference, is_replay: false },
    ]);
    expect(await eventCount(handle)).toBeLessThanOrEqual(MAX_EVENTS);
    keepHistory('transfers-completed', await handle.fetchHistory());
  });

  it('is readable in the UI: who, how much, and what became of it', async () => {
    const answer = await send('readable', {
      to_username: bob.username,
      currency: 'XOF',
      amount: 5000,
    });
    const handle = handleOf(alice, 'readable');
    await handle.result();
    const shown = await handle.describe();
    expect(shown.type).toBe('transfers');
    expect(await shown.staticSummary()).toBe(`5000.00 XOF · ${alice.username} → ${bob.username}`);
    expect(await shown.staticDetails()).toContain(answer.json.reference);
    expect(await shown.staticDetails()).toContain(answer.headers['x-request-id']);
    const { typedSearchAttributes: found } = shown;
    expect(found.get(searchAttributes.environment)).toBe('live');
    expect(found.get(searchAttributes.accounts)).toEqual([alice.username, bob.username]);
    expect(found.get(searchAttributes.references)).toEqual([answer.json.reference]);
    expect(found.get(searchAttributes.state)).toBe('completed');
  });

  it.each([
    ['insufficient_funds', 'transfers-insufficient-funds', { amount: 99_999 }],
    ['recipient_not_found', 'transfers-recipient-not-found', { to_username: 'nobody-at-all' }],
  ])('has %s as a result, not as a failure', async (outcome, history, fields) => {
    const answer = await send(outcome, {
      to_username: bob.username,
      currency: 'XOF',
      amount: 1,
      ...fields,
    });
    expect(answer.json.error.code).toBe(outcome);
    const handle = handleOf(alice, outcome);
    expect(await resultOf(handle)).toEqual({ outcome, ...NOTHING_NEW });
    const { status, typedSearchAttributes } = await handle.describe();
    expect(status.name).toBe('COMPLETED');
    expect(typedSearchAttributes.get(searchAttributes.state)).toBe(outcome);
    expect(await eventCount(handle)).toBeLessThanOrEqual(MAX_EVENTS);
    keepHistory(history, await handle.fetchHistory());
  });

  it('L1: no API key, password or e-mail is in its history', async () => {
    const key = 'canary';
    await send(key, { to_username: bob.username, currency: 'XOF', amount: 1 });
    const handle = handleOf(alice, key);
    await handle.result();
    const text = textOf(await handle.fetchHistory()) + textOf((await handle.describe()).raw);
    // The search itself works.
    expect(text).toContain(alice.username);
    for (const secret of [
      alice_key,
      sha256Hex(alice_key),
      PASSWORD_CANARY,
      alice.email,
      bob.email,
    ]) {
      expect(text).not.toContain(secret);
    }
    expect(text).not.toMatch(/(pay|sk)_(live|test)_/);
  });
});

const realActivities = (): TransferActivities =>
  createTransferActivities({
    db: database.db,
    workflow_messages: testMessages,
    local_transfers: createLocalResults(),
    log: () => undefined,
    error_docs_url: ERROR_DOCS,
    metrics: createMetrics(),
  });

describe('the workflow of one transfer, started by hand', () => {
  const start = (task_queue: string, transfer: TransferRequest) =>
    temporal.workflow.start<Transfers>(WORKFLOW_TYPES.transfers, {
      taskQueue: task_queue,
      workflowId: transferWorkflowId(transfer.environment, transfer.sender_id, transfer.key),
      args: [testMessages.sealTransfers([transfer])],
    });

  /** The real activity, with an error around it: before it wrote anything, or after it committed. */
  function failing(when: 'before' | 'after', times: number) {
    const real = realActivities();
    const calls: SealedTransfers[] = [];
    const unavailable = () => Object.assign(new Error('terminating connection'), { code: '57P01' });
    return {
      calls,
      activities: {
        async postTransfers(message: SealedTransfers) {
          calls.push(message);
          if (when === 'before' && calls.length <= times) throw unavailable();
          const results = await real.postTransfers(message);
          if (when === 'after' && calls.length <= times) throw unavailable();
          return results;
        },
      } satisfies TransferActivities,
    };
  }

  it.each([
    ['before', 3, 'is unreachable'],
    ['after', 3, 'commits and its response is lost'],
  ] as const)(
    'retries %s %i times to exactly one effect when the database %s',
    async (when, times, _database) => {
      const { activities, calls } = failing(when, times);
      const { task_queue } = await startTestWorker({ activities });
      const before = await balanceOf(database.db, bob);
      const transfer = buildTransferRequest({ from: alice, to: bob, amount: 700n });
      const handle = await start(task_queue, transfer);
      expect(await resultOf(handle)).toEqual({
        outcome: 'completed',
        reference: transfer.reference,
        // The commit whose response was lost is read back.
        is_replay: when === 'after',
      });
      expect(calls).toHaveLength(times + 1);
      expect(new Set(calls.map((call) => JSON.stringify(call))).size).toBe(1);
      expect(await balanceOf(database.db, bob)).toBe(before + 700n);
    },
  );

  it('gives up nothing while the database is away, and ends lapsed when it comes back too late', async () => {
    const { activities, calls } = failing('before', 6);
    const { task_queue } = await startTestWorker({ activities });
    const before = await balanceOf(database.db, bob);
    const accept_before = new Date(Date.now() + 500).toISOString();
    const transfer = buildTransferRequest({ from: alice, to: bob, amount: 700n, accept_before });
    const handle = await start(task_queue, transfer);
    expect(await resultOf(handle)).toEqual({ outcome: 'lapsed', ...NOTHING_NEW });
    expect(calls).toHaveLength(7);
    expect((await handle.describe()).status.name).toBe('COMPLETED');
    expect(await balanceOf(database.db, bob)).toBe(before);
    keepHistory('transfers-lapsed', await handle.fetchHistory());
  });

  it('gives a second run of the same key the first reference', async () => {
    const { task_queue } = await startTestWorker({ activities: realActivities() });
    const first = buildTransferRequest({ from: alice, to: bob, amount: 700n });
    const second = buildTransferRequest({ from: alice, to: bob, amount: 700n, key: first.key });
    await (await start(task_queue, first)).result();
    expect(await resultOf(await start(task_queue, second))).toEqual({
      outcome: 'completed',
      reference: first.reference,
      is_replay: true,
    });
  });

  it.each(['self_transfer', 'balance_limit'] as const)('has %s as a result', async (outcome) => {
    const { task_queue } = await startTestWorker({ activities: realActivities() });
    const rich = await buildUser(database.db, {
      funds: { live: { XOF: 999_999_999_999_900n } },
    });
    const to = { self_transfer: alice, balance_limit: rich }[outcome];
    const transfer = buildTransferRequest({ from: alice, to, amount: 700n });
    expect(await resultOf(await start(task_queue, transfer))).toEqual({ outcome, ...NOTHING_NEW });
  });
});

describe('the workflow of a batch of transfers', () => {
  const start = (task_queue: string, requests: readonly TransferRequest[]) =>
    temporal.workflow.start<Transfers>(WORKFLOW_TYPES.transfers, {
      taskQueue: task_queue,
      workflowId: transferBatchWorkflowId('live', randomBytes(8).toString('hex')),
      args: [testMessages.sealTransfers(requests)],
    });

  it('posts each once, refusals among them, in at most 7 events', async () => {
    const { task_queue } = await startTestWorker({ activities: realActivities() });
    const good = buildTransferRequest({ from: alice, to: bob, amount: 700n });
    const requests = [
      good,
      buildTransferRequest({ from: alice, to: bob, amount: 99_999_999_900n }),
      buildTransferRequest({ from: alice, to_username: 'nobody-at-all', amount: 700n }),
      buildTransferRequest({ from: alice, to: alice, amount: 700n }),
      buildTransferRequest({
        from: alice,
        to: bob,
        amount: 700n,
        accept_before: new Date(0).toISOString(),
      }),
      // The same key again, as two requests that waited for one slot may have it.
      buildTransferRequest({ from: alice, to: bob, amount: 700n, key: good.key }),
    ];
    const before = await balanceOf(database.db, bob);
    const handle = await start(task_queue, requests);
    expect(await handle.result()).toEqual([
      { outcome: 'completed', reference: good.reference, is_replay: false },
      { outcome: 'insufficient_funds', ...NOTHING_NEW },
      { outcome: 'recipient_not_found', ...NOTHING_NEW },
      { outcome: 'self_transfer', ...NOTHING_NEW },
      { outcome: 'lapsed', ...NOTHING_NEW },
      { outcome: 'completed', reference: good.reference, is_replay: true },
    ]);
    const { typedSearchAttributes } = await handle.describe();
    expect(typedSearchAttributes.get(searchAttributes.state)).toBe('mixed');
    expect(await balanceOf(database.db, bob)).toBe(before + 700n);
    const history = await handle.fetchHistory();
    expect(history.events?.length).toBeLessThanOrEqual(MAX_EVENTS);
    keepHistory('transfers-batch', history);
  });

  it('posts the others when the database refuses one', async () => {
    const { task_queue } = await startTestWorker({ activities: realActivities() });
    const [first, broken, last] = [700n, 750n, 700n].map((amount) =>
      buildTransferRequest({ from: alice, to: bob, amount }),
    ) as [TransferRequest, TransferRequest, TransferRequest];
    const before = await balanceOf(database.db, bob);
    const handle = await start(task_queue, [first, broken, last]);
    expect(await handle.result()).toEqual([
      { outcome: 'completed', reference: first.reference, is_replay: false },
      // Half a franc: the tables refuse it to every caller.
      { outcome: 'not_posted', ...NOTHING_NEW },
      { outcome: 'completed', reference: last.reference, is_replay: false },
    ]);
    expect(await balanceOf(database.db, bob)).toBe(before + 1_400n);
  });

  it.each(['before', 'after'] as const)(
    'has one effect each when the database goes away %s the commit',
    async (when) => {
      let calls = 0;
      const postTransfers: TransferActivities['postTransfers'] = async (requests) => {
        calls += 1;
        const away = Object.assign(new Error('terminating connection'), { code: '57P01' });
        if (when === 'before' && calls === 1) throw away;
        const results = await realActivities().postTransfers(requests);
        if (when === 'after' && calls <= 2) throw away;
        return results;
      };
      const { task_queue } = await startTestWorker({ activities: { postTransfers } });
      const requests = Array.from({ length: 5 }, () =>
        buildTransferRequest({ from: alice, to: bob, amount: 700n }),
      );
      const before = await balanceOf(database.db, bob);
      const handle = await start(task_queue, requests);
      expect(await handle.result()).toEqual(
        requests.map(({ reference }) => ({
          outcome: 'completed',
          reference,
          is_replay: when === 'after',
        })),
      );
      expect(calls).toBe(when === 'before' ? 2 : 3);
      expect(await balanceOf(database.db, bob)).toBe(before + 3_500n);
      keepHistory(`transfers-retried-${when}`, await handle.fetchHistory());
    },
  );
});

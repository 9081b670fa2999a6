// Whoever reaches Temporal can start the workflow of transfers with any argument: nothing of it is
// posted that the API has not signed.

import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { createMetrics } from '../../telemetry/metrics';
import { createTransferActivities } from '../../activities/transfers';
import { transferBatchWorkflowId } from '../../domain/ids';
import type { SignedTransfer, TransferRequest, TransferResult } from '../../domain/transfer';
import { makeSealingKey } from '../../secrets/keyring';
import { createWorkflowMessages } from '../../secrets/workflow-messages';
import { createLocalResults, type LocalResults } from '../../temporal/local-results';
import { WORKFLOW_TYPES } from '../../workflows/messages';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { buildTransferRequest, ERROR_DOCS } from '../support/postings';
import { testMessages, TEST_SECRETS_KEY } from '../support/secrets';
import { connectTestTemporal, startTestWorker } from '../support/temporal';
import { buildUser, type TestUser } from '../support/users';

let database: TestDatabase;
let temporal: Client;
let victim: TestUser;
let thief: TestUser;
let task_queue: string;
let local_transfers: LocalResults<TransferResult>;
const log: Readonly<Record<string, unknown>>[] = [];

const FUNDS = 1_000_000n;

beforeAll(async () => {
  database = await createTestDatabase();
  temporal = await connectTestTemporal();
  victim = await buildUser(database.db, {
    funds: { live: { XOF: FUNDS }, sandbox: { XOF: FUNDS } },
  });
  thief = await buildUser(database.db);
  local_transfers = createLocalResults();
  const activities = createTransferActivities({
    db: database.db,
    workflow_messages: testMessages,
    local_transfers,
    log: (entry) => log.push(entry),
    error_docs_url: ERROR_DOCS,
    metrics: createMetrics(),
  });
  ({ task_queue } = await startTestWorker({ activities }));
});

beforeEach(() => {
  log.length = 0;
});

afterEach(async () => {
  await expectBooksHold(database.db);
});

const NOT_POSTED = { outcome: 'not_posted', reference: null, is_replay: false };

const steal = (fields = {}) =>
  buildTransferRequest({ from: victim, to: thief, amount: 700n, ...fields });

/** Starts it as Temporal's UI does. */
async function startByHand(...args: unknown[]): Promise<{ id: string; results: unknown }> {
  const handle = await temporal.workflow.start(WORKFLOW_TYPES.transfers, {
    taskQueue: task_queue,
    workflowId: transferBatchWorkflowId('live', randomBytes(8).toString('hex')),
    args,
  });
  return { id: handle.workflowId, results: await handle.result() };
}

async function rowsOf(reference: string): Promise<number> {
  const { rows } = await database.owner.raw(
    `select (select count(*) from transfers where reference = :reference)
          + (select count(*) from idempotency_keys where reference = :reference) as count`,
    { reference },
  );
  return Number((rows as { count: string }[])[0]!.count);
}

const sign = (request: TransferRequest): SignedTransfer => testMessages.signTransfer(request);

const forge = (change: (signed: SignedTransfer) => object) => () => {
  const request = steal();
  return { reference: request.reference, argument: change(testMessages.signTransfer(request)) };
};
const other = (): SignedTransfer => testMessages.signTransfer(steal({ amount: 1n }));
const strangers = createWorkflowMessages([makeSealingKey()]);

it.each([
  [
    'unsigned',
    () => {
      const request = steal({ accept_before: '2099-01-01T00:00:00Z' });
      return { reference: request.reference, argument: request };
    },
  ],
  [
    'unsigned, with the key in clear beside it',
    forge((signed) => ({ ...signed, signature: undefined, key: 'k' })),
  ],
  [
    'signed with a key that is not ours',
    () => {
      const request = steal();
      return { reference: request.reference, argument: strangers.signTransfer(request) };
    },
  ],
  ['with more money', forge((signed) => ({ ...signed, amount_minor: '900000' }))],
  [
    'to somebody else',
    forge((signed) => ({ ...signed, to_username: thief.username.toUpperCase() })),
  ],
  ['from somebody else', forge((signed) => ({ ...signed, sender_id: thief.id }))],
  [
    'live instead of sandbox',
    () => {
      const request = steal({ environment: 'sandbox' });
      const argument = { ...testMessages.signTransfer(request), environment: 'live' };
      return { reference: request.reference, argument };
    },
  ],
  ['for longer', forge((signed) => ({ ...signed, accept_before: '2099-01-01T00:00:00Z' }))],
  [
    'with the signature of another',
    forge((signed) => ({ ...signed, signature: other().signature })),
  ],
  [
    'with the idempotency key of another',
    forge((signed) => ({ ...signed, sealed: other().sealed })),
  ],
  ['as another transfer', forge((signed) => ({ ...signed, reference: other().reference }))],
])('a transfer %s moves nothing, ends, and is logged', async (_how, build) => {
  const { reference, argument } = build();
  const published = jest.spyOn(local_transfers, 'publish');
  const { id, results } = await startByHand([argument]);
  expect(results).toEqual([NOT_POSTED]);
  expect(await balanceOf(database.db, victim)).toBe(FUNDS);
  expect(await balanceOf(database.db, thief)).toBe(0n);
  expect(await rowsOf(reference)).toBe(0);
  const shown = (argument as SignedTransfer).reference;
  expect(log).toEqual([
    expect.objectContaining({
      part: 'workflow-messages',
      refused: 'signature',
      workflow_id: id,
      references: [shown],
      count: 1,
    }),
  ]);
  // A caller whose reference is known must not be told that nothing happened.
  expect(published).not.toHaveBeenCalled();
  published.mockRestore();
});

it('forged transfers stop none of the genuine ones beside them', async () => {
  const before = await balanceOf(database.db, thief);
  const good = [steal(), steal()];
  const [first, last] = good.map(sign) as [SignedTransfer, SignedTransfer];
  const forged = { ...testMessages.signTransfer(steal()), amount_minor: '800' };
  const { results } = await startByHand([first, forged, steal(), last, null]);
  expect(results).toEqual([
    { outcome: 'completed', reference: good[0]!.reference, is_replay: false },
    NOT_POSTED,
    NOT_POSTED,
    { outcome: 'completed', reference: good[1]!.reference, is_replay: false },
    NOT_POSTED,
  ]);
  expect(await balanceOf(database.db, thief)).toBe(before + 1_400n);
  expect(log).toMatchObject([{ count: 3 }]);
});

it('a signed transfer that is started again moves no money again, while it is young or old', async () => {
  const before = await balanceOf(database.db, thief);
  const young = steal();
  const old = steal({ accept_before: new Date(0).toISOString() });
  const signed = testMessages.signTransfer(young);
  await startByHand([signed]);
  const completed = { outcome: 'completed', reference: young.reference };
  expect((await startByHand([signed])).results).toMatchObject([{ ...completed, is_replay: true }]);
  // One batch may have it twice.
  expect((await startByHand([signed, signed])).results).toMatchObject([completed, completed]);
  expect((await startByHand([testMessages.signTransfer(old)])).results).toMatchObject([
    { outcome: 'lapsed' },
  ]);
  expect(await balanceOf(database.db, thief)).toBe(before + 700n);
});

it('transfers that were signed before a key was replaced are posted', async () => {
  const before = await balanceOf(database.db, thief);
  const next = makeSealingKey();
  const activities = createTransferActivities({
    db: database.db,
    workflow_messages: createWorkflowMessages([next, TEST_SECRETS_KEY]),
    local_transfers,
    log: (entry) => log.push(entry),
    error_docs_url: ERROR_DOCS,
    metrics: createMetrics(),
  });
  const worker = await startTestWorker({ activities });
  const signed = [steal(), steal()].map((one, i) =>
    (i === 0 ? testMessages : createWorkflowMessages([next])).signTransfer(one),
  );
  const results = await temporal.workflow.execute(WORKFLOW_TYPES.transfers, {
    taskQueue: worker.task_queue,
    workflowId: transferBatchWorkflowId('live', randomBytes(8).toString('hex')),
    args: [signed],
  });
  expect(results).toMatchObject([{ outcome: 'completed' }, { outcome: 'completed' }]);
  expect(await balanceOf(database.db, thief)).toBe(before + 1_400n);
});

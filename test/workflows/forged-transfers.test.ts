// An intruder in Temporal can start the workflow of transfers with any argument: nothing of it is posted that the API
// has not sealed.

import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { createMetrics } from '../../telemetry/metrics';
import { createTransferActivities } from '../../activities/transfers';
import { transferBatchWorkflowId } from '../../domain/ids';
import type { SealedTransfers, TransferResult } from '../../domain/transfer';
import { createLocalResults, type LocalResults } from '../../temporal/local-results';
import { WORKFLOW_TYPES } from '../../workflows/messages';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { buildTransferRequest, ERROR_DOCS } from '../support/postings';
import { testMessages } from '../support/secrets';
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

type Shown = SealedTransfers['transfers'][number];

/** Changes what a history shows of a genuine transfer. */
const forge = (change: (shown: Shown) => object) => () => {
  const { transfers, sealed } = testMessages.sealTransfers([steal()]);
  return { transfers: transfers.map(change), sealed };
};

// What else does not open: test/secrets/workflow-messages.test.ts.
it.each([
  [
    'without a seal',
    () => ({ transfers: [steal({ accept_before: '2099-01-01T00:00:00Z' })], sealed: '' }),
  ],
  ['with more money', forge((shown) => ({ ...shown, amount_minor: '900000' }))],
  [
    'beside a genuine one',
    () => {
      const { transfers, sealed } = testMessages.sealTransfers([steal()]);
      const [forged] = testMessages.sealTransfers([steal()]).transfers;
      return { transfers: [forged, ...transfers], sealed };
    },
  ],
])('a transfer %s moves nothing, ends, and is logged', async (_how, build) => {
  const message = build();
  const references = message.transfers.map((one) => (one as Shown).reference);
  const published = jest.spyOn(local_transfers, 'publish');
  const { id, results } = await startByHand(message);
  expect(results).toEqual([NOT_POSTED]);
  expect(await balanceOf(database.db, victim)).toBe(FUNDS);
  expect(await balanceOf(database.db, thief)).toBe(0n);
  for (const reference of references) expect(await rowsOf(reference)).toBe(0);
  expect(log).toEqual([
    expect.objectContaining({
      part: 'workflow-messages',
      refused: 'seal',
      workflow_id: id,
      references,
    }),
  ]);
  // A caller whose reference is known must not be told that nothing happened.
  expect(published).not.toHaveBeenCalled();
  published.mockRestore();
});

it.each([[null], [{ transfers: 7 }], [{ transfers: [null] }]])(
  'what is no message ends as well: %j',
  async (given) => {
    expect((await startByHand(given)).results).toEqual([NOT_POSTED]);
    expect(log).toMatchObject([{ refused: 'seal', references: ['(none)'] }]);
  },
);

it('a genuine message that is started again moves no money again, while it is young or old', async () => {
  const before = await balanceOf(database.db, thief);
  const young = steal();
  const old = steal({ accept_before: new Date(0).toISOString() });
  const message = testMessages.sealTransfers([young]);
  await startByHand(message);
  const completed = { outcome: 'completed', reference: young.reference };
  expect((await startByHand(message)).results).toMatchObject([{ ...completed, is_replay: true }]);
  // One group may have it twice.
  const twice = testMessages.sealTransfers([young, young]);
  expect((await startByHand(twice)).results).toMatchObject([completed, completed]);
  expect((await startByHand(testMessages.sealTransfers([old]))).results).toMatchObject([
    { outcome: 'lapsed' },
  ]);
  expect(await balanceOf(database.db, thief)).toBe(before + 700n);
});

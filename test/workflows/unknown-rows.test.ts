// An intruder in Temporal can start a workflow for an id of their own making. It ends, instead of asking Postgres for
// ever; and a database that is away ends nothing.

import { randomBytes, randomUUID } from 'node:crypto';
import { ApplicationFailure, type Client, type WorkflowHandle } from '@temporalio/client';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { createMetrics } from '../../telemetry/metrics';
import { UNKNOWN_ROW } from '../../activities/rows';
import { createBatchActivities } from '../../activities/transfer-batches';
import { connectDatabase } from '../../db/connect';
import { bulkTaskQueue } from '../../domain/ids';
import { PURSUIT_KINDS } from '../../domain/pursuit';
import { WORKFLOW_TYPES } from '../../workflows/messages';
import { startPostgresProxy, type PostgresProxy } from '../api/support/tcp-proxy';
import { requireRow } from '../../db/unknown-row';
import { createVoices } from '../../use-cases/risk/voices';
import { closeAfterFile } from '../support/cleanup';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { openIntent } from '../support/refunds';
import { connectTestTemporal, startTestWorker } from '../support/temporal';
import { buildUser } from '../support/users';
import { waitFor } from '../support/wait';
import { fakeGateway } from './fake-gateway';
import { createTestActivities } from './intents';

// Lines of each worker's start and end are left out.
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: 'error' } },
});

const log: Readonly<Record<string, unknown>>[] = [];
const task_queue = `test-${randomBytes(8).toString('hex')}`;
let test_database: TestDatabase;
let temporal: Client;
let postgres: PostgresProxy;

beforeAll(async () => {
  test_database = await createTestDatabase();
  temporal = await connectTestTemporal();
  postgres = await startPostgresProxy(test_database);
  const db = connectDatabase({ url: postgres.url, pool_size: 10, name: 'test-behind-proxy' });
  closeAfterFile(() => db.destroy());
  const database = { ...test_database, db, app_url: postgres.url };
  const add = (entry: Readonly<Record<string, unknown>>): number => log.push(entry);
  const { gateway } = fakeGateway();
  const activities = await createTestActivities(database, { gateway, task_queue, log: add });
  await startTestWorker({ task_queue, activities });
  await startTestWorker({
    task_queue: bulkTaskQueue(task_queue, 'live'),
    activities: createBatchActivities({
      metrics: createMetrics(),
      db,
      error_docs_url: '',
      voices: createVoices([]),
      log: add,
      wakeBatches: () => Promise.resolve(),
    }),
  });
});

beforeEach(() => {
  log.length = 0;
});

afterEach(() => postgres.dropIf(undefined));

/** Starts it as Temporal's UI does. */
function startByHand(type: string, ...args: unknown[]): Promise<WorkflowHandle> {
  return temporal.workflow.start(type, { taskQueue: task_queue, workflowId: randomUUID(), args });
}

/** The result, or how the workflow has failed. */
async function endOf(handle: WorkflowHandle): Promise<unknown> {
  try {
    return await handle.result();
  } catch (error) {
    let cause: unknown = error;
    while (cause instanceof Error && !(cause instanceof ApplicationFailure)) ({ cause } = cause);
    return cause instanceof ApplicationFailure ? cause.type : error;
  }
}

const intentOf = (id: unknown): unknown[] => [{ id, expires_at: '2099-01-01T00:00:00Z' }];
const batchOf = (id: unknown): unknown[] => [{ id, environment: 'live' }];
const same = (id: unknown): unknown[] => [id];
const pursuits = [...PURSUIT_KINDS, 'pursuit'].map(
  (kind) =>
    [WORKFLOW_TYPES.pursue, (id: unknown): unknown[] => [kind, id], UNKNOWN_ROW, kind] as const,
);

/** How each type is started for an id, how it ends when there is no such row, and what is logged. */
const TYPES = [
  [WORKFLOW_TYPES.paymentIntent, intentOf, UNKNOWN_ROW, 'intent'],
  [WORKFLOW_TYPES.lateNotification, same, null, 'notification'],
  ...pursuits,
  [WORKFLOW_TYPES.transferBatch, batchOf, UNKNOWN_ROW, 'batch'],
] as const;

/** No row has them. */
const IDS: readonly unknown[] = [
  randomUUID(),
  '999999999',
  // Beyond the numbers of Postgres.
  '9'.repeat(19),
  'x',
  randomUUID().toUpperCase(),
  [randomUUID()],
  null,
  { toString: null },
  'x'.repeat(10_000),
];

it.each(TYPES)(
  '%s, started by hand (%#), ends and is logged',
  async (type, build, end, message) => {
    const handles = await Promise.all(IDS.map((id) => startByHand(type, ...build(id))));
    expect(await Promise.all(handles.map(endOf))).toEqual(IDS.map(() => end));
    const logged = handles.map(({ workflowId }) =>
      log.filter((one) => one['workflow_id'] === workflowId),
    );
    expect(logged).toEqual(
      IDS.map((id, n) => [
        {
          part: 'workflow-messages',
          refused: 'unknown',
          message,
          references: [typeof id === 'string' ? id.slice(0, 36) : '(none)'],
          workflow_id: handles[n]!.workflowId,
          run_id: expect.any(String),
        },
      ]),
    );
  },
);

it.each([
  ['intent', WORKFLOW_TYPES.paymentIntent, intentOf, UNKNOWN_ROW, randomUUID],
  ['notification', WORKFLOW_TYPES.lateNotification, same, null, () => '777777777777'],
  ['batch', WORKFLOW_TYPES.transferBatch, batchOf, UNKNOWN_ROW, randomUUID],
] as const)('an outage does not say that there is no %s', async (kind, type, build, end, make) => {
  const id = make();
  // The outage comes while the row is looked for, then while it is made sure that there is none.
  const lost = [id, `is_known_${kind}`];
  postgres.dropIf(lost[0]);
  const handle = await startByHand(type, ...build(id));
  for (const text of lost) {
    postgres.dropIf(text);
    const before = postgres.countSent(text);
    await waitFor(() => postgres.countSent(text) >= before + 2);
    expect((await handle.describe()).status.name).toBe('RUNNING');
    expect(log).toEqual([]);
  }
  postgres.dropIf(undefined);
  expect(await endOf(handle)).toBe(end);
  expect(log).toMatchObject([{ refused: 'unknown', message: kind }]);
});

it('a function that misses another row does not say that there is no intent', async () => {
  const { db, owner } = test_database;
  const merchant = await buildUser(db);
  const { id } = await openIntent(db, merchant);
  // This is what `select … into strict` raises.
  const missing = `do $$ begin raise exception 'another row' using errcode = 'no_data_found'; end $$`;
  await expect(requireRow(db, 'intent', id, () => owner.raw(missing))).rejects.toThrow(
    'another row',
  );
});

it('a standby that has no row is asked again', async () => {
  const { owner, name } = test_database;
  // Postgres finds ours before its own.
  await owner.raw(
    `create function public.pg_is_in_recovery() returns boolean language sql as 'select true'`,
  );
  await owner.raw('grant execute on function public.pg_is_in_recovery() to public');
  await owner.raw(`alter database ${name} set search_path = public, pg_catalog`);
  await postgres.cut();
  await postgres.restore();
  const handle = await startByHand(WORKFLOW_TYPES.pursue, 'refund', randomUUID());
  await waitFor(async () => {
    const { raw } = await handle.describe();
    const [pending] = raw.pendingActivities ?? [];
    const message = pending?.lastFailure?.message;
    return (pending?.attempt ?? 0) >= 2 && message?.startsWith('a standby has no refund ');
  });
  await owner.raw('drop function public.pg_is_in_recovery()');
  expect(await endOf(handle)).toBe(UNKNOWN_ROW);
});

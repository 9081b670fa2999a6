// A bulk transfer that is done as a whole, and that Postgres cannot do within the time that a statement has:
// it is tried for a while, and then fails, so that the account's other batches have their turn.

import { randomUUID } from 'node:crypto';
import { createBatchActivities } from '../../activities/transfer-batches';
import { connectDatabase } from '../../db/connect';
import { createBatch, findNextBatch, getBatch } from '../../db/transfer-batches/transfer-batches';
import { bulkTaskQueue, bulkTransferWorkflowId } from '../../domain/ids';
import { createMetrics } from '../../telemetry/metrics';
import { createBatchStarter } from '../../temporal/transfer-batches';
import { prepareBatch } from '../../use-cases/transfer-batches/prepare';
import { createVoices } from '../../use-cases/risk/voices';
import { closeAfterFile } from '../support/cleanup';
import { createTestDatabase, openSession } from '../support/database';
import { startTestWorker } from '../support/temporal';
import { buildUser } from '../support/users';

it('fails, says so, and moves nothing', async () => {
  const database = await createTestDatabase();
  const alice = await buildUser(database.db, { funds: { live: { XOF: 100_000n } } });
  const bob = await buildUser(database.db);
  const log: Readonly<Record<string, unknown>>[] = [];
  const db = connectDatabase({
    url: database.app_url,
    pool_size: 2,
    name: 'hurried',
    statement_timeout_ms: 200,
  });
  closeAfterFile(() => db.destroy());
  const { client, task_queue } = await startTestWorker({ activities: {} });
  await startTestWorker({
    task_queue: bulkTaskQueue(task_queue, 'live'),
    activities: createBatchActivities({
      db,
      error_docs_url: '',
      voices: createVoices([]),
      log: (entry) => void log.push(entry),
      metrics: createMetrics(),
      wakeBatches: () => Promise.resolve(),
    }),
  });
  const { batch, items } = prepareBatch({
    id: randomUUID(),
    user_id: alice.id,
    environment: 'live',
    mode: 'atomic',
    dry_run: false,
    items: [
      {
        to_username: bob.username,
        currency: 'XOF' as const,
        amount_minor: '100',
        idempotency_key: null,
      },
    ],
    idempotency_key: randomUUID(),
    request_id: 'test',
  });
  await createBatch(database.db, batch, items, 10);
  // A session keeps a wallet for longer than anyone may wait.
  const holder = await openSession(database.owner_url);
  await holder.query('begin');
  await holder.query('select from ledger_accounts where user_id = $1 for update', [bob.id]);
  const next = await findNextBatch(database.db, alice.id, 'live');
  await createBatchStarter(client, task_queue)(next!);
  const handle = client.workflow.getHandle(bulkTransferWorkflowId('live', batch.id));
  expect(await handle.result()).toMatchObject({ status: 'failed', completed: 0, failed: 1 });
  await holder.query('rollback');
  expect(await getBatch(database.db, batch.id)).toMatchObject({ status: 'failed' });
  const { rows } = await database.owner.raw(
    'select refusal from transfer_batch_items where batch_id = ?',
    [batch.id],
  );
  expect(rows).toEqual([{ refusal: 'not_posted' }]);
  expect(log).toEqual([
    { part: 'batches', batch_id: batch.id, error: expect.stringContaining('statement timeout') },
  ]);
});

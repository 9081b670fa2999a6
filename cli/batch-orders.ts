// Batches of transfers: ordered as an operator may, and their workflows started.

import { randomUUID } from 'node:crypto';
import { isApprovalRequired } from '../db/errors';
import {
  findNextBatch,
  orderBatch,
  type OperatorBatch,
} from '../db/transfer-batches/transfer-batches';
import { MAX_WAITING_BATCHES } from '../domain/batch-limits';
import { prepareBatch } from '../use-cases/transfer-batches/prepare';
import type { CommandContext } from './context';
import { CommandError } from './error';
import { withTemporal } from './temporal';

/** Returns the batch's id. */
export async function order(
  { db, actor }: CommandContext,
  given: Omit<Parameters<typeof prepareBatch>[0], 'id'>,
): Promise<string> {
  const id = randomUUID();
  const { batch, items } = prepareBatch({ id, ...given });
  const { outcome } = await orderBatch(db, batch, items, {
    max_waiting: MAX_WAITING_BATCHES,
    actor,
  }).catch((error: unknown) => {
    if (isApprovalRequired(error)) throw new CommandError('approval_required', TOO_MUCH);
    throw error;
  });
  if (outcome === 'created') return id;
  throw outcome === 'stored'
    ? new CommandError('key_used', 'A batch was ordered with this key: see batches list')
    : new CommandError('batch_limit', 'So many batches of this account wait: see batches list');
}

const TOO_MUCH =
  'This is more than one operator may move: let the account order it itself, in the dashboard or by POST /transfer-batches';

/** Starts the account's next batch; the service's sweeper does it when this fails. */
export async function startNext(
  context: CommandContext,
  user_id: string,
  environment: OperatorBatch['environment'],
): Promise<void> {
  const { db, config, note } = context;
  const next = await findNextBatch(db, user_id, environment);
  if (!next) return;
  const { createBatchStarter } = await import('../temporal/transfer-batches.js');
  try {
    await withTemporal(context, (client) => createBatchStarter(client, config.task_queue)(next));
  } catch (error) {
    note(`It begins within a minute: ${(error as Error).message}`);
  }
}

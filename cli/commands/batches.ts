// Bulk transfers: a CSV file of transfers is ordered for an account, watched, and cancelled.

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  findOperatorBatch,
  listItems,
  listOperatorBatches,
  stopBatch,
  type OperatorBatch,
} from '../../db/transfer-batches/transfer-batches';
import { MAX_STEP_ITEMS } from '../../domain/batch-limits';
import { bulkTransferWorkflowId, isUuid } from '../../domain/ids';
import { BATCH_MODES, BATCH_STATUSES, ITEM_STATUSES } from '../../domain/transfer-batch';
import { readItems } from '../batch-file';
import { order, startNext } from '../batch-orders';
import { batchesResult, batchResult, itemsResult } from '../batch-text';
import { command, group, run } from '../command';
import type { CommandContext } from '../context';
import { CommandError } from '../error';
import { describeWorkflow } from '../intent-text';
import { requireUser } from '../lookups';
import {
  cursorOption,
  environmentFilter,
  environmentOption,
  idempotencyKey,
  limitOption,
  userFilter,
  userOption,
  wordOption,
} from '../options';
import { listedPage } from '../page';
import { progressBar } from '../progress';
import { readWorkflowState } from '../temporal';

const POLL_MS = 200;

/** Shows the progress until the batch is over. */
async function follow(context: CommandContext, id: string): Promise<OperatorBatch> {
  const bar = progressBar();
  for (;;) {
    const batch = await requireBatch(context.db, id);
    bar.show(batch.completed + batch.failed + batch.held, batch.total);
    if (batch.status !== 'processing') {
      bar.end();
      return batch;
    }
    await delay(POLL_MS);
  }
}

async function requireBatch(db: CommandContext['db'], id: string): Promise<OperatorBatch> {
  const batch = isUuid(id) ? await findOperatorBatch(db, id) : undefined;
  if (!batch) throw new CommandError('transfer_batch_not_found', `There is no batch ${id}`);
  return batch;
}

export const batches = group([
  command(
    'create',
    'Order the transfers of a CSV file (to_username, currency, amount, optional idempotency_key) and watch them',
  )
    .requiredOption('--file <file>', 'the file')
    .addOption(userOption)
    .addOption(environmentOption)
    .addOption(wordOption('--mode <mode>', 'each by itself, or all or none', BATCH_MODES))
    .option('--dry-run', 'check only')
    .option('--key <key>', 'an idempotency key', idempotencyKey('key'))
    .option('--no-wait', 'do not watch it')
    .action(
      run(async (context, options) => {
        const { db, config, note } = context;
        const user = await requireUser(db, options.user);
        const { environment, mode = 'independent' } = options;
        const items = await readItems(options.file, user.username, config);
        if (mode === 'atomic' && items.length > MAX_STEP_ITEMS) {
          const most = `at most ${MAX_STEP_ITEMS} transfers`;
          throw new CommandError('invalid_file', `With --mode atomic a file has ${most}`);
        }
        const key = options.key ?? randomUUID();
        note(`Idempotency key: ${key}`);
        const id = await order(context, {
          user_id: user.id,
          environment,
          items,
          mode,
          dry_run: options.dryRun === true,
          idempotency_key: key,
          request_id: `cli-${randomUUID()}`,
        });
        note(`Batch ${id}: stop it with batches cancel ${id}`);
        await startNext(context, user.id, environment);
        return batchResult(options.wait ? await follow(context, id) : await requireBatch(db, id));
      }),
    ),
  command('show', 'Show how far a batch has come, and its workflow')
    .argument('<id>', 'of the batch')
    .action(
      run(async (context, id) => {
        const batch = await requireBatch(context.db, id);
        const workflow = await readWorkflowState(
          context,
          bulkTransferWorkflowId(batch.environment, batch.id),
        );
        const shown = batchResult(batch);
        return {
          json: { ...shown.json, workflow: { ...workflow } },
          text: `${shown.text}\n\n${describeWorkflow(workflow)}`,
        };
      }),
    ),
  command('list', 'List batches of transfers, newest first')
    .addOption(userFilter)
    .addOption(environmentFilter)
    .addOption(wordOption('--status <status>', 'in this state only', BATCH_STATUSES))
    .addOption(limitOption)
    .action(
      run(async ({ db }, options) => {
        const { user: username, environment, status, limit } = options;
        const rows = await listOperatorBatches(db, {
          user_id: username === undefined ? undefined : (await requireUser(db, username)).id,
          environment,
          status,
          limit,
        });
        return batchesResult(rows);
      }),
    ),
  command('items', 'List the transfers of a batch, in the order given')
    .argument('<id>', 'of the batch')
    .addOption(wordOption('--status <status>', 'in this state only', ITEM_STATUSES))
    .addOption(limitOption)
    .addOption(cursorOption)
    .action(
      run(async ({ db }, batch_id, options) => {
        const batch = await requireBatch(db, batch_id);
        const { status, limit } = options;
        const found = await listItems(db, {
          batch_id: batch.id,
          status,
          after: Number(options.cursor ?? -1n),
          limit: limit + 1,
        });
        return itemsResult(
          batch,
          listedPage(found, limit, ({ index }) => String(index)),
        );
      }),
    ),
  command('cancel', 'Stop what is not posted yet of a batch')
    .argument('<id>', 'of the batch')
    .action(
      run(async (context, batch_id) => {
        const { db, actor } = context;
        const { id, username } = await requireBatch(db, batch_id);
        const batch = await stopBatch(db, id, actor);
        if (batch.status !== 'canceled') {
          throw new CommandError(
            'batch_not_cancelable',
            `This batch is ${batch.status} and cannot be cancelled`,
          );
        }
        await startNext(context, batch.user_id, batch.environment);
        return batchResult({ ...batch, username });
      }),
    ),
]);

// Bulk transfers: a CSV file of payouts is ordered for an account, watched, and cancelled.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { isApprovalRequired } from '../../db/errors';
import {
  findNextBatch,
  findOperatorBatch,
  listItems,
  listOperatorBatches,
  orderBatch,
  stopBatch,
  type OperatorBatch,
} from '../../db/transfer-batches';
import { MAX_BATCH_BYTES, MAX_WAITING_BATCHES } from '../../domain/batch-limits';
import { bulkTransferWorkflowId, isUuid } from '../../domain/ids';
import {
  BATCH_MODES,
  BATCH_STATUSES,
  ITEM_STATUSES,
  presentBatch,
  presentItem,
} from '../../domain/transfer-batch';
import {
  readBatchFile,
  type BatchFile,
  type FileLine,
  type LineFault,
} from '../../use-cases/batch-file';
import { prepareBatch } from '../../use-cases/transfer-batches';
import { command, group, run } from '../command';
import {
  cursorOption,
  environmentFilter,
  environmentOption,
  limitOption,
  userFilter,
  userOption,
  wordOption,
} from '../options';
import type { CommandContext, CommandResult } from '../context';
import { CommandError } from '../error';
import { amountText } from '../intent-text';
import { requireUser } from '../lookups';
import { progressBar } from '../progress';
import { table } from '../table';
import { readWorkflowState, withTemporal } from '../temporal';

const POLL_MS = 200;
const SHOWN_FAULTS = 20;

const batchesCreate = command(
  'create',
  'Order the transfers of a CSV file (to_username, currency, amount, optional idempotency_key) and watch them',
)
  .requiredOption('--file <file>', 'the file')
  .addOption(userOption)
  .addOption(environmentOption)
  .addOption(wordOption('--mode <mode>', 'each by itself, or all or none', BATCH_MODES))
  .option('--dry-run', 'check only')
  .option('--key <key>', 'an idempotency key')
  .option('--no-wait', 'do not watch it')
  .action(
    run(async (context, options) => {
      const { db, config, note } = context;
      const user = await requireUser(db, options.user);
      const environment = options.environment;
      const { mode = 'independent' } = options;
      const path = options.file;
      const read = readBatchFile(readFile(path), user.username, config.max_transfer);
      const items = requireItems(path, read);
      const key = options.key ?? randomUUID();
      const id = await order(context, {
        ...{ user_id: user.id, environment, items, mode, dry_run: options.dryRun === true },
        ...{ idempotency_key: key, request_id: `cli-${randomUUID()}` },
      });
      note(`Batch ${id}: stop it with batches cancel ${id}`);
      await startNext(context, user.id, environment);
      return show(options.wait ? await follow(context, id) : await requireBatch(db, id));
    }),
  );

function readFile(path: string): Uint8Array {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new CommandError('file_unreadable', `${path}: ${(error as Error).message}`);
  }
  if (bytes.length <= MAX_BATCH_BYTES) return bytes;
  throw new CommandError('file_too_large', `${path} has more than ${MAX_BATCH_BYTES} bytes`);
}

function requireItems(path: string, read: BatchFile) {
  if (!read.ok) {
    const place = read.line === undefined ? '' : `:${read.line}`;
    throw new CommandError(
      'invalid_file',
      `${path}${place}: ${FILE_FAULTS[read.fault](read.column)}`,
    );
  }
  if (read.faults.length === 0) return read.items;
  const shown = read.faults.slice(0, SHOWN_FAULTS).map((fault) => describeFault(path, fault));
  const more = read.faults.length - shown.length;
  throw new CommandError(
    'invalid_file',
    [...shown, ...(more > 0 ? [`and ${more} more lines`] : []), 'Nothing was sent.'].join('\n'),
  );
}

const FILE_FAULTS = {
  empty: () => 'the file has no transfers',
  too_many: () => 'the file has more than 10,000 transfers',
  encoding: () => 'the file is not UTF-8',
  syntax: () => 'this is not CSV: a quotation mark is missing',
  header: (column: string | undefined) =>
    `the first line must name to_username, currency and amount, and may name idempotency_key (${column})`,
} as const;

function describeFault(path: string, { line, ...fault }: FileLine & LineFault): string {
  return `${path}:${line}: ${fault.field} ${faultText(fault)}`;
}

function faultText(fault: LineFault): string {
  switch (fault.fault) {
    case 'columns':
      return 'has not as many columns as the first line';
    case 'missing':
      return 'is missing';
    case 'too_long':
      return 'has more than 64 characters';
    case 'unknown':
      return 'must be XOF, EUR or USD';
    case 'format':
      return 'must be a plain decimal number';
    case 'too_precise':
      return 'has more decimals than its currency allows';
    case 'zero':
      return 'must be more than zero';
    case 'too_large':
    case 'above_maximum':
      return 'is above the limit of one transfer';
    case 'yourself':
      return 'is the sender';
    case 'repeated':
      return `is also that of transfer ${fault.index + 1}`;
    case 'characters':
      return 'must be 1 to 255 printable ASCII characters';
  }
}

async function order(
  { db, actor }: CommandContext,
  given: Omit<Parameters<typeof prepareBatch>[0], 'id'>,
): Promise<string> {
  const id = randomUUID();
  const { batch, items } = prepareBatch({ id, ...given });
  const outcome = await orderBatch(db, batch, items, {
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

/** The sweeper of the service starts what this does not. */
async function startNext(
  context: CommandContext,
  user_id: string,
  environment: OperatorBatch['environment'],
): Promise<void> {
  const { db, config, note } = context;
  const next = await findNextBatch(db, user_id, environment);
  if (!next) return;
  const { createBatchStarter } = await import('../../temporal/transfer-batches.js');
  try {
    await withTemporal(context, (client) => createBatchStarter(client, config.task_queue)(next));
  } catch (error) {
    note(`It begins within a minute: ${(error as Error).message}`);
  }
}

/** Until it is over. */
async function follow(context: CommandContext, id: string): Promise<OperatorBatch> {
  const bar = progressBar();
  for (;;) {
    const batch = await requireBatch(context.db, id);
    bar.show(batch.completed + batch.failed, batch.total);
    if (batch.status !== 'processing') {
      bar.end();
      return batch;
    }
    await delay(POLL_MS);
  }
}

const batchesShow = command('show', 'Show how far a batch has come, and its workflow')
  .argument('<id>', 'of the batch')
  .action(
    run(async (context, id) => {
      const batch = await requireBatch(context.db, id);
      const workflow = await readWorkflowState(
        context,
        bulkTransferWorkflowId(batch.environment, batch.id),
      );
      const shown = show(batch);
      return {
        json: { ...shown.json, workflow: { ...workflow } },
        text: `${shown.text}\n\nWorkflow ${workflow.id}: ${workflow.state ?? workflow.fault}`,
      };
    }),
  );

function show(batch: OperatorBatch): CommandResult {
  const { username, idempotency_key, request_id } = batch;
  const { id, environment, status, mode, dry_run, total, completed, failed } = batch;
  return {
    json: { batch: { ...presentBatch(batch), username, idempotency_key, request_id } },
    text: [
      `${id}: ${total} transfers of ${username} (${environment}, ${mode}${dry_run ? ', dry run' : ''}), ${status}`,
      '',
      table([
        ['completed', String(completed)],
        ['failed', String(failed)],
        ['pending', String(total - completed - failed)],
        ['created_at', batch.created_at],
        ['finished_at', batch.finished_at ?? '-'],
        ['idempotency_key', idempotency_key],
        ['request_id', request_id],
      ]),
    ].join('\n'),
  };
}

const batchesList = command('list', 'List batches of transfers, newest first')
  .addOption(userFilter)
  .addOption(environmentFilter)
  .addOption(wordOption('--status <status>', 'in this state only', BATCH_STATUSES))
  .addOption(limitOption)
  .action(
    run(async ({ db }, options) => {
      const { user: username, environment, status, limit } = options;
      const rows = await listOperatorBatches(db, {
        user_id: username === undefined ? undefined : (await requireUser(db, username)).id,
        ...{ environment, status, limit },
      });
      const header = [
        'CREATED',
        'STATUS',
        'DONE',
        'FAILED',
        'TOTAL',
        'ENVIRONMENT',
        'ACCOUNT',
        'ID',
      ];
      const lines = rows.map((batch) => [
        batch.created_at,
        batch.status,
        ...[batch.completed + batch.failed, batch.failed, batch.total].map(String),
        batch.environment,
        batch.username,
        batch.id,
      ]);
      return {
        json: {
          batches: rows.map((batch) => ({ ...presentBatch(batch), username: batch.username })),
        },
        text: table([header, ...lines]),
      };
    }),
  );

const batchesItems = command('items', 'List the transfers of a batch, in the order given')
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
      const items = found.slice(0, limit);
      const next_cursor = found.length > limit ? String(items.at(-1)!.index) : null;
      const lines = items.map((item) => [
        String(item.index),
        item.to_username,
        amountText(item.amount_minor, item.currency),
        item.status,
        item.reference ?? '-',
        item.refusal ?? '-',
      ]);
      return {
        json: {
          transfers: items.map((item) => presentItem(item, batch.environment)),
          next_cursor,
        },
        text:
          table([['INDEX', 'TO', 'AMOUNT', 'STATUS', 'REFERENCE', 'REFUSED'], ...lines]) +
          (next_cursor === null ? '' : `\nMore: --cursor ${next_cursor}`),
      };
    }),
  );

const batchesCancel = command('cancel', 'Stop what is not posted yet of a batch')
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
      return show({ ...batch, username });
    }),
  );

async function requireBatch(db: CommandContext['db'], id: string): Promise<OperatorBatch> {
  const batch = isUuid(id) ? await findOperatorBatch(db, id) : undefined;
  if (!batch) throw new CommandError('transfer_batch_not_found', `There is no batch ${id}`);
  return batch;
}

export const batches = group([
  batchesCreate,
  batchesShow,
  batchesList,
  batchesItems,
  batchesCancel,
]);

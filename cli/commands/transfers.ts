// `transfers show`: what became of a transfer, and the workflow that posted it, alone or with
// others.

import {
  findOperatorTransfer,
  listBatchesOfKey,
  listKeyOutcomes,
  listTransferEntries,
  listUnpostedItems,
  type OperatorTransfer,
} from '../../db/transfers/operator-transfers';
import { listReversals } from '../../db/transfers/reversals';
import { findOperatorBatch } from '../../db/transfer-batches/transfer-batches';
import { bulkTransferWorkflowId, isUuid, plainReference } from '../../domain/ids';
import { batchResult } from '../batch-text';
import { command, group, run } from '../command';
import type { CommandContext, CommandResult } from '../context';
import { CommandError } from '../error';
import { requireUser } from '../lookups';
import { findWorkflow } from '../temporal';
import { itemResult, refusalResult, transferResult } from '../transfer-text';

const REFERENCE = /^TRF-[0-9A-Z]+$/;

/** The histories show the parts beyond these. */
const SHOWN_REVERSALS = 1_000;

async function showTransfer(
  context: CommandContext,
  transfer: OperatorTransfer,
): Promise<CommandResult> {
  const entries = await listTransferEntries(context.db, [transfer.reference]);
  const reversals = await listReversals(context.db, transfer.reference, SHOWN_REVERSALS);
  const workflow = await findWorkflow(context, queryOf(transfer));
  return transferResult({ transfer, entries, reversals, workflow });
}

/**
 * The workflow of a bulk transfer bears its id; a single one lists its references, as reversals of
 * it do.
 */
function queryOf({ batch_id, environment, reference }: OperatorTransfer): string {
  return batch_id === null
    ? `WorkflowType != "reversal" and PaymentReferences = "${reference}"`
    : `WorkflowId = "${bulkTransferWorkflowId(environment, batch_id)}"`;
}

/** Shows what the key stands for: a transfer, an item of a batch that is not posted, or a batch. */
async function showKey(
  context: CommandContext,
  username: string,
  key: string,
): Promise<CommandResult> {
  const { db } = context;
  const { id } = await requireUser(db, username);
  // The same key in both environments is two requests: the live one counts.
  const [outcome, other] = await listKeyOutcomes(db, id, key);
  if (outcome) {
    const { reference } = outcome;
    const transfer = reference === null ? undefined : await findOperatorTransfer(db, reference);
    return transfer ? showTransfer(context, transfer) : refusalResult(outcome, other);
  }
  const [item] = await listUnpostedItems(db, id, key);
  if (item) return itemResult(item);
  const [batch_id] = await listBatchesOfKey(db, id, key);
  if (batch_id !== undefined) return batchResult((await findOperatorBatch(db, batch_id))!);
  throw new CommandError(
    'transfer_not_found',
    `No request of ${username} with this key has had an outcome; it may be under way, or never have come`,
  );
}

export const transfers = group([
  command(
    'show',
    'Show a transfer, what it posted and its workflow; by its reference, or by an idempotency key and the sender',
  )
    .argument('<reference-or-key>', 'TRF-…, the id of a batch, or an Idempotency-Key')
    .option('--user <username>', 'whose key it is')
    .action(
      run(async (context, typed, { user }) => {
        if (user !== undefined) return showKey(context, user, typed);
        const name = plainReference(typed);
        if (REFERENCE.test(name)) {
          const transfer = await findOperatorTransfer(context.db, name);
          if (transfer) return showTransfer(context, transfer);
          throw new CommandError('transfer_not_found', `There is no transfer ${name}`);
        }
        const batch = isUuid(name) ? await findOperatorBatch(context.db, name) : undefined;
        if (batch) return batchResult(batch);
        throw new CommandError(
          'usage',
          '--user is required with an idempotency key: whose key it is',
        );
      }),
    ),
]);

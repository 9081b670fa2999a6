// `transfers show`: what became of a transfer, and the workflow that posted it, alone or with others.

import {
  findOperatorTransfer,
  listKeyOutcomes,
  type KeyOutcome,
  type OperatorTransfer,
} from '../../db/operator-transfers';
import { bulkTransferWorkflowId } from '../../domain/ids';
import { amountJson } from '../../domain/money';
import { workflowUrl } from '../../temporal/workflow-url';
import { command, group, run } from '../command';
import type { CommandContext, CommandResult } from '../context';
import { CommandError } from '../error';
import { amountText } from '../intent-text';
import { requireUser } from '../lookups';
import { table } from '../table';
import { findWorkflow, type FoundWorkflow } from '../temporal';

const REFERENCE = /^TRF-[0-9A-Z]+$/;

const transfersShow = command(
  'show',
  'Show a transfer and its workflow, by its reference, or by its idempotency key and the sender',
)
  .argument('<reference-or-key>', 'TRF-…, or the Idempotency-Key of the request')
  .option('--user <username>', 'whose key it is')
  .action(
    run(async (context, argument, options) => {
      const { db } = context;
      if (REFERENCE.test(argument)) {
        const transfer = await findOperatorTransfer(db, argument);
        if (transfer) return showTransfer(context, transfer);
        throw new CommandError('transfer_not_found', `There is no transfer ${argument}`);
      }
      const username = options.user;
      if (username === undefined) {
        throw new CommandError(
          'usage',
          '--user is required with an idempotency key: whose key it is',
        );
      }
      const { id } = await requireUser(db, username);
      const [outcome, other] = await listKeyOutcomes(db, id, argument);
      if (!outcome) {
        throw new CommandError(
          'transfer_not_found',
          `No request of ${username} with this key has had an outcome; it may be under way, or never have come`,
        );
      }
      // The same key in both environments is two requests: the live one counts.
      const transfer =
        outcome.reference === null ? undefined : await findOperatorTransfer(db, outcome.reference);
      if (transfer) return showTransfer(context, transfer);
      return showRefusal(outcome, other);
    }),
  );

async function showTransfer(
  context: CommandContext,
  transfer: OperatorTransfer,
): Promise<CommandResult> {
  const { amount_minor, fee_minor, ...rest } = transfer;
  const found = await findWorkflow(context, queryOf(transfer));
  const workflow = { ...found, url: urlOf(context, found) };
  const { currency, reference, status, from_username, to_username } = transfer;
  return {
    json: {
      transfer: { ...rest, amount: amountJson(amount_minor), fee: amountJson(fee_minor) },
      workflow,
    },
    text: [
      `${reference}: ${amountText(amount_minor, currency)} from ${from_username} to ${to_username} (${transfer.environment}), ${status}`,
      '',
      table([
        ['fee', amountText(fee_minor, currency)],
        ['created_at', transfer.created_at],
        ['idempotency_key', transfer.idempotency_key ?? '-'],
        ...(transfer.batch_id === null ? [] : [['batch_id', transfer.batch_id]]),
        ['request_id', transfer.request_id],
      ]),
      '',
      describeWorkflow(workflow),
    ].join('\n'),
  };
}

/** The workflow of a bulk transfer bears its id; a single one lists its references. */
function queryOf({ batch_id, environment, reference }: OperatorTransfer): string {
  return batch_id === null
    ? `PaymentReferences = "${reference}"`
    : `WorkflowId = "${bulkTransferWorkflowId(environment, batch_id)}"`;
}

function urlOf({ config }: CommandContext, { id }: FoundWorkflow): string | null {
  return id === null ? null : (workflowUrl(config, id) ?? null);
}

function describeWorkflow({
  id,
  state,
  fault,
  url,
}: FoundWorkflow & { url: string | null }): string {
  if (fault === 'unreachable') return 'Temporal cannot be reached.';
  if (id === null)
    return 'Temporal knows its workflow no more: it keeps closed ones for a time only.';
  return `Workflow ${id}: ${state}${url === null ? '' : `\n${url}`}`;
}

function showRefusal(outcome: KeyOutcome, other: KeyOutcome | undefined): CommandResult {
  const { environment, http_status, request_id, created_at } = outcome;
  return {
    json: { transfer: null, refusal: { environment, http_status, request_id, created_at } },
    text: [
      `Refused with ${http_status} (${environment}) at ${created_at}, request ${request_id}: nothing was moved.`,
      ...(other ? [`The key was used in ${other.environment} too.`] : []),
    ].join('\n'),
  };
}

export const transfers = group([transfersShow]);

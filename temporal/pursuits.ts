// Starts and wakes the workflows that ask third parties, of every kind.

import type { Client } from '@temporalio/client';
import { pursuitWorkflowId } from '../domain/ids';
import { formatAmount } from '../domain/money';
import type { Pursued, PursuitKind } from '../domain/pursuit';
import { pursuedChangedSignal, searchAttributes, WORKFLOW_TYPES } from '../workflows/messages';
import { readableAmount, summaryOf } from './summaries';

/** Has the third party asked about these now: starts their workflows, or wakes those that run. */
export type Pursue = (kind: PursuitKind, ids: readonly string[]) => Promise<void>;

export interface PursuerOptions {
  readonly client: Client;
  readonly task_queue: string;
  readonly findPursued: (kind: PursuitKind, ids: readonly string[]) => Promise<Pursued[]>;
}

export function createPursuer({ client, task_queue, findPursued }: PursuerOptions): Pursue {
  const signal = async ({ kind, id, environment, ...row }: Pursued): Promise<void> => {
    const { reference, currency, username, operator, status } = row;
    const amount = readableAmount(row.amount_minor, currency);
    await client.workflow.signalWithStart(WORKFLOW_TYPES.pursue, {
      workflowId: pursuitWorkflowId(kind, environment, id),
      taskQueue: task_queue,
      args: [kind, id],
      signal: pursuedChangedSignal,
      // One that has ended may change weeks later, and an operator may order a second refund of an item.
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: summaryOf(reference, amount, operator, username),
      staticDetails: detailsOf({ kind, id, environment, ...row }, amount),
      typedSearchAttributes: [
        { key: searchAttributes.environment, value: environment },
        ...(username === null ? [] : [{ key: searchAttributes.account, value: username }]),
        { key: searchAttributes.currency, value: currency },
        { key: searchAttributes.reference, value: reference },
        { key: searchAttributes.state, value: status },
        { key: searchAttributes.amount, value: Number(formatAmount(BigInt(row.amount_minor))) },
      ],
    });
  };
  return async (kind, ids) => {
    if (ids.length === 0) return;
    await Promise.all((await findPursued(kind, ids)).map(signal));
  };
}

const DONE_FOR = {
  'suspense-refund': 'back from suspense to a customer of',
  refund: 'back to a customer of',
  payout: 'paid out by',
  'payment-attempt': 'paid by phone to',
} as const;

function detailsOf(
  { kind, environment, username, operator, reference }: Pursued,
  amount: string,
): string {
  const account = username === null ? 'no account' : `\`${username}\``;
  const by = operator === null ? '' : ` by \`${operator}\``;
  return `**${amount}** ${DONE_FOR[kind]} ${account} (${environment})${by}, reference \`${reference}\``;
}

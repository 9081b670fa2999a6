// Starts the workflow of a reversal and waits for its result.

import {
  WorkflowExecutionAlreadyStartedError,
  type Client,
  type WorkflowHandle,
} from '@temporalio/client';
import type { Environment } from '../domain/environment';
import { idempotencyToken, reversalWorkflowId } from '../domain/ids';
import { formatAmount } from '../domain/money';
import type { ReversalRequest, ReversalResult, SealedReversal } from '../domain/reversal';
import type { WorkflowMessages } from '../secrets/workflow-messages';
import { searchAttributes, WORKFLOW_TASK_TIMEOUT_MS, WORKFLOW_TYPES } from '../workflows/messages';
import { callTemporal, describeError, isRefusedForGood } from './calls';
import { NO_RESPONSE, type CircuitBreaker } from './circuit-breaker';
import { readableAmount, summaryOf } from './summaries';

/**
 * `already_running`: another request's workflow for the same key, which has ended or is out of
 * time. Undefined: Temporal did not say in time.
 */
export type ReversalRun = ReversalResult | 'already_running' | undefined;

export interface ReversalWorkflows {
  /** Resolves before `deadline` (ms since the epoch). Never throws. */
  post(request: ReversalRequest, deadline: number): Promise<ReversalRun>;
}

export interface ReversalWorkflowsOptions {
  readonly client: Client;
  readonly breakers: Readonly<Record<Environment, CircuitBreaker>>;
  readonly workflow_messages: Pick<WorkflowMessages, 'sealReversal' | 'hashIdempotencyKey'>;
  readonly config: { readonly task_queue: string };
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

type Reversal = (request: SealedReversal) => Promise<ReversalResult>;

export function createReversalWorkflows(options: ReversalWorkflowsOptions): ReversalWorkflows {
  const { client, breakers, log } = options;
  return {
    async post(request, deadline) {
      const breaker = breakers[request.environment];
      try {
        const handle = await callTemporal(client, deadline, () => start(options, request));
        if (handle === undefined) {
          breaker.reportFailure(NO_RESPONSE);
          return undefined;
        }
        return await callTemporal(client, deadline, () => handle.result());
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError) {
          await awaitOther(options, request, deadline);
          return 'already_running';
        }
        const { request_id } = request;
        log({ part: 'reversals', request_id, error: describeError(error) });
        if (isRefusedForGood(error)) return NOT_STARTED;
        breaker.reportFailure(error);
        // It may have been started all the same: only the database can tell, and only later.
        return undefined;
      }
    },
  };
}

/** Whatever its outcome is: the response is looked up. */
async function awaitOther(
  { client, workflow_messages }: ReversalWorkflowsOptions,
  request: ReversalRequest,
  deadline: number,
): Promise<void> {
  const handle = client.workflow.getHandle(idOf(request, workflow_messages));
  await callTemporal(client, deadline, () => handle.result()).catch(() => undefined);
}

function idOf(
  { environment, user_id, key }: ReversalRequest,
  { hashIdempotencyKey }: Pick<WorkflowMessages, 'hashIdempotencyKey'>,
): string {
  return reversalWorkflowId(environment, user_id, idempotencyToken(key, hashIdempotencyKey));
}

/** Temporal has refused the start itself. */
const NOT_STARTED: ReversalResult = { outcome: 'not_posted', left_minor: null };

function start(
  { client, config, workflow_messages }: ReversalWorkflowsOptions,
  request: ReversalRequest,
): Promise<WorkflowHandle<Reversal>> {
  const { environment, username, currency, reference, transfer_reference } = request;
  const { amount_minor } = request;
  const amount = amount_minor === null ? undefined : formatAmount(BigInt(amount_minor));
  const what =
    amount_minor === null ? `the rest in ${currency}` : readableAmount(amount_minor, currency);
  return client.workflow.start<Reversal>(WORKFLOW_TYPES.reversal, {
    workflowId: idOf(request, workflow_messages),
    taskQueue: config.task_queue,
    args: [workflow_messages.sealReversal(request)],
    requestEagerStart: true,
    // The row of the key decides whether a retry may post, not the workflow's id.
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'FAIL',
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT_MS,
    staticSummary: summaryOf(reference, what, username, `of ${transfer_reference}`),
    staticDetails: `**${what}** of \`${transfer_reference}\` back from \`${username}\` (${environment}), reference \`${reference}\`, request \`${request.request_id}\``,
    typedSearchAttributes: [
      { key: searchAttributes.environment, value: environment },
      { key: searchAttributes.account, value: username },
      { key: searchAttributes.currency, value: currency },
      { key: searchAttributes.references, value: [reference, transfer_reference] },
      { key: searchAttributes.state, value: 'accepted' },
      ...(amount === undefined ? [] : [{ key: searchAttributes.amount, value: Number(amount) }]),
    ],
  });
}

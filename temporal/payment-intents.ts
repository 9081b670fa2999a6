// The workflow of a payment intent: started by its request and by the sweeper, and the updates that
// callers and customers send to it.

import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type Client,
  type WorkflowHandle,
  type WorkflowStartOptions,
} from '@temporalio/client';
import type { IntentToRun } from '../db/intents';
import type { Environment } from '../domain/environment';
import { intentWorkflowId } from '../domain/ids';
import type { IntentStep, SignedCancellation } from '../domain/intent';
import { formatAmount } from '../domain/money';
import type { WorkflowMessages } from '../secrets/workflow-messages';
import {
  awaitCheckoutUpdate,
  cancelUpdate,
  renewUpdate,
  searchAttributes,
  WORKFLOW_TASK_TIMEOUT_MS,
  WORKFLOW_TYPES,
  type IntentStart,
} from '../workflows/messages';
import { callTemporal } from './calls';

export interface IntentName {
  readonly environment: Environment;
  readonly id: string;
}

/** `eager`: its first task runs in this process. */
export type IntentRun = 'eager' | 'started' | 'already_running';

/** The step that followed; undefined when no worker responded in time, so that it may still follow. */
export type IntentResponse = IntentStep | 'not_running' | undefined;

export interface IntentWorkflows {
  /** Undefined when Temporal did not respond in time: whether it was started is then unknown. */
  start(intent: IntentToRun, deadline: number): Promise<IntentRun | undefined>;
  /** Waits until the checkout is open, or the next attempt to open it has failed. */
  awaitCheckout(intent: IntentName, deadline: number): Promise<IntentResponse>;
  cancel(intent: IntentName, deadline: number): Promise<IntentResponse>;
  renewCheckout(intent: IntentName, deadline: number): Promise<IntentResponse>;
}

export interface IntentWorkflowsOptions {
  readonly client: Client;
  readonly task_queue: string;
  readonly workflow_messages: Pick<WorkflowMessages, 'signCancellation'>;
}

export function createIntentWorkflows(options: IntentWorkflowsOptions): IntentWorkflows {
  const { client, task_queue } = options;
  return {
    async start(intent, deadline) {
      const options = startOptions(intent, task_queue);
      try {
        const handle = await callTemporal(client, deadline, () =>
          client.workflow.start<PaymentIntent>(WORKFLOW_TYPES.paymentIntent, {
            ...options,
            requestEagerStart: true,
          }),
        );
        return handle && (handle.eagerlyStarted ? 'eager' : 'started');
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError) return 'already_running';
        throw error;
      }
    },
    awaitCheckout: (intent, deadline) =>
      update(client, intent, deadline, (handle) => handle.executeUpdate(awaitCheckoutUpdate)),
    cancel: (intent, deadline) => cancelIntent(options, intent, deadline),
    renewCheckout: (intent, deadline) =>
      update(client, intent, deadline, (handle) => handle.executeUpdate(renewUpdate)),
  };
}

/** Closes the checkout at the gateway, then cancels; a customer who was faster has paid. */
export function cancelIntent(
  { client, workflow_messages }: Pick<IntentWorkflowsOptions, 'client' | 'workflow_messages'>,
  intent: IntentName,
  deadline: number,
): Promise<IntentResponse> {
  const args: [SignedCancellation] = [workflow_messages.signCancellation(intent.id)];
  return update(client, intent, deadline, (handle) => handle.executeUpdate(cancelUpdate, { args }));
}

async function update(
  client: Client,
  { environment, id }: IntentName,
  deadline: number,
  send: (handle: WorkflowHandle) => Promise<IntentStep>,
): Promise<IntentResponse> {
  const handle = client.workflow.getHandle(intentWorkflowId(environment, id));
  try {
    return await callTemporal(client, deadline, () => send(handle));
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'not_running';
    throw error;
  }
}

/** For the sweeper: starts the workflow unless it runs. True when it did not run. */
export function createIntentStarter(
  client: Client,
  task_queue: string,
): (intent: IntentToRun) => Promise<boolean> {
  return async (intent) => {
    try {
      await client.workflow.start(WORKFLOW_TYPES.paymentIntent, startOptions(intent, task_queue));
      return true;
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
      throw error;
    }
  };
}

type PaymentIntent = (start: IntentStart) => Promise<IntentStep>;

function startOptions(
  intent: IntentToRun,
  task_queue: string,
): WorkflowStartOptions<PaymentIntent> {
  const { id, environment, currency, reference, username, expires_at } = intent;
  const amount = formatAmount(BigInt(intent.amount_minor));
  return {
    workflowId: intentWorkflowId(environment, id),
    taskQueue: task_queue,
    args: [{ id, expires_at }],
    // A retry with the key resumes an abandoned intent; the row decides what is still to do.
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'FAIL',
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT_MS,
    staticSummary: `${amount} ${currency} · ${username} · ${reference}`,
    staticDetails: `**${amount} ${currency}** for \`${username}\` (${environment}), reference \`${reference}\`, expires ${expires_at}, request \`${intent.request_id}\``,
    typedSearchAttributes: [
      { key: searchAttributes.environment, value: environment },
      { key: searchAttributes.account, value: username },
      { key: searchAttributes.currency, value: currency },
      { key: searchAttributes.reference, value: reference },
      { key: searchAttributes.state, value: 'creating' },
      { key: searchAttributes.amount, value: Number(amount) },
      { key: searchAttributes.expires_at, value: new Date(expires_at) },
    ],
  };
}

// The workflow of a payment intent: started by its request, and again by the caller that finds that
// it was lost; the updates that callers and customers send to it, and the signals of notifications.

import { setTimeout as delay } from 'node:timers/promises';
import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  type Client,
  type WorkflowHandle,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { IntentToRun } from '../db/payment-intents/intents';
import type { Environment } from '../domain/environment';
import { intentWorkflowId, rowIdIn } from '../domain/ids';
import type { IntentStep, SealedCancellation } from '../domain/intent';
import { formatAmount } from '../domain/money';
import type { WorkflowMessages } from '../secrets/workflow-messages';
import {
  awaitCheckoutUpdate,
  cancelUpdate,
  intentEndedSignal,
  notificationStoredSignal,
  renewUpdate,
  searchAttributes,
  WORKFLOW_TYPES,
  type IntentStart,
} from '../workflows/messages';
import { callTemporal, hasGrpcCode } from './calls';
import type { WorkflowRun } from './running-workflows';
import { readableAmount, summaryOf } from './summaries';

export interface IntentName {
  readonly environment: Environment;
  readonly id: string;
}

/** `eager`: its first task runs in this process. */
export type IntentRun = 'eager' | 'started' | 'already_running';

/**
 * The step that followed; undefined when no worker responded in time, so that it may still follow.
 */
export type IntentResponse = IntentStep | 'not_running' | undefined;

export interface IntentWorkflows {
  /** Undefined when Temporal did not respond in time: whether it was started is then unknown. */
  start(intent: IntentToRun, deadline: number): Promise<IntentRun | undefined>;
  /** Waits until the checkout is open, or the next attempt to open it has failed. */
  awaitCheckout(intent: IntentName, deadline: number): Promise<IntentResponse>;
  cancel(intent: IntentName, deadline: number): Promise<IntentResponse>;
  renewCheckout(intent: IntentName, deadline: number): Promise<IntentResponse>;
}

/**
 * What it takes to tell an intent's workflow something, and to start the workflow if it was lost.
 */
export interface IntentWorkflowOptions {
  readonly client: Client;
  readonly task_queue: string;
  /** Reads an intent that has not come to its end from the database; undefined when it has. */
  readonly findIntent: (id: string) => Promise<IntentToRun | undefined>;
}

export interface IntentWorkflowsOptions extends IntentWorkflowOptions {
  readonly workflow_messages: Pick<WorkflowMessages, 'sealCancellation'>;
}

export function createIntentWorkflows(options: IntentWorkflowsOptions): IntentWorkflows {
  const { client, task_queue } = options;
  return {
    async start(intent, deadline) {
      try {
        const handle = await callTemporal(client, deadline, () =>
          client.workflow.start<PaymentIntent>(WORKFLOW_TYPES.paymentIntent, {
            ...startOptions(intent, task_queue),
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
      update(options, intent, deadline, (handle) => handle.executeUpdate(awaitCheckoutUpdate)),
    cancel: (intent, deadline) => cancelIntent(options, intent, deadline),
    renewCheckout: (intent, deadline) =>
      update(options, intent, deadline, (handle) => handle.executeUpdate(renewUpdate)),
  };
}

/** Closes the checkout at the gateway, then cancels; a customer who was faster has paid. */
export function cancelIntent(
  options: IntentWorkflowsOptions,
  intent: IntentName,
  deadline: number,
): Promise<IntentResponse> {
  const args: [SealedCancellation] = [options.workflow_messages.sealCancellation(intent.id)];
  return update(options, intent, deadline, (handle) =>
    handle.executeUpdate(cancelUpdate, { args }),
  );
}

/** One that is lost again and again while it is being asked has another fault. */
const MAX_STARTS = 3;
/**
 * A run that takes no more updates is followed by the next as soon as it has answered those it has.
 */
const NEXT_RUN_PAUSE_MS = 100;

/** A workflow that was lost while its intent is open is started again, and asked again. */
async function update(
  options: IntentWorkflowOptions,
  { environment, id }: IntentName,
  deadline: number,
  send: (handle: WorkflowHandle) => Promise<IntentStep>,
): Promise<IntentResponse> {
  const { client, task_queue } = options;
  const handle = client.workflow.getHandle(intentWorkflowId(environment, id));
  const startIntent = createIntentStarter(client, task_queue);
  for (let starts = 0; Date.now() < deadline;) {
    try {
      return await callTemporal(client, deadline, () => send(handle));
    } catch (error) {
      if (hasGrpcCode(error, 'failed_precondition')) {
        await delay(NEXT_RUN_PAUSE_MS);
        continue;
      }
      if (!isLost(error) || starts === MAX_STARTS) throw error;
    }
    const intent = await options.findIntent(id);
    if (!intent) return 'not_running';
    await callTemporal(client, deadline, () => startIntent(intent));
    starts += 1;
  }
  return undefined;
}

/** True when there is no such workflow, or when it ended while it was being asked. */
function isLost(error: unknown): boolean {
  if (error instanceof WorkflowNotFoundError) return true;
  return (
    error instanceof WorkflowUpdateFailedError &&
    error.cause instanceof ApplicationFailure &&
    error.cause.type === 'AcceptedUpdateCompletedWorkflow'
  );
}

/** Starts an intent's workflow unless it runs. True when it did not run. */
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

/** Says what became of the run; undefined when it was over: lists of workflows are some seconds old. */
export type RestartIntent = (broken: WorkflowRun) => Promise<'started anew' | 'ended' | undefined>;

/**
 * Starts the workflow of an intent anew, from its row, in place of a run that cannot go on; ends
 * that run when no intent waits for it. What the run was told and had not done comes again:
 * notifications by the sweep, updates by their callers.
 */
export function createIntentRestarter({
  client,
  task_queue,
  findIntent,
}: IntentWorkflowOptions): RestartIntent {
  return async ({ workflow_id, run_id }) => {
    const handle = client.workflow.getHandle(workflow_id);
    const { runId, status } = await handle.describe();
    if (runId !== run_id || status.name !== 'RUNNING') return undefined;
    const id = rowIdIn(workflow_id);
    const intent = id === undefined ? undefined : await findIntent(id);
    const options = intent && startOptions(intent, task_queue);
    // A person may have started one by hand, under another name.
    if (options?.workflowId !== workflow_id) {
      await handle.terminate('its history does not fit its code, and no intent waits for it');
      return 'ended';
    }
    await client.workflow.start(WORKFLOW_TYPES.paymentIntent, {
      ...options,
      workflowIdConflictPolicy: 'TERMINATE_EXISTING',
    });
    return 'started anew';
  };
}

/** Tells an intent's workflow of a stored notification, and starts the workflow if it was lost. */
export async function signalIntent(
  { client, task_queue, findIntent }: IntentWorkflowOptions,
  { environment, id }: IntentName,
  notification_id: string,
): Promise<'signalled' | 'ended'> {
  const handle = client.workflow.getHandle(intentWorkflowId(environment, id));
  try {
    await handle.signal(notificationStoredSignal, notification_id);
    return 'signalled';
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
  const intent = await findIntent(id);
  if (!intent) return 'ended';
  await client.workflow.signalWithStart(WORKFLOW_TYPES.paymentIntent, {
    ...startOptions(intent, task_queue),
    workflowIdConflictPolicy: 'USE_EXISTING',
    signal: notificationStoredSignal,
    signalArgs: [notification_id],
  });
  return 'signalled';
}

/** Tells a workflow that its intent has ended; one that does not run knows. */
export type TellIntentEnded = (intent: IntentName) => Promise<void>;

export function createIntentEndTeller(client: Client): TellIntentEnded {
  return async ({ environment, id }) => {
    try {
      await client.workflow.getHandle(intentWorkflowId(environment, id)).signal(intentEndedSignal);
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  };
}

type PaymentIntent = (start: IntentStart) => Promise<IntentStep>;

function startOptions(
  intent: IntentToRun,
  task_queue: string,
): WorkflowStartOptions<PaymentIntent> {
  const { id, environment, currency, reference, username, expires_at } = intent;
  const amount = readableAmount(intent.amount_minor, currency);
  return {
    workflowId: intentWorkflowId(environment, id),
    taskQueue: task_queue,
    args: [{ id, expires_at }],
    // A retry with the key resumes an abandoned intent; the row decides what is still to do.
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'FAIL',
    staticSummary: summaryOf(reference, amount, username),
    staticDetails: `**${amount}** for \`${username}\` (${environment}), reference \`${reference}\`, expires ${expires_at}, request \`${intent.request_id}\``,
    typedSearchAttributes: [
      { key: searchAttributes.environment, value: environment },
      { key: searchAttributes.account, value: username },
      { key: searchAttributes.currency, value: currency },
      { key: searchAttributes.reference, value: reference },
      { key: searchAttributes.state, value: 'creating' },
      { key: searchAttributes.amount, value: Number(formatAmount(BigInt(intent.amount_minor))) },
      { key: searchAttributes.expires_at, value: new Date(expires_at) },
    ],
  };
}

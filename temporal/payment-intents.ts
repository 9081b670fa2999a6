// How an intent's workflow is started, by its request and by whoever finds that it has none.

import {
  WorkflowExecutionAlreadyStartedError,
  type Client,
  type WorkflowStartOptions,
} from '@temporalio/client';
import type { IntentToRun } from '../db/intents';
import { intentWorkflowId } from '../domain/ids';
import { formatAmount } from '../domain/money';
import type { IntentStep } from '../activities/payment-intents';
import {
  searchAttributes,
  WORKFLOW_TASK_TIMEOUT_MS,
  type IntentStart,
} from '../workflows/messages';

export type PaymentIntentWorkflow = (start: IntentStart) => Promise<IntentStep>;

export function intentWorkflow(
  intent: IntentToRun,
  task_queue: string,
): WorkflowStartOptions<PaymentIntentWorkflow> {
  const { id, environment, currency, reference, username, expires_at } = intent;
  const amount = formatAmount(BigInt(intent.amount_minor));
  return {
    workflowId: intentWorkflowId(environment, id),
    taskQueue: task_queue,
    args: [{ id, expires_at }],
    // An abandoned intent is taken up again by its key; the row decides what is still to do.
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'FAIL',
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT_MS,
    staticSummary: `${amount} ${currency} · ${username} · ${reference}`,
    staticDetails: `**${amount} ${currency}** for \`${username}\` (${environment}), reference \`${reference}\`, link \`${intent.short_code}\`, expires ${expires_at}, request \`${intent.request_id}\``,
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

/** Starts it unless it runs; true when it did not. */
export function createIntentRunner(
  temporal: Client,
  task_queue: string,
): (intent: IntentToRun) => Promise<boolean> {
  return async (intent) => {
    try {
      await temporal.workflow.start('paymentIntent', intentWorkflow(intent, task_queue));
      return true;
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
      throw error;
    }
  };
}

// Delivers to one endpoint for as long as something is left to be delivered to it. What is due, and
// when, stands in the database; this says that somebody is at it, and wakes up in time. And the
// workflow that sends a range of deliveries again.

import {
  condition,
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { DrainStep, WebhookActivities } from '../activities/webhooks/index';
import { deliveriesAdded, searchAttributes } from './messages';

const { drainEndpoint, resendPage } = proxyActivities<WebhookActivities>({
  // It takes new deliveries for a minute at most, and then waits for those under way.
  startToCloseTimeout: '120s',
  // A process that dies in the middle is replaced within seconds.
  heartbeatTimeout: '5s',
  // Nor may a database that was away for long be found again long after it is back.
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '5s' },
});

export async function webhookEndpoint(endpoint_id: string): Promise<void> {
  let is_woken = false;
  let shown: string | undefined;
  setHandler(deliveriesAdded, () => {
    is_woken = true;
  });
  for (let turn = 0; ; turn += 1) {
    // Whatever is committed after this is seen by the drain, or sets it again.
    is_woken = false;
    const step = await drainEndpoint(endpoint_id, turn);
    setCurrentDetails(describe(step));
    if (step.state !== shown) upsertSearchAttributes(attributesOf(step));
    shown = step.state;
    if (step.next_in_ms === null && !is_woken) return;
    // The next run begins as this one did: by looking at what there is.
    if (workflowInfo().continueAsNewSuggested) await continueAsNew(endpoint_id);
    // Without a timer when more is due: the server may fire one as much as a second late.
    if (step.next_in_ms !== null && step.next_in_ms > 0 && !is_woken) {
      await condition(() => is_woken, step.next_in_ms, { summary: 'next attempt' });
    }
  }
}

function attributesOf({ state, username, environment }: DrainStep) {
  return [
    { key: searchAttributes.account, value: username },
    { key: searchAttributes.environment, value: environment },
    { key: searchAttributes.state, value: state },
  ];
}

/** In Markdown, for Temporal's UI. */
function describe(step: DrainStep): string {
  const { last_failure, oldest_pending_at, failing_since, pending } = step;
  const failure = last_failure
    ? `${last_failure.at} ${last_failure.outcome}${last_failure.status === null ? '' : ` (${last_failure.status})`}`
    : 'none';
  return [
    `**${step.state}**: ${step.url} of ${step.username} (${step.environment})`,
    '',
    `- backlog: ${pending}`,
    `- oldest pending: ${oldest_pending_at ?? 'none'}`,
    `- last failure: ${failure}`,
    `- failing since: ${failing_since ?? 'not failing'}`,
    `- next attempt: ${step.next_attempt_at ?? 'none'}`,
  ].join('\n');
}

/** Queues the range page by page; progress is in the row. */
export async function webhookResend(resend_id: string): Promise<{ readonly queued: number }> {
  for (;;) {
    const page = await resendPage(resend_id);
    setCurrentDetails(`${page.queued} deliveries queued`);
    if (page.is_done) return { queued: page.queued };
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof webhookResend>(resend_id);
    }
  }
}

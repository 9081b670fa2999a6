// `webhookEndpoint` delivers to one endpoint for as long as something is left to deliver. The
// database knows what is due and when; the workflow makes sure that a worker delivers it, and in
// time. `webhookResend` sends a time range of deliveries again.

import {
  condition,
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { DeliveryReport, WebhookActivities } from '../activities/webhooks/index';
import { deliveriesAddedSignal, searchAttributes } from './messages';

const { deliverDue, resendPage } = proxyActivities<WebhookActivities>({
  // A run takes new deliveries for a minute at most, and then waits for those under way.
  startToCloseTimeout: '120s',
  // A worker that dies during a run is replaced within seconds.
  heartbeatTimeout: '5s',
  // The longest wait between retries is short, to resume soon after a long outage of the database.
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '5s' },
});

export async function webhookEndpoint(endpoint_id: string): Promise<void> {
  let is_signalled = false;
  let shown_state: string | undefined;
  setHandler(deliveriesAddedSignal, () => {
    is_signalled = true;
  });
  for (let run_number = 0; ; run_number += 1) {
    // Reset before the run, which sees all that was committed until now. A later commit signals
    // again.
    is_signalled = false;
    const report = await deliverDue(endpoint_id, run_number);
    setCurrentDetails(describe(report));
    if (report.state !== shown_state) upsertSearchAttributes(attributesOf(report));
    shown_state = report.state;
    const { next_in_ms } = report;
    if (next_in_ms === null && !is_signalled) return;
    // No signal is lost: the next workflow run begins with a delivery run, too.
    if (workflowInfo().continueAsNewSuggested) await continueAsNew(endpoint_id);
    // No timer for what is due already: the server may fire it as much as a second late.
    if (next_in_ms !== null && next_in_ms > 0 && !is_signalled) {
      await condition(() => is_signalled, next_in_ms, { summary: 'next attempt' });
    }
  }
}

function attributesOf({ state, username, environment }: DeliveryReport) {
  return [
    { key: searchAttributes.account, value: username },
    { key: searchAttributes.environment, value: environment },
    { key: searchAttributes.state, value: state },
  ];
}

/** Writes Markdown, for Temporal's UI. */
function describe(report: DeliveryReport): string {
  const { last_failure, oldest_pending_at, failing_since, pending } = report;
  const failure = last_failure
    ? `${last_failure.at} ${last_failure.outcome}${last_failure.status === null ? '' : ` (${last_failure.status})`}`
    : 'none';
  return [
    `**${report.state}**: ${report.host} of ${report.username} (${report.environment})`,
    '',
    `- backlog: ${pending}`,
    `- oldest pending: ${oldest_pending_at ?? 'none'}`,
    `- last failure: ${failure}`,
    `- failing since: ${failing_since ?? 'not failing'}`,
    `- next attempt: ${report.next_attempt_at ?? 'none'}`,
  ].join('\n');
}

/** Queues the deliveries page by page; how far it has come is in the resend's row. */
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

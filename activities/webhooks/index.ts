// The activities of webhooks: deliver what is due to one endpoint, and queue a page of a resend (resends.ts).

import { readBacklog, type Backlog } from '../../db/webhooks/webhook-backlog';
import type { EndpointWaker } from '../../temporal/webhook-endpoints';
import { withHeartbeats } from '../heartbeats';
import type { RefusalLog } from '../refused-messages';
import { forRows } from '../rows';
import { runDeliveries, type DeliveryRunDependencies } from './delivery-run';
import { createResendActivities } from './resends';

export interface WebhookActivityDependencies extends DeliveryRunDependencies, RefusalLog {
  readonly waker: EndpointWaker;
}

/** Temporal's UI shows it of an endpoint. `busy`: another run delivers to it. */
export type EndpointState = 'delivering' | 'waiting' | 'failing' | 'idle' | 'busy' | 'closed';

/** How a delivery run has left its endpoint, as its workflow's history keeps it. */
export interface DeliveryReport extends Omit<Backlog, 'status' | 'url'> {
  /** The host of the endpoint's URL: the rest may have a token in it. */
  readonly host: string;
  readonly state: EndpointState;
}

export function createWebhookActivities(dependencies: WebhookActivityDependencies) {
  const { db } = dependencies;
  const delivering = forRows(dependencies, 'endpoint', {
    /** One delivery run. `run_number` counts from 0: the first runs are short. */
    async deliverDue(endpoint_id: string, run_number: number): Promise<DeliveryReport> {
      // Started by hand, it may be anything.
      const number = Number.isSafeInteger(run_number) ? Math.max(run_number, 0) : 0;
      const { ended, wait_ms } = await runDeliveries(dependencies, endpoint_id, number);
      const { status, url, ...rest } = await readBacklog(db, endpoint_id);
      const backlog = { ...rest, host: new URL(url).host };
      if (ended === 'busy') return { ...backlog, state: 'busy', next_in_ms: wait_ms };
      if (status !== 'enabled') return { ...backlog, state: 'closed' };
      return { ...backlog, state: stateOf(backlog) };
    },
  });
  return withHeartbeats({ ...delivering, ...createResendActivities(dependencies) });
}

export type WebhookActivities = ReturnType<typeof createWebhookActivities>;

function stateOf({
  pending,
  failing_since,
  next_in_ms,
}: Omit<Backlog, 'status' | 'url'>): EndpointState {
  if (pending === 0) return 'idle';
  if (failing_since !== null) return 'failing';
  return next_in_ms === 0 ? 'delivering' : 'waiting';
}

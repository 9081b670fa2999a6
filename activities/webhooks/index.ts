// What the workflows of endpoints do: deliver what is due, and queue a range to be sent again.

import { resendPage } from '../../db/webhook-resends';
import { readBacklog, type Backlog } from '../../db/webhooks';
import { whileAlive } from '../heartbeats';
import { drain, type DrainDependencies } from './delivery-run';
import { createLeases } from './leases';
import type { EndpointWaker } from '../../temporal/webhook-endpoints';

export interface WebhookActivityDependencies extends Omit<DrainDependencies, 'leases'> {
  readonly waker: EndpointWaker;
}

/** What an operator reads of an endpoint. */
export type DrainState = 'delivering' | 'waiting' | 'failing' | 'idle' | 'busy' | 'closed';

export interface DrainStep extends Omit<Backlog, 'status'> {
  readonly state: DrainState;
}

const RESEND_PAGE = 500;

export function createWebhookActivities(dependencies: WebhookActivityDependencies) {
  const { db, waker, deliveries } = dependencies;
  const tools = { ...dependencies, leases: createLeases(db, deliveries.pace.lease_ms) };
  return whileAlive({
    /** `turn` counts from 0: the first ones are short, so that Temporal's UI soon has something to show. */
    async drainEndpoint(endpoint_id: string, turn: number): Promise<DrainStep> {
      const { ended, wait_ms } = await drain(tools, endpoint_id, turn);
      const { status, ...backlog } = await readBacklog(db, endpoint_id);
      if (ended === 'busy') return { ...backlog, state: 'busy', next_in_ms: wait_ms };
      if (status !== 'enabled') return { ...backlog, state: 'closed' };
      return { ...backlog, state: stateOf(backlog) };
    },

    async resendPage(
      resend_id: string,
    ): Promise<{ readonly is_done: boolean; readonly queued: number }> {
      const { is_done, queued, wake } = await resendPage(db, resend_id, RESEND_PAGE);
      waker.wake(wake);
      return { is_done, queued };
    },
  });
}

export type WebhookActivities = ReturnType<typeof createWebhookActivities>;

function stateOf({ pending, failing_since, next_in_ms }: Omit<Backlog, 'status'>): DrainState {
  if (pending === 0) return 'idle';
  if (failing_since !== null) return 'failing';
  return next_in_ms === 0 ? 'delivering' : 'waiting';
}

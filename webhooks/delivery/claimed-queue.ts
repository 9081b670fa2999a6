// The deliveries that a run has claimed: first those that wait to be sent, then those that are
// being sent, until their attempts are recorded.

import type { ClaimedDelivery } from '../../db/webhooks/webhook-delivery-runs';
import type { WebhookFault } from '../../domain/fault';

export interface QueuedDelivery extends ClaimedDelivery {
  /** Live deliveries have none. */
  readonly fault?: WebhookFault | null;
}

export interface ClaimedQueue {
  /** Nothing waits to be sent. */
  readonly is_empty: boolean;
  add(deliveries: readonly QueuedDelivery[]): void;
  /** The next one to be sent. */
  next(): QueuedDelivery | undefined;
  /** Deliveries that were not sent yet are due as before, and may be claimed again. */
  giveBack(): void;
  /** The attempts of these are recorded: if they are due again, they may be claimed again. */
  remove(ids: readonly string[]): void;
  /** Ids of all claimed deliveries; the next claim must skip them. */
  ids(): string[];
}

export function createClaimedQueue(): ClaimedQueue {
  const waiting: QueuedDelivery[] = [];
  const claimed = new Set<string>();
  return {
    get is_empty() {
      return waiting.length === 0;
    },
    add(deliveries) {
      for (const delivery of deliveries) {
        waiting.push(delivery);
        claimed.add(delivery.id);
      }
    },
    next: () => waiting.shift(),
    giveBack() {
      for (const { id } of waiting.splice(0)) claimed.delete(id);
    },
    remove(ids) {
      for (const id of ids) claimed.delete(id);
    },
    ids: () => [...claimed],
  };
}

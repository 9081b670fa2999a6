// The leases of the endpoints that this process delivers to. One statement renews all of them:
// hundreds of endpoints that hang are held for as long as they do, and must not cost a statement
// each.

import type { Db } from '../../db/connect';
import { renewLeases } from '../../db/webhooks/webhook-delivery-runs';

const RENEWALS_PER_LEASE = 2.5;

export interface Leases {
  /** Renews a lease that was taken, until it is released. */
  hold(endpoint_id: string, token: string): { release(): void };
}

export function createLeases(db: Db, lease_ms: number): Leases {
  const tokens = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;
  const renew = (): void => {
    // A renewal that fails is made up for by the next; a lease that was lost is seen by the next
    // claim.
    renewLeases(db, [...tokens], lease_ms).catch(() => undefined);
  };
  return {
    hold(endpoint_id, token) {
      tokens.set(endpoint_id, token);
      timer ??= setInterval(renew, lease_ms / RENEWALS_PER_LEASE);
      return {
        release() {
          if (tokens.get(endpoint_id) === token) tokens.delete(endpoint_id);
          if (tokens.size > 0) return;
          clearInterval(timer);
          timer = undefined;
        },
      };
    },
  };
}

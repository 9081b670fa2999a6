// The leases of all endpoints that this process is delivering to, renewed together: hundreds that hang
// are held for as long as they do, and must not cost a statement each.

import type { Db } from '../../db/connect';
import { renewDrain, renewDrains } from '../../db/webhooks';

const RENEWALS_PER_LEASE = 2.5;

export interface Leases {
  /** Renews it until it is released; it has to be there already. */
  hold(endpoint_id: string, token: string): { release(): void };
}

export function createLeases(db: Db, lease_ms: number): Leases {
  const tokens = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;
  const renew = async (): Promise<void> => {
    const held = [...tokens];
    const renewed = new Set(await renewDrains(db, held, lease_ms));
    // Somebody else has these in hand: whoever waits for one must not keep the others.
    const left = held.filter(([id]) => !renewed.has(id));
    await Promise.all(left.map(([id, token]) => renewDrain(db, id, token, lease_ms)));
  };
  return {
    hold(endpoint_id, token) {
      tokens.set(endpoint_id, token);
      timer ??= setInterval(() => {
        // What fails is tried again by the next; a lease that ends is seen by the next claim.
        renew().catch(() => undefined);
      }, lease_ms / RENEWALS_PER_LEASE);
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

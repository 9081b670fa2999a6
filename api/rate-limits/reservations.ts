// Calls counted in advance. A key with a high limit is counted in the shared store for many calls at
// once, and what was granted is spent here within the same second: the limit holds as it is, and
// most calls then only have to be identified. Keys with default limits never have a lease.

import { performance } from 'node:perf_hooks';
import type { Caller, Grant } from '../../db/api-keys';

interface Lease {
  requests: number;
  writes: number;
  readonly expires_at: number;
  /** As it was counted. */
  readonly caller: Caller;
}

export interface CallLeases {
  /**
   * Spends one call counted in advance, for whom it was counted; undefined when there is none and
   * the store must count.
   */
  spend(key: string, is_write: boolean): Caller | undefined;
  /**
   * True for one call of a key at a time: only that one may ask for a block. If all of a burst did,
   * each would count a block, and all but one of those be left unspent.
   */
  claim(key: string): boolean;
  /** Ends the claim. */
  release(key: string): void;
  /** Keeps what was granted beyond the call itself. `asked_at` is from before the question. */
  keep(key: string, granted: Caller & Grant, asked_at: number): void;
}

/** More keys than this in one second: the oldest leases go, which only costs a count each. */
const MAX_LEASES = 10_000;

export function createCallLeases(): CallLeases {
  const leases = new Map<string, Lease>();
  const asking = new Set<string>();
  return {
    claim(key) {
      if (asking.has(key)) return false;
      asking.add(key);
      return true;
    },
    release(key) {
      asking.delete(key);
    },
    spend(key, is_write) {
      const lease = leases.get(key);
      if (!lease) return undefined;
      if (performance.now() >= lease.expires_at) {
        leases.delete(key);
        return undefined;
      }
      if (lease.requests < 1 || (is_write && lease.writes < 1)) return undefined;
      lease.requests -= 1;
      if (is_write) lease.writes -= 1;
      return {
        ...lease.caller,
        request_remaining: lease.caller.request_remaining + lease.requests,
        write_remaining: lease.caller.write_remaining + lease.writes,
      };
    },
    keep(key, granted, asked_at) {
      if (granted.granted_requests <= 1) return;
      const expires_at = asked_at + granted.lease_ms;
      const before = leases.get(key);
      const isSame = before !== undefined && before.expires_at > performance.now();
      if (!isSame && leases.size >= MAX_LEASES) {
        const [oldest] = leases.keys();
        if (oldest !== undefined) leases.delete(oldest);
      }
      leases.set(key, {
        requests: granted.granted_requests - 1 + (isSame ? before.requests : 0),
        writes: Math.max(0, granted.granted_writes - 1) + (isSame ? before.writes : 0),
        // The earlier end holds for both: neither is spent after its own second.
        expires_at: isSame ? Math.min(before.expires_at, expires_at) : expires_at,
        // The answer kept for one idempotency key is nothing to the next call.
        caller: { ...granted, stored: undefined },
      });
    },
  };
}

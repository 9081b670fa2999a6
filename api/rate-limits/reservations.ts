// Calls reserved in advance. A key with a high limit is counted in the shared store for many calls at
// once, and this process spends the reservation within the same second: the limit holds, and most
// calls only have to be identified. Keys with default limits never have a reservation.

import { performance } from 'node:perf_hooks';
import type { Caller, ReservedCalls } from '../../db/api-keys';

interface Reservation {
  requests: number;
  writes: number;
  readonly expires_at: number;
  /** As the store counted it. */
  readonly caller: Caller;
}

export interface Reservations {
  /**
   * Spends one reserved call and returns the caller that it was reserved for. Undefined when none is
   * left and the store must count.
   */
  spend(key: string, is_write: boolean): Caller | undefined;
  /**
   * True for one call of a key at a time: only that call may reserve more. If every call of a burst
   * did, each would count a block, and all blocks but one would stay unspent.
   */
  beginReserving(key: string): boolean;
  endReserving(key: string): void;
  /**
   * Adds what was reserved beyond the call itself. `requested_at` is the time before the store was
   * queried.
   */
  add(key: string, counted: Caller & ReservedCalls, requested_at: number): void;
}

/** Above this number of keys in one second the oldest reservations go, which costs a count each. */
const MAX_RESERVATIONS = 10_000;

export function createReservations(): Reservations {
  const reservations = new Map<string, Reservation>();
  const reserving = new Set<string>();
  return {
    spend(key, is_write) {
      const reservation = reservations.get(key);
      if (!reservation) return undefined;
      if (performance.now() >= reservation.expires_at) {
        reservations.delete(key);
        return undefined;
      }
      if (reservation.requests < 1 || (is_write && reservation.writes < 1)) return undefined;
      reservation.requests -= 1;
      if (is_write) reservation.writes -= 1;
      const { caller } = reservation;
      return {
        ...caller,
        request_remaining: caller.request_remaining + reservation.requests,
        write_remaining: caller.write_remaining + reservation.writes,
      };
    },
    beginReserving(key) {
      if (reserving.has(key)) return false;
      reserving.add(key);
      return true;
    },
    endReserving(key) {
      reserving.delete(key);
    },
    add(key, counted, requested_at) {
      if (counted.reserved_requests <= 1) return;
      const expires_at = requested_at + counted.reservation_ms;
      const before = reservations.get(key);
      const isSame = before !== undefined && before.expires_at > performance.now();
      if (!isSame && reservations.size >= MAX_RESERVATIONS) {
        const [oldest] = reservations.keys();
        if (oldest !== undefined) reservations.delete(oldest);
      }
      reservations.set(key, {
        requests: counted.reserved_requests - 1 + (isSame ? before.requests : 0),
        writes: Math.max(0, counted.reserved_writes - 1) + (isSame ? before.writes : 0),
        // The earlier expiry holds for both: neither may be spent after its own second.
        expires_at: isSame ? Math.min(before.expires_at, expires_at) : expires_at,
        // The response stored for one idempotency key says nothing about the next call.
        caller: { ...counted, stored: undefined },
      });
    },
  };
}

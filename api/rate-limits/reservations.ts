// Calls reserved in advance. A key with a high limit is counted in the shared store for many calls
// at once, and this process spends the reservation within the same second: the limit holds, and
// most calls only have to be identified. Keys with default limits never have a reservation.

import { performance } from 'node:perf_hooks';
import type { Caller, ReservedCalls } from '../../db/keys/api-keys';

interface Reservation {
  requests: number;
  writes: number;
  readonly expires_at: number;
  /** The caller as the store counted it. */
  readonly caller: Caller;
}

export interface Reservations {
  /**
   * Spends one reserved call and returns the caller that it was reserved for. Undefined when none
   * is left and the store must count.
   */
  spend(key: string, is_write: boolean): Caller | undefined;
  /**
   * Has the store count a call, and keeps what it reserved beyond that. Only one call of a key at a
   * time may reserve: if every call of a burst did, each would count a block, and all blocks but
   * one would stay unspent.
   */
  count(
    key: string,
    countCall: (may_reserve: boolean) => Promise<(Caller & ReservedCalls) | undefined>,
  ): Promise<Caller | undefined>;
}

/** Above this number of keys in one second the oldest reservations go, which costs a count each. */
const MAX_RESERVATIONS = 10_000;

export function createReservations(): Reservations {
  const reservations = new Map<string, Reservation>();
  const reserving = new Set<string>();

  const valid = (key: string): Reservation | undefined => {
    const reservation = reservations.get(key);
    if (!reservation || performance.now() < reservation.expires_at) return reservation;
    reservations.delete(key);
    return undefined;
  };
  const keep = (key: string, counted: Caller & ReservedCalls, requested_at: number): void => {
    const before = valid(key);
    if (!before && reservations.size >= MAX_RESERVATIONS) {
      reservations.delete(reservations.keys().next().value!);
    }
    reservations.set(key, {
      requests: counted.reserved_requests - 1 + (before?.requests ?? 0),
      writes: Math.max(0, counted.reserved_writes - 1) + (before?.writes ?? 0),
      // The earlier expiry holds for both: neither may be spent after its own second.
      expires_at: Math.min(requested_at + counted.reservation_ms, before?.expires_at ?? Infinity),
      // The response stored for one idempotency key says nothing about the next call.
      caller: { ...counted, stored: undefined },
    });
  };

  return {
    spend(key, is_write) {
      const reservation = valid(key);
      if (!reservation || reservation.requests < 1) return undefined;
      if (is_write && reservation.writes < 1) return undefined;
      reservation.requests -= 1;
      if (is_write) reservation.writes -= 1;
      const { caller, requests, writes } = reservation;
      return {
        ...caller,
        request_remaining: caller.request_remaining + requests,
        write_remaining: caller.write_remaining + writes,
      };
    },
    async count(key, countCall) {
      const may_reserve = !reserving.has(key);
      if (may_reserve) reserving.add(key);
      const requested_at = performance.now();
      try {
        const counted = await countCall(may_reserve);
        if (counted?.allowed && counted.reserved_requests > 1) keep(key, counted, requested_at);
        return counted;
      } finally {
        if (may_reserve) reserving.delete(key);
      }
    },
  };
}

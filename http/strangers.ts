// How much strangers may do: requests that nothing vouches for, neither a valid API key nor a
// gateway's signature, are counted per address in this process's memory, before they cost a query
// (docs/decisions/keys-and-limits.md). There is no store that could fail.

import { performance } from 'node:perf_hooks';
import { createMinuteCounter, type Allowance } from '../domain/minute-counter';
import { Refusal } from '../domain/refusal';
import { networksOf } from './network';

/**
 * `request`: anything without a valid key. `look_up`: a secret that this process has not seen,
 * which costs a query. `health`: asked by monitors. `payment_page`: a payment link that exists, and
 * what belongs to its page; many customers may share an address.
 */
export type StrangerKind = 'request' | 'look_up' | 'health' | 'payment_page' | 'link_payment';

/** Times the limit of a `request`. */
const TIMES: Readonly<Record<StrangerKind, number>> = {
  request: 1,
  look_up: 10,
  health: 10,
  payment_page: 10,
  link_payment: 0.2,
};
/** A site can get a whole /48 of IPv6, with 65,536 of the /64s that have a limit each. */
const TIMES_OF_SITE = 10;
/**
 * Right secrets, remembered only to decide whether a look-up is worth a query; the query itself
 * still decides.
 */
const REMEMBERED = 60_000;

export interface Strangers {
  /**
   * Counts one request. Zero when it is allowed, else the whole seconds after which one will be.
   */
  take(kind: StrangerKind, address: string): number;
  /**
   * Looks up what a caller must know: an API key, the code of a payment link, a session. Returns
   * what `find` does, which is undefined for a wrong secret; a number when the address is over its
   * limit: the seconds to wait. Rejects as `find` does. A caller whose secret was right lately is
   * neither counted nor refused.
   */
  lookUp<Found>(
    address: string,
    secret: string,
    find: () => Promise<Found | undefined>,
  ): Promise<Found | number | undefined>;
  /** Whether the secret was right lately. Says nothing about now. */
  wasRight(secret: string): boolean;
}

export interface StrangersOptions {
  /** Requests of one address in a minute. */
  readonly per_minute: number;
  /** Milliseconds that only ever grow. */
  readonly now?: () => number;
}

export function createStrangers({
  per_minute,
  now = () => performance.now(),
}: StrangersOptions): Strangers {
  const counter = createMinuteCounter(now);
  const allowancesOf = (kind: StrangerKind, address: string): readonly Allowance[] =>
    networksOf(address).map((network, width) => ({
      name: `${kind} ${network}`,
      most: per_minute * TIMES[kind] * (width === 0 ? 1 : TIMES_OF_SITE),
    }));
  const take = (kind: StrangerKind, address: string): number =>
    counter.take(...allowancesOf(kind, address));

  // Only right secrets get in, so no stranger can push out what is remembered. The latest used is
  // last.
  const right = new Set<string>();
  const remember = (secret: string): void => {
    right.delete(secret);
    right.add(secret);
    if (right.size > REMEMBERED) right.delete(right.values().next().value!);
  };

  return {
    take,
    wasRight: (secret) => right.has(secret),
    async lookUp(address, secret, find) {
      const is_known = right.has(secret);
      // Counted before the query: of many at once, only as many as the limit allows get one.
      const seconds = is_known ? 0 : take('look_up', address);
      if (seconds > 0) return seconds;
      const found = await find().catch((error: unknown) => {
        if (!is_known) counter.giveBack(...allowancesOf('look_up', address));
        throw error;
      });
      if (found !== undefined) {
        remember(secret);
        return found;
      }
      // It may have been right, and is revoked.
      right.delete(secret);
      return take('request', address) || undefined;
    },
  };
}

/** Returns the refusal of a caller without a valid key. */
export function strangerLimited(seconds: number): Refusal {
  return new Refusal('rate_limited', {
    message:
      'Too many requests without a valid API key from this address. Wait as many seconds as Retry-After says.',
    retry_after_seconds: seconds,
  });
}

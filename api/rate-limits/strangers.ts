// How much strangers may do: requests that nobody vouches for, by a valid API key or a gateway's
// signature, are counted per address in this process's memory, before they cost a query
// (docs/decisions/0038-strangers.md). There is no store that could fail.

import { performance } from 'node:perf_hooks';
import { networkOf } from './network';

const MINUTE_MS = 60_000;
/**
 * Most addresses counted one by one in a minute, for each kind of request. Further ones share one
 * count, so that a caller with millions of addresses fills neither the memory nor the limits of others.
 */
const MAX_ADDRESSES = 20_000;
const OTHERS = 'others';

/**
 * `request`: anything without a valid key. `health`: asked by monitors. `payment_page`: a payment link
 * that exists, and what belongs to its page; many customers may share an address.
 */
export type StrangerKind = 'request' | 'health' | 'payment_page';

/** Times the limit of a `request`. */
const ALLOWANCE: Readonly<Record<StrangerKind, number>> = {
  request: 1,
  health: 10,
  payment_page: 10,
};

export interface Strangers {
  /** Counts one request. Zero when it is allowed, else the whole seconds after which one will be. */
  take(kind: StrangerKind, address: string): number;
  /** Takes back one count of a `request`: the caller turned out to be no stranger. */
  giveBack(address: string): void;
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
  const counter = (kind: StrangerKind): Counter => createCounter(per_minute * ALLOWANCE[kind], now);
  const counters: Readonly<Record<StrangerKind, Counter>> = {
    request: counter('request'),
    health: counter('health'),
    payment_page: counter('payment_page'),
  };
  return {
    take: (kind, address) => counters[kind].take(networkOf(address)),
    giveBack: (address) => counters.request.giveBack(networkOf(address)),
  };
}

interface Counter {
  take(network: string): number;
  giveBack(network: string): void;
}

/**
 * A sliding window from two minutes' counts: the last minute counts for the part of it that is less
 * than 60 s ago. Refused requests are not counted. Each minute's map is dropped as a whole.
 */
function createCounter(limit: number, now: () => number): Counter {
  let minute = 0;
  let current = new Map<string, number>();
  let last = new Map<string, number>();
  /** The part of this minute that has passed. */
  const advance = (): number => {
    const at = now();
    const passed = Math.floor(at / MINUTE_MS) - minute;
    if (passed > 0) {
      last = passed === 1 ? current : new Map();
      current = new Map();
      minute += passed;
    }
    return (at % MINUTE_MS) / MINUTE_MS;
  };
  const nameOf = (network: string): string =>
    current.has(network) || current.size < MAX_ADDRESSES ? network : OTHERS;
  return {
    take(network) {
      const part = advance();
      const name = nameOf(network);
      const counts = { last: last.get(name) ?? 0, current: current.get(name) ?? 0 };
      const wait = minutesToWait(counts, part, limit);
      if (wait > 0) return Math.ceil(wait * 60);
      current.set(name, counts.current + 1);
      return 0;
    },
    giveBack(network) {
      advance();
      const name = nameOf(network);
      const count = current.get(name);
      if (count !== undefined && count > 0) current.set(name, count - 1);
    },
  };
}

/** Minutes until one more request fits; zero when it fits now. */
function minutesToWait(
  { last, current }: { readonly last: number; readonly current: number },
  part: number,
  limit: number,
): number {
  if (last * (1 - part) + current + 1 <= limit) return 0;
  const room = limit - 1 - current;
  // Within this minute, enough of the last one has to pass; else enough of this one in the next.
  if (room >= 0) return 1 - room / last - part;
  return 1 - part + (1 - (limit - 1) / current);
}

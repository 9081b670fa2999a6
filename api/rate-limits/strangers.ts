// How much strangers may do: requests that nobody vouches for, by a valid API key or a gateway's
// signature, are counted per address in this process's memory, before they cost a query
// (docs/decisions/0038-strangers.md). There is no store that could fail.

import { performance } from 'node:perf_hooks';
import { createMinuteCounter, type MinuteCounter } from './minute-counter';
import { networkOf } from './network';

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
  const counter = (kind: StrangerKind): MinuteCounter =>
    createMinuteCounter(per_minute * ALLOWANCE[kind], now);
  const counters: Readonly<Record<StrangerKind, MinuteCounter>> = {
    request: counter('request'),
    health: counter('health'),
    payment_page: counter('payment_page'),
  };
  return {
    take: (kind, address) => counters[kind].take(networkOf(address)),
    giveBack: (address) => counters.request.giveBack(networkOf(address)),
  };
}

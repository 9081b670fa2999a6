// How many calls to a gateway, or to a provider of payouts, are made at once. Each of them holds an activity that work
// for the other ones, and work without any, needs too: a gateway that hangs may hold its share of them,
// and no more.

import { GatewayError } from '../domain/gateway-error';
import { createLimit } from '../domain/limit';
import type { PayoutProvider } from './payout-port';
import type { Gateway, PhonePayments } from './port';

/**
 * A process does 500 activities at once (`WORKER_SLOTS`): those that call gateways, and those that need none.
 */
const CALLS_AT_ONCE = { each: 200, all: 400 };

/** Returns the limit of each gateway in a process that has this number of them. */
export function callsAtOnce(gateways: number): number {
  return Math.min(CALLS_AT_ONCE.each, Math.floor(CALLS_AT_ONCE.all / gateways));
}

/**
 * The gateway, with a limit for the calls that activities make. A call beyond it is `unreachable`
 * at once, and was not sent.
 */
export function limitCalls(gateway: Gateway, at_once: number): Gateway {
  const within = limitOf(at_once, gateway.name);
  // Requests ask for the methods, and hold no activity.
  const asking = limitOf(at_once, gateway.name);
  const limitPhones = (phones: PhonePayments): PhonePayments => ({
    ...phones,
    methods: () => asking(() => phones.methods()),
    charge: (order) => within(() => phones.charge(order)),
    findCharge: (id) => within(() => phones.findCharge(id)),
  });
  return {
    ...gateway,
    ...(gateway.phones ? { phones: limitPhones(gateway.phones) } : {}),
    openCheckout: (request) => within(() => gateway.openCheckout(request)),
    closeCheckout: (session_id) => within(() => gateway.closeCheckout(session_id)),
    refund: (request) => within(() => gateway.refund(request)),
    findRefund: (refund_id) => within(() => gateway.findRefund(refund_id)),
    findDispute: (dispute_id) => within(() => gateway.findDispute(dispute_id)),
  };
}

/**
 * The same of a provider of payouts: a call beyond the limit has done nothing. Looks at destinations have a limit of
 * their own, so that many payouts under way keep no caller from looking.
 */
export function limitPayoutCalls(provider: PayoutProvider, at_once: number): PayoutProvider {
  const within = limitOf(at_once, provider.name);
  const checking = limitOf(at_once, provider.name);
  return {
    ...provider,
    check: (destination) => checking(() => provider.check(destination)),
    send: (order) => within(() => provider.send(order)),
    find: (id) => within(() => provider.find(id)),
    ...(provider.cancelQueued
      ? { cancelQueued: (id) => within(() => provider.cancelQueued!(id)) }
      : {}),
    ...(provider.followClock
      ? { followClock: (clock) => within(() => provider.followClock!(clock)) }
      : {}),
  };
}

function limitOf(at_once: number, name: string) {
  const limit = createLimit({ at_once });
  return async <Result>(call: () => Promise<Result>): Promise<Result> => {
    const leave = limit.enter();
    if (!leave) {
      const words = `${at_once} calls to ${name} are under way`;
      throw new GatewayError('unreachable', words, { outcome: 'not_done' });
    }
    try {
      return await call();
    } finally {
      leave();
    }
  };
}

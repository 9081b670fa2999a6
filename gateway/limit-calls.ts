// How many calls to a gateway are made at once. Each of them holds an activity that work for the
// other gateway, and work without any, needs too: a gateway that hangs may hold its share of them,
// and no more.

import { createLimit } from '../domain/limit';
import { GatewayError, type Gateway } from './port';

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
  const limit = createLimit({ at_once });
  const within = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    const leave = limit.enter();
    if (!leave) {
      throw new GatewayError('unreachable', `${at_once} calls to ${gateway.name} are under way`);
    }
    try {
      return await call();
    } finally {
      leave();
    }
  };
  return {
    ...gateway,
    openCheckout: (request) => within(() => gateway.openCheckout(request)),
    closeCheckout: (session_id) => within(() => gateway.closeCheckout(session_id)),
    refund: (request) => within(() => gateway.refund(request)),
    findRefund: (refund_id) => within(() => gateway.findRefund(refund_id)),
    findDispute: (dispute_id) => within(() => gateway.findDispute(dispute_id)),
  };
}

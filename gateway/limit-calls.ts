// So many calls to a gateway at once. Each of them holds a place that work for the other gateway, and work without
// any, needs too: one that hangs may hold its share of them, and no more.

import { GatewayError, type CheckoutRequest, type Gateway, type RefundRequest } from './port';

/** Of the 500 activities that a process does at once (`WORKER_SLOTS`), for each of two gateways. */
export const CALLS_AT_ONCE = 200;

/**
 * The gateway, with a limit for the calls that activities make. A call beyond it is `unreachable` at once, and
 * was not sent.
 */
export function limitCalls(gateway: Gateway, at_once = CALLS_AT_ONCE): Gateway {
  let under_way = 0;
  const limited = <Asked, Result>(call: (asked: Asked) => Promise<Result>) => {
    return async (asked: Asked): Promise<Result> => {
      if (under_way >= at_once) {
        throw new GatewayError('unreachable', `${at_once} calls to ${gateway.name} are under way`);
      }
      under_way += 1;
      try {
        return await call(asked);
      } finally {
        under_way -= 1;
      }
    };
  };
  return {
    ...gateway,
    openCheckout: limited((request: CheckoutRequest) => gateway.openCheckout(request)),
    closeCheckout: limited((session_id: string) => gateway.closeCheckout(session_id)),
    refund: limited((request: RefundRequest) => gateway.refund(request)),
    findRefund: limited((refund_id: string) => gateway.findRefund(refund_id)),
  };
}

// A question to a third party, which may be the order itself: it is sent soon, or never.

import type { Db } from '../db/connect';
import type { Environment } from '../domain/environment';
import { GatewayError } from '../domain/gateway-error';
import { withOrderedFault } from './sandbox/ordered-faults';

/**
 * A question that could not be sent by then is not sent: this process stood still, and another may have asked since, or
 * an operator may have ended what it is about. refuse_while_asked (db/suspense/suspense.sql) and may_order_again
 * (db/orders.sql) count on it.
 */
const SENT_WITHIN_MS = 10_000;

/** `of`: the row that the call is about. @throws GatewayError that nothing was done, when it is too late */
export type Send = <T>(
  of: { readonly environment: Environment; readonly id: string },
  call: () => Promise<T>,
) => Promise<T>;

/** Writes the question down by `begin`; the time until it has to be sent runs from before that. */
export async function beginQuestion<Asked>(
  db: Db,
  begin: () => Promise<Asked>,
): Promise<readonly [Asked, Send]> {
  const begun_at = performance.now();
  const send: Send = (of, call) =>
    withOrderedFault(db, of, () => {
      if (performance.now() - begun_at <= SENT_WITHIN_MS) return call();
      throw new GatewayError('unreachable', NOT_IN_TIME, { outcome: 'not_done' });
    });
  return [await begin(), send];
}

const NOT_IN_TIME = 'The process stood still for too long, and has not asked.';

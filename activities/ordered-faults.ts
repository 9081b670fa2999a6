// Calls to gateways that callers in the sandbox have ordered to fail (header `Sandbox-Fault`). Afterwards all goes on
// as after any such failure: the gateway is asked again.

import type { Db } from '../db/connect';
import { takeGatewayFault } from '../db/sandbox/faults';
import type { Environment } from '../domain/environment';

/** The errors that the call throws in its place. */
export interface FaultErrors {
  /** Nothing was sent. */
  readonly down: () => Error;
  /** It was carried out, and its answer lost. */
  readonly unknown: () => Error;
}

/** `of`: the payment intent, refund or payout that the call is about. */
export async function withOrderedFault<T>(
  db: Db,
  of: { readonly environment: Environment; readonly id: string },
  errors: FaultErrors,
  call: () => Promise<T>,
): Promise<T> {
  if (of.environment === 'live') return call();
  const fault = await takeGatewayFault(db, of.id);
  if (fault === 'gateway-down') throw errors.down();
  const answer = await call();
  if (fault === 'gateway-unknown') throw errors.unknown();
  return answer;
}

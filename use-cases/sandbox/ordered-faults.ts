// Calls to gateways that callers in the sandbox have ordered to fail (header `Sandbox-Fault`). Afterwards all goes on
// as after any such failure: the gateway is asked again.

import type { Db } from '../../db/connect';
import { takeGatewayFault } from '../../db/sandbox/faults';
import type { Environment } from '../../domain/environment';
import { GatewayError } from '../../domain/gateway-error';

/** `of`: the payment intent, refund or payout that the call is about. @throws GatewayError as it was ordered */
export async function withOrderedFault<T>(
  db: Db,
  of: { readonly environment: Environment; readonly id: string },
  call: () => Promise<T>,
): Promise<T> {
  if (of.environment === 'live') return call();
  const fault = await takeGatewayFault(db, of.id);
  const words = 'ordered by Sandbox-Fault';
  if (fault === 'gateway-down')
    throw new GatewayError('unreachable', words, { outcome: 'not_done' });
  const answer = await call();
  // It was carried out, and its answer lost.
  if (fault === 'gateway-unknown') throw new GatewayError('timeout', words);
  return answer;
}

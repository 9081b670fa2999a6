// A call to the simulator as a gateway, and what its failure is known to mean.

import { GatewayError } from '../port';
import {
  exchange,
  ExchangeError,
  nameOf,
  reasonIn,
  type Call,
  type Exchanged,
  type SandboxAccount,
} from './exchange';
import { FieldFault, readFields, type Fields } from './fields';

/** Statuses that a proxy or a busy gateway sends: no refusal, the call may be repeated. */
const RETRYABLE = new Set([408, 425, 429]);

/** Refusals that are about us, or about an object that we may not see. */
const ABOUT_ACCESS = new Set([401, 403, 404]);

export type Read<Value> = (response: Fields['value']) => Value;

/** @throws GatewayError and nothing else */
export async function callGateway<Value>(
  account: SandboxAccount,
  call: Call,
  read: Read<Value>,
): Promise<Value> {
  return readExchanged(call, await exchangeWithGateway(account, call), read);
}

/** Returns a whole response, of any status. @throws GatewayError */
export async function exchangeWithGateway(account: SandboxAccount, call: Call): Promise<Exchanged> {
  try {
    return await exchange(account, call);
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    const fault = error.fault === 'late' ? 'timeout' : 'unreachable';
    const outcome = error.fault === 'not_sent' ? 'not_done' : 'unknown';
    throw new GatewayError(fault, error.message, { cause: error.cause, outcome });
  }
}

/**
 * `not_done` are the statuses that say that nothing was done and nothing will be; left out, all refusals.
 * @throws GatewayError
 */
export function readExchanged<Value>(
  call: Call,
  { status, raw }: Exchanged,
  read: Read<Value>,
  not_done?: ReadonlySet<number>,
): Value {
  try {
    if (status >= 200 && status < 300) return read(readFields(raw).value);
  } catch (error) {
    if (!(error instanceof FieldFault)) throw error;
    throw new GatewayError('unreachable', `${nameOf(call)} got a response that is not valid`, {
      cause: error,
    });
  }
  const isRefusal = status >= 400 && status < 500 && !RETRYABLE.has(status);
  const because = reasonIn(raw)?.message;
  throw new GatewayError(
    isRefusal ? 'refused' : 'unreachable',
    `${nameOf(call)} returned ${status}${because === undefined ? '' : `: ${because}`}`,
    {
      is_about_access: ABOUT_ACCESS.has(status),
      ...(not_done && { outcome: not_done.has(status) ? 'not_done' : 'unknown' }),
    },
  );
}

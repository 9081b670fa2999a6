// A call to the simulator, and what its failure is known to mean.

import type { Currency } from '../../domain/currency';
import { GatewayError } from '../../domain/gateway-error';
import type { Minor } from '../../domain/money';
import { FieldFault, majorText, readFields, type Fields } from '../fields';
import { nameOf, type Call, type Exchanged } from '../http';
import { exchangeSigned, NOT_DONE, reasonIn, type SandboxAccount } from './exchange';

/** Statuses that a proxy or a busy gateway sends: no refusal, the call may be repeated. */
const RETRYABLE = new Set([408, 425, 429]);

/** Refusals that are about us, or about an object that we may not see. */
const ABOUT_ACCESS = new Set([401, 403, 404]);

export type Read<Value> = (response: Fields['value']) => Value;

/**
 * `not_done` are the statuses that say that nothing was done and nothing will be; left out, all refusals.
 * @throws GatewayError and nothing else
 */
export async function callGateway<Value>(
  account: SandboxAccount,
  call: Call,
  read: Read<Value>,
  not_done?: ReadonlySet<number>,
): Promise<Value> {
  return readExchanged(call, await exchangeSigned(account, call), read, not_done);
}

/**
 * Looks for an order. `not_seen` is the code of the one 404 that says that its id was never seen: any other may be of
 * a wrong address.
 * @throws GatewayError and nothing else
 */
export async function findOrder<Value>(
  account: SandboxAccount,
  path: string,
  read: Read<Value>,
  not_seen: string,
): Promise<Value | 'never_seen'> {
  const call: Call = { method: 'GET', path, body: null };
  const exchanged = await exchangeSigned(account, call);
  const is_not_seen = exchanged.status === 404 && reasonIn(exchanged.raw)?.code === not_seen;
  return is_not_seen ? 'never_seen' : readExchanged(call, exchanged, read, NOT_DONE);
}

/** @throws GatewayError for an amount that the currency does not have, before anything is sent */
export function writeAmount(amount: Minor, currency: Currency): string {
  try {
    return majorText(amount, currency);
  } catch (error) {
    if (!(error instanceof FieldFault)) throw error;
    throw new GatewayError('refused', error.message, { cause: error });
  }
}

function readExchanged<Value>(
  call: Call,
  { status, raw }: Exchanged,
  read: Read<Value>,
  not_done: ReadonlySet<number> | undefined,
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

// A call to pawaPay, and what its response or the lack of one is known to mean (openapi.json has its words).

import type { Environment } from '../../domain/environment';
import { GatewayError } from '../../domain/gateway-error';
import { FieldFault, isObject, optionalText, readFields, textField, type Fields } from '../fields';
import { exchange, nameOf, type Call, type Host } from '../http';

/** One account at pawaPay, decided by its token. */
export interface PawapayAccount extends Host {
  readonly environment: Environment;
  readonly token: string;
  /** The public keys of its callbacks: SPKI in base64. Any of them may have signed. */
  readonly callback_keys: readonly string[];
  /** The address to which pawaPay sends callbacks, as it is set in its dashboard: the signature covers it. */
  readonly callback_url: string;
}

/** pawaPay's reason, in its words. */
export interface Reason {
  readonly code: string;
  readonly message: string;
}

/**
 * Returns what `read` makes of a response. A request that pawaPay refuses as such (400) is read as one that it has
 * rejected (200).
 * @throws GatewayError and nothing else
 */
export async function callPawapay<Value>(
  account: PawapayAccount,
  call: Call,
  read: (body: Fields['value']) => Value,
): Promise<Value> {
  const what = nameOf(call);
  const headers = { Authorization: `Bearer ${account.token}` };
  const { status, raw } = await exchange(account, call, () => headers);
  try {
    if (status === 200) return read(readFields(raw).value);
    const reason = status >= 400 && status < 500 ? reasonOf(readFields(raw).value) : undefined;
    if (status === 400 && reason)
      return read({ status: 'REJECTED', failureReason: asSent(reason) });
    if ((status === 401 || status === 403) && reason) {
      throw new GatewayError('refused', `${what} returned ${status}: ${reason.code}`, {
        is_about_access: true,
      });
    }
  } catch (error) {
    if (!(error instanceof FieldFault)) throw error;
    const message = `${what} got a response that is not valid`;
    throw new GatewayError('unreachable', message, { cause: error });
  }
  // A response that is not documented, such as a proxy's page, says nothing.
  throw new GatewayError('unreachable', `${what} returned ${status}`);
}

const asSent = ({ code, message }: Reason) => ({ failureCode: code, failureMessage: message });

/** Undefined when there is none. The guide of refunds writes `rejectionReason`, the reference `failureReason`. */
export function reasonOf(body: Fields['value']): Reason | undefined {
  const [reason, prefix] = isObject(body['failureReason'])
    ? [body['failureReason'], 'failure']
    : [body['rejectionReason'], 'rejection'];
  if (!isObject(reason)) return undefined;
  const code = textField(reason, `${prefix}Code`, 200);
  const message = optionalText(reason, `${prefix}Message`, 1_000);
  return { code, message: message ?? `pawaPay says ${code}.` };
}

/** A call before the one that matters leaves its outcome as it was: not done. */
export async function beforehand<Value>(asked: Promise<Value>): Promise<Value> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { fault, message, is_about_access } = error;
    throw new GatewayError(fault, message, { cause: error, outcome: 'not_done', is_about_access });
  }
}

/** A look at what pawaPay has begun: that it fails says nothing of what was begun. */
export async function afterwards<Value>(asked: Promise<Value>): Promise<Value> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    throw new GatewayError('unreachable', error.message, { cause: error });
  }
}

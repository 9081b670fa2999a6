// A call to pawaPay, and what its response or the lack of one is known to mean (openapi.json has its words).

import type { Environment } from '../../domain/environment';
import type { GatewayFault } from '../../domain/payment';
import { FieldFault, isObject, optionalText, readFields, textField, type Fields } from '../fields';
import { exchange, ExchangeError, nameOf, type Call, type Host } from '../http';

/** One account at pawaPay, decided by its token. */
export interface PawapayAccount extends Host {
  readonly environment: Environment;
  readonly token: string;
  /** The public keys of its callbacks: SPKI in base64. Any of them may have signed. */
  readonly callback_keys: readonly string[];
  /** The address to which pawaPay sends callbacks, as it is set in its dashboard: the signature covers it. */
  readonly callback_url: string;
}

/** Either port has an error of its own, which is made of this. */
export class CallFault extends Error {
  readonly fault: GatewayFault;
  readonly outcome: 'not_done' | 'unknown';
  readonly is_about_access: boolean;
  constructor(
    fault: GatewayFault,
    outcome: CallFault['outcome'],
    message: string,
    { is_about_access = false, ...options }: ErrorOptions & { is_about_access?: boolean } = {},
  ) {
    super(message, options);
    this.name = 'CallFault';
    this.fault = fault;
    this.outcome = outcome;
    this.is_about_access = is_about_access;
  }
}

/** pawaPay's reason, in its words. */
export interface Reason {
  readonly code: string;
  readonly message: string;
}

/**
 * Returns what `read` makes of a response. A request that pawaPay refuses as such (400) is read as one that it has
 * rejected (200).
 * @throws CallFault and nothing else
 */
export async function callPawapay<Value>(
  account: PawapayAccount,
  call: Call,
  read: (body: Fields['value']) => Value,
): Promise<Value> {
  const what = nameOf(call);
  const { status, raw } = await send(account, call);
  try {
    if (status === 200) return read(readFields(raw).value);
    const reason = status >= 400 && status < 500 ? reasonOf(readFields(raw).value) : undefined;
    if (status === 400 && reason)
      return read({ status: 'REJECTED', failureReason: asSent(reason) });
    if ((status === 401 || status === 403) && reason) {
      throw new CallFault('refused', 'not_done', `${what} returned ${status}: ${reason.code}`, {
        is_about_access: true,
      });
    }
  } catch (error) {
    if (!(error instanceof FieldFault)) throw error;
    const message = `${what} got a response that is not valid`;
    throw new CallFault('unreachable', 'unknown', message, { cause: error });
  }
  // Of what is not documented, such as a proxy's page, nothing is known.
  throw new CallFault('unreachable', 'unknown', `${what} returned ${status}`);
}

async function send(account: PawapayAccount, call: Call) {
  try {
    return await exchange(account, call, () => ({ Authorization: `Bearer ${account.token}` }));
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    const fault = error.fault === 'late' ? 'timeout' : 'unreachable';
    const outcome = error.fault === 'not_sent' ? 'not_done' : 'unknown';
    throw new CallFault(fault, outcome, error.message, { cause: error.cause });
  }
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

/** What was done before the call that matters leaves its outcome as it was: nothing. */
export async function beforehand<Value>(asked: Promise<Value>): Promise<Value> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof CallFault)) throw error;
    const { is_about_access } = error;
    throw new CallFault(error.fault, 'not_done', error.message, { cause: error, is_about_access });
  }
}

/** A look at what pawaPay has begun: that it fails says nothing of what was begun. */
export async function afterwards<Value>(asked: Promise<Value>): Promise<Value> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof CallFault)) throw error;
    throw new CallFault('unreachable', 'unknown', error.message, { cause: error });
  }
}

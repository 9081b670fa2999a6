// A signed call to the simulator, and its pages of lists.

import type { Environment } from '../../domain/environment';
import { GATEWAY_SIGNATURE_HEADER, signGatewayBody } from '../../secrets/gateway-signature';
import {
  FieldFault,
  isObject,
  listField,
  objectField,
  optionalText,
  readFields,
  textField,
  type Fields,
} from '../fields';
import { exchange, type Call, type Exchanged, type Host } from '../http';
import type { ListPage, ListWindow } from '../port';
import { signedText } from './call';

/** One account at the simulator, decided by its secrets. */
export interface SandboxAccount extends Host {
  readonly environment: Environment;
  /** The first signs our calls; notifications may be signed with any of them. */
  readonly secrets: readonly string[];
}

/** With these an operator says that it did nothing: the signature, the body, the rate, the host were refused. */
export const NOT_DONE: ReadonlySet<number> = new Set([401, 413, 421, 422, 429]);

/** A response with so many payments, refunds or payouts, with ids of any length, is not too large. */
const PAGE = 50;

export function checkSecrets({ environment, secrets }: SandboxAccount): void {
  if (secrets.length === 0 || secrets.includes('')) {
    throw new Error(`The ${environment} gateway needs secrets, and none of them may be empty.`);
  }
}

/** @throws GatewayError */
export function exchangeSigned(account: SandboxAccount, call: Call): Promise<Exchanged> {
  return exchange(account, call, (text) => ({
    [GATEWAY_SIGNATURE_HEADER]: signGatewayBody(
      signedText(call.method, call.path, text),
      account.secrets[0]!,
    ),
  }));
}

export interface Reason {
  readonly code: string;
  readonly message: string;
}

/** Reads the gateway's reason for a refusal; undefined when the response has none. */
export function reasonIn(raw: Buffer): Reason | undefined {
  try {
    const { error } = readFields(raw).value;
    if (!isObject(error)) return undefined;
    return { code: textField(error, 'code', 200), message: textField(error, 'message', 1_000) };
  } catch (error) {
    if (error instanceof FieldFault) return undefined;
    throw error;
  }
}

export function listPath(
  path: string,
  { from, to }: ListWindow,
  cursor: string | undefined,
): string {
  const query = new URLSearchParams({ from, to, limit: String(PAGE) });
  if (cursor !== undefined) query.set('after', cursor);
  return `${path}?${query.toString()}`;
}

export function readPage<Item>(
  name: 'payments' | 'refunds' | 'payouts',
  read: (item: Fields['value']) => Item,
): (response: Fields['value']) => ListPage<Item> {
  return (response) => {
    const items = listField(response, name).map(read);
    if (!('next' in response)) throw new FieldFault('next is missing');
    return { items, next: optionalText(response, 'next', 500) };
  };
}

/** Reads why an order failed, with the operator's code in ours; one that is not among these is `unspecified`. */
export function readFailure<Code extends string>(
  order: Fields['value'],
  codes: Readonly<Record<string, Code>>,
) {
  const failure = objectField(order, 'failure');
  const provider_code = textField(failure, 'code', 200);
  const code = Object.hasOwn(codes, provider_code) ? codes[provider_code]! : 'unspecified';
  return { code, message: textField(failure, 'message', 1_000), provider_code } as const;
}

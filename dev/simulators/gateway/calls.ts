// What the routes of the simulator's API have in common: calls, their windows, and what is answered.

import type { Context } from 'koa';
import type { Environment } from '../../../domain/environment';
import { instantField, integerField, optionalText } from '../../../gateway/fields';
import type { Operation } from './faults';
import type { ListTerms } from './lists';
import type { Decision } from './refunds';

const MAX_LISTED = 100;

export interface Call {
  readonly environment: Environment;
  readonly raw: Buffer;
  readonly ctx: Context;
}

export interface ApiResponse {
  readonly status: number;
  readonly body: object;
}

/** The work is done, and the caller gets no response. */
export const LOST: ApiResponse = { status: 0, body: {} };

export type AddRoute = (
  method: 'get' | 'post',
  path: string,
  operation: Operation,
  handle: Handle,
) => void;
/** Faults do not apply: it must stay possible to switch them off. */
export type AddControl = (path: string, handle: Handle) => void;
type Handle = (call: Call) => Promise<ApiResponse>;

/** Returns undefined without a window: everything is listed then. */
export function readListTerms({ querystring }: Context): ListTerms | undefined {
  const query = Object.fromEntries(new URLSearchParams(querystring));
  if (query['from'] === undefined) return undefined;
  return {
    from: instantField(query, 'from'),
    to: instantField(query, 'to'),
    limit: integerField({ limit: Number(query['limit']) }, 'limit', 1, MAX_LISTED),
    after: optionalText(query, 'after', 500),
  };
}

export function ok(body: object): ApiResponse {
  return { status: 200, body };
}

export function decided<Value>(
  decision: Decision<Value>,
  present: (value: Value) => object,
): ApiResponse {
  return decision.ok ? ok(present(decision.value)) : refusal(409, 'refused', decision.refused);
}

export function refusal(status: number, code: string, message: string): ApiResponse {
  return { status, body: { error: { code, message } } };
}

// Shared by the routes of the simulator's API: calls, answers, and pages of lists.

import type { Environment } from '../../../domain/environment';
import { instantField, integerField, optionalText, type Fields } from '../../../gateway/fields';
import type { Operation } from './faults';

export interface Call {
  readonly environment: Environment;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Fields['value'];
  /** @throws FieldFault */
  readonly body: () => Fields['value'];
}

export interface ApiResponse {
  readonly status: number;
  readonly body: object;
}

export interface Route {
  readonly method: 'get' | 'post';
  readonly path: string;
  /** Null where faults do not apply: it must stay possible to switch them off. */
  readonly operation: Operation | null;
  readonly handle: Handle;
}
type Handle = (call: Call) => ApiResponse | Promise<ApiResponse>;

export function route(
  method: Route['method'],
  path: string,
  operation: Operation | null,
  handle: Handle,
): Route {
  return { method, path, operation, handle };
}

/** The work is done, and the caller gets no response. */
export const LOST: ApiResponse = { status: 0, body: {} };

export function ok(body: object): ApiResponse {
  return { status: 200, body };
}

/** `message` is a sentence that says why. */
export function refusal(message: string, status = 409, code = 'refused'): ApiResponse {
  return { status, body: { error: { code, message } } };
}

const MAX_LISTED = 100;

export interface Page<Item> {
  readonly page: readonly Item[];
  readonly next: string | null;
}

/** Cuts the page that a query asks for, oldest first; undefined where it names no window. @throws FieldFault */
export function pageOf<Item extends { readonly id: string }>(
  query: Call['query'],
  items: readonly Item[],
  atOf: (item: Item) => string,
): Page<Item> | undefined {
  if (query['from'] === undefined) return undefined;
  const limit = integerField({ limit: Number(query['limit']) }, 'limit', 1, MAX_LISTED);
  const after = optionalText(query, 'after', 500) ?? '';
  // All instants have one form, so that they compare as text.
  const [begin, end] = ['from', 'to'].map((name) =>
    new Date(instantField(query, name)).toISOString(),
  );
  const textOf = (item: Item): string => `${atOf(item)} ${item.id}`;
  const rest = items
    .filter((item) => atOf(item) >= begin! && atOf(item) < end! && textOf(item) > after)
    .sort((one, other) => (textOf(one) < textOf(other) ? -1 : 1));
  const page = rest.slice(0, limit);
  return { page, next: rest.length > limit ? textOf(page.at(-1)!) : null };
}

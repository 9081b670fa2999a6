// Responses to requests that succeeded.

import { JsonText, joinObjects, renderJson, type JsonValue } from '../domain/json';
import type { ApiResponse } from './context';

export function success(fields: Readonly<Record<string, JsonValue>>, status = 200): ApiResponse {
  return { status, body: renderJson({ ok: true, ...fields }) };
}

/** A resource, as its presenter in the database has rendered it. */
export function shown({ json }: { readonly json: string }, status = 200): ApiResponse {
  return { status, body: joinObjects('{"ok":true}', json) };
}

export function shownList(rows: readonly { readonly json: string }[]): JsonText[] {
  return rows.map(({ json }) => new JsonText(json));
}

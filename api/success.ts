// The response to a request that succeeded.

import { renderJson, type JsonValue } from '../domain/json';
import type { ApiResponse } from './context';

export function success(fields: Readonly<Record<string, JsonValue>>, status = 200): ApiResponse {
  return { status, body: renderJson({ ok: true, ...fields }) };
}

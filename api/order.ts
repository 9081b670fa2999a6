// Orders under an Idempotency-Key: how a request becomes one, and how it is answered.

import type { Order, OrderedBy, OrderResponse } from '../use-cases/requests/orders';
import type { ApiRequest, ApiResponse } from './context';

export function orderOf({
  caller,
  idempotency_key,
  has_own_key,
  request_id,
  ip,
}: ApiRequest<unknown, unknown>): Order & OrderedBy & Pick<ApiRequest, 'caller'> {
  // The API makes a key when the caller sends none: nothing is deduplicated then, but a retry is safe.
  const key = idempotency_key!;
  return { caller, by: { key_id: caller.key_id }, key, has_own_key, request_id, ip };
}

/** The response that is stored for the request's key. */
export function orderResponse({ status, body, is_replay }: OrderResponse): ApiResponse {
  return { status, body, ...(is_replay ? { headers: { 'Idempotent-Replayed': 'true' } } : {}) };
}

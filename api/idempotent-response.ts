// The response that is stored under an idempotency key, as it is sent.

import { differingFields, type Fingerprint, type StoredResponse } from '../domain/idempotency';
import { ApiError } from './api-error';
import type { ApiResponse } from './context';

/**
 * The response that is stored for a key, byte for byte.
 * @throws ApiError idempotency_key_reuse when the key was first used with another body
 */
export function storedResponse(
  stored: StoredResponse,
  fingerprint: Fingerprint,
  { replayed }: { readonly replayed: boolean },
): ApiResponse {
  refuseOtherBody(stored.fingerprint, fingerprint);
  const { status, body } = stored;
  return { status, body, ...(replayed ? { headers: { 'Idempotent-Replayed': 'true' } } : {}) };
}

/** @throws ApiError idempotency_key_reuse */
export function refuseOtherBody(first: Fingerprint, second: Fingerprint): void {
  const fields = differingFields(first, second);
  if (fields.length === 0) return;
  throw new ApiError('idempotency_key_reuse', {
    message: `This Idempotency-Key was used with another body: ${fields.join(', ')} differ${fields.length === 1 ? 's' : ''}. Use a new key for a new request.`,
    param: fields[0]!,
    details: fields.map((param) => ({ param, message: 'differs from the first request' })),
  });
}

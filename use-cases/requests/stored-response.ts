// The response that is stored under an idempotency key.

import { differingFields, type Fingerprint, type StoredResponse } from '../../domain/idempotency';
import { Refusal } from '../../domain/refusal';

export interface OrderResponse {
  /** The HTTP status. */
  readonly status: number;
  /** Rendered JSON, as it was stored. */
  readonly body: string;
  /** An earlier request with this key had this response. */
  readonly is_replay: boolean;
}

/**
 * The response that is stored for a key, byte for byte.
 * @throws Refusal idempotency_key_reuse when the key was first used with another body
 */
export function storedResponse(
  stored: StoredResponse,
  fingerprint: Fingerprint,
  { is_replay }: { readonly is_replay: boolean },
): OrderResponse {
  refuseOtherBody(stored.fingerprint, fingerprint);
  const { status, body } = stored;
  return { status, body, is_replay };
}

/** @throws Refusal idempotency_key_reuse */
export function refuseOtherBody(first: Fingerprint, second: Fingerprint): void {
  const fields = differingFields(first, second);
  if (fields.length === 0) return;
  throw new Refusal('idempotency_key_reuse', {
    message: `This Idempotency-Key was used with another body: ${fields.join(', ')} differ${fields.length === 1 ? 's' : ''}. Use a new key for a new request.`,
    param: fields[0]!,
    details: fields.map((param) => ({ param, message: 'differs from the first request' })),
  });
}

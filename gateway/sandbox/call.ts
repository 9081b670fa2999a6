// Both sides of a call to the simulator agree on these: the signed text and the largest body.

/** No body of this API is nearly as long. */
export const MAX_BODY_BYTES = 64 * 1024;

/**
 * The text that a call's signature covers: method and path too, so that a signed body cannot be
 * sent to another path. An eavesdropper could replay a call, but every call here is idempotent.
 */
export function signedText(method: string, path: string, body: Buffer | string): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return Buffer.concat([Buffer.from(`${method}\n${path}\n`), bytes]);
}

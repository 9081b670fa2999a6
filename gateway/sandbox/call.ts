// What both ends of a call to the simulator agree on: what is signed, and how large a body may be.

/** Far above any body of this API. */
export const MAX_BODY_BYTES = 64 * 1024;

/**
 * What the signature of a call covers: method and path too, so that a signed body cannot be sent to
 * another place. A call may be repeated by whoever saw it; every call here is idempotent.
 */
export function signedText(method: string, path: string, body: Buffer | string): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return Buffer.concat([Buffer.from(`${method}\n${path}\n`), bytes]);
}

// Reads the raw bytes of a request's body, up to a limit.

import type { IncomingMessage } from 'node:http';
import { readBounded } from '../domain/bounded-body';
import { HttpError } from './http-error';

/** Far above any body but a batch of transfers; a larger one is refused before it is parsed. */
const MAX_BODY_BYTES = 64 * 1024;

/**
 * Refuses a declared length before any of the body is read.
 * @throws HttpError payload_too_large
 */
export function refuseLargeBody({ headers }: IncomingMessage, max_bytes = MAX_BODY_BYTES): void {
  if (Number(headers['content-length'] ?? 0) > max_bytes) throw tooLarge(max_bytes);
}

/** @throws HttpError payload_too_large */
export async function readBody(
  request: IncomingMessage,
  max_bytes = MAX_BODY_BYTES,
): Promise<Buffer> {
  refuseLargeBody(request, max_bytes);
  // Otherwise a body that is too large would take the connection along, and with it the response.
  const body = request.iterator({ destroyOnReturn: false });
  const chunks = await readBounded<Buffer>(body, max_bytes).catch(() => {
    // The caller went away or sent broken chunks: no fault of ours. A process that stood still
    // finds requests whose callers gave up long ago and acted on another response: they end here.
    throw new HttpError('invalid_json', { message: 'The body ended before it was complete.' });
  });
  if (chunks === undefined) throw tooLarge(max_bytes);
  return Buffer.concat(chunks);
}

// The rest of such a body is read off only for a moment (middleware/read-off.ts).
function tooLarge(max_bytes: number): HttpError {
  return new HttpError('payload_too_large', {
    ...(max_bytes === MAX_BODY_BYTES
      ? {}
      : { message: `The body is too large: send at most ${max_bytes / 1024} KiB.` }),
    headers: { Connection: 'close' },
  });
}

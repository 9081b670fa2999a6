// Reads the raw bytes of a request's body, up to a limit.

import type { IncomingMessage } from 'node:http';
import { readBounded } from '../domain/bounded-body';
import { ApiError } from './api-error';

/** Far above any body the API takes; a larger one is refused before it is parsed. */
const MAX_BODY_BYTES = 64 * 1024;

/** For a declared length, before any of the body is read. @throws ApiError payload_too_large */
export function refuseLargeBody({ headers }: IncomingMessage): void {
  if (Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge();
}

/** @throws ApiError payload_too_large */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  refuseLargeBody(request);
  const chunks = await readBounded<Buffer>(request, MAX_BODY_BYTES).catch(() => {
    // The caller went away or sent broken chunks: no fault of ours. A process that stood still finds
    // requests whose callers gave up long ago and acted on another response: they end here.
    throw new ApiError('invalid_json', { message: 'The body ended before it was complete.' });
  });
  if (chunks === undefined) throw tooLarge();
  return Buffer.concat(chunks);
}

// The rest of such a body is never read, so the connection cannot be used again.
function tooLarge(): ApiError {
  return new ApiError('payload_too_large', { headers: { Connection: 'close' } });
}

// Reads the raw bytes of a request's body, up to a limit.

import type { IncomingMessage } from 'node:http';
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
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof ApiError) throw error;
    // The caller went away or sent broken chunks: no fault of ours. A process that stood still finds
    // requests whose callers gave up long ago and acted on another response: they end here.
    throw new ApiError('invalid_json', { message: 'The body ended before it was complete.' });
  }
  return Buffer.concat(chunks);
}

// The rest of such a body is never read, so the connection cannot be used again.
function tooLarge(): ApiError {
  return new ApiError('payload_too_large', { headers: { Connection: 'close' } });
}

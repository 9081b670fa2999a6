// The body of a request as its signature covers it, with a limit.

import type { IncomingMessage } from 'node:http';
import { readBounded } from '../../domain/bounded-body';
import { MAX_BODY_BYTES } from '../../gateway/sandbox/call';

/** Returns the bytes exactly as received; undefined when there are too many. */
export async function readRawBody(
  request: IncomingMessage,
  max_bytes: number = MAX_BODY_BYTES,
): Promise<Buffer | undefined> {
  // Stopping early must not destroy the request: a response is still to be sent.
  const body = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  const chunks = await readBounded(body, max_bytes);
  return chunks && Buffer.concat(chunks);
}

export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  return new URLSearchParams((await readRawBody(request))?.toString('utf8'));
}

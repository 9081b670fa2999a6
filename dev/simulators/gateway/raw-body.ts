// The body of a request as its signature covers it, with a limit.

import type { IncomingMessage } from 'node:http';
import { readBounded } from '../../../domain/bounded-body';
import { MAX_BODY_BYTES } from '../../../gateway/sandbox/call';

/** Returns the bytes exactly as received; undefined when there are too many. */
export async function readRawBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks = await readBounded<Buffer>(request, MAX_BODY_BYTES);
  return chunks && Buffer.concat(chunks);
}

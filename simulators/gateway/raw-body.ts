// The body of a request as its signature covers it, with a limit.

import type { IncomingMessage } from 'node:http';
import { MAX_BODY_BYTES } from '../../gateway/sandbox/call';

/** The bytes exactly as received; undefined when there are too many. */
export async function readRawBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

// A caller that is still sending its body gets the response before the connection ends: what comes
// is read and dropped for a moment. A connection that is closed over unread bytes is reset, and a
// reset takes away the response that the caller has not read yet (RFC 9112, section 9.6).

import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { HttpMiddleware } from '../context';

/** Some times the largest body that a route takes. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Time for a slow line to notice the response. */
const MAX_MS = 2_000;

/** Runs outside everything: the response is decided, and is sent at once and whole. */
export function readOff(): HttpMiddleware {
  return async (ctx, next) => {
    await next();
    const { body, req, res, socket } = ctx;
    if (req.complete || ctx.method === 'HEAD' || typeof body !== 'string') return;
    ctx.body = Readable.from(sendThenRead(body, req));
    // The caller has all of it before the stream ends.
    ctx.length = Buffer.byteLength(body);
    res.once('finish', () => {
      if (!req.complete) socket.destroySoon();
    });
  };
}

async function* sendThenRead(text: string, request: IncomingMessage): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
  if (!request.destroyed) await dropRest(request);
}

/** Resolves at the end of the body, or of the patience. */
function dropRest(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      request.off('data', count).off('end', done).off('close', done);
      resolve();
    };
    let left = MAX_BYTES;
    const count = ({ length }: Buffer): void => {
      left -= length;
      if (left < 0) done();
    };
    const timer = setTimeout(done, MAX_MS);
    request.on('data', count).once('end', done).once('close', done).resume();
  });
}

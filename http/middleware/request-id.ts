// Every response carries a request id, the caller's own when it is well-formed, else a generated
// one, and is kept by no cache unless a route allows it: keys and secrets are in some of them.

import { randomUUID } from 'node:crypto';
import type { HttpMiddleware } from '../context';

const WELL_FORMED = /^[A-Za-z0-9._:-]{1,128}$/;

export function requestId(): HttpMiddleware {
  return (ctx, next) => {
    const own = ctx.get('X-Request-Id');
    ctx.state.request_id = WELL_FORMED.test(own) ? own : randomUUID();
    ctx.set('X-Request-Id', ctx.state.request_id);
    ctx.set('Cache-Control', 'no-store');
    ctx.set('X-Content-Type-Options', 'nosniff');
    return next();
  };
}

// Shared by the simulators' servers: they start, refuse other hosts while they are for this machine only, and stop.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type Koa from 'koa';
import { isLocalHost } from '../../domain/host';

export const LOOPBACK = '127.0.0.1';
/** Requests in flight get this long before their sockets are closed. */
const STOP_WITHIN_MS = 5_000;

export interface Listening {
  readonly port: number;
  readonly url: string;
  stop(): Promise<void>;
}

/** Port 0 picks a free one. @throws when the port is taken */
export async function listen(app: Koa, port: number, host: string = LOOPBACK): Promise<Listening> {
  const handle = app.callback();
  const server = createServer((request, response) => void handle(request, response));
  server.listen({ host, port });
  // Rejects with the server's `error` event, for example when the port is taken.
  await once(server, 'listening');
  const taken = (server.address() as AddressInfo).port;
  return {
    port: taken,
    url: `http://${LOOPBACK}:${taken}`,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const force = setTimeout(() => server.closeAllConnections(), STOP_WITHIN_MS);
      await closed;
      clearTimeout(force);
    },
  };
}

/** The pages need no key: a site that could load them by a name of its own could press their buttons. */
export function requireLocalHost(names: readonly string[] = []): Koa.Middleware {
  return async (ctx, next) => {
    if (isLocalHost(ctx.headers.host, names)) return next();
    ctx.set('Connection', 'close');
    ctx.status = 421;
    ctx.body = { error: { code: 'misdirected', message: 'This server has no such name.' } };
  };
}

// The HTTP or HTTPS server around the API.

import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Config } from '../config/load';

/** Requests under way get this long before their sockets are closed. */
const STOP_WITHIN_MS = 15_000;

export interface HttpServer {
  /** Finishes the requests under way. */
  stop(): Promise<void>;
}

/** Resolves when it listens. */
export async function startHttpServer(
  config: Pick<Config, 'host' | 'port' | 'tls'>,
  handler: RequestListener,
): Promise<HttpServer> {
  const server = createServer(config, handler);
  await listen(server, config);
  return { stop: () => closeServer(server) };
}

function createServer({ tls }: Pick<Config, 'tls'>, handler: RequestListener): Server {
  const server = tls
    ? createHttpsServer(
        {
          cert: readFileSync(tls.cert_file),
          key: readFileSync(tls.key_file),
          // Specification, section 5.7.
          minVersion: 'TLSv1.2',
        },
        handler,
      )
    : createHttpServer(handler);
  // A slow sender holds a socket, never a worker or a connection of the pool.
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  // Longer than a load balancer keeps an idle connection, so that it is never closed under one.
  server.keepAliveTimeout = 65_000;
  server.on('clientError', (_error, socket) => {
    const raw = socket as Socket;
    if (raw.writable)
      raw.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    else raw.destroy();
  });
  return server;
}

async function listen(
  server: Server,
  { host, port }: Pick<Config, 'host' | 'port'>,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: 1024 }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const force = setTimeout(() => server.closeAllConnections(), STOP_WITHIN_MS);
  await closed;
  clearTimeout(force);
}

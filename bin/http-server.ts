// The HTTP or HTTPS server around the API.

import { readFileSync } from 'node:fs';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import proxyAddr from 'proxy-addr';
import { renderBrokenRequest } from '../http/broken-request';
import { siteOf } from '../http/network';
import type { Config } from '../config/load';
import { createLimit } from '../domain/limit';
import { within } from '../temporal/calls';

/** Requests under way get this long before their sockets are closed. */
const STOP_WITHIN_MS = 15_000;

export type HttpServerConfig = Pick<
  Config,
  'host' | 'http' | 'port' | 'public_url' | 'tls' | 'trusted_proxies'
>;

/** Resolves when the request is done with, also when its caller has gone meanwhile. */
export type RequestHandler = (
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<unknown>;

export interface HttpServer {
  /** Finishes the requests under way, those of callers who have gone included. */
  stop(): Promise<void>;
}

export interface HttpServerOptions {
  /** How long new connections are still taken after a stop: a load balancer hears of it a little later. */
  readonly drain_ms?: number | undefined;
  /**
   * How long idle connections are kept after that: at that moment a proxy may send a request
   * over one, and would not know whether it arrived. What comes is answered with `Connection:
   * close`.
   */
  readonly linger_ms?: number | undefined;
}

/** Resolves when it listens. */
export async function startHttpServer(
  config: HttpServerConfig,
  handler: RequestHandler,
  { drain_ms = 0, linger_ms = 0 }: HttpServerOptions = {},
): Promise<HttpServer> {
  // A caller who goes away takes its connection along; its request goes on, and is logged at its
  // end.
  const under_way = new Map<Promise<unknown>, ServerResponse>();
  let is_stopping = false;
  const server = createServer(config, (request, response) => {
    if (is_stopping) askToClose(response);
    const handled = handler(request, response).finally(() => under_way.delete(handled));
    under_way.set(handled, response);
  });
  await listen(server, config);
  return {
    async stop() {
      is_stopping = true;
      for (const response of under_way.values()) askToClose(response);
      if (drain_ms > 0) await delay(drain_ms);
      await closeServer(server, linger_ms, () => [...under_way.keys()]);
    },
  };
}

/** The caller's next request goes over a new connection, to a process that stays. */
function askToClose(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

function createServer(config: HttpServerConfig, handler: RequestListener): Server {
  const { http, tls } = config;
  // A slow sender holds a socket, never a worker or a connection of the pool, and not for long.
  // Node looks for slow ones every 30 s by default, so that a limit of 10 s would be one of 40.
  const limits = {
    headersTimeout: http.headers_timeout_ms,
    requestTimeout: http.request_timeout_ms,
    connectionsCheckingInterval: Math.min(1_000, Math.ceil(http.headers_timeout_ms / 4)),
    // Longer than a load balancer keeps an idle connection, so that it is never closed under one.
    keepAliveTimeout: 65_000,
    // The API refuses such a request in its own form (http/single-headers.ts).
    requireHostHeader: false,
  };
  const server = tls
    ? createHttpsServer(
        {
          ...limits,
          handshakeTimeout: http.headers_timeout_ms,
          cert: readFileSync(tls.cert_file),
          key: readFileSync(tls.key_file),
          // Specification, section 5.7.
          minVersion: 'TLSv1.2',
        },
        handler,
      )
    : createHttpServer(limits, handler);
  server.maxConnections = http.max_connections;
  // Counted before TLS: an unfinished handshake counts.
  server.on('connection', limitPerAddress(config));
  const refuse = (socket: Socket, fault?: string): void => {
    if (socket.writable) socket.end(renderBrokenRequest(fault, config.public_url));
    else socket.destroy();
  };
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) =>
    refuse(socket as Socket, code),
  );
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    refuse(socket as Socket);
  });
  // A request's expectations beyond 100-continue may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', handler);
  return server;
}

/** Keeps one address from using up the connections of all. */
function limitPerAddress({ http, trusted_proxies }: HttpServerConfig): (socket: Socket) => void {
  const isTrusted = proxyAddr.compile([...trusted_proxies]);
  const limit = createLimit({ each: http.max_connections_per_address });
  return (socket) => {
    const address = socket.remoteAddress ?? '';
    if (isTrusted(address, 0)) return;
    const leave = limit.enter(siteOf(address));
    if (leave) socket.once('close', leave);
    else socket.destroy();
  };
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

async function closeServer(
  server: Server,
  linger_ms: number,
  requestsUnderWay: () => readonly Promise<unknown>[],
): Promise<void> {
  // The server's own `close` would end idle connections at once.
  const closed = new Promise<void>((resolve) => {
    NetServer.prototype.close.call(server, () => resolve());
  });
  if (linger_ms > 0) await within(linger_ms, closed);
  // A connection whose request is under way ends with its response.
  server.closeIdleConnections();
  await within(STOP_WITHIN_MS, Promise.allSettled([closed, ...requestsUnderWay()]));
  server.closeAllConnections();
  // The server's check for slow callers ends, too.
  server.close();
  await closed;
}

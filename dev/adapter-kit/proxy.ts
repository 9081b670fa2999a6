// Stands between an adapter and the simulator of its provider: records every exchange, and does to some of them what
// networks and providers do.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request as send } from 'undici';
import { textOf } from './serve';

export interface Exchange {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/**
 * `lost_before`: never forwarded, never answered. `lost_after`: forwarded, never answered. `drip`: answered byte by
 * byte, without an end. `401`, `429` and `404` are not forwarded, the others are.
 */
export const FAULTS = [
  'lost_before',
  'lost_after',
  'reset',
  'drip',
  '401',
  '429',
  '404',
  '500',
  '502',
  'unreadable',
] as const;
export type Fault = (typeof FAULTS)[number];

export interface Plan {
  /** Which requests it is for; all when left out. */
  readonly on?: (exchange: Exchange) => boolean;
  readonly fault?: Fault;
  /** The answer is sent only after it. */
  readonly hold?: Promise<void>;
  /** Changes the answer's body. */
  readonly change?: (answer: string) => string;
}

export interface Proxy {
  readonly url: string;
  readonly port: number;
  /** All exchanges since the start. */
  readonly exchanges: readonly Exchange[];
  /** Carries out a plan while the work is done. Returns the work's result. */
  during<Result>(plan: Plan, work: () => Promise<Result>): Promise<Result>;
  stop(): void;
}

const ANSWERS: Partial<Record<Fault, readonly [number, string, string]>> = {
  401: [401, 'application/json', '{"error":"unauthorized"}'],
  429: [429, 'application/json', '{"error":"slow down"}'],
  404: [404, 'text/html', '<html><h1>Not Found</h1></html>'],
  500: [500, 'application/json', '{"error":"internal error"}'],
  502: [502, 'text/html', '<html><h1>502 Bad Gateway</h1></html>'],
  unreadable: [200, 'application/json', '{"id": "…'],
};
const NOT_FORWARDED: readonly (Fault | undefined)[] = ['lost_before', '401', '429', '404'];
/** These are of one connection, or no longer true. */
const DROPPED = [
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'host',
  'expect',
];
const DRIP_MS = 50;

export async function startProxy(target: string): Promise<Proxy> {
  const exchanges: Exchange[] = [];
  let plan: Plan = {};

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url: path = '/', headers } = request;
    const body = await textOf(request);
    const exchange = { method, path, headers, body };
    exchanges.push(exchange);
    const { on, fault, hold, change } = plan;
    const is_meant = on === undefined || on(exchange);
    const met = is_meant ? fault : undefined;
    if (met === 'lost_before') return;
    const answer = NOT_FORWARDED.includes(met) ? undefined : await forward(target, exchange);
    if (met === 'lost_after') return;
    if (met === 'reset') return void request.socket.resetAndDestroy();
    if (is_meant) await hold;
    const [status, type, text] = (met && ANSWERS[met]) ?? [
      answer!.status,
      answer!.type,
      is_meant && change ? change(answer!.text) : answer!.text,
    ];
    response.writeHead(status, { 'Content-Type': type });
    if (met === 'drip') drip(response);
    else response.end(text);
  };

  const server = createServer((request, response) => {
    // The simulator is gone, or the adapter did not wait: the adapter sees a connection that ends.
    handle(request, response).catch(() => request.socket.destroy());
  });
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    exchanges,
    async during(next, work) {
      plan = next;
      try {
        return await work();
      } finally {
        plan = {};
      }
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function forward(
  target: string,
  { method, path, headers, body }: Exchange,
): Promise<{ status: number; type: string; text: string }> {
  const kept = Object.entries(headers).filter(([name]) => !DROPPED.includes(name));
  const response = await send(target + path, {
    method: method as 'GET',
    headers: Object.fromEntries(kept),
    body: body === '' ? null : body,
    reset: true,
  });
  const type = response.headers['content-type'];
  return {
    status: response.statusCode,
    type: typeof type === 'string' ? type : 'application/octet-stream',
    text: await response.body.text(),
  };
}

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write(' '), DRIP_MS);
  response.once('close', () => clearInterval(timer));
}

// The listener for those who look after the service: metrics, and whether the process is ready. It
// is no part of the public server: who may reach it is decided by the network.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isLocalHost } from '../domain/host';

export interface Page {
  readonly status?: number;
  readonly type: string;
  readonly text: string;
}

export interface ListenerOptions {
  readonly host: string;
  /** 0: one that is free. */
  readonly port: number;
  /** Pages by path, or by path and query. Each is made once for all who ask meanwhile. One that throws is answered with 500. */
  readonly pages: Readonly<Record<string, () => Promise<Page>>>;
}

export interface Listener {
  readonly url: string;
  close(): Promise<void>;
}

/** Resolves when it listens. */
export async function startListener({ host, port, pages }: ListenerOptions): Promise<Listener> {
  const shared = new Map(Object.entries(pages).map(([path, make]) => [path, once(make)]));
  const name = host.includes(':') ? `[${host}]` : host;
  const is_local = isLocalHost(name);
  const server = createServer(
    { headersTimeout: 5_000, requestTimeout: 5_000, connectionsCheckingInterval: 5_000 },
    (request, response) => {
      if (!is_local || isLocalHost(request.headers.host)) void answer(shared, request, response);
      else response.writeHead(421, { Connection: 'close' }).end('misdirected request\n');
    },
  );
  server.maxConnections = 64;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    url: `http://${name}:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function once(make: () => Promise<Page>): () => Promise<Page> {
  let under_way: Promise<Page> | undefined;
  return () =>
    (under_way ??= make().finally(() => {
      under_way = undefined;
    }));
}

async function answer(
  pages: ReadonlyMap<string, () => Promise<Page>>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  request.resume();
  const url = request.url ?? '';
  const make = pages.get(url) ?? pages.get(url.split('?')[0]!);
  const is_read = request.method === 'GET' || request.method === 'HEAD';
  const page: Page = !make
    ? { status: 404, type: 'text/plain', text: `Here are ${[...pages.keys()].join(', ')}.\n` }
    : is_read
      ? await make().catch(failed)
      : { status: 405, type: 'text/plain', text: 'GET only.\n' };
  response.writeHead(page.status ?? 200, {
    'Content-Type': page.type,
    'Content-Length': Buffer.byteLength(page.text),
    'Cache-Control': 'no-store',
  });
  response.end(request.method === 'HEAD' ? undefined : page.text);
}

/** Says why: only those who look after the service reach this listener. */
function failed(error: unknown): Page {
  return { status: 500, type: 'text/plain', text: `${String(error)}\n` };
}

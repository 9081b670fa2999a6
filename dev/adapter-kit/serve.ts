// A small HTTP server on this machine: simulators of benches, recordings, and the kit's receiver of callbacks.

import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BenchServer } from './bench';

export interface Asked {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body as text; empty when there was none. */
  readonly text: string;
}

export interface Answer {
  readonly status: number;
  /** Sent as JSON. */
  readonly body: object;
}

export async function serve(answer: (asked: Asked) => Answer): Promise<BenchServer> {
  const server = createServer((request, response) => {
    void textOf(request).then((text) => {
      const { method = 'GET', url: path = '/', headers } = request;
      const { status, body } = answer({ method, path, headers, text });
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const stop = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

export async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

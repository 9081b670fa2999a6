// A merchant's endpoint: answers 200 and remembers when each event came, or never answers on /dead.

import { createServer } from 'node:http';
import { performance } from 'node:perf_hooks';

export interface Receipt {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

let receipts: Receipt[] = [];

const server = createServer((request, response) => {
  const at = performance.timeOrigin + performance.now();
  request.resume();
  request.on('end', () => {
    if (request.url?.startsWith('/dead')) return;
    const id = request.headers['webhook-id'];
    if (typeof id === 'string') receipts.push({ id, at });
    response.end('ok');
  });
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.env['PORT']), '127.0.0.1', () => process.send?.('ready'));

process.on('message', ({ take }: { readonly take?: boolean }) => {
  process.send?.(receipts);
  if (take) receipts = [];
});

// The webhook sink: the specification's sample receiver as a server, for trying webhooks. It
// responds with 200 `ok` to a webhook signed with the secret of an endpoint at that URL, with 401
// `invalid signature` to all others, and shows what arrived. Its page can make it answer 500, for
// trying retries. It listens on this machine only, as its pages need no key.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createArrivals, MAX_BODY_BYTES, type Arrivals, type SinkEndpoint } from './arrivals';
import { readBounded } from '../../../domain/bounded-body';
import { isLocalHost } from '../../../domain/host';
import { readAsset } from '../../../pages/assets';
import { renderArrival, renderArrivals, renderMissing, SCRIPT, STYLE } from './page';

export interface WebhookSinkOptions {
  /** 0 picks a free port. */
  readonly port: number;
  /** The endpoints whose webhooks go to this URL. */
  readonly secretsFor: (url: string) => Promise<readonly SinkEndpoint[]>;
  readonly log?: (entry: Readonly<Record<string, unknown>>) => void;
}

export interface WebhookSink {
  readonly port: number;
  /** The URL of the page that shows what arrived. */
  readonly page: string;
  stop(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
const ANSWER_PATH = '/answer';
const TEXTS = { 200: 'ok', 401: 'invalid signature', 500: 'failing on purpose' } as const;
/** Any path under it takes webhooks. */
const HOOKS_PATH = '/hooks';

interface Sink extends Omit<WebhookSinkOptions, 'port'> {
  readonly arrivals: Arrivals;
  /** The origin, which is known once the server listens. */
  readonly origin: () => string;
}

/** @throws when the port is taken */
export async function startWebhookSink(options: WebhookSinkOptions): Promise<WebhookSink> {
  const sink: Sink = { ...options, arrivals: createArrivals(), origin: () => origin };
  const server = createServer((request, response) => {
    respond(sink, request, response).catch((error: unknown) => {
      sink.log?.({ part: 'webhook-sink', error: String(error) });
      // The signature could not be checked, so the service must retry the delivery.
      if (!response.headersSent) sendText(response, 503, 'not now');
      response.end();
    });
  });
  server.listen({ host: LOOPBACK, port: options.port });
  // Rejects with the server's `error` event, for example when the port is taken.
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const origin = `http://${LOOPBACK}:${port}`;
  return { port, page: `${origin}/`, stop: () => closeServer(server) };
}

async function respond(
  sink: Sink,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!isLocalHost(request.headers.host)) {
    response.setHeader('Connection', 'close');
    return sendText(response, 421, 'misdirected request');
  }
  const path = request.url ?? '/';
  const [pathname = '/'] = path.split('?');
  const is_hook = pathname === HOOKS_PATH || pathname.startsWith(`${HOOKS_PATH}/`);
  if (is_hook && request.method === 'POST') return receiveWebhook(sink, request, response);
  if (pathname === ANSWER_PATH && request.method === 'POST') {
    return chooseAnswer(sink, request, response);
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('Allow', is_hook ? 'POST' : 'GET, HEAD');
    return sendText(response, 405, 'method not allowed');
  }
  show(sink, pathname, response);
}

/** Takes the form of the sink's own page only; a browser says where a form comes from. */
async function chooseAnswer(
  { arrivals }: Sink,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const from = request.headers['sec-fetch-site'] ?? 'same-origin';
  if (from !== 'same-origin') return sendText(response, 403, 'forbidden');
  const body = await readBody(request);
  const answer = new URLSearchParams(body?.toString('utf8') ?? '').get('with');
  if (answer !== '200' && answer !== '500') return sendText(response, 422, 'with: 200 or 500');
  arrivals.is_failing = answer === '500';
  response.writeHead(303, { Location: '/', 'Content-Length': 0 });
  response.end();
}

async function receiveWebhook(
  { arrivals, secretsFor, origin }: Sink,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const raw = await readBody(request);
  if (!raw) {
    response.setHeader('Connection', 'close');
    return sendText(response, 413, 'too large');
  }
  const path = request.url ?? '/';
  const endpoints = await secretsFor(origin() + path);
  const { status } = arrivals.add({ path, headers: request.headers, raw }, endpoints);
  sendText(response, status, TEXTS[status]);
}

/** Returns the bytes as received; undefined when there are too many. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  // Stopping early must not destroy the request: a response is still to be sent.
  const body = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  const chunks = await readBounded(body, MAX_BODY_BYTES);
  return chunks && Buffer.concat(chunks);
}

const ICON = readAsset(__dirname, 'icon.svg');
const ARRIVAL_PATH = /^\/deliveries\/([0-9]{1,9})$/;

function show({ arrivals, origin }: Sink, pathname: string, response: ServerResponse): void {
  const list = arrivals.list();
  if (pathname === '/')
    return sendPage(
      response,
      200,
      renderArrivals({ arrivals: list, origin: origin(), is_failing: arrivals.is_failing }),
    );
  if (pathname === '/deliveries.json') {
    response.setHeader('Cache-Control', 'no-store');
    const json = `${JSON.stringify({ deliveries: list }, null, 2)}\n`;
    return send(response, 200, 'application/json; charset=utf-8', json);
  }
  if (pathname === '/icon.svg') return send(response, 200, ICON.type, ICON.body);
  const number = ARRIVAL_PATH.exec(pathname)?.[1];
  const arrival = number === undefined ? undefined : arrivals.find(Number(number));
  sendPage(response, arrival ? 200 : 404, arrival ? renderArrival(arrival) : renderMissing());
}

const POLICY = [
  "default-src 'none'",
  `style-src ${STYLE.source}`,
  `script-src ${SCRIPT.source}`,
  "connect-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

function sendPage(response: ServerResponse, status: number, page: string): void {
  response.setHeader('Content-Security-Policy', POLICY);
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Referrer-Policy', 'no-referrer');
  send(response, status, 'text/html; charset=utf-8', page);
}

function sendText(response: ServerResponse, status: number, text: string): void {
  send(response, status, 'text/plain; charset=utf-8', text);
}

// Node omits the body of a response to HEAD.
function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(body);
}

/** Responses take milliseconds, so connections that are still open after 2 s are idle. */
async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const force = setTimeout(() => server.closeAllConnections(), 2_000);
  await closed;
  clearTimeout(force);
}

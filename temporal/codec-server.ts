// Decrypts payloads for people: Temporal's UI and CLI send what they cannot read to `POST /decode`,
// by Temporal's codec server protocol. Only pages of the UI's origin and holders of the token are
// answered. It encrypts nothing, so that what operators type into the UI stays what it is.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Payload } from '@temporalio/common';
import { readBounded } from '../domain/bounded-body';
import { isSameText } from '../secrets/hash';
import { createPayloadCodec } from './payload-codec';

export interface CodecServerOptions {
  readonly secrets_keys: readonly string[];
  readonly host: string;
  readonly port: number;
  /** Origins as browsers send them; requests without an origin do not come from pages. */
  readonly origins: readonly string[];
  /** Undefined requires none: for loopback only. */
  readonly token: string | undefined;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

export interface CodecServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** A page of a history, in base64, with room to spare: Temporal's own messages end at 4 MiB. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;
/** The path with the namespace in front, as the UI and the CLI may be told to send it. */
const DECODE_PATH = /^(\/[A-Za-z0-9._-]{1,255})?\/decode$/;
const PREFLIGHT_SECONDS = 600;

/** Resolves when it listens. @throws Error as readKeyring, and when the port is taken */
export async function startCodecServer(options: CodecServerOptions): Promise<CodecServer> {
  const { host, port, log } = options;
  const decode = createDecoder(options.secrets_keys);
  const server = createServer((request, response) => {
    respond(options, decode, request, response).catch((error: unknown) => {
      log({ part: 'codec-server', error: String(error) });
      response.destroy();
    });
  });
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Decode = (payloads: readonly Payload[]) => Promise<Payload[]>;

/** A payload that cannot be decrypted is returned as it is, so that the rest of a history can be read. */
function createDecoder(keys: readonly string[]): Decode {
  const codec = createPayloadCodec(keys);
  const decodeOne = async (payload: Payload): Promise<Payload> => {
    const [decoded] = await codec.decode([payload]).catch(() => [payload]);
    return decoded!;
  };
  return (payloads) => Promise.all(payloads.map(decodeOne));
}

async function respond(
  { origins, token }: CodecServerOptions,
  decode: Decode,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { origin, authorization } = request.headers;
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Vary', 'Origin');
  if (origin !== undefined) {
    // A browser would run the request of any page, and only hide the response from it.
    if (!origins.includes(origin)) return end(response, 403);
    response.setHeader('Access-Control-Allow-Origin', origin);
  }
  if (!DECODE_PATH.test(pathOf(request))) return end(response, 404);
  if (request.method === 'OPTIONS') {
    response.setHeader('Access-Control-Allow-Methods', 'POST');
    response.setHeader('Access-Control-Allow-Headers', 'Authorization, Content-Type, X-Namespace');
    response.setHeader('Access-Control-Max-Age', PREFLIGHT_SECONDS);
    return end(response, 204);
  }
  if (request.method !== 'POST') return end(response, 405);
  if (token !== undefined && !isSameText(authorization ?? '', `Bearer ${token}`)) {
    response.setHeader('WWW-Authenticate', 'Bearer');
    return end(response, 401);
  }
  const body = await readBounded<Buffer>(request, MAX_BODY_BYTES);
  if (body === undefined) return end(response, 413);
  const payloads = readPayloads(Buffer.concat(body));
  if (payloads === undefined) return end(response, 400);
  const decoded = (await decode(payloads)).map(writePayload);
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify({ payloads: decoded }));
}

function end(response: ServerResponse, status: number): void {
  // The rest of the body is not read, so the connection cannot be used again.
  if (status >= 400) response.setHeader('Connection', 'close');
  response.writeHead(status).end();
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0]!;
}

/** The protocol's JSON: bytes are base64. */
interface JsonPayload {
  readonly metadata?: Readonly<Record<string, string>>;
  readonly data?: string;
}

/** Undefined for anything that is not `{"payloads": […]}`. */
function readPayloads(body: Buffer): Payload[] | undefined {
  try {
    const { payloads } = JSON.parse(body.toString()) as { payloads: readonly JsonPayload[] };
    return payloads.map(({ metadata = {}, data = '' }) => ({
      metadata: mapValues(metadata, (text) => Buffer.from(text, 'base64')),
      data: Buffer.from(data, 'base64'),
    }));
  } catch {
    return undefined;
  }
}

function writePayload({ metadata, data }: Payload): JsonPayload {
  return {
    metadata: mapValues(metadata ?? {}, base64),
    ...(data ? { data: base64(data) } : {}),
  };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}

import { createConnection } from 'node:net';
import type { Payload } from '@temporalio/common';
import { makeSealingKey } from '../../secrets/keyring';
import { startCodecServer, type CodecServer } from '../../temporal/codec-server';
import { createPayloadCodec } from '../../temporal/payload-codec';
import { closeAfterFile } from '../support/cleanup';
import { request, type RequestOptions } from '../support/http';

const KEY = makeSealingKey();
const UI = 'http://127.0.0.1:8233';
const TOKEN = 'a-token-of-at-least-thirty-two-characters';

let open: CodecServer;
let guarded: CodecServer;

async function start(token: string | undefined): Promise<CodecServer> {
  const server = await startCodecServer({
    secrets_keys: [KEY],
    host: '127.0.0.1',
    port: 0,
    origins: [UI],
    token,
    log: () => undefined,
  });
  closeAfterFile(() => server.stop());
  return server;
}

beforeAll(async () => {
  [open, guarded] = await Promise.all([start(undefined), start(TOKEN)]);
});

const send = (server: CodecServer, path: string, options: RequestOptions, method = 'POST') =>
  request({ base_url: server.url }, method, server.url + path, options);

const clear = {
  metadata: { encoding: Buffer.from('json/plain') },
  data: Buffer.from('"a transfer"'),
};

/** Returns what the UI sends. */
async function encrypted(keys = [KEY]): Promise<Record<string, unknown>> {
  return asJson((await createPayloadCodec(keys).encode([clear]))[0]!);
}

function asJson({ metadata, data }: Payload): Record<string, unknown> {
  const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
  const words = Object.entries(metadata!).map(([name, value]) => [name, base64(value)]);
  return { metadata: Object.fromEntries(words), data: base64(data!) };
}

it.each(['/decode', '/payments/decode'])('decrypts at %s', async (path) => {
  const body = { payloads: [await encrypted(), asJson(clear)] };
  const answer = await send(open, path, { body, headers: { origin: UI } });
  expect(answer.status).toBe(200);
  expect(answer.json).toEqual({ payloads: [asJson(clear), asJson(clear)] });
  expect(answer.headers).toMatchObject({
    'access-control-allow-origin': UI,
    'cache-control': 'no-store',
  });
});

it('returns what it cannot decrypt as it came, beside what it can', async () => {
  const foreign = await encrypted([makeSealingKey()]);
  const { json } = await send(open, '/decode', {
    body: { payloads: [foreign, await encrypted()] },
  });
  expect(json).toEqual({ payloads: [foreign, asJson(clear)] });
});

it('lets the pages of the UI ask, by the browser’s rules, and no others', async () => {
  const preflight = { origin: UI, 'access-control-request-method': 'POST' };
  const allowed = await send(guarded, '/decode', { headers: preflight }, 'OPTIONS');
  expect(allowed.status).toBe(204);
  expect(allowed.headers).toMatchObject({
    'access-control-allow-origin': UI,
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'Authorization, Content-Type, X-Namespace',
  });
  for (const origin of ['https://evil.example.com', 'null', `${UI}0`, 'http://localhost:8233']) {
    for (const method of ['OPTIONS', 'POST']) {
      const body = method === 'POST' ? { payloads: [await encrypted()] } : undefined;
      const refused = await send(open, '/decode', { headers: { origin }, body }, method);
      expect({ status: refused.status, text: refused.text }).toEqual({ status: 403, text: '' });
      expect(refused.headers).not.toHaveProperty('access-control-allow-origin');
    }
  }
});

it('requires its token, when it has one', async () => {
  const body = { payloads: [await encrypted()] };
  for (const authorization of ['', `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, TOKEN]) {
    const headers = { origin: UI, ...(authorization === '' ? {} : { authorization }) };
    const refused = await send(guarded, '/decode', { headers, body });
    expect({ status: refused.status, text: refused.text }).toEqual({ status: 401, text: '' });
    expect(refused.headers['www-authenticate']).toBe('Bearer');
  }
  const { status, json } = await send(guarded, '/decode', { key: TOKEN, body });
  expect({ status, json }).toEqual({ status: 200, json: { payloads: [asJson(clear)] } });
});

it.each([
  ['encrypts nothing', 'POST', '/encode', '{"payloads":[]}', 404],
  ['serves nothing else', 'GET', '/', undefined, 404],
  ['is only written to', 'GET', '/decode', undefined, 405],
  ['refuses what is no JSON', 'POST', '/decode', '{', 400],
  ['refuses another shape', 'POST', '/decode', '{"payloads":1}', 400],
  ['refuses a payload that is none', 'POST', '/decode', '{"payloads":[null]}', 400],
  ['refuses what is too large', 'POST', '/decode', 'x'.repeat(17 * 1024 * 1024), 413],
])('%s', async (_what, method, path, body, status) => {
  const answer = await send(open, path, { body }, method).catch((error: unknown) => error);
  // The server may close the connection before such a body was sent.
  if (answer instanceof Error) expect(status).toBe(413);
  else expect(answer).toMatchObject({ status });
  expect((await send(open, '/decode', { body: { payloads: [] } })).json).toEqual({ payloads: [] });
});

it('cannot be reached by another address than its own', async () => {
  const port = Number(new URL(open.url).port);
  const reached = await new Promise<boolean>((resolve) => {
    const socket = createConnection({ host: '127.0.0.2', port });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    closeAfterFile(() => void socket.destroy());
  });
  expect(reached).toBe(false);
});

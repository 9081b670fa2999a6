// Rows L6 and B14 of the threat list: whatever part fails, the response is never a success, and always
// the one error shape. The parts are the real ones, of the real service; the test makes each of them fail.

import type { AroundMiddleware } from '../../api/app';
import { createTestDatabase, setUp } from '../support/database';
import { insist, request, type HttpResponse } from '../support/http';
import { startTestService } from '../support/service';
import { buildAccount } from './support/accounts';
import { expectErrorBody } from './support/contract';
import { countEffects } from './support/effects';
import { openConnection, requestHead, sendRaw } from './support/raw';

const database = setUp(createTestDatabase);
const service = setUp(() => startTestService({ database, around }));
const account = setUp(() => buildAccount(database, { live: { XOF: 1_000_000n } }));
const recipient = setUp(() => buildAccount(database));

/** The middleware that fails now, and whether before or after the ones inside it. */
let failing: { readonly name: string; readonly is_after: boolean } | undefined;
const names = new Set<string>();

const SECRET = 'select secret from users -- at /srv/app.js:1:1';

const around: AroundMiddleware = (name, middleware) => {
  names.add(name);
  return async (ctx, next) => {
    if (failing?.name === name && !failing.is_after) throw new Error(SECRET);
    await middleware(ctx, next);
    if (failing?.name === name) throw new Error(SECRET);
  };
};

afterEach(() => {
  failing = undefined;
});

const CALLS: readonly [string, () => Promise<HttpResponse>][] = [
  [
    'a transfer',
    () =>
      request(service, 'POST', '/transfers', {
        key: account.live,
        body: { to_username: recipient.username, currency: 'XOF', amount: 1 },
      }),
  ],
  ['a list', () => request(service, 'GET', '/transactions?limit=5', { key: account.live })],
  ['health', () => request(service, 'GET', '/health')],
  ['no key', () => request(service, 'GET', '/me')],
  ['an unknown path', () => request(service, 'GET', '/nothing')],
];

const MIDDLEWARES = [
  'requestId',
  'tracing',
  'accessLog',
  'errorResponse',
  'countTheRest',
  'transport',
  'authenticateTheRest',
  'router',
  'payRouter',
  'pages',
  'allowedMethods',
  'nameRoute',
  'nameIdempotencyKey',
  'authenticate',
  'limitStrangers',
  'validateQuery',
  'jsonBody',
  'validateBody',
  'sandboxFaults',
  'handle',
];

it('L6 the app has these middlewares, and each is wrapped', () => {
  expect([...names].sort()).toEqual([...MIDDLEWARES].sort());
});

describe.each(MIDDLEWARES)('L6 when %s fails', (name) => {
  it.each([
    ['before', false],
    ['after', true],
  ])('%s those inside it, nothing is answered with success', async (_when, is_after) => {
    let reached = 0;
    for (const [, send] of CALLS) {
      failing = undefined;
      const healthy = await send();
      failing = { name, is_after };
      const response = await send();
      if (response.status === healthy.status && healthy.status !== 500) continue;
      reached += 1;
      expectErrorBody(response, ['internal_error']);
      expect(response.headers['cache-control']).toBe('no-store');
      expect(response.headers['x-content-type-options']).toBe('nosniff');
      expect(response.text).not.toContain('secret');
      expect(JSON.stringify(response.headers)).not.toMatch(/koa|node\.?js|x-powered-by/i);
    }
    expect(reached).toBeGreaterThan(0);
  });
});

it('L6 a request that fails before the handler has no effect', async () => {
  const before = await countEffects(database);
  for (const name of MIDDLEWARES.filter((one) => one !== 'accessLog')) {
    failing = { name, is_after: false };
    await CALLS[0]![1]();
  }
  failing = undefined;
  // The pay router, the dashboard and the methods are not on a transfer's way.
  const reached = ['payRouter', 'pages', 'allowedMethods', 'limitStrangers', 'validateQuery'];
  const after = await countEffects(database);
  expect(Number(after.transfers) - Number(before.transfers)).toBe(reached.length);
});

describe('B14 what no middleware sees has the one error shape too', () => {
  it.each([
    ['a broken header', 'GET / HTTP/1.1\r\nnonsense\r\n\r\n', 'malformed_request'],
    ['no Host', 'GET /api/public/v1/health HTTP/1.1\r\n\r\n', 'malformed_request'],
    ['a tunnel', 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n', 'malformed_request'],
    ['a NUL in a header', 'GET / HTTP/1.1\r\nA: \0\r\n\r\n', 'malformed_request'],
    [
      'headers of 20 KiB',
      `GET / HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`,
      'headers_too_large',
    ],
  ] as const)('%s', async (_kind, bytes, code) => {
    const response = await sendRaw(service, bytes);
    expectErrorBody(response, [code]);
    expect(response.headers).toMatchObject({ connection: 'close', 'cache-control': 'no-store' });
    expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each(['a, b', 'a/b', 'u@127.0.0.1', 'a b', 'a#b', 'a?b', 'a:b', '[::1', ''])(
    'a Host that is none: %j, at every door',
    async (host) => {
      for (const path of ['/api/public/v1/health', '/p/abc', '/dashboard/sign-in', '/docs']) {
        const response = await sendRaw(service, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
        expectErrorBody(response, ['malformed_request']);
      }
    },
  );

  it.each(['a.example', 'A-1.example:8443', 'service_1:80', '127.0.0.1:80', '[::1]:8080'])(
    'a Host is a name or an address, with or without a port: %s',
    async (host) => {
      const bytes = `GET /api/public/v1/health HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
      expect((await sendRaw(service, bytes)).status).toBe(200);
    },
  );

  it.each([
    ['101 parameters', 'a&'.repeat(100)],
    ['4,097 characters', 'a'.repeat(4_097)],
  ])('a query of %s, at every door', async (_kind, query) => {
    const paths = ['/me', '/transactions', '/p/abc', '/l/abc', '/dashboard/sign-in', '/docs'];
    for (const path of paths) {
      const url =
        (path === '/me' || path === '/transactions' ? service.base_url : service.origin) + path;
      const response = await request(service, 'GET', `${url}?${query}`, { key: account.live });
      expectErrorBody(response, ['malformed_request']);
      const shorter = await request(service, 'GET', `${url}?${query.slice(2)}`, {
        key: account.live,
      });
      expect(shorter.json?.error?.code).not.toBe('malformed_request');
    }
  });

  it.each([
    ['an expectation that is not known', 'HTTP/1.1\r\nHost: a\r\nExpect: cake'],
    ['an upgrade', 'HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: h2c'],
    ['HTTP/1.0 without a Host', 'HTTP/1.0'],
  ])('%s is a request like any other', async (_kind, rest) => {
    const response = await sendRaw(service, `GET /api/public/v1/health ${rest}\r\n\r\n`);
    expect(response.status).toBe(200);
    expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('a path that cannot be decoded', async () => {
    const read = (path: string) => sendRaw(service, requestHead(service, `GET ${path}`));
    expectErrorBody(await read('/%zz'), ['not_found']);
    expectErrorBody(await read('/api/public/v1/transactions/%ff'), ['unauthorized']);
    for (const path of ['/p/%E0%A4%A', '/p/%00/logo', '/l/%00/logo', '/p/%00/status']) {
      expect((await read(path)).status).toBe(404);
    }
  });
});

describe('headers of every response', () => {
  it.each([
    ['a success', '/me', () => account.live, 200],
    ['an unknown path', '/nothing', () => account.live, 404],
  ])('no-store and nosniff: %s', async (_kind, path, key, status) => {
    const response = await request(service, 'GET', path, { key: key() });
    expect(response.status).toBe(status);
    expect(response.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    // Plain HTTP.
    expect(response.headers['strict-transport-security']).toBeUndefined();
  });

  it('Strict-Transport-Security behind a trusted proxy that says https, on refusals too', async () => {
    const proxied = await startTestService({
      database,
      overrides: { trusted_proxies: ['127.0.0.1'] },
    });
    const headers = { 'x-forwarded-proto': 'https' };
    for (const path of ['/me', '/health', '/nothing', `${proxied.origin}/p/x`]) {
      const secure = await request(proxied, 'GET', path, { headers });
      expect(secure.headers['strict-transport-security']).toBe('max-age=31536000');
      const plain = await request(proxied, 'GET', path);
      expect(plain.headers['strict-transport-security']).toBeUndefined();
    }
    const untrusted = await request(service, 'GET', '/me', { headers });
    expect(untrusted.headers['strict-transport-security']).toBeUndefined();
  });
});

describe('T6 slow connections', () => {
  const limits = {
    headers_timeout_ms: 400,
    request_timeout_ms: 800,
    max_connections: 10_000,
    max_connections_per_address: 2_500,
  };
  const PATIENT = { headers_timeout_ms: 60_000, request_timeout_ms: 60_000 };
  const strict = setUp(() => startTestService({ database, overrides: { http: limits } }));

  const closed = async (...parts: string[]): Promise<void> => {
    const connection = await openConnection(strict);
    const end = new Promise<void>((resolve) => connection.socket.once('close', () => resolve()));
    for (const part of parts) connection.write(part);
    await end;
  };

  it('are cut: without a byte, within the headers, within the body', async () => {
    const head = requestHead(strict, 'POST /api/public/v1/transfers', [
      `Authorization: Bearer ${account.live}`,
      'Content-Type: application/json',
      'Content-Length: 100',
    ]);
    await Promise.all([
      closed(),
      closed('GET /me HT'),
      closed(head.slice(0, -2)),
      closed(head, '{'),
    ]);
  });

  it('are told so in the one error shape', async () => {
    const response = await sendRaw(strict, 'GET /api/public/v1/me HTTP/1.1\r\nHost: x\r\n');
    expectErrorBody(response, ['request_timeout']);
  });

  it('do not keep others waiting: 2,000 of them, and every other request is answered', async () => {
    const patient = await startTestService({
      database,
      overrides: { http: { ...limits, ...PATIENT } },
    });
    const slow = await Promise.all(Array.from({ length: 2_000 }, () => openConnection(patient)));
    for (const one of slow) one.write('GET /api/public/v1/me HTTP/1.1\r\nX: ');
    const busy = await buildAccount(database);
    const responses = await Promise.all(
      Array.from({ length: 50 }, () =>
        insist(() => request(patient, 'GET', '/me', { key: busy.live })),
      ),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(slow.filter(({ socket }) => socket.destroyed)).toEqual([]);
    for (const { socket } of slow) socket.destroy();
  });

  it('of one address are limited, so that it cannot use up those of all', async () => {
    const few = await startTestService({
      database,
      overrides: {
        http: { ...limits, ...PATIENT, max_connections_per_address: 5 },
      },
    });
    const open = await Promise.all(Array.from({ length: 5 }, () => openConnection(few)));
    const over = await openConnection(few);
    await new Promise<void>((resolve) => over.socket.once('close', () => resolve()));
    expect(open.filter(({ socket }) => socket.destroyed)).toEqual([]);
    // One that ends makes room.
    open[0]!.write(requestHead(few, 'GET /api/public/v1/health', ['Connection: close']));
    expect((await open[0]!.response()).status).toBe(200);
    const again = await sendRaw(few, requestHead(few, 'GET /api/public/v1/health'));
    expect(again.status).toBe(200);
  });
});

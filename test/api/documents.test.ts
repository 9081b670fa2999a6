// The service's pages about itself: health, status, its OpenAPI document and its error codes; and the request id in
// every response.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'node-html-parser';
import { request as sendRequest } from 'undici';
import { ROUTES } from '../../api/routes';
import { PREFIX } from '../../http/prefix';
import { ERROR_CODES, ERROR_HELP, ERRORS } from '../../domain/errors';
import { readClientPackages } from '../../pages/client-packages';
import NAMES from '../../pages/generated/client-packages.json';
import { createTestDatabase, setUp } from '../support/database';
import { request, type HttpResponse } from '../support/http';
import { startTestService } from '../support/service';
import { buildAccount } from './support/accounts';
import { callApi, expectErrorBody } from './support/contract';

const database = setUp(createTestDatabase);
const overrides = { public_url: 'https://pay.example.com' };
const service = setUp(() => startTestService({ database, overrides }));
const account = setUp(() => buildAccount(database));

describe('GET /health', () => {
  it('§4 needs no key and answers exactly ok, service, version and time', async () => {
    const before = Date.now();
    const response = await callApi(service, 'GET', '/health');
    expect(response.status).toBe(200);
    expect(response.json).toEqual({
      ok: true,
      service: 'payment-api',
      version: 'v1',
      time: expect.any(String) as string,
    });
    expect(response.json.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/);
    expect(Date.parse(response.json.time)).toBeGreaterThanOrEqual(before - 1_000);
  });
});

describe('GET /status', () => {
  it('§3 is operational while Postgres and Temporal work', async () => {
    const response = await callApi(service, 'GET', '/status', { key: account.sandbox });
    expect(response.json).toEqual({
      ok: true,
      status: 'operational',
      components: { postgres: 'operational', temporal: 'operational' },
    });
  });
});

describe('GET /openapi.json', () => {
  const checked_in = JSON.parse(
    readFileSync(join(__dirname, '..', '..', 'api', 'openapi.json'), 'utf8'),
  ) as Record<string, unknown>;
  let served: HttpResponse;

  beforeAll(async () => {
    served = await request(service, 'GET', `${service.origin}/openapi.json`);
  });

  it('needs no key and is the checked-in document, except for the addresses', () => {
    expect(served.status).toBe(200);
    expect(served.headers['content-type']).toBe('application/json; charset=utf-8');
    const { contact, ...info } = served.json.info;
    expect(contact).toEqual({ name: 'Payment API', url: 'https://pay.example.com/docs' });
    const { servers } = checked_in;
    const without_address = { ...info, contact: { name: contact.name as string } };
    expect({ ...served.json, servers, info: without_address }).toEqual(checked_in);
  });

  it('§9 names the prefix of this service in its servers', () => {
    expect(served.json.servers).toEqual([{ url: `https://pay.example.com${PREFIX}` }]);
    expect(served.json).toMatchObject({ openapi: '3.1.0', info: { version: 'v1' } });
  });
});

describe('GET /docs/errors', () => {
  it('says of every code what it means, why it happens and what to do, at the fragment that doc_url names', async () => {
    const page = await request(service, 'GET', `${service.origin}/docs/errors`);
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    const document = parse(page.text);
    for (const code of ERROR_CODES) {
      const text = document.querySelector(`main #status-${ERRORS[code].status} #${code}`)?.text;
      expect(text).toContain(ERRORS[code].message);
      expect(text).toContain(ERROR_HELP.en[code].cause);
      expect(text).toContain(ERROR_HELP.en[code].remedy);
    }
  });

  it('is in French for a reader of French, but for the messages, as the API answers them', async () => {
    const page = await request(service, 'GET', `${service.origin}/docs/errors`, {
      headers: { 'Accept-Language': 'fr-SN,fr;q=0.9,en;q=0.5' },
    });
    expect(page.headers['vary']).toContain('Accept-Language');
    const document = parse(page.text);
    expect(document.querySelector('html')?.getAttribute('lang')).toBe('fr');
    for (const code of ERROR_CODES) {
      const article = document.querySelector(`#${code}`);
      expect(article?.querySelector('[lang=en]')?.text).toBe(ERRORS[code].message);
      expect(article?.text).toContain(ERROR_HELP.fr[code].cause);
      expect(article?.text).toContain(ERROR_HELP.fr[code].remedy);
    }
    const front = await request(service, 'GET', `${service.origin}/?lang=fr`);
    expect(front.text).toContain('Codes d’erreur');
  });

  it('is where the errors of this service point to', async () => {
    const { json } = await callApi(service, 'GET', '/me');
    expect(json.error.doc_url).toBe('https://pay.example.com/docs/errors#unauthorized');
  });
});

describe('GET /', () => {
  it('leads to the reference, the error codes, the OpenAPI document and the dashboard', async () => {
    const page = await request(service, 'GET', `${service.origin}/`);
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const links = parse(page.text).querySelectorAll('main a');
    const paths = links.map((link) => link.getAttribute('href')!);
    expect(paths).toEqual(['/docs', '/docs/errors', '/openapi.json', '/dashboard']);
    for (const path of paths) {
      const { status } = await request(service, 'GET', service.origin + path);
      // The dashboard leads on to signing in.
      expect([path, status]).toEqual([path, path === '/dashboard' ? 303 : 200]);
    }
  });
});

describe('GET /docs', () => {
  const get = (path: string, headers = {}) =>
    request(service, 'GET', service.origin + path, { headers });

  it('needs no key, leads to the error codes, and names files of this origin only', async () => {
    const page = await get('/docs');
    expect(page.status).toBe(200);
    const document = parse(page.text);
    expect(document.querySelector('header a[href="/docs/errors"]')).not.toBeNull();
    const named = document.querySelectorAll('script[src], link[rel=stylesheet], link[rel=icon]');
    const files = named.map((one) => one.getAttribute('src') ?? one.getAttribute('href')!);
    expect(files).toHaveLength(3);
    for (const file of files) {
      expect(file).toMatch(/^\/docs\/files\/[\w.-]+\?v=[\w.]+$/);
      const { status, headers } = await get(file);
      expect([file, status]).toEqual([file, 200]);
      expect(headers['cache-control']).toContain('immutable');
    }
  });

  it('runs what this origin serves, and neither inline scripts nor eval', async () => {
    const policy = String((await get('/docs')).headers['content-security-policy']);
    expect(policy.split('; ').filter((part) => !part.startsWith('style-src'))).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "connect-src 'self'",
      "img-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(policy).not.toContain('unsafe');
  });

  it('is less than 150 kB over the wire, with its files', async () => {
    const { origin } = service;
    const sizeOf = async (path: string): Promise<number> => {
      const headers = { 'accept-encoding': 'gzip' };
      const response = await sendRequest(origin + path, { headers });
      expect(response.headers['content-encoding']).toBe('gzip');
      return (await response.body.bytes()).length;
    };
    const files = parse((await get('/docs')).text).querySelectorAll('script[src], link[href]');
    const paths = files.map((one) => one.getAttribute('src') ?? one.getAttribute('href')!);
    const sizes = await Promise.all(['/docs', ...paths].map(sizeOf));
    const sum = sizes.reduce((one, other) => one + other, 0);
    expect(sum).toBeLessThan(150_000);
    expect(sum).toBeGreaterThan(30_000);
  });

  it('has every call, with its own errors and without those that every call has', async () => {
    const document = parse((await get('/docs')).text);
    const shared = document.querySelector('main #errors')!.text;
    for (const route of ROUTES) {
      const text = document.querySelector(`main article#${route.operation_id}`)?.text;
      expect(text).toContain(route.path);
      const own = route.errors.filter((code) => !shared.includes(code));
      for (const code of own) expect(text).toContain(code);
      expect(text).not.toContain('malformed_request');
    }
    for (const anchor of document.querySelectorAll('a[href^="#"]')) {
      expect(document.querySelector(anchor.getAttribute('href')!)).not.toBeNull();
    }
  });

  it.each(['package.json', '..%2Fpackage.json', 'constructor'])(
    'serves nothing else by that path: %s',
    async (name) => {
      expectErrorBody(await get(`/docs/files/${name}`), ['not_found']);
    },
  );
});

describe('the packages of the clients', () => {
  const urlOf = (name: string): string => new URL(`/clients/${name}`, service.base_url).href;
  const get = (name: string) => request(service, 'GET', urlOf(name));

  it.each(Object.values(NAMES))(
    'serves %s, nothing else, and the hash of what it serves',
    async (name) => {
      const response = await fetch(urlOf(name));
      const sha256 = createHash('sha256').update(Buffer.from(await response.arrayBuffer()));
      const known = readClientPackages().find((one) => one.name === name);
      expect([response.status, sha256.digest('hex')]).toEqual([200, known?.sha256]);
      expectErrorBody(await get(`..%2F${name}`), ['not_found']);
    },
  );

  it('is a repository for Composer, at the public address', async () => {
    const { json } = await get('packages.json');
    expect(json).toMatchObject({
      packages: {
        'payments/payments-client': {
          '0.1.0': { dist: { url: `https://pay.example.com/clients/${NAMES.PHP}` } },
        },
      },
    });
  });
});

describe('X-Request-Id', () => {
  const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  const send = (id?: string | string[]) =>
    request(
      service,
      'GET',
      '/nothing',
      id === undefined ? {} : { headers: { 'x-request-id': id } },
    );

  it('is generated when there is none, a new one each time', async () => {
    const ids = (await Promise.all([send(), send()])).map(({ headers }) => headers['x-request-id']);
    expect(ids[0]).toMatch(UUID);
    expect(ids[0]).not.toBe(ids[1]);
  });

  it.each(['a', '0123456789'.repeat(12) + '01234567'])(
    "is the caller's own when well-formed: %s",
    async (id) => {
      const response = await send(id);
      expect(response.headers['x-request-id']).toBe(id);
      expect(response.json.error.request_id).toBe(id);
    },
  );

  it.each([
    ['of 129 characters', 'a'.repeat(129)],
    ['with quotes', '"a"'],
    ['with a letter outside of ASCII', '\u00e9'],
    ['sent twice', ['a', 'b']],
  ])('replaces a malformed one of the caller: %s', async (_kind, id) => {
    const response = await send(id);
    expect(response.headers['x-request-id']).toMatch(UUID);
    expect(response.json.error.request_id).toBe(response.headers['x-request-id']);
  });

  it.each([
    ['a success', 'GET', '/me', 200],
    ['a refusal', 'GET', '/transactions?limit=0', 422],
    ['an unknown method', 'PROPFIND', '/me', 405],
    ['a list of methods', 'OPTIONS', '/me', 200],
    ['an answer without a body', 'HEAD', '/me', 200],
  ])('is on %s', async (_kind, method, path, status) => {
    const options = { key: account.live, headers: { 'x-request-id': 'mine' } };
    const response = await request(service, method, path, options);
    expect([response.status, response.headers['x-request-id']]).toEqual([status, 'mine']);
  });

  it.each(['/', '/docs', '/openapi.json', '/docs/errors', '/nothing'])('is on %s', async (path) => {
    const response = await request(service, 'GET', service.origin + path);
    expect(response.headers['x-request-id']).toMatch(UUID);
  });
});

describe('every response', () => {
  it('names no software and no version', async () => {
    for (const path of ['/me', '/nothing', '/health', '/transactions?limit=0']) {
      const { headers } = await request(service, 'GET', path, { key: account.live });
      expect(Object.keys(headers)).not.toContain('server');
      expect(Object.keys(headers)).not.toContain('x-powered-by');
      expect(JSON.stringify(headers)).not.toMatch(/koa|node|express|postgres|temporal/i);
    }
  });
});

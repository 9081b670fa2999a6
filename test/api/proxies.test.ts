// Forwarded headers (rows T1 and T2 of the threat list) count only when they come from a proxy that
// the configuration names.

import { createTestDatabase, setUp } from '../support/database';
import { request, type HttpResponse } from '../support/http';
import { startTestService, type TestService } from '../support/service';
import { findAccessLine } from './support/access-lines';
import { buildAccount } from './support/accounts';
import { expectContract, expectErrorBody, refusal } from './support/contract';
import { requestHead, sendRaw } from './support/raw';

const database = setUp(createTestDatabase);
const account = setUp(() => buildAccount(database));

type Headers = Readonly<Record<string, string>>;

const me = (service: TestService, headers: Headers = {}): Promise<HttpResponse> =>
  request(service, 'GET', '/me', { key: account.live, headers });

const loggedAddress = (service: TestService, { headers }: HttpResponse): string | undefined =>
  findAccessLine(service, headers['x-request-id'])?.ip;

describe('in production, without a trusted proxy', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ database, overrides: { production: true } });
  });

  it.each<[string, Headers]>([
    ['plain HTTP', {}],
    ['X-Forwarded-Proto: https', { 'x-forwarded-proto': 'https' }],
    ['Forwarded: proto=https', { forwarded: 'for=127.0.0.1;proto=https' }],
    ['X-Forwarded-Ssl: on', { 'x-forwarded-ssl': 'on', 'front-end-https': 'on' }],
    ['a secure upgrade', { 'upgrade-insecure-requests': '1' }],
    ['a claimed address', { 'x-forwarded-proto': 'https', 'x-forwarded-for': '127.0.0.1' }],
  ])('%s is refused, not redirected', async (_kind, headers) => {
    const response = await me(service, headers);
    expectContract('GET', '/me', response);
    expect(response).toMatchObject(refusal('forbidden'));
    expect(response.headers['location']).toBeUndefined();
    expect(response.json.error.message).toContain('HTTPS');
  });

  it('every path is refused, known or not, before the key is checked', async () => {
    for (const path of ['/ready', '/nothing', `${service.origin}/openapi.json`, '/wallets']) {
      expectErrorBody(await request(service, 'GET', path), ['forbidden']);
    }
    const response = await request(service, 'POST', '/transfers', { key: account.live, body: '{' });
    expectErrorBody(response, ['forbidden']);
    expect(Object.keys(response.headers).filter((name) => name.includes('ratelimit'))).toEqual([]);
  });

  it('answers GET /health, which probes ask over plain HTTP', async () => {
    expect((await request(service, 'GET', '/health')).status).toBe(200);
    expectErrorBody(await request(service, 'GET', '/health/'), ['forbidden', 'not_found']);
  });

  it('a refusal is logged with the address of the peer', async () => {
    const response = await me(service, { 'x-forwarded-for': '203.0.113.9' });
    expect(loggedAddress(service, response)).toBe('127.0.0.1');
  });
});

describe('in production, behind a trusted proxy', () => {
  let service: TestService;
  beforeAll(async () => {
    const overrides = { production: true, trusted_proxies: ['127.0.0.1', '10.0.0.0/8', '::1'] };
    service = await startTestService({ database, overrides });
  });

  it.each(['https', 'HTTPS', 'http, https', ', https '])(
    'X-Forwarded-Proto: %s is accepted',
    async (proto) => {
      expect((await me(service, { 'x-forwarded-proto': proto })).status).toBe(200);
    },
  );

  it.each(['http', 'https, http', 'wss', 'httpss', '', ','])(
    'X-Forwarded-Proto: %j is refused',
    async (proto) => {
      expect(await me(service, { 'x-forwarded-proto': proto })).toMatchObject(refusal('forbidden'));
    },
  );

  it('a request without X-Forwarded-Proto is refused', async () => {
    expect(await me(service)).toMatchObject(refusal('forbidden'));
  });

  // The client's own claim stands before what the proxies have added.
  it.each([
    ['203.0.113.7, 10.1.2.3', 'https, https', 200],
    ['203.0.113.7, 10.1.2.3', 'https, http', 200],
    ['203.0.113.7, 10.1.2.3', 'https', 200],
    ['203.0.113.7, 10.1.2.3', 'http, https', 403],
    ['203.0.113.7, 10.1.2.3', 'https, http, https', 403],
    ['203.0.113.7', 'https, http', 403],
    ['10.9.9.9, 203.0.113.7', 'https, http', 403],
  ])('for %s, X-Forwarded-Proto: %s is answered with %i', async (forwarded, proto, status) => {
    const headers = { 'x-forwarded-for': forwarded, 'x-forwarded-proto': proto };
    expect((await me(service, headers)).status).toBe(status);
  });

  it('two lines are read as one list', async () => {
    const lines = [
      `Authorization: Bearer ${account.live}`,
      'X-Forwarded-Proto: https',
      'X-Forwarded-Proto: http',
    ];
    const response = await sendRaw(service, requestHead(service, 'GET /api/public/v1/me', lines));
    expect(response).toMatchObject(refusal('forbidden'));
  });

  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['198.51.100.1, 203.0.113.7', '203.0.113.7'],
    ['127.0.0.1, 203.0.113.7', '203.0.113.7'],
    ['6.6.6.6, 203.0.113.7, 10.1.2.3', '203.0.113.7'],
    ['203.0.113.7, 10.1.2.3, 10.9.9.9', '203.0.113.7'],
    ['2001:db8::7, 10.1.2.3', '2001:db8::7'],
    ['not-an-address, 10.1.2.3', 'not-an-address'],
    ['10.1.2.3', '10.1.2.3'],
    ['10.1.2.3, 10.4.5.6', '10.1.2.3'],
    ['203.0.113.7:51234', '203.0.113.7'],
    ['203.0.113.7:51234, 10.1.2.3:443', '203.0.113.7'],
    ['[2001:db8::7]:51234', '2001:db8::7'],
    ['[2001:db8::7], 10.1.2.3', '2001:db8::7'],
    ['203.0.113.7:x', '203.0.113.7:x'],
  ])('X-Forwarded-For: %s is logged as %s', async (forwarded, address) => {
    const response = await me(service, {
      'x-forwarded-proto': 'https',
      'x-forwarded-for': forwarded,
    });
    expect(response.status).toBe(200);
    expect(loggedAddress(service, response)).toBe(address);
  });
});

describe('outside production', () => {
  it('plain HTTP is accepted, and a forwarded address is not', async () => {
    const service = await startTestService({ database });
    const response = await me(service, {
      'x-forwarded-for': '203.0.113.7',
      'x-real-ip': '203.0.113.7',
      forwarded: 'for=203.0.113.7',
    });
    expect(response.status).toBe(200);
    expect(loggedAddress(service, response)).toBe('127.0.0.1');
  });
});

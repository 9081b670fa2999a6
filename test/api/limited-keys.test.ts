// Keys that may only read, and keys that work from some addresses only.

import { makeApiKey } from '../../secrets/api-key';
import { ROUTES } from '../../api/routes';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { request, type HttpResponse } from '../support/http';
import { startTestService, type TestService } from '../support/service';
import { buildApiKey, buildUser, type TestUser } from '../support/users';
import { callApi, expectContract, refusal } from './support/contract';

let database: TestDatabase;
let service: TestService;
let user: TestUser;

beforeAll(async () => {
  database = await createTestDatabase();
  // The tests choose where a request comes from, as a trusted proxy does.
  service = await startTestService({ database, overrides: { trusted_proxies: ['loopback'] } });
  user = await buildUser(database.db, { funds: { live: { XOF: 1_000_000n } } });
});

const GUARDED = ROUTES.filter(({ rate }) => rate !== null);

describe('a key that may only read', () => {
  it('A10 answers forbidden to every POST, PATCH and DELETE, and reads as any other key', async () => {
    const options = { user, read_only: true };
    const { key: live } = await buildApiKey(database.db, options);
    const sandbox = { ...options, environment: 'sandbox' } as const;
    const { key: test } = await buildApiKey(database.db, sandbox);
    for (const { method, path, sandbox_only } of GUARDED) {
      const key = sandbox_only ? test : live;
      const concrete = path.replace(/\{\w+\}/g, 'x');
      const body = method === 'GET' ? {} : { body: {} };
      const response = await callApi(service, method, concrete, { key, ...body });
      if (method === 'GET') {
        expect({ path, status: response.status }).not.toMatchObject({ status: 403 });
      } else {
        expect({ path, ...response }).toMatchObject({ path, ...refusal('forbidden') });
        expect(response.json.error.message).toContain('may only read');
      }
    }
    expect((await callApi(service, 'GET', '/wallets', { key: live })).status).toBe(200);
  });

  it('every route that writes is one of those methods', () => {
    for (const { method, rate } of GUARDED) expect(rate).toBe(method === 'GET' ? 'read' : 'write');
  });
});

const callFrom = (key: string, address: string): Promise<HttpResponse> =>
  request(service, 'GET', '/me', {
    key,
    headers: { 'x-forwarded-for': address, 'x-request-id': 'same' },
  });

function essence({ status, headers, text }: HttpResponse) {
  const { date: _, connection: __, 'keep-alive': ___, ...rest } = headers;
  return { status, headers: rest, text };
}

describe('a key with a list of addresses', () => {
  it.each<[string, readonly string[], string, boolean]>([
    ['its address', ['203.0.113.7'], '203.0.113.7', true],
    ['another address', ['203.0.113.7'], '203.0.113.8', false],
    ['an address of its range', ['203.0.113.0/24'], '203.0.113.255', true],
    ['the first address after its range', ['203.0.113.0/24'], '203.0.114.0', false],
    ['the second of its ranges', ['203.0.113.0/24', '198.51.100.0/25'], '198.51.100.127', true],
    ['IPv4 in the form of IPv6', ['203.0.113.7'], '::ffff:203.0.113.7', true],
    ['the same in hexadecimal', ['203.0.113.7'], '::ffff:cb00:7107', true],
    ['IPv4, listed in the form of IPv6', ['::ffff:203.0.113.0/120'], '203.0.113.9', true],
    ['IPv4 beyond that range', ['::ffff:203.0.113.0/120'], '203.0.114.9', false],
    ['IPv6', ['2001:db8::/32'], '2001:DB8:0:0::7', true],
    ['IPv6 outside', ['2001:db8::/32'], '2001:db9::1', false],
    ['IPv4 for any IPv6', ['::/0'], '203.0.113.7', false],
    ['IPv6 for any IPv4', ['0.0.0.0/0'], '2001:db8::1', false],
    ['a text that is no address', ['0.0.0.0/0', '::/0'], 'unknown', false],
  ])('A10 %s', async (_name, allowed_ips, address, isLetIn) => {
    const { key } = await buildApiKey(database.db, { user, allowed_ips });
    expect((await callFrom(key, address)).status).toBe(isLetIn ? 200 : 401);
  });

  it('A10 answers the bytes and headers of an unknown key elsewhere, on every route', async () => {
    const { key } = await buildApiKey(database.db, { user, allowed_ips: ['203.0.113.7'] });
    for (const { method, path } of GUARDED) {
      const concrete = path.replace(/\{\w+\}/g, 'x');
      const call = (given: string) =>
        request(service, method, concrete, {
          headers: { authorization: given, 'x-request-id': 'same' },
          ...(method === 'GET' ? {} : { body: {} }),
        });
      const refused = await call(`Bearer ${key}`);
      expectContract(method, concrete, refused);
      expect(essence(refused)).toEqual(
        essence(await call(`Bearer ${makeApiKey('pay', 'live').key}`)),
      );
    }
  });

  it('is neither counted nor used up by calls from elsewhere', async () => {
    const { id, key } = await buildApiKey(database.db, {
      user,
      allowed_ips: ['203.0.113.7'],
      requests_per_minute: 6_000,
    });
    expect((await callFrom(key, '203.0.113.7')).headers['x-ratelimit-remaining']).toBe('5999');
    await Promise.all(Array.from({ length: 50 }, () => callFrom(key, '198.51.100.1')));
    expect((await callFrom(key, '203.0.113.7')).headers['x-ratelimit-remaining']).toBe('5998');
    const { rows } = await database.owner.raw(
      'select (select sum(n)::integer from unnest(requests) n) as requests from rate_windows where key_id = ?',
      [id],
    );
    expect(rows).toEqual([{ requests: 2 }]);
  });
});

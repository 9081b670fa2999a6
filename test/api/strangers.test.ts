// Strangers are limited per address before they cost a query (rows A8, B3, G6, T2 and T4 of the threat
// list; docs/decisions/keys-and-limits.md). Addresses come from a trusted proxy's header.

import { makeApiKey } from '../../secrets/api-key';
import { setUp } from '../support/database';
import { startTestApi } from '../support/api';
import { deliver, notificationOf, SIGNATURE } from '../support/notifications';
import { signGatewayBody } from '../../secrets/gateway-signature';
import { insist, request, type HttpResponse, type RequestOptions } from '../support/http';
import { GATEWAY_SECRETS } from '../support/sandbox-gateway';
import { startTestService } from '../support/service';
import { buildApiKey, revokeKey } from '../support/users';
import { expectErrorBody, refusal } from './support/contract';
import { intentBody, postIntent, waitForStatus } from './support/intents';
import { startPostgresProxy } from './support/tcp-proxy';

const LIMIT = 12;

const api = setUp(startTestApi);
const postgres = setUp(() => startPostgresProxy(api.database));
/** Trusts a proxy, so that a test chooses the caller's address; the database is `api`'s. */
const service = setUp(() =>
  startTestService({
    database: api.database,
    overrides: {
      database_url: postgres.url,
      gateway: api.service.config.gateway,
      trusted_proxies: ['127.0.0.1'],
      anonymous_requests_per_minute: LIMIT,
    },
  }),
);

let last_address = 0;
/** One that no other test has used. */
const anAddress = (): string => `198.51.100.${(last_address += 1)}`;

type Call = RequestOptions & { readonly from: string };

function call(path: string, { from, ...options }: Call, method = 'GET'): Promise<HttpResponse> {
  const headers = { ...options.headers, 'x-forwarded-for': from };
  return request(service, method, path, { ...options, headers });
}

/** How many responses had each status. */
function tally(responses: readonly { readonly status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const times = <T>(count: number, make: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, make));

/**
 * So many had one of these statuses, and the others 429. A slow flood may run into the next minute: then the limit
 * lets in what has become free since it began.
 */
function expectLetIn(
  responses: readonly { readonly status: number }[],
  statuses: readonly number[],
  { began, most = LIMIT, limit = LIMIT }: { began: number; most?: number; limit?: number },
): void {
  const counts = tally(responses);
  const let_in = responses.length - (counts[429] ?? 0);
  expect(statuses.reduce((sum, status) => sum + (counts[status] ?? 0), 0)).toBe(let_in);
  expect(let_in).toBeGreaterThanOrEqual(most);
  const freed = Math.floor((limit * (performance.now() - began)) / 60_000);
  expect(let_in).toBeLessThanOrEqual(most + freed);
}

/** Uses up what an address may do without a key. */
async function exhaust(from: string): Promise<void> {
  await times(LIMIT, () => call('/me', { from }));
  expect(await call('/me', { from })).toMatchObject(refusal('rate_limited'));
}

function expectLimited(response: HttpResponse): void {
  expectErrorBody(response, ['rate_limited']);
  expect(response.json.error.message).toContain('address');
  expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  expect(Number(response.headers['retry-after'])).toBeLessThanOrEqual(75);
  expect(response.headers['www-authenticate']).toBeUndefined();
  expect(response.headers['idempotency-key']).toBeUndefined();
}

const unknownKey = (): string => makeApiKey('pay', 'live').key;

describe('A8 without a valid key', () => {
  it.each<[string, (from: string) => Promise<HttpResponse>, number]>([
    ['no key', (from) => call('/me', { from }), 401],
    ['unknown keys', (from) => call('/me', { from, key: unknownKey() }), 401],
    ['an unknown path', (from) => call('/nothing', { from }), 404],
    ['the OpenAPI document', (from) => call(`${service.origin}/openapi.json`, { from }), 200],
    ['a method that the notification path lacks', (from) => call(hook(), { from }), 404],
    [
      'notifications with a wrong signature',
      (from) => call(hook(), { from, headers: { [SIGNATURE]: '0'.repeat(64) } }, 'POST'),
      401,
    ],
  ])('%s: an address gets 429 after its limit, and others do not', async (_kind, send, status) => {
    const [from, other] = [anAddress(), anAddress()];
    const began = performance.now();
    const responses = await times(LIMIT * 3, () => insist(() => send(from)));
    expectLetIn(responses, [status], { began });
    for (const response of responses) if (response.status === 429) expectLimited(response);
    expect((await send(other)).status).toBe(status);
  });

  it('a revoked key is counted like an unknown one, also when it was right a moment before', async () => {
    const from = anAddress();
    const doomed = await buildApiKey(api.database.db, { user: api.merchant });
    expect((await call('/me', { from, key: doomed.key })).status).toBe(200);
    await revokeKey(api.database.db, doomed.id);
    const began = performance.now();
    const responses = [];
    for (let count = 0; count < LIMIT * 2; count += 1) {
      responses.push(await call('/me', { from, key: doomed.key }));
    }
    expectLetIn(responses, [401], { began });
  });

  it('T2 an address that the caller claims by itself does not count', async () => {
    const from = anAddress();
    const send = (claimed: string) => call('/me', { from: `${claimed}, ${from}` });
    const began = performance.now();
    const responses = [];
    for (let count = 0; count < LIMIT * 2; count += 1)
      responses.push(await send(`10.0.0.${count}`));
    expectLetIn(responses, [401], { began });
  });

  it('health is answered ten times as often, and counts for nothing else', async () => {
    const from = anAddress();
    const began = performance.now();
    const checks = await times(LIMIT * 11, () => insist(() => call('/health', { from })));
    expectLetIn(checks, [200], { began, most: LIMIT * 10, limit: LIMIT * 10 });
    expect((await call('/me', { from })).status).toBe(401);
    const other = anAddress();
    await exhaust(other);
    expect((await call('/health', { from: other })).status).toBe(200);
  });
});

const hook = (): string => service.origin + service.config.gateway.notification_path;

/** Look-ups of keys that are not known, which the service has sent to Postgres. */
const countKeyQueries = (): number => postgres.countSent('authenticate_call\0');

describe('A8 a valid key at an address that is over its limit', () => {
  it('is let in, whether or not it was seen before, and never counted', async () => {
    const from = anAddress();
    const unseen = await buildApiKey(api.database.db, { user: api.merchant });
    expect((await call('/me', { from, key: api.live_key })).status).toBe(200);
    await exhaust(from);
    for (const key of [api.live_key, unseen.key]) {
      const responses = await times(LIMIT, () => insist(() => call('/me', { from, key })));
      expect(tally(responses)).toEqual({ 200: LIMIT });
    }
    const other = anAddress();
    await times(LIMIT * 2, () => call('/me', { from: other, key: api.live_key }));
    expect((await call('/me', { from: other })).status).toBe(401);
  });

  it('is let in during a flood of unknown keys, of which ten times the limit cost a query', async () => {
    const from = anAddress();
    const { key } = await buildApiKey(api.database.db, { user: api.merchant });
    expect((await call('/me', { from, key })).status).toBe(200);
    const before = countKeyQueries();
    const began = performance.now();
    const flood = times(400, () => insist(() => call('/me', { from, key: unknownKey() })));
    const responses = await times(LIMIT, () => insist(() => call('/me', { from, key })));
    expect(tally(responses)).toEqual({ 200: LIMIT });
    expectLetIn(await flood, [401], { began });
    // The key's own queries count, and one for each connection that has not prepared the statement.
    expect(countKeyQueries() - before).toBeLessThanOrEqual(LIMIT * 12);
    // Elsewhere the same key is let in as well.
    expect((await call('/me', { from: anAddress(), key })).status).toBe(200);
  });

  it('is refused when it is revoked, as an unknown one is', async () => {
    const from = anAddress();
    const doomed = await buildApiKey(api.database.db, { user: api.merchant });
    await revokeKey(api.database.db, doomed.id);
    await exhaust(from);
    expectLimited(await call('/me', { from, key: doomed.key }));
  });
});

describe('B3 payment links', () => {
  const page = (code: string, from: string, rest = ''): Promise<HttpResponse> =>
    call(`${service.origin}/p/${code}${rest}`, { from });

  it.each<[string, (from: string) => Promise<HttpResponse>]>([
    ['malformed codes', (from) => page('x', from)],
    ['unknown assets', (from) => page('assets/x', from)],
  ])('%s: 404 up to the limit, then a page that says when to come back', async (_kind, send) => {
    const from = anAddress();
    const began = performance.now();
    const responses = await times(LIMIT * 2, () => send(from));
    expectLetIn(responses, [404], { began });
    const limited = responses.find(({ status }) => status === 429)!;
    expect(limited.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(Number(limited.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(limited.text).toContain('Too many requests');
  });

  it('a real link opens at an address that is over its limit, seen before or not', async () => {
    const seen = (await postIntent(api, intentBody())).json;
    const unseen = (await postIntent(api, intentBody())).json;
    const from = anAddress();
    expect((await page(seen.short_code, from)).status).toBe(200);
    await exhaust(from);
    for (const { short_code } of [seen, unseen]) {
      expect((await page(short_code, from)).status).toBe(200);
      expect((await page(short_code, from, '/status')).status).toBe(200);
    }
  });

  it('a real link cannot be asked for without end either', async () => {
    const { short_code } = (await postIntent(api, intentBody())).json;
    // From now on the code is known: what a busy machine has no time for counts as well.
    expect((await page(short_code, anAddress())).status).toBe(200);
    const from = anAddress();
    const began = performance.now();
    const responses = await times(LIMIT * 12, () => page(short_code, from));
    expectLetIn(responses, [200, 503], { began, most: LIMIT * 10, limit: LIMIT * 10 });
    expect((await page(short_code, anAddress())).status).toBe(200);
  });
});

describe('G6 good notifications', () => {
  const send = (
    body: string,
    from: string,
    signature = signGatewayBody(body, GATEWAY_SECRETS.sandbox[0]),
  ) => deliver(hook(), body, { [SIGNATURE]: signature, 'x-forwarded-for': from });

  it('are accepted from an address that is over its limit, in the midst of a flood of bad ones', async () => {
    const from = anAddress();
    const began = performance.now();
    await exhaust(from);
    const intents = await times(3, async () => (await postIntent(api, intentBody())).json);
    const flood = times(500, () => send('x'.repeat(1_000), from, '0'.repeat(64)));
    for (const intent of intents) {
      const told = await insist(() => send(JSON.stringify(notificationOf(intent)), from));
      expect(told.status).toBe(200);
      const wallets = await insist(() => call('/wallets', { from, key: api.test_key }));
      expect(wallets.status).toBe(200);
    }
    expectLetIn(await flood, [401], { began, most: 0 });
    for (const intent of intents) await waitForStatus(api, intent, 'succeeded');
  });

  it('are not counted, nor are signed ones that are malformed or of another kind', async () => {
    const from = anAddress();
    const { json } = await postIntent(api, intentBody());
    const bodies = ['{}', JSON.stringify(notificationOf(json, { type: 'payout.paid' }))];
    bodies.push(JSON.stringify(notificationOf(json)));
    for (let count = 0; count < LIMIT; count += 1) {
      const statuses = [];
      for (const body of bodies) statuses.push((await send(body, from)).status);
      expect(statuses).toEqual([422, 200, 200]);
    }
    expect((await call('/me', { from })).status).toBe(401);
  });
});

describe('T4 while Postgres is away', () => {
  afterEach(async () => {
    await postgres.restore();
    await api.database.db.raw('select 1');
  });

  it('callers with a key get 503 and are not counted, and strangers keep their limit', async () => {
    const from = anAddress();
    await postgres.cut();
    const keys = await times(LIMIT * 2, () => call('/me', { from, key: api.live_key }));
    expect(tally(keys)).toEqual({ 503: LIMIT * 2 });
    const began = performance.now();
    const strangers = await times(LIMIT * 2, () => call('/me', { from }));
    expectLetIn(strangers, [401], { began });
    // Nothing can tell whether an unseen key is valid: neither 401 nor 429 would be true.
    const unseen = await buildApiKey(api.database.db, { user: api.merchant });
    expect((await call('/me', { from, key: unseen.key })).status).toBe(503);
  });

  it('a good notification gets 503, so that the gateway sends it again, and then settles', async () => {
    const { json } = await postIntent(api, intentBody());
    const body = JSON.stringify(notificationOf(json));
    const headers = { [SIGNATURE]: signGatewayBody(body, GATEWAY_SECRETS.sandbox[0]) };
    await postgres.cut();
    expect((await deliver(hook(), body, headers)).status).toBe(503);
    await postgres.restore();
    expect((await deliver(hook(), body, headers)).status).toBe(200);
    await waitForStatus(api, json, 'succeeded');
  });
});

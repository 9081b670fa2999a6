// §8: 60 requests and 30 writes per minute per key, over two services that share the database.

import { ROUTES } from '../../api/routes';
import { createTestDatabase, setUp } from '../support/database';
import type { HttpResponse } from '../support/http';
import { buildApiKey, buildUser, type TestKey, type TestUser } from '../support/users';
import { startTestService, type TestService } from '../support/service';
import { waitFor } from '../support/wait';
import { callApi, refusal } from './support/contract';

const database = setUp(createTestDatabase);
let services: readonly TestService[];
let user: TestUser;
let recipient: TestUser;

beforeAll(async () => {
  const first = await startTestService({ database });
  const { task_queue } = first.config;
  services = [first, await startTestService({ database, overrides: { task_queue } })];
  user = await buildUser(database.db, { funds: { sandbox: { XOF: 1_000_000n } } });
  recipient = await buildUser(database.db);
});

const DEFAULTS = { requests_per_minute: 60, writes_per_minute: 30 };

function makeKey(limits: Partial<typeof DEFAULTS> = {}): Promise<TestKey> {
  return buildApiKey(database.db, { user, environment: 'sandbox', ...DEFAULTS, ...limits });
}

let calls = 0;

/** Calls the two services in turn. */
function read({ key }: TestKey): Promise<HttpResponse> {
  return callApi(services[calls++ % 2]!, 'GET', '/wallets', { key });
}

/** Reads until it is counted: a machine that is too busy turns requests away before. */
function readCounted(key: TestKey): Promise<HttpResponse> {
  return waitFor(async () => {
    const response = await read(key);
    return response.headers['x-ratelimit-limit'] !== undefined && response;
  });
}

function write({ key }: TestKey): Promise<HttpResponse> {
  const body = { to_username: recipient.username, currency: 'XOF', amount: 1 };
  return callApi(services[calls++ % 2]!, 'POST', '/transfers', { key, body });
}

async function repeat(count: number, send: () => Promise<HttpResponse>): Promise<number[]> {
  const responses = await Promise.all(Array.from({ length: count }, send));
  return responses.map(({ status }) => status);
}

const count = (statuses: readonly number[], wanted: number): number =>
  statuses.filter((status) => status === wanted).length;

/** "requests";r=59;t=60 as ['requests', 59, 60]. */
function readRateLimit({ headers }: HttpResponse): [string, number, number] {
  const match = /^"(\w+)";r=(\d+);t=(\d+)$/.exec(String(headers['ratelimit']));
  return [match![1]!, Number(match![2]), Number(match![3])];
}

describe('§8 the default limits', () => {
  it('let exactly 60 of 200 parallel requests pass, over two services', async () => {
    const key = await makeKey();
    const statuses = await repeat(200, () => readCounted(key));
    // A busy machine turns some away after it has let them in.
    const let_in = count(statuses, 200) + count(statuses, 503);
    expect([let_in, count(statuses, 429)]).toEqual([60, 140]);
  });

  it('count a write whose body is refused', async () => {
    const key = await makeKey({ writes_per_minute: 2 });
    const send = () => callApi(services[0]!, 'POST', '/transfers', { key: key.key, body: '{' });
    const statuses = [];
    for (let i = 0; i < 3; i += 1) statuses.push((await send()).status);
    expect(statuses).toEqual([400, 400, 429]);
  });
});

describe('§7 rate_limited', () => {
  it('answers 429 with a Retry-After of whole seconds', async () => {
    const key = await makeKey({ requests_per_minute: 1 });
    await read(key);
    const response = await read(key);
    expect(response).toMatchObject(refusal('rate_limited'));
    expect(response.json.error.retryable).toBe(true);
    const seconds = String(response.headers['retry-after']);
    expect(seconds).toMatch(/^\d+$/);
    expect(Number(seconds)).toBeGreaterThanOrEqual(1);
    expect(Number(seconds)).toBeLessThanOrEqual(61);
    expect(response.headers['x-ratelimit-reset']).toBe(seconds);
    expect(readRateLimit(response)).toEqual(['requests', 0, Number(seconds)]);
  });

  it('comes before the body is read', async () => {
    const key = await makeKey({ writes_per_minute: 1 });
    await write(key);
    for (const body of ['{', 'x'.repeat(70_000), Buffer.from([0xff])]) {
      expect(
        await callApi(services[0]!, 'POST', '/transfers', { key: key.key, body }),
      ).toMatchObject(refusal('rate_limited'));
    }
  });

  it('is answered by every endpoint that has a limit', async () => {
    const key = await makeKey({ requests_per_minute: 1 });
    await read(key);
    for (const { method, path } of ROUTES.filter(({ rate }) => rate !== null)) {
      const response = await callApi(services[0]!, method, path.replace(/\{\w+\}/g, 'x'), {
        key: key.key,
      });
      expect({ path, ...response }).toMatchObject({ path, ...refusal('rate_limited') });
    }
  });
});

describe('the headers', () => {
  it('of a read have its limit and what remains', async () => {
    const key = await makeKey();
    await read(key);
    const response = await read(key);
    expect(response.headers).toMatchObject({
      'ratelimit-policy': '"requests";q=60;w=60',
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '58',
    });
    expect(readRateLimit(response).slice(0, 2)).toEqual(['requests', 58]);
    expect(response.headers['retry-after']).toBeUndefined();
  });

  it('of a write have both policies, and the tighter of the two limits', async () => {
    const key = await makeKey();
    const first = await write(key);
    expect(first.headers).toMatchObject({
      'ratelimit-policy': '"requests";q=60;w=60, "writes";q=30;w=60',
      'x-ratelimit-limit': '30',
      'x-ratelimit-remaining': '29',
    });
    expect(readRateLimit(first).slice(0, 2)).toEqual(['writes', 29]);
    await repeat(40, () => readCounted(key));
    const later = await write(key);
    expect(readRateLimit(later).slice(0, 2)).toEqual(['requests', 18]);
    expect(later.headers['x-ratelimit-limit']).toBe('60');
  });

  it('are on responses that fail for other reasons too', async () => {
    const key = await makeKey();
    const response = await callApi(services[0]!, 'GET', '/transactions?limit=0', { key: key.key });
    expect([response.status, response.headers['x-ratelimit-remaining']]).toEqual([422, '59']);
  });
});

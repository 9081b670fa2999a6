// Faults of the sandbox at each POST of the document: what the caller sees, what was done, and that a repetition
// is safe. Then faults that were ordered before, those of gateways, and callers who want to do harm.

import { randomUUID } from 'node:crypto';
import document from '../../api/openapi.json';
import { operationOf, type Route } from '../../api/route';
import { ROUTES } from '../../api/routes';
import { createSlowRequests, MAX_SLOW, MAX_UNCOUNTED } from '../../api/sandbox/slow-requests';
import {
  beginBusyKey,
  MAX_FAULTS,
  orderFault,
  takeFault,
  takeGatewayFault,
} from '../../db/sandbox/faults';
import { ACTIONS, DURATIONS, REFUND_COURSES } from '../../dev/simulators/gateway/courses';
import { FAULT_MEANINGS, readFault } from '../../domain/fault';
import { PAYING_PHONES, TEST_PHONES } from '../../domain/test-phones';
import { startTestApi } from '../support/api';
import { expectBooksHold } from '../support/books';
import { connectAgain, setUp } from '../support/database';
import { insist, request, type HttpResponse, type RequestOptions } from '../support/http';
import { listPayouts } from '../support/sandbox-payouts';
import { buildApiKey, buildUser, fund, type TestUser } from '../support/users';
import { noteSeen, waitFor } from '../support/wait';
import { callApi, refusal } from './support/contract';
import { isReplay, readCheckouts } from './support/intents';
import { payLink, untilRefund } from './support/refunds';
import { SOME_URL } from './support/webhooks';

const api = setUp(startTestApi);
let supplier: TestUser;
let supplier_key: string;

const UNLIMITED = { requests_per_minute: 1_000_000, writes_per_minute: 1_000_000 };
const PHONE = { type: 'mobile_money', phone: '+221770000100' };
const LINK = { amount: 100, currency: 'XOF' };
const PAYOUT = { currency: 'XOF', amount: 100, destination: PHONE };

beforeAll(async () => {
  const { db } = api.database;
  await fund(db, api.merchant.id, 'sandbox', 'XOF', 100_000_000n);
  supplier = await buildUser(db, { funds: { sandbox: { XOF: 1_000_000n } } });
  supplier_key = (await buildApiKey(db, { user: supplier, environment: 'sandbox', ...UNLIMITED }))
    .key;
});

const call = (
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  options: RequestOptions = {},
): Promise<HttpResponse> => callApi(api.service, method, path, { key: api.test_key, ...options });

const post = (path: string, fault: string, options: RequestOptions = {}): Promise<HttpResponse> =>
  call('POST', path, { ...options, headers: { 'sandbox-fault': fault } });

interface Case {
  readonly path: string;
  readonly body?: unknown;
  /** Counts what the request makes; nothing when it names what there is not. */
  readonly made?: string;
  readonly values?: readonly string[];
}

const ID = '3d699e31-8712-4324-954e-d01b8642b52d';

const CASES: Readonly<Record<string, () => Case | Promise<Case>>> = {
  'POST /transfers': () => ({
    path: '/transfers',
    body: { to_username: supplier.username, currency: 'XOF', amount: 100 },
    made: 'select count(*)::int as n from transfers',
  }),
  'POST /payment-intents/{id_or_code}/cancel': async () => {
    const { id } = (await call('POST', '/payment-intents', { body: LINK })).json;
    const made = `select count(*)::int as n from payment_intents where id = ? and status <> 'open'`;
    return { path: `/payment-intents/${id}/cancel`, made, values: [id] };
  },
  'POST /webhook-endpoints': () => ({
    path: '/webhook-endpoints',
    body: { url: SOME_URL },
    made: 'select count(*)::int as n from webhook_endpoints',
  }),
  // No worker delivers here: a longer move would wait for deliveries that are due then.
  'POST /sandbox/clock/advance': async () => {
    await api.database.owner.raw(
      `update webhook_deliveries set status = 'discarded', next_attempt_at = null where status = 'pending'`,
    );
    return { path: '/sandbox/clock/advance', body: { seconds: 1 } };
  },
};

const POSTS = ROUTES.filter(({ method }) => method === 'POST').map(
  (one) => [operationOf(one), one] as const,
);

async function count({ made, values = [] }: Case): Promise<number> {
  if (made === undefined) return 0;
  return (await api.database.owner.raw(made, values)).rows[0].n;
}

/** The effect of a fault: whether the call was done, and the status; undefined: that of the operation. */
const FAULTS = [
  ['lost-response', { is_done: true }],
  ['unavailable', { is_done: false, status: 503 }],
  ['unavailable-after', { is_done: true, status: 503 }],
  ['rate-limited', { is_done: false, status: 429 }],
  ['slow=1', { is_done: true }],
  ['slow-after=1', { is_done: true }],
] as const;

// All routes have one and the same step for faults: these show each fault and what was done, and the others that they have
// the step, before their work and after it.
const THOROUGHLY = [
  'POST /transfers',
  'POST /payment-intents/{id_or_code}/cancel',
  'POST /transfer-batches/{id}/cancel',
  'POST /webhook-endpoints',
];

interface Published {
  readonly post: {
    readonly requestBody?: {
      readonly content: { readonly 'application/json': { example: unknown } };
    };
  };
}

/** The case of its own, or the example of the document at a path that names what there is not. */
function caseOf(name: string, { path }: Route): Case | Promise<Case> {
  const { post: published } = document.paths[path as keyof typeof document.paths] as Published;
  const body = published.requestBody?.content['application/json'].example;
  return CASES[name]?.() ?? { path: path.replace(/\{\w+\}/g, ID), body };
}

it('shows each fault at POSTs of the document', () => {
  expect(POSTS.map(([name]) => name)).toEqual(expect.arrayContaining(THOROUGHLY));
});

describe.each(POSTS)('%s', (name, route) => {
  // Endpoints of an account are few.
  afterEach(() =>
    api.database.owner.raw(
      `update webhook_endpoints set status = 'deleted', disabled_reason = null; delete from sandbox_faults`,
    ),
  );

  const is_thorough = THOROUGHLY.includes(name);
  const faults = FAULTS.filter(([fault]) => is_thorough || fault.startsWith('unavailable'));

  it.each(faults)('%s', async (fault, { is_done, ...seen }) => {
    const one = await caseOf(name, route);
    const options = {
      ...(one.body === undefined ? {} : { body: one.body }),
      ...(route.idempotent ? { idempotency_key: randomUUID() } : {}),
    };
    const usual = one.made === undefined && one.path.includes(ID) ? 404 : route.status;
    const before = await count(one);
    if (fault === 'lost-response') {
      await expect(post(one.path, fault, options)).rejects.toThrow('other side closed');
    } else {
      const { status = usual } = seen as { readonly status?: number };
      const answered = await post(one.path, fault, options);
      expect([answered.status, answered.headers['sandbox-fault-applied']]).toEqual([status, fault]);
      expect(answered.headers['retry-after']).toBe(
        status === 503 || status === 429 ? '1' : undefined,
      );
      if (fault === 'unavailable-after') expect(answered.json.error.message).toMatch(/not known/);
    }
    const does = one.made === undefined ? 0 : 1;
    // The response may be lost before the work is over.
    await waitFor(async () => (await count(one)) === before + (is_done ? does : 0), 5_000);
    if (!route.idempotent || one.made === undefined) return;
    const again = await call('POST', one.path, options);
    expect([again.status, isReplay(again)]).toEqual([route.status, is_done]);
    expect(await count(one)).toBe(before + 1);
  });

  if (!is_thorough) return;

  it('in-progress', async () => {
    const { path, body } = await caseOf(name, route);
    const options = body === undefined ? {} : { body };
    if (!route.idempotent) {
      const refused = await post(path, 'in-progress', options);
      expect(refused).toMatchObject(refusal('invalid_request', 'Sandbox-Fault'));
      return;
    }
    // Without a key of the caller's.
    expect((await post(path, 'in-progress', options)).status).toBe(422);
    const keyed = { ...options, idempotency_key: randomUUID() };
    const first = await post(path, 'in-progress', keyed);
    expect(first).toMatchObject(refusal('idempotency_in_progress'));
    expect(first.headers['retry-after']).toBe('1');
    const second = await post(path, 'in-progress', keyed);
    expect([second.status, isReplay(second)]).toEqual([route.status, false]);
    expect(second.headers['sandbox-fault-applied']).toBeUndefined();
  });

  it('gateway faults, where it calls no gateway', async () => {
    if (route.gateway) return;
    const { path, body } = await caseOf(name, route);
    for (const fault of ['gateway-down', 'gateway-unknown']) {
      const refused = await post(path, fault, body === undefined ? {} : { body });
      expect(refused).toMatchObject(refusal('invalid_request', 'Sandbox-Fault'));
    }
  });
});

describe.each(['gateway-down', 'gateway-unknown'] as const)('%s', (fault) => {
  const failed = fault === 'gateway-down' ? 'gateway_error' : 'gateway_timeout';

  it('fails the opening of a payment intent, which the next request finds open', async () => {
    const idempotency_key = randomUUID();
    const options = { idempotency_key, body: { amount: 100, currency: 'XOF' } };
    const before = readCheckouts(api).length;
    const first = await post('/payment-intents', fault, options);
    expect(first).toMatchObject(refusal(failed));
    expect(first.headers['sandbox-fault-applied']).toBe(fault);
    expect((await call('POST', '/payment-intents', options)).status).toBe(201);
    // One session, also where the answer of the first call was lost.
    expect(readCheckouts(api).length).toBe(before + 1);
  });

  it('fails a cancellation, which is to be repeated', async () => {
    const { id, short_code } = (await api.create()).json;
    const cancel = `/payment-intents/${short_code}/cancel`;
    expect(await post(cancel, fault)).toMatchObject(refusal(failed));
    expect((await api.show(id)).json.status).toBe('open');
    expect((await call('POST', cancel)).json.status).toBe('canceled');
  });

  it('delays a refund, which is made once', async () => {
    const { id } = await payLink(api);
    const ordered = await post(`/payment-intents/${id}/refunds`, fault, { body: { amount: 5 } });
    expect(ordered.status).toBe(201);
    await untilRefund(api, ordered.json, 'succeeded');
    const { rows } = await api.database.owner.raw('select asks from refunds where id = ?', [
      ordered.json.id,
    ]);
    expect(rows[0].asks).toBeGreaterThan(1);
  });

  it('delays a payout, which is sent once', async () => {
    const { id } = (await post('/payouts', fault, { body: PAYOUT })).json;
    await waitFor(async () => (await call('GET', `/payouts/${id}`)).json.status === 'succeeded');
    const sent = await listPayouts(api.gateway, 'sandbox');
    expect(sent.filter(({ payout_id }) => payout_id === id)).toHaveLength(1);
    const text = 'select asks from payouts where id = ?';
    expect((await api.database.owner.raw(text, [id])).rows[0].asks).toBeGreaterThan(1);
  });

  it('spoils nothing of what was refused, of a replay, or of another account', async () => {
    const idempotency_key = randomUUID();
    const poor = { ...PAYOUT, currency: 'EUR', amount: 5 };
    const refused = await post('/payouts', fault, { idempotency_key, body: poor });
    expect(refused.status).toBeLessThan(500);
    const { json } = await api.create({}, { idempotency_key });
    const body = { amount: 5000, currency: 'XOF' };
    const replay = await post('/payment-intents', fault, { idempotency_key, body });
    expect([isReplay(replay), replay.headers['sandbox-fault-applied']]).toEqual([true, undefined]);
    const foreign = await post(`/payment-intents/${json.id}/cancel`, fault, { key: supplier_key });
    expect(foreign.status).toBe(404);
    expect(await takeGatewayFault(api.database.db, json.id)).toBeUndefined();
    const { rows } = await api.database.owner.raw('select 1 from sandbox_gateway_faults');
    expect(rows).toEqual([]);
  });
});

describe('the header Sandbox-Fault', () => {
  it.each([
    ['an unknown value', 'lost'],
    ['an empty value', ''],
    ['too long a wait', 'slow=60001'],
    ['no number', 'slow=1e3'],
    ['two values', ['unavailable', 'unavailable']],
  ])('refuses %s, on reading too', async (_name, value) => {
    const headers = { 'sandbox-fault': value };
    const refused = await call('GET', '/me', { headers });
    expect(refused).toMatchObject(refusal('invalid_request', 'Sandbox-Fault'));
  });

  it('is refused with a live key, and so is all of /sandbox', async () => {
    const headers = { 'sandbox-fault': 'unavailable' };
    const refused = await call('GET', '/me', { key: api.live_key, headers });
    expect(refused).toMatchObject(refusal('invalid_request', 'Sandbox-Fault'));
    for (const { method, path, sandbox_only } of ROUTES) {
      expect(sandbox_only === true).toBe(/^\/sandbox\/|\/faults$/.test(path));
      if (!sandbox_only) continue;
      const foreign = await callApi(api.service, method, path, { key: api.live_key });
      expect(foreign).toMatchObject(refusal('forbidden'));
    }
  });

  it('rate-limited counts nowhere, also not in the limit', async () => {
    const { key } = await buildApiKey(api.database.db, {
      user: supplier,
      environment: 'sandbox',
      requests_per_minute: 3,
    });
    const headers = { 'sandbox-fault': 'rate-limited' };
    for (let i = 0; i < 5; i += 1) {
      const limited = await call('GET', '/me', { key, headers });
      expect(limited).toMatchObject(refusal('rate_limited'));
      expect(limited.headers['x-ratelimit-remaining']).toBe('0');
    }
    const statuses = [];
    for (let i = 0; i < 4; i += 1) statuses.push((await call('GET', '/me', { key })).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  it('rate-limited is no way to call without end', () => {
    const requests = createSlowRequests();
    const mayUncount = (user_id: string): boolean => requests.mayUncount(user_id);
    const given = Array.from({ length: MAX_UNCOUNTED + 1 }, () => mayUncount(supplier.id));
    expect(given.lastIndexOf(true)).toBe(MAX_UNCOUNTED - 1);
    expect([given.length, mayUncount(api.merchant.id)]).toEqual([MAX_UNCOUNTED + 1, true]);
  });
});

describe('a large body', () => {
  // All accounts share the places of such bodies.
  const description = 'x'.repeat(140);
  const send = (headers: RequestOptions['headers'] = {}): Promise<HttpResponse> => {
    const transfer = { to_username: supplier.username, currency: 'XOF', amount: 1, description };
    const body = { dry_run: true, transfers: Array.from({ length: 600 }, () => transfer) };
    return call('POST', '/transfer-batches', { headers, body });
  };

  it.each(['slow=1', 'slow-after=1'])('cannot be held up by %s', async (fault) => {
    const refused = await send({ 'sandbox-fault': fault });
    expect(refused).toMatchObject(refusal('invalid_request', 'Sandbox-Fault'));
    const ordered = { operation: 'POST /transfer-batches', fault };
    await call('POST', '/sandbox/faults', { body: ordered });
    const large = await send();
    expect([large.status, large.headers['sandbox-fault-applied']]).toEqual([202, undefined]);
    // It is left to a request that it fits.
    expect((await call('DELETE', '/sandbox/faults')).json.deleted).toBe(1);
  });
});

describe('ordered faults', () => {
  const order = (fields: object): Promise<HttpResponse> =>
    call('POST', '/sandbox/faults', { body: { operation: 'GET /me', ...fields } });
  const list = async (): Promise<HttpResponse['json']> =>
    (await call('GET', '/sandbox/faults')).json.faults;
  const me = (): Promise<HttpResponse> => call('GET', '/me');

  afterEach(() => call('DELETE', '/sandbox/faults'));

  it('are used up in their order by requests of their operation', async () => {
    const first = await order({ fault: 'unavailable', times: 2 });
    expect(first).toMatchObject({ status: 201, json: { fault: 'unavailable', times: 2, left: 2 } });
    await order({ fault: 'rate-limited' });
    expect((await call('GET', '/wallets')).status).toBe(200);
    // Another account has its own.
    expect((await call('GET', '/me', { key: supplier_key })).status).toBe(200);
    expect((await me()).status).toBe(503);
    expect((await list()).map((one: { left: number }) => one.left)).toEqual([1, 1]);
    expect([(await me()).status, (await me()).status, (await me()).status]).toEqual([
      503, 429, 200,
    ]);
    expect(await list()).toEqual([]);
    const { rows } = await api.database.owner.raw('select has_faults from sandboxes');
    expect(rows).toEqual([{ has_faults: false }]);
  });

  it('are deleted together', async () => {
    await order({ fault: 'unavailable', times: 100 });
    expect((await call('DELETE', '/sandbox/faults')).json.deleted).toBe(1);
    expect((await me()).status).toBe(200);
  });

  it('answer each key once, and leave requests without a key alone', async () => {
    const operation = 'POST /payment-intents';
    await order({ operation, fault: 'in-progress', times: 2 });
    const body = { amount: 100, currency: 'XOF' };
    const create = (idempotency_key: string) =>
      call('POST', '/payment-intents', { body, idempotency_key });
    expect((await call('POST', '/payment-intents', { body })).status).toBe(201);
    const [one, other] = [randomUUID(), randomUUID()];
    expect([(await create(one)).status, (await create(one)).status]).toEqual([409, 201]);
    expect([(await create(other)).status, (await create(other)).status]).toEqual([409, 201]);
  });

  it.each([
    ['fault', { fault: 'lost' }],
    ['fault', { fault: 'in-progress' }],
    ['fault', { operation: 'POST /transfers', fault: 'gateway-down' }],
  ])('refuse a wrong %s: %j', async (param, fields) => {
    expect(await order(fields)).toMatchObject(refusal('invalid_request', param));
  });

  it('are used exactly so often as they were ordered, by two processes at once', async () => {
    const { db } = api.database;
    const other = connectAgain(api.database);
    const taker = { user_id: api.merchant.id, operation: 'GET /me', key: null };
    for (const fault of ['unavailable', 'rate-limited']) {
      await orderFault(db, taker.user_id, { operation: 'GET /me', fault, times: 20 });
    }
    const taken = await Promise.all(
      Array.from({ length: 60 }, (_, i) => takeFault(i % 2 === 0 ? db : other, taker, [])),
    );
    const times = (fault: string | undefined): number =>
      taken.filter((one) => one === fault).length;
    expect([times('unavailable'), times('rate-limited'), times(undefined)]).toEqual([20, 20, 20]);
  });

  it('are few', async () => {
    const { db } = api.database;
    const fault = { operation: 'GET /me', fault: 'unavailable', times: 1 };
    for (let i = 0; i < MAX_FAULTS; i += 1) await orderFault(db, api.merchant.id, fault);
    expect(await order(fault)).toMatchObject(refusal('invalid_request', 'operation'));
  });
});

it('keys that were told in-progress are forgotten after a day, and only those are looked at', async () => {
  const { db, owner } = api.database;
  const many = `insert into sandbox_busy_keys (user_id, operation, key, created_at)
                select ?, 'POST /transfers', 'busy' || n, clock_timestamp() - n * interval '2 seconds'
                  from generate_series(1, 43210) n`;
  await owner.raw(many, [supplier.id]);
  const taker = { user_id: supplier.id, operation: 'POST /transfers' };
  expect(await beginBusyKey(db, { ...taker, key: 'busy1' })).toBe(false);
  expect(await beginBusyKey(db, { ...taker, key: 'busy43210' })).toBe(true);
  await owner.raw('analyze sandbox_busy_keys');
  const { rows } = await owner.raw(
    `explain delete from sandbox_busy_keys b
      where b.user_id = ? and b.created_at < now() - interval '1 day'`,
    [supplier.id],
  );
  expect(JSON.stringify(rows)).toContain('sandbox_busy_keys_old');
});

describe('faults of an endpoint', () => {
  let path: string;

  beforeAll(async () => {
    const { id } = (await call('POST', '/webhook-endpoints', { body: { url: SOME_URL } })).json;
    path = `/webhook-endpoints/${id}/faults`;
  });

  const order = (body: object): Promise<HttpResponse> => call('POST', path, { body });

  it('are listed in their order and deleted together, apart from those of requests', async () => {
    await call('POST', '/sandbox/faults', { body: { operation: 'GET /me', fault: 'slow=0' } });
    const first = await order({ fault: 'late=86400', times: 2 });
    const late = { fault: 'late=86400', times: 2, left: 2 };
    expect(first).toMatchObject({ status: 201, json: late });
    await order({ fault: 'swap' });
    const { faults } = (await call('GET', path)).json;
    expect(faults).toMatchObject([late, { fault: 'swap', times: 1, left: 1 }]);
    const requests = async (): Promise<unknown[]> =>
      (await call('GET', '/sandbox/faults')).json.faults;
    expect(await requests()).toMatchObject([{ operation: 'GET /me' }]);
    expect((await call('DELETE', path)).json.deleted).toBe(2);
    expect((await call('GET', path)).json.faults).toEqual([]);
    expect(await requests()).toHaveLength(1);
    expect((await call('DELETE', '/sandbox/faults')).json.deleted).toBe(1);
  });

  it.each([
    ['fault', { fault: 'late' }],
    ['fault', { fault: 'late=0' }],
    ['fault', { fault: 'late=34560001' }],
    ['fault', { fault: 'lost-response' }],
  ])('refuse a wrong %s: %j', async (param, body) => {
    expect(await order(body)).toMatchObject(refusal('invalid_request', param));
  });

  it('are forgotten with it', async () => {
    const { id } = (await call('POST', '/webhook-endpoints', { body: { url: SOME_URL } })).json;
    const ours = `/webhook-endpoints/${id}/faults`;
    await call('POST', ours, { body: { fault: 'swap', times: 100 } });
    await call('DELETE', `/webhook-endpoints/${id}`);
    expect(await call('GET', ours)).toMatchObject(refusal('webhook_endpoint_not_found'));
    await order({ fault: 'swap' });
    const { rows } = await api.database.owner.raw(
      `select 1 from sandbox_faults where operation = 'webhook_endpoint/' || ?::text`,
      [id],
    );
    expect(rows).toEqual([]);
    await call('DELETE', path);
  });
});

it('GET /sandbox/test-values lists what the simulator does, in the words of the reader', async () => {
  const { json } = await call('GET', '/sandbox/test-values');
  const actions = json.buttons.map((one: { readonly action: string }) => one.action);
  expect(actions.sort()).toEqual([...ACTIONS].sort());
  const refunds = json.refunds.map((one: { readonly refunds: string }) => one.refunds);
  expect(refunds.sort()).toEqual([...REFUND_COURSES].sort());
  expect(json.delay_ms).toEqual({ default: DURATIONS.delay_ms, maximum: 86_400_000 });
  expect(json.phones).toHaveLength(TEST_PHONES.length);
  expect(json.paying_phones).toHaveLength(PAYING_PHONES.length);
  for (const form of Object.keys(FAULT_MEANINGS)) {
    expect(json.faults).toContain(form);
    expect(readFault(form.replace('MS', '60000'))).toBeDefined();
  }
  const headers = { 'accept-language': 'fr' };
  const french = (await call('GET', '/sandbox/test-values', { headers })).json;
  expect(french.phones[0].meaning).toBe(TEST_PHONES[0]!.fr);
  expect(french.paying_phones[0].meaning).toBe(PAYING_PHONES[0]!.fr);
});

describe('POST /sandbox/fund', () => {
  it('credits a wallet twenty times a day, and counts a key once', async () => {
    const user = await buildUser(api.database.db);
    const { key } = await buildApiKey(api.database.db, { user, environment: 'sandbox' });
    const body = { currency: 'EUR', amount: 12.5 };
    const give = (idempotency_key: string): Promise<HttpResponse> =>
      call('POST', '/sandbox/fund', { key, idempotency_key, body });
    const same = randomUUID();
    const first = await give(same);
    expect(first.json).toMatchObject({ type: 'adjustment', amount: 12.5, balance_after: 12.5 });
    expect(isReplay(await give(same))).toBe(true);
    const keys = Array.from({ length: 24 }, () => randomUUID());
    const others = await Promise.all(keys.map((one) => insist(() => give(one))));
    expect(others.filter(({ status }) => status === 201)).toHaveLength(19);
    const refused = others.find(({ status }) => status === 429)!;
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(86_000);
    const { wallets } = (await call('GET', '/wallets', { key })).json;
    const { balance } = wallets.find((one: { currency: string }) => one.currency === 'EUR');
    expect(balance).toBe(250);
    expect(isReplay(await give(same))).toBe(true);
  });

  it('refuses what the wallet cannot hold', async () => {
    const full = { sandbox: { EUR: 999_999_999_999_999n } };
    const user = await buildUser(api.database.db, { funds: full });
    const { key } = await buildApiKey(api.database.db, { user, environment: 'sandbox' });
    const fund = (currency: string, amount: number) =>
      call('POST', '/sandbox/fund', { key, body: { currency, amount } });
    expect(await fund('EUR', 1)).toMatchObject(refusal('invalid_request', 'amount'));
    expect(await fund('USD', 1_000_000_000.01)).toMatchObject(refusal('invalid_request', 'amount'));
    expect((await fund('USD', 1_000_000_000)).status).toBe(201);
  });
});

it('is slow for no caller who has hung up', async () => {
  const callers = new AbortController();
  const headers = { authorization: `Bearer ${api.test_key}`, 'sandbox-fault': 'slow=60000' };
  const given_up: Promise<unknown>[] = [];
  const isSlow = async (status: number): Promise<boolean> =>
    (await call('GET', '/me', { headers: { 'sandbox-fault': 'slow=1' } })).status === status;
  await waitFor(async () => {
    const answer = fetch(`${api.service.base_url}/me`, { headers, signal: callers.signal });
    given_up.push(
      answer.then(
        ({ status }) => noteSeen('a slow caller', String(status)),
        (error: unknown) => noteSeen('a slow caller', String(error)),
      ),
    );
    return isSlow(429);
  });
  expect(given_up.length).toBeGreaterThanOrEqual(MAX_SLOW);
  callers.abort();
  await Promise.all(given_up);
  await waitFor(() => isSlow(200));
});

it('leaves books that hold', () => expectBooksHold(api.database.db));

describe('three hundred slow requests of one account', () => {
  it('keep no other out, and hold up no process that stops', async () => {
    const headers = { 'sandbox-fault': 'slow=60000' };
    const slow = Array.from({ length: 300 }, () =>
      waitFor(async () => {
        const answer = await request(api.service, 'GET', '/me', { key: api.test_key, headers });
        // A busy machine's own 503 names no fault.
        const is_busy = answer.status === 503 && !answer.headers['sandbox-fault-applied'];
        return !is_busy && answer;
      }),
    );
    let refused = 0;
    for (const one of slow) void one.then(({ status }) => (refused += status === 429 ? 1 : 0));
    await waitFor(() => refused === 300 - MAX_SLOW);
    expect((await call('GET', '/me', { key: supplier_key })).status).toBe(200);
    expect((await call('GET', '/me')).status).toBe(200);
    await api.service.stop();
    const statuses = (await Promise.all(slow)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 503)).toHaveLength(MAX_SLOW);
  });
});

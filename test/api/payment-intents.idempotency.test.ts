// One key is one intent, one workflow and one checkout, across all processes and through every fault of
// the gateway.

import { randomUUID } from 'node:crypto';
import { expectBooksHold } from '../support/books';
import { insist, type HttpResponse, type RequestOptions } from '../support/http';
import { GATEWAY_SECRETS, recordsIn, setFaults } from '../support/sandbox-gateway';
import { startTestApi, type TestApi } from '../support/api';
import { startTestService, type TestService } from '../support/service';
import { waitFor } from '../support/wait';
import { buildAccount, type Account } from './support/accounts';
import { callApi, refusal } from './support/contract';
import { getIntent, getTimeline, intentBody, isReplay, listIntents } from './support/intents';
let api: TestApi;
let service: TestService;
let twin: TestService;
let other: Account;

beforeAll(async () => {
  api = await startTestApi();
  ({ service } = api);
  // A second process of the same installation.
  const { task_queue, gateway, pay_url_base } = service.config;
  twin = await startTestService({
    database: api.database,
    overrides: { task_queue, gateway, pay_url_base },
  });
  other = await buildAccount(api.database);
});

afterEach(async () => {
  await setFaults(api.gateway, 'sandbox', {});
  await expectBooksHold(api.database.db);
});

interface Sending extends RequestOptions {
  readonly at?: TestService;
}

function send(body: unknown, { at = service, ...options }: Sending = {}): Promise<HttpResponse> {
  return callApi(at, 'POST', '/payment-intents', { key: api.test_key, body, ...options });
}

interface Trace {
  readonly ids: readonly string[];
  readonly checkouts: number;
}

/** A key's intents, and the checkouts that the gateway has for them. */
async function traceOf(idempotency_key: string): Promise<Trace> {
  const { rows } = await api.database.owner.raw(
    'select id from payment_intents where idempotency_key = ? order by created_at',
    [idempotency_key],
  );
  const ids = (rows as { id: string }[]).map(({ id }) => id);
  return { ids, checkouts: ids.reduce((sum, id) => sum + checkoutsOf(id), 0) };
}

function checkoutsOf(id: string): number {
  return recordsIn(api.gateway.file, 'session').filter(({ intent_id }) => intent_id === id).length;
}

async function expectOne(idempotency_key: string): Promise<string> {
  const { ids, checkouts } = await traceOf(idempotency_key);
  expect([ids.length, checkouts]).toEqual([1, 1]);
  return ids[0]!;
}

const FULL = {
  country: 'SN',
  description: 'Two books',
  customer_email: 'awa@example.com',
  customer_phone: '+221771234567',
  metadata: { order: 'A-17', items: 2 },
  expires_in: 3600,
};

it.each([
  ['value', { order: 'A-17', items: '2' }],
  ['key', { order: 'A-17' }],
])('a key with another %s of the metadata answers idempotency_key_reuse', async (_, metadata) => {
  const idempotency_key = randomUUID();
  await send(intentBody('5000', FULL), { idempotency_key });
  expect(await send(intentBody('5000', { ...FULL, metadata }), { idempotency_key })).toMatchObject(
    refusal('idempotency_key_reuse', 'metadata'),
  );
});

describe('the scope of a key', () => {
  it('keeps merchants and environments apart', async () => {
    const idempotency_key = randomUUID();
    const keys = [api.live_key, api.test_key, other.live, other.sandbox];
    const responses = [];
    for (const [index, key] of keys.entries()) {
      responses.push(await send(intentBody(String(100 + index)), { key, idempotency_key }));
    }
    expect(responses.map((response) => [response.status, isReplay(response)])).toEqual(
      keys.map(() => [201, false]),
    );
    expect(new Set(responses.map(({ json }) => json.id)).size).toBe(4);
    for (const [index, key] of keys.entries()) {
      const again = await send(intentBody(String(100 + index)), { key, idempotency_key });
      expect([again.text, isReplay(again)]).toEqual([responses[index]!.text, true]);
    }
  });

  it('is the operation: a transfer with the same key is independent', async () => {
    const idempotency_key = randomUUID();
    await send(intentBody(), { idempotency_key });
    const body = { to_username: other.username, currency: 'XOF', amount: 5000 };
    const key = api.test_key;
    const transfer = await callApi(service, 'POST', '/transfers', { key, idempotency_key, body });
    expect(transfer).toMatchObject(refusal('insufficient_funds'));
    expect(isReplay(await send(intentBody(), { idempotency_key }))).toBe(true);
  });
});

describe('a storm of one key over two services', () => {
  const storm = (count: number, body: (index: number) => unknown, idempotency_key: string) =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        insist(() => send(body(index), { at: index % 2 ? twin : service, idempotency_key })),
      ),
    );

  it('of 100 equal requests makes one intent, one checkout and one response', async () => {
    const idempotency_key = randomUUID();
    const responses = await storm(100, () => intentBody('5000', FULL), idempotency_key);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    // The first may have been told to ask again.
    expect(responses.filter((response) => !isReplay(response)).length).toBeLessThanOrEqual(1);
    expect(await expectOne(idempotency_key)).toBe(responses[0]!.json.id);
  });
});

// Its other faults: test/workflows/payment-intent-opening.test.ts.
it('a gateway that does its work and loses the answer: 502, nothing is shown, and a retry opens it', async () => {
  // Longer than the workflow's first pauses, so that only the retry can open it.
  await setFaults(api.gateway, 'sandbox', { fail: 'reset', after_work: true, only: 'open' });
  const idempotency_key = randomUUID();
  const [newest] = (await listIntents(api, '?limit=1')).json.payment_intents;
  const response = await send(intentBody(), { idempotency_key });
  expect(response).toMatchObject(refusal('gateway_error'));
  expect(response.headers['idempotency-key']).toBe(idempotency_key);
  const { ids } = await traceOf(idempotency_key);
  expect(ids).toHaveLength(1);
  expect(await getIntent(api, ids[0]!)).toMatchObject(refusal('payment_intent_not_found'));
  expect(await getTimeline(api, ids[0]!)).toMatchObject(refusal('payment_intent_not_found'));
  expect((await listIntents(api, '?limit=1')).json.payment_intents).toEqual([newest]);
  // Still failing: a retry gets the same response without a pointless wait.
  const still = await send(intentBody(), { idempotency_key, at: twin });
  expect(still).toMatchObject(refusal('gateway_error'));
  await setFaults(api.gateway, 'sandbox', {});
  const good = await send(intentBody(), { idempotency_key });
  expect([good.status, good.json.id]).toEqual([201, ids[0]]);
  await expectOne(idempotency_key);
  const again = await send(intentBody(), { idempotency_key, at: twin });
  expect([again.text, isReplay(again)]).toEqual([good.text, true]);
});

describe('a gateway that refuses', () => {
  let wrong: TestService;

  beforeAll(async () => {
    const { gateway, task_queue, pay_url_base } = service.config;
    wrong = await startTestService({
      database: api.database,
      overrides: {
        task_queue: `${task_queue}-wrong`,
        pay_url_base,
        gateway: {
          ...gateway,
          simulator: {
            url: api.gateway.url,
            secrets: { ...GATEWAY_SECRETS, sandbox: ['not-the-secret-of-that-gateway'] },
          },
        },
      },
    });
  });

  async function abandoned(idempotency_key: string): Promise<string> {
    const response = await send(intentBody(), { idempotency_key, at: wrong });
    expect(response).toMatchObject(refusal('gateway_error'));
    expect(response.json.error.message).toContain('refused');
    return waitFor(async () => {
      const { rows } = await api.database.owner.raw(
        `select id from payment_intents where idempotency_key = ? and status = 'abandoned'`,
        [idempotency_key],
      );
      return rows[0]?.id;
    });
  }

  it('answers 502, abandons the intent at once, and the next retry with the key opens it', async () => {
    const idempotency_key = randomUUID();
    const id = await abandoned(idempotency_key);
    expect(await getIntent(api, id)).toMatchObject(refusal('payment_intent_not_found'));
    const response = await send(intentBody(), { idempotency_key });
    expect([response.status, response.json.id]).toEqual([201, id]);
    await expectOne(idempotency_key);
    const kinds = (await getTimeline(api, id)).json.timeline.map(
      ({ kind }: { kind: string }) => kind,
    );
    expect(kinds).toEqual(['requested', 'abandoned', 'requested_again', 'checkout_opened']);
  });
});

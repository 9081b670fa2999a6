// One key is one intent, one workflow and one checkout, across all processes and through every fault of
// the gateway.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { intentWorkflowId } from '../../domain/ids';
import { expectBooksHold } from '../support/books';
import type { HttpResponse, RequestOptions } from '../support/http';
import { buildApiKey, revokeKey } from '../support/users';
import { GATEWAY_SECRETS, setFaults } from '../support/sandbox-gateway';
import { startTestApi, type TestApi } from '../support/api';
import { startTestService, type TestService } from '../support/service';
import { connectTestTemporal } from '../support/temporal';
import { waitFor } from '../support/wait';
import { buildAccount, type Account } from './support/accounts';
import { callApi, expectContract, refusal } from './support/contract';
import { getIntent, getTimeline, intentBody, isReplay, listIntents } from './support/intents';
import { requestHead, sendRaw } from './support/raw';

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

/** What exists for a key: its intents, and the checkouts that the gateway has for them. */
async function traceOf(idempotency_key: string): Promise<Trace> {
  const { rows } = await api.database.owner.raw(
    'select id from payment_intents where idempotency_key = ? order by created_at',
    [idempotency_key],
  );
  const ids = (rows as { id: string }[]).map(({ id }) => id);
  return { ids, checkouts: ids.reduce((sum, id) => sum + checkoutsOf(id), 0) };
}

function checkoutsOf(id: string): number {
  return readFileSync(api.gateway.file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { entry: string; session?: { intent_id: string } })
    .filter(({ entry, session }) => entry === 'opened' && session?.intent_id === id).length;
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

describe('a repeated key', () => {
  it('gets the first response byte for byte, marked as replayed, from every process', async () => {
    const idempotency_key = randomUUID();
    const first = await send(intentBody('5000', FULL), { idempotency_key });
    expect([first.status, isReplay(first)]).toEqual([201, false]);
    for (const at of [service, twin]) {
      const again = await send(intentBody('5000', FULL), { at, idempotency_key });
      expect([again.status, isReplay(again), again.text]).toEqual([201, true, first.text]);
      expect(again.headers['idempotency-key']).toBe(idempotency_key);
    }
    expect(await expectOne(idempotency_key)).toBe(first.json.id);
  });

  it('gets the first response also when the intent has changed since', async () => {
    const idempotency_key = randomUUID();
    const first = await send(intentBody(), { idempotency_key });
    await callApi(service, 'POST', `/payment-intents/${first.json.id}/cancel`, {
      key: api.test_key,
    });
    const again = await send(intentBody(), { idempotency_key });
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect((await getIntent(api, first.json.id)).json.status).toBe('canceled');
  });

  it('counts as the same body when the values are equal, however they are written', async () => {
    const idempotency_key = randomUUID();
    const first = await send(intentBody('5000', { metadata: { a: 1.5, b: 'x' } }), {
      idempotency_key,
    });
    for (const body of [
      '{"amount":5000.00,"currency":"XOF","metadata":{"b":"x","a":1.50},"expires_in":86400}',
      '{ "metadata": {"b": "\\u0078", "a": 15e-1}, "currency":"XOF", "amount":5000.0 }'.replace(
        '15e-1',
        '1.5',
      ),
    ]) {
      expect((await send(body, { idempotency_key })).text).toBe(first.text);
    }
  });

  it.each<[string, string, object, string[]]>([
    ['amount', '5001', {}, ['amount']],
    ['currency', '5000', { currency: 'EUR' }, ['currency']],
    ['country', '5000', { country: 'CI' }, ['country']],
    ['description', '5000', { description: 'Two book' }, ['description']],
    ['customer_email', '5000', { customer_email: 'Awa@example.com' }, ['customer_email']],
    ['customer_phone', '5000', { customer_phone: '+221771234568' }, ['customer_phone']],
    ['metadata value', '5000', { metadata: { order: 'A-17', items: '2' } }, ['metadata']],
    ['metadata key', '5000', { metadata: { order: 'A-17' } }, ['metadata']],
    ['expires_in', '5000', { expires_in: 3601 }, ['expires_in']],
    [
      'everything',
      '1',
      {
        currency: 'USD',
        country: undefined,
        description: undefined,
        customer_email: undefined,
        customer_phone: undefined,
        metadata: undefined,
        expires_in: undefined,
      },
      [
        ...['amount', 'country', 'currency', 'customer_email', 'customer_phone'],
        ...['description', 'expires_in', 'metadata'],
      ],
    ],
  ])(
    'with another %s answers idempotency_key_reuse and names it',
    async (_n, amount, fields, names) => {
      const idempotency_key = randomUUID();
      await send(intentBody('5000', FULL), { idempotency_key });
      const response = await send(intentBody(amount, { ...FULL, ...fields }), { idempotency_key });
      expect(response).toMatchObject(refusal('idempotency_key_reuse'));
      const details: { param: string }[] = response.json.error.details;
      expect(details.map(({ param }) => param).sort()).toEqual(names);
      for (const name of names) expect(response.json.error.message).toContain(name);
      // The response reveals nothing of the first request.
      for (const value of ['Two books', 'awa@', '77123', 'A-17']) {
        expect(response.text).not.toContain(value);
      }
      await expectOne(idempotency_key);
    },
  );

  it('tells empty text from null: an absent description is not an empty one', async () => {
    const idempotency_key = randomUUID();
    await send(intentBody(), { idempotency_key });
    expect(await send(intentBody('5000', { description: '' }), { idempotency_key })).toMatchObject(
      refusal('idempotency_key_reuse', 'description'),
    );
    expect(
      await send(intentBody('5000', { description: 'null' }), { idempotency_key }),
    ).toMatchObject(refusal('idempotency_key_reuse', 'description'));
  });
});

describe('the scope of a key', () => {
  it('is the account: another key of the same account gets the same response', async () => {
    const idempotency_key = randomUUID();
    const second = await buildApiKey(api.database.db, {
      user: api.merchant,
      environment: 'sandbox',
    });
    const first = await send(intentBody(), { idempotency_key });
    const again = await send(intentBody(), { idempotency_key, key: second.key });
    expect([again.text, isReplay(again)]).toEqual([first.text, true]);
  });

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

describe('the key itself', () => {
  it.each([
    ['empty', 'Idempotency-Key:'],
    ['of 256 characters', `Idempotency-Key: ${'k'.repeat(256)}`],
    ['with a tab', 'Idempotency-Key: a\tb'],
    ['in UTF-8', 'Idempotency-Key: \u0645'],
  ])('%s is refused as invalid_idempotency_key', async (_kind, line) => {
    const body = intentBody();
    const response = await sendRaw(
      service,
      requestHead(service, 'POST /api/public/v1/payment-intents', [
        `Authorization: Bearer ${api.test_key}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        line,
      ]),
      body,
    );
    expectContract('POST', '/payment-intents', response);
    expect(response).toMatchObject(refusal('invalid_idempotency_key', 'Idempotency-Key'));
  });

  it.each([
    ['of one character', () => 'k'],
    ['of 255 characters', () => randomUUID().padEnd(255, 'k')],
    ['with every printable sign', () => String.raw`!"#$%&'()*+,-./:;<=>?@[\]^_{|}~` + '`'],
    ['that looks like a workflow id', () => `intent/sandbox/${randomUUID()}`],
    ['that looks like SQL', () => "'; drop table payment_intents; --"],
  ])('%s is accepted, and replays', async (_kind, make) => {
    const idempotency_key = make();
    const first = await send(intentBody(), { idempotency_key });
    expect([first.status, isReplay(first)]).toEqual([201, false]);
    const again = await send(intentBody(), { idempotency_key, at: twin });
    expect([again.text, isReplay(again)]).toEqual([first.text, true]);
    await expectOne(idempotency_key);
  });

  it('is compared by case and by character', async () => {
    const key = `Case-${randomUUID()}`;
    for (const idempotency_key of [key, key.toUpperCase(), key.toLowerCase(), `${key} .`]) {
      expect(isReplay(await send(intentBody(), { idempotency_key }))).toBe(false);
    }
  });

  it('is in no workflow id: the id is a hash of it', async () => {
    const idempotency_key = `someone@example.com ${randomUUID()}`;
    const { id } = (await send(intentBody(), { idempotency_key })).json;
    const temporal = await connectTestTemporal();
    const { workflowId } = await temporal.workflow
      .getHandle(intentWorkflowId('sandbox', id))
      .describe();
    expect(workflowId).toBe(`intent/sandbox/${id}`);
  });

  it('is generated when there is none, and nothing is deduplicated', async () => {
    const [first, second] = [await send(intentBody()), await send(intentBody())];
    expect(first.json.id).not.toBe(second.json.id);
    const idempotency_key = first.headers['idempotency-key'] as string;
    expect(idempotency_key).toMatch(/^[0-9a-f-]{36}$/);
    const again = await send(intentBody(), { idempotency_key });
    expect([again.text, isReplay(again)]).toEqual([first.text, true]);
  });
});

describe('what is not stored', () => {
  it.each<[string, () => unknown, number]>([
    ['invalid_json', () => '{"amount":', 400],
    ['a validation error', () => intentBody('-1'), 422],
    ['an amount above the maximum', () => intentBody('10000001'), 422],
    ['a number that is not faithful', () => intentBody('1', { metadata: { n: 1e21 } }), 422],
  ])('%s', async (_name, body, status) => {
    const idempotency_key = randomUUID();
    const bad = await send(body(), { idempotency_key });
    expect([bad.status, bad.headers['idempotency-key']]).toEqual([status, idempotency_key]);
    const good = await send(intentBody(), { idempotency_key });
    expect([good.status, isReplay(good)]).toEqual([201, false]);
  });

  it('§7 unauthorized and §7 rate_limited', async () => {
    const idempotency_key = randomUUID();
    const user = api.merchant;
    const revoked = await buildApiKey(api.database.db, { user, environment: 'sandbox' });
    await revokeKey(api.database.db, revoked.id);
    expect((await send(intentBody(), { idempotency_key, key: revoked.key })).status).toBe(401);
    const limited = await buildApiKey(api.database.db, {
      user,
      environment: 'sandbox',
      writes_per_minute: 1,
    });
    await send(intentBody(), { key: limited.key });
    expect((await send(intentBody(), { idempotency_key, key: limited.key })).status).toBe(429);
    const good = await send(intentBody(), { idempotency_key });
    expect([good.status, isReplay(good)]).toEqual([201, false]);
  });
});

describe('a storm of one key over two services', () => {
  const storm = (count: number, body: (index: number) => unknown, idempotency_key: string) =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        send(body(index), { at: index % 2 ? twin : service, idempotency_key }),
      ),
    );

  it('of 100 equal requests makes one intent, one checkout and one response', async () => {
    const idempotency_key = randomUUID();
    const responses = await storm(100, () => intentBody('5000', FULL), idempotency_key);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(responses.filter((response) => !isReplay(response))).toHaveLength(1);
    expect(await expectOne(idempotency_key)).toBe(responses[0]!.json.id);
  });

  it('makes one of each also while the gateway is slow', async () => {
    await setFaults(api.gateway, 'sandbox', { delay_ms: 1_500, only: 'open' });
    const idempotency_key = randomUUID();
    const responses = await storm(40, () => intentBody(), idempotency_key);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    await expectOne(idempotency_key);
  });

  it('of different bodies lets one of them win and refuses the others', async () => {
    const idempotency_key = randomUUID();
    const responses = await storm(
      40,
      (index) => intentBody(String(1 + (index % 4))),
      idempotency_key,
    );
    const won = responses.filter(({ status }) => status === 201);
    expect(won).toHaveLength(10);
    expect(new Set(won.map(({ text }) => text)).size).toBe(1);
    for (const response of responses.filter(({ status }) => status !== 201)) {
      expect(response).toMatchObject(refusal('idempotency_key_reuse', 'amount'));
    }
    await expectOne(idempotency_key);
  });
});

describe('a gateway that fails', () => {
  const FAULTS = [
    ['answers 503', { fail: '5xx' }, 'gateway_error'],
    ['resets the connection', { fail: 'reset' }, 'gateway_error'],
    ['does its work and loses the answer', { fail: 'reset', after_work: true }, 'gateway_error'],
  ] as const;

  it.each(FAULTS)(
    'and %s: 502, nothing is shown, and a retry opens it',
    async (_n, fault, code) => {
      // Longer than the workflow's first pauses, so that only the retry can open it.
      await setFaults(api.gateway, 'sandbox', { ...fault, only: 'open' });
      const idempotency_key = randomUUID();
      const [newest] = (await listIntents(api, '?limit=1')).json.payment_intents;
      const response = await send(intentBody(), { idempotency_key });
      expect(response).toMatchObject(refusal(code));
      expect(response.headers['idempotency-key']).toBe(idempotency_key);
      const { ids } = await traceOf(idempotency_key);
      expect(ids).toHaveLength(1);
      expect(await getIntent(api, ids[0]!)).toMatchObject(refusal('payment_intent_not_found'));
      expect(await getTimeline(api, ids[0]!)).toMatchObject(refusal('payment_intent_not_found'));
      expect((await listIntents(api, '?limit=1')).json.payment_intents).toEqual([newest]);
      // Still failing: a retry gets the same response without a pointless wait.
      expect(await send(intentBody(), { idempotency_key, at: twin })).toMatchObject(refusal(code));
      await setFaults(api.gateway, 'sandbox', {});
      const good = await send(intentBody(), { idempotency_key });
      expect([good.status, good.json.id]).toEqual([201, ids[0]]);
      await expectOne(idempotency_key);
      const again = await send(intentBody(), { idempotency_key, at: twin });
      expect([again.text, isReplay(again)]).toEqual([good.text, true]);
    },
  );

  it('and hangs: 504 in time, and a retry with the key ends in one intent', async () => {
    const { task_queue, gateway, pay_url_base } = service.config;
    const hasty = await startTestService({
      database: api.database,
      overrides: {
        task_queue: `${task_queue}-hasty`,
        pay_url_base,
        gateway: { ...gateway, timeout_ms: 300 },
      },
    });
    await setFaults(api.gateway, 'sandbox', { fail: 'hang', only: 'open' });
    const idempotency_key = randomUUID();
    const response = await send(intentBody(), { idempotency_key, at: hasty });
    expect(response).toMatchObject(refusal('gateway_timeout'));
    await setFaults(api.gateway, 'sandbox', {});
    const good = await send(intentBody(), { idempotency_key, at: hasty });
    expect(good.status).toBe(201);
    expect(await expectOne(idempotency_key)).toBe(good.json.id);
  });

  it('and comes back by itself: the intent opens without a retry', async () => {
    await setFaults(api.gateway, 'sandbox', { fail: '5xx', only: 'open', calls: 1 });
    const idempotency_key = randomUUID();
    expect(await send(intentBody(), { idempotency_key })).toMatchObject(refusal('gateway_error'));
    const { ids } = await traceOf(idempotency_key);
    const shown = await waitFor(async () => {
      const response = await getIntent(api, ids[0]!);
      return response.status === 200 && response;
    });
    const replayed = await send(intentBody(), { idempotency_key });
    expect([replayed.text, isReplay(replayed)]).toEqual([shown.text, true]);
    await expectOne(idempotency_key);
  });

  it('refuses another body with that key, before and after', async () => {
    await setFaults(api.gateway, 'sandbox', { fail: '5xx', only: 'open' });
    const idempotency_key = randomUUID();
    await send(intentBody(), { idempotency_key });
    expect(await send(intentBody('1'), { idempotency_key })).toMatchObject(
      refusal('idempotency_key_reuse', 'amount'),
    );
    await setFaults(api.gateway, 'sandbox', {});
    expect((await send(intentBody(), { idempotency_key })).json.amount).toBe(5000);
    expect(await send(intentBody('1'), { idempotency_key })).toMatchObject(
      refusal('idempotency_key_reuse', 'amount'),
    );
  });
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

  it('still refuses another body with the key of an abandoned intent', async () => {
    const idempotency_key = randomUUID();
    await abandoned(idempotency_key);
    expect(await send(intentBody('1'), { idempotency_key })).toMatchObject(
      refusal('idempotency_key_reuse', 'amount'),
    );
  });
});

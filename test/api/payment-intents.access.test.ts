// Who may see a payment intent, by which names, and within which limits. Intents of others and unknown
// ones answer the same bytes, and an environment without a gateway says so.

import { randomBytes, randomUUID } from 'node:crypto';
import { ROUTES } from '../../api/routes';
import { ENVIRONMENTS, type Environment } from '../../domain/environment';
import { makeShortCode } from '../../secrets/random';
import { expectBooksHold } from '../support/books';
import type { HttpResponse } from '../support/http';
import { buildApiKey } from '../support/users';
import { startTestApi, type TestApi } from '../support/api';
import { startTestService, type TestService } from '../support/service';
import { waitFor } from '../support/wait';
import { buildAccount } from './support/accounts';
import { callApi, refusal } from './support/contract';
import {
  countRows,
  getIntent,
  getTimeline,
  intentBody,
  isReplay,
  listIntents,
  postCancel,
  postIntent,
  waitForStatus,
} from './support/intents';

let api: TestApi;
let keys: Record<string, string>;
let owned: Record<string, HttpResponse['json']>;

const VIEWS = ['first', 'second'].flatMap((name) =>
  ENVIRONMENTS.map((environment) => `${name} ${environment}`),
);

beforeAll(async () => {
  api = await startTestApi();
  keys = {};
  owned = {};
  for (const name of ['first', 'second']) {
    const account = await buildAccount(api.database);
    for (const environment of ENVIRONMENTS) {
      const view = `${name} ${environment}`;
      keys[view] = account[environment];
      owned[view] = (await postIntent(api, intentBody(), { key: account[environment] })).json;
    }
  }
});

afterEach(async () => {
  await expectBooksHold(api.database.db);
});

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

/** The three routes whose path names one intent. */
const NAMED = ROUTES.filter(({ path }) => path.includes('{id_or_code}'));

function callNamed(view: string, { method, path }: (typeof NAMED)[number], name: string) {
  return callApi(api.service, method, path.replace('{id_or_code}', name), {
    key: keys[view]!,
    headers: { 'x-request-id': 'same' },
  });
}

function essence({ status, text, headers }: HttpResponse) {
  return { status, text, names: Object.keys(headers).sort((a, b) => (a < b ? -1 : 1)) };
}

const accountOf = (view: string): string => view.split(' ')[0]!;

const strangers = VIEWS.flatMap((viewer) =>
  VIEWS.filter((owner) => accountOf(owner) !== accountOf(viewer)).map(
    (owner) => [viewer, owner] as const,
  ),
);

describe.each(NAMED.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s',
  (_name, route) => {
    it.each(strangers)('shows %s nothing that belongs to %s', async (viewer, owner) => {
      const unknown = essence(await callNamed(viewer, route, UNKNOWN));
      expect(JSON.parse(unknown.text)).toMatchObject({
        error: { code: 'payment_intent_not_found' },
      });
      const { id, short_code, reference } = owned[owner]!;
      for (const name of [id, short_code, reference, randomUUID(), makeShortCode()]) {
        expect(essence(await callNamed(viewer, route, name))).toEqual(unknown);
      }
      // The intent has not changed either.
      expect((await getIntent(api, id, keys[owner])).json).toEqual(owned[owner]);
    });

    it.each([
      'x',
      '%00',
      '..%2f..',
      "';drop%20table%20payment_intents;--",
      '0OIl000000',
      '11111111111',
      '111111111',
      UNKNOWN.replaceAll('-', ''),
      `{${UNKNOWN}}`,
      `${UNKNOWN}0`,
      '9'.repeat(2000),
      '%e2%80%a8',
      '_proto__',
    ])('answers the same to the unknown name %s', async (name) => {
      const unknown = essence(await callNamed('first live', route, UNKNOWN));
      expect(essence(await callNamed('first live', route, name))).toEqual(unknown);
    });
  },
);

describe('an intent of the same account in the other environment', () => {
  it.each([
    ['live', 'sandbox', 'with a live key: it is in the sandbox. Use a test key.'],
    ['sandbox', 'live', 'with a test key: it is a live one. Use a live key.'],
  ])(
    'is unknown with a %s key, and its owner is told that it is in %s',
    async (mine, other, hint) => {
      const key = keys[`first ${mine}`];
      const { id, short_code } = owned[`first ${other}`]!;
      for (const name of [id, short_code]) {
        for (const call of [getIntent, getTimeline, postCancel]) {
          const { status, json } = await call(api, name, key);
          expect([status, json.error.code]).toEqual([404, 'payment_intent_not_found']);
          expect(json.error.message).toBe(`No such payment intent ${hint}`);
        }
      }
      expect((await getIntent(api, id, keys[`first ${other}`])).json.status).toBe('open');
    },
  );
});

describe('the names of an intent', () => {
  it.each(VIEWS)('are its id and its short code, for the %s account', async (view) => {
    const { id, short_code } = owned[view]!;
    const responses = [];
    for (const name of [id, id.toUpperCase(), short_code]) {
      responses.push((await getIntent(api, name, keys[view])).text);
    }
    expect(new Set(responses).size).toBe(1);
    expect(JSON.parse(responses[0]!)).toEqual(owned[view]);
  });

  it('are not its reference, and not its short code in another case', async () => {
    const { reference, short_code } = owned['first live']!;
    const swapped = short_code.replace(/[a-zA-Z]/g, (letter: string) =>
      letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
    );
    for (const name of [reference, swapped]) {
      expect(await getIntent(api, name, keys['first live'])).toMatchObject(
        refusal('payment_intent_not_found'),
      );
    }
  });

  it('work for its timeline as well', async () => {
    const { id, short_code } = owned['first sandbox']!;
    const [by_id, by_code] = [
      await getTimeline(api, id, keys['first sandbox']),
      await getTimeline(api, short_code, keys['first sandbox']),
    ];
    expect(by_id.status).toBe(200);
    expect(by_code.text).toBe(by_id.text);
  });

  it('open no pay page of an intent that is not shown yet', async () => {
    for (const name of [owned['first live']!.id, owned['first live']!.reference]) {
      const { statusCode } = await fetchPage(`/p/${name}`);
      expect(statusCode).toBe(404);
    }
  });
});

async function fetchPage(path: string): Promise<{ statusCode: number }> {
  const { status } = await fetch(api.service.origin + path, { redirect: 'manual' });
  return { statusCode: status };
}

describe('the lists', () => {
  it.each(VIEWS)('of the %s account contain its own intents only', async (view) => {
    const { json } = await listIntents(api, '?limit=100', keys[view]);
    expect(json.payment_intents.map(({ id }: { id: string }) => id)).toEqual([owned[view]!.id]);
  });
});

describe('GET /payment-intents/{id_or_code}/timeline', () => {
  const kindsOf = async (name: string) => {
    const { json } = await getTimeline(api, name);
    return json.timeline.map(({ source, kind }: Record<string, string>) => `${source} ${kind}`);
  };

  it('shows a payment: amounts with two decimals, in order, with ids to search for', async () => {
    const { json: intent, headers } = await postIntent(
      api,
      intentBody('12.34', { currency: 'EUR' }),
    );
    const provider_payment_id = `pay_${randomUUID()}`;
    await api.notify(intent, { event_id: 'evt_of_timeline', provider_payment_id });
    await waitForStatus(api, intent, 'succeeded');
    const response = await getTimeline(api, intent.id);
    const { timeline } = response.json;
    expect(timeline.map(({ kind }: { kind: string }) => kind)).toEqual([
      'requested',
      'checkout_opened',
      'posted',
      'notified',
      'event',
    ]);
    const [requested, opened, posted, notified, event] = timeline;
    expect(requested.detail).toEqual({ request_id: headers['x-request-id'] });
    expect(opened.detail).toMatchObject({ gateway: 'sandbox', number: 1 });
    expect(posted.detail).toEqual({
      reference: intent.reference,
      currency: 'EUR',
      amount: 12.34,
      fee: 0,
    });
    expect(response.text).toContain('"amount":12.34,"fee":0.00');
    expect(notified.detail).toEqual({
      event_id: 'evt_of_timeline',
      type: 'payment.succeeded',
      outcome: 'succeeded',
      provider_payment_id,
    });
    expect(event.detail).toMatchObject({ type: 'payment.succeeded' });
    const moments = timeline.map(({ at }: { at: string }) => at);
    expect(moments).toEqual([...moments].sort((a: string, b: string) => (a < b ? -1 : 1)));
  });

  it('shows a cancellation, a failed attempt and a late payment', async () => {
    const { json: intent } = await postIntent(api, intentBody());
    const failure = { code: 'declined', message: 'No.' };
    await api.notify(intent, { type: 'payment.failed', final: false, failure });
    await postCancel(api, intent.id);
    await api.notify(intent);
    const { timeline } = await untilTimeline(intent.id, 'held_in_suspense');
    expect(await kindsOf(intent.id)).toEqual([
      'api requested',
      'workflow checkout_opened',
      'gateway notified',
      'workflow canceled',
      'ledger held_in_suspense',
      'gateway notified',
    ]);
    const held = timeline.find(({ kind }: { kind: string }) => kind === 'held_in_suspense');
    expect(held.detail).toMatchObject({ reason: 'late', currency: 'XOF', amount: 5000 });
  });

  function untilTimeline(id: string, kind: string): Promise<HttpResponse['json']> {
    return waitFor(async () => {
      const { json } = await getTimeline(api, id);
      return json.timeline.some((entry: { kind: string }) => entry.kind === kind) && json;
    });
  }

  it('contains no customer data, keys or secrets', async () => {
    const canary = {
      description: 'canary-description',
      customer_email: 'canary@example.com',
      customer_phone: '+221770000001',
      metadata: { canary: 'canary-metadata' },
    };
    const idempotency_key = `canary-key-${randomUUID()}`;
    const { json } = await postIntent(api, intentBody('5000', canary), { idempotency_key });
    await api.notify(json);
    await waitForStatus(api, json, 'succeeded');
    const { text } = await getTimeline(api, json.id);
    expect(text).not.toMatch(/canary|\+22177|secret|fingerprint/);
  });
});

describe('§8 the limits', () => {
  const limited = async (limits: object) =>
    (
      await buildApiKey(api.database.db, {
        user: api.merchant,
        environment: 'sandbox',
        ...limits,
      })
    ).key;

  it('count a creation and a cancellation as writes', async () => {
    const key = await limited({ requests_per_minute: 60, writes_per_minute: 3 });
    const { json, headers } = await postIntent(api, intentBody(), { key });
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '3', 'x-ratelimit-remaining': '2' });
    expect((await postCancel(api, json.id, key)).headers['x-ratelimit-remaining']).toBe('1');
    expect((await postCancel(api, UNKNOWN, key)).status).toBe(404);
    expect(await postIntent(api, intentBody(), { key })).toMatchObject(refusal('rate_limited'));
    const refused = await postCancel(api, json.id, key);
    expect(refused).toMatchObject(refusal('rate_limited'));
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    // Reads have a limit of their own.
    expect((await getIntent(api, json.id, key)).status).toBe(200);
    expect((await listIntents(api, '', key)).status).toBe(200);
  });

  it('count lists, intents and timelines as reads', async () => {
    const { json } = await postIntent(api, intentBody());
    for (const send of [
      (key: string) => getIntent(api, json.id, key),
      (key: string) => listIntents(api, '', key),
      (key: string) => getTimeline(api, json.id, key),
    ]) {
      const key = await limited({ requests_per_minute: 2 });
      expect((await send(key)).headers['ratelimit-policy']).toBe('"requests";q=2;w=60');
      expect((await send(key)).status).toBe(200);
      expect(await send(key)).toMatchObject(refusal('rate_limited'));
    }
  });

  it('leave no trace of a creation that they refuse', async () => {
    const key = await limited({ writes_per_minute: 1 });
    await postIntent(api, intentBody(), { key });
    const before = await countRows(api.database);
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => postIntent(api, intentBody(), { key })),
    );
    for (const response of responses) expect(response).toMatchObject(refusal('rate_limited'));
    expect(await countRows(api.database)).toBe(before);
  });

  it('count a repeated key again', async () => {
    const key = await limited({ writes_per_minute: 2 });
    const idempotency_key = randomUUID();
    const statuses = [];
    for (let index = 0; index < 3; index += 1) {
      statuses.push((await postIntent(api, intentBody(), { key, idempotency_key })).status);
    }
    expect(statuses).toEqual([201, 201, 429]);
  });
});

describe('an environment without a gateway', () => {
  let bare: TestService;
  let half: TestService;

  beforeAll(async () => {
    const { task_queue, gateway, pay_url_base } = api.service.config;
    const start = (environments: readonly Environment[]) =>
      startTestService({
        database: api.database,
        overrides: {
          task_queue: `${task_queue}-${randomBytes(4).toString('hex')}`,
          pay_url_base,
          gateway: {
            ...gateway,
            simulator:
              environments.length === 0
                ? undefined
                : {
                    url: api.gateway.url,
                    secrets: {
                      live: [],
                      sandbox: gateway.simulator!.secrets.sandbox,
                    },
                  },
          },
        },
      });
    bare = await start([]);
    half = await start(['sandbox']);
  });

  const at = (service: TestService) => ({ service, test_key: api.test_key });

  it('answers gateway_not_configured to a creation, and leaves no trace', async () => {
    const before = await countRows(api.database);
    for (const key of [api.test_key, api.live_key]) {
      const response = await postIntent(at(bare), intentBody(), { key });
      expect(response).toMatchObject(refusal('gateway_not_configured'));
      expect(response.json.error.retryable).toBe(false);
    }
    expect(await postIntent(at(half), intentBody(), { key: api.live_key })).toMatchObject(
      refusal('gateway_not_configured'),
    );
    expect(await countRows(api.database)).toBe(before);
  });

  it('does not affect the other environment', async () => {
    expect((await postIntent(at(half), intentBody())).status).toBe(201);
  });

  it('validates the request first', async () => {
    expect(await postIntent(at(bare), intentBody('0'))).toMatchObject(
      refusal('invalid_request', 'amount'),
    );
  });

  it('still replays stored responses, and shows the intents that exist', async () => {
    const idempotency_key = randomUUID();
    const first = await postIntent(api, intentBody(), { idempotency_key });
    const again = await postIntent(at(bare), intentBody(), { idempotency_key });
    expect([again.text, isReplay(again)]).toEqual([first.text, true]);
    expect((await getIntent(at(bare), first.json.id)).text).toBe(first.text);
    expect((await listIntents(at(bare), '?limit=1')).json.payment_intents[0].id).toBe(
      first.json.id,
    );
  });

  it('is reported as a warning at start', () => {
    const warnings = bare.log.filter(({ log }) => log === 'warning');
    expect(warnings.map(({ environment }) => environment)).toEqual(['live', 'sandbox']);
    expect(half.log).toContainEqual(
      expect.objectContaining({ log: 'warning', environment: 'live' }),
    );
    expect(half.log).not.toContainEqual(
      expect.objectContaining({ log: 'warning', environment: 'sandbox' }),
    );
  });
});

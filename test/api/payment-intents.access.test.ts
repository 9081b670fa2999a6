// Access to a payment intent: by which keys and names, and within which limits. Intents of others and unknown ones
// answer the same bytes, and an environment without a gateway says so.

import { randomBytes, randomUUID } from 'node:crypto';
import { ENVIRONMENTS, type Environment } from '../../domain/environment';
import { setUp } from '../support/database';
import { expectBooksHold } from '../support/books';
import type { HttpResponse } from '../support/http';
import { startTestApi } from '../support/api';
import { startTestService, type TestService } from '../support/service';
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

const api = setUp(startTestApi);
let keys: Record<string, string>;
let owned: Record<string, HttpResponse['json']>;

beforeAll(async () => {
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

describe('GET /payment-intents/{id_or_code}/timeline', () => {
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

  it('answers payouts_not_configured to a payout and to a look at its destination', async () => {
    const destination = { type: 'mobile_money', phone: '+221770000100' };
    const body = { currency: 'XOF', amount: 5000, destination };
    for (const path of ['/payouts', '/payout-destinations/check']) {
      const response = await callApi(bare, 'POST', path, { key: api.test_key, body });
      expect(response).toMatchObject(refusal('payouts_not_configured'));
    }
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
});

// Payment intents over HTTP: created, paid, cancelled, and the way back to a shop. To others they are unknown, and an
// environment without a gateway says so.

import { randomUUID } from 'node:crypto';
import type { Config } from '../../config/load';
import type { Environment } from '../../domain/environment';
import { setUp } from '../support/database';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import { type HttpResponse, request } from '../support/http';
import { actAt, setFaults } from '../support/sandbox-gateway';
import { startTestApi } from '../support/api';
import type { TestService } from '../support/service';
import { waitFor } from '../support/wait';
import { buildAccount } from './support/accounts';
import { callApi, expectContract, refusal } from './support/contract';
import {
  countRows,
  expectCreated,
  expectRefused,
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

afterEach(() => expectBooksHold(api.database.db));

describe('POST /payment-intents', () => {
  it('creates a link: the specified fields and ours, two decimals in the bytes', async () => {
    const response = await api.create({
      country: 'SN',
      description: 'Two books',
      customer_email: 'awa@example.com',
      customer_phone: '+221771234567',
      metadata: { order: 'A-17', items: 2, gift: false, note: null },
    });
    expect(response.status).toBe(201);
    expect(response.json).toMatchObject({
      ok: true,
      status: 'open',
      amount: 5000,
      currency: 'XOF',
      environment: 'sandbox',
      country: 'SN',
      description: 'Two books',
      customer_email: 'awa@example.com',
      customer_phone: '+221771234567',
      metadata: { order: 'A-17', items: 2, gift: false, note: null },
      fee: 0,
      tax: 0,
      net_amount: 5000,
      last_payment_error: null,
      transaction_id: null,
    });
    const { id, short_code, reference, checkout_url, pay_url, created_at, expires_at } =
      response.json;
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(short_code).toMatch(/^[1-9A-HJ-NP-Za-km-z]{10}$/);
    expect(reference).toMatch(/^TRX-[0-9A-HJKMNP-TV-Z]{20}$/);
    expect(checkout_url.startsWith(api.gateway.url)).toBe(true);
    expect(pay_url).toBe(`${api.service.origin}/p/${short_code}`);
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(86_400_000);
    expect(response.text).toContain('"amount":5000.00,');
    expect((await api.show(id)).text).toBe(response.text);
    expect((await api.show(short_code)).text).toBe(response.text);
  });
});

describe('a payment', () => {
  it('at the gateway settles the intent and credits the wallet', async () => {
    const before = await balanceOf(api.database.db, api.merchant, 'XOF', 'sandbox');
    const { json: intent } = await api.create({ description: 'Two books' });
    await actAt(intent.checkout_url, 'pay');
    const paid = await waitForStatus(api, intent, 'succeeded');
    expect(await balanceOf(api.database.db, api.merchant, 'XOF', 'sandbox')).toBe(
      before + 500_000n,
    );
    const shown = await request(api.service, 'GET', `/transactions/${paid.transaction_id}`, {
      key: api.test_key,
    });
    expect(shown.json).toMatchObject({
      type: 'deposit',
      status: 'completed',
      amount: 5000,
      reference: intent.reference,
      related: intent.id,
      description: 'Two books',
    });
  });
});

describe('POST /payment-intents/{id_or_code}/cancel', () => {
  afterEach(async () => {
    await setFaults(api.gateway, 'sandbox', {});
  });

  const create = async (fields = {}): Promise<HttpResponse['json']> =>
    (await postIntent(api, intentBody('5000', fields))).json;

  describe('an open intent', () => {
    it.each(['id', 'short_code'])('is cancelled by its %s', async (name) => {
      const intent = await create({ description: 'x' });
      const response = await postCancel(api, intent[name]);
      expect(response.status).toBe(200);
      const { canceled_at, updated_at } = response.json;
      expect(canceled_at).toBe(updated_at);
      expect(updated_at > intent.updated_at).toBe(true);
      expect(response.json).toEqual({ ...intent, status: 'canceled', canceled_at, updated_at });
      expect((await getIntent(api, intent.id)).text).toBe(response.text);
    });

    it('may be cancelled with a body, which is ignored', async () => {
      const intent = await create();
      for (const body of ['{', '{"reason":"x"}', '']) {
        const path = `/payment-intents/${intent.id}/cancel`;
        const response = await request(api.service, 'POST', path, { key: api.test_key, body });
        expectContract('POST', path, response);
        expect([response.status, response.json.status]).toEqual([200, 'canceled']);
      }
    });
  });

  describe('an intent that is not open any more', () => {
    // Each status: test/db/intents.test.ts.
    it.each([
      ['processing', 'payment.pending'],
      ['succeeded', 'payment.succeeded'],
    ])(
      'because it is %s answers intent_not_cancelable, says why, and does not change',
      async (status, type) => {
        const intent = await create();
        await api.notify(intent, { type });
        await waitForStatus(api, intent, status);
        const before = await getIntent(api, intent.id);
        for (const name of [intent.id, intent.short_code]) {
          const response = await postCancel(api, name);
          expect(response).toMatchObject(refusal('intent_not_cancelable'));
          expect(response.json.error.message).toContain(status);
        }
        expect((await getIntent(api, intent.id)).text).toBe(before.text);
      },
    );
  });
});

describe('the way back to a shop', () => {
  const RETURN_URL = 'https://shop.example/orders/1042?from=link#paid';

  const CANCEL_URL = 'https://shop.example:8443/basket';

  const send = (fields: Readonly<Record<string, unknown>>, key = randomUUID()) =>
    postIntent(api, intentBody('5000', fields), { idempotency_key: key });

  describe('return_url and cancel_url', () => {
    it('are given back by the creation, by GET, in lists and in the event, and are null without', async () => {
      const given = { return_url: RETURN_URL, cancel_url: CANCEL_URL };
      const created = await expectCreated(api, send(given));
      expect(created).toMatchObject(given);
      expect((await listIntents(api)).json.payment_intents[0]).toMatchObject(given);
      await actAt(created.checkout_url, 'pay');
      await waitForStatus(api, created, 'succeeded');
      const { rows } = await api.database.owner.raw('select body from events where intent_id = ?', [
        created.id,
      ]);
      const { ok: _ok, ...shown } = (await getIntent(api, created.id)).json;
      expect(JSON.parse(rows[0].body).data).toEqual(shown);
      expect(shown.amount_received).toBe(5_000);
      const without = await expectCreated(api, send({}));
      expect(without).toMatchObject({ return_url: null, cancel_url: null });
    });

    it('are stored as browsers write them, so that capitals make no other address', async () => {
      const key = randomUUID();
      const given = { return_url: 'HTTPS://SHOP.EXAMPLE', cancel_url: 'https://exämple.fr/a?b=é' };
      const { json } = await send(given, key);
      expect(json).toMatchObject({
        return_url: 'https://shop.example/',
        cancel_url: 'https://xn--exmple-cua.fr/a?b=%C3%A9',
      });
      const { return_url, cancel_url } = json;
      expect(isReplay(await send({ return_url, cancel_url }, key))).toBe(true);
    });

    it.each(['return_url', 'cancel_url'])('are refused without TLS: %s', async (name) => {
      const response = await expectRefused(
        api,
        () => send({ [name]: 'http://shop.example/' }),
        name,
      );
      expect(response.json.error.message).toBe(
        `${name} must be an https address without user name and password (or http://localhost, while you develop), such as https://shop.example/orders/1042.`,
      );
    });

    it('may be on this machine without TLS, but not in production', async () => {
      const local = {
        return_url: 'http://localhost:4000/a',
        cancel_url: 'http://127.0.0.1:4000/b',
      };
      await expectCreated(api, send(local));
      const production = { production: true, trusted_proxies: ['loopback'] };
      const at = { service: await api.beside(production), test_key: api.test_key };
      const ask = (fields: Readonly<Record<string, unknown>>) =>
        postIntent(at, intentBody('5000', fields), { headers: { 'X-Forwarded-Proto': 'https' } });
      for (const [name, value] of Object.entries(local)) {
        const response = await ask({ [name]: value });
        expect([response.status, response.json.error.param]).toEqual([422, name]);
        expect(response.json.error.message).not.toContain('localhost');
      }
      expect((await ask({ return_url: RETURN_URL })).status).toBe(201);
    });
  });

  describe('the gateway', () => {
    const locationAfter = async (checkout_url: string, action: 'pay' | 'come_back_later') =>
      (await actAt(checkout_url, action)).headers.get('location');

    it('sends customers to the pay page and never to the shop, and those who give up to another side of it', async () => {
      const { json } = await send({ return_url: RETURN_URL, cancel_url: CANCEL_URL });
      expect(await locationAfter(json.checkout_url, 'come_back_later')).toBe(
        `${json.pay_url}?gave_up=1`,
      );
      expect(await locationAfter(json.checkout_url, 'pay')).toBe(`${json.pay_url}?back=1`);
      const { json: one } = await send({ return_url: RETURN_URL });
      const location = await locationAfter(one.checkout_url, 'come_back_later');
      expect(location).toBe(`${one.pay_url}?back=1`);
    });
  });

  describe('the pay page', () => {
    const fetchPage = async (address: string): Promise<string> => {
      const { pathname, search } = new URL(address);
      const service = { base_url: api.service.origin };
      const { status, text } = await request(service, 'GET', pathname + search);
      expect(status).toBe(200);
      return text.replaceAll('&amp;', '&');
    };

    it('leads to the stored address with the outcome, and to none that its own address names', async () => {
      const { json } = await send({ return_url: RETURN_URL, cancel_url: CANCEL_URL });
      const { id, reference, pay_url } = json;
      const given_up = `${CANCEL_URL}?payment_intent=${id}&reference=${reference}&status=open`;
      const paid = `https://shop.example/orders/1042?from=link&payment_intent=${id}&reference=${reference}&status=succeeded#paid`;
      const hostile =
        'return_url=https://evil.example&cancel_url=https://evil.example&url=//evil.example';
      const open = await fetchPage(`${pay_url}?${hostile}`);
      expect(open).toContain(`href="${given_up}"`);
      expect(open).toContain('<bdi>shop.example</bdi>');
      expect(open).not.toContain('data-leave');
      const gave_up = await fetchPage(`${pay_url}?gave_up=1&${hostile}`);
      expect(gave_up).toContain(`data-leave="${given_up}"`);
      await actAt(json.checkout_url, 'pay');
      await waitFor(async () => (await getIntent(api, id)).json.status === 'succeeded');
      for (const query of ['back=1', 'gave_up=1', '']) {
        const done = await fetchPage(`${pay_url}?${query}&${hostile}`);
        expect(done).toContain(`data-leave="${paid}"`);
        expect(done).toContain(`content="6;url=${paid}"`);
        expect(done).not.toContain('evil');
      }
      expect(await fetchPage(`${pay_url}?stay=1`)).not.toContain('data-leave');
    });
  });
});

describe('an intent of the same account in the other environment', () => {
  const owned = setUp(async () => {
    const account = await buildAccount(api.database);
    const make = async (environment: Environment) =>
      (await postIntent(api, intentBody(), { key: account[environment] })).json;
    return { account, live: await make('live'), sandbox: await make('sandbox') };
  });

  it.each([
    ['live', 'sandbox', 'with a live key: it is in the sandbox. Use a test key.'],
    ['sandbox', 'live', 'with a test key: it is a live one. Use a live key.'],
  ] as const)(
    'is unknown with a %s key, and its owner is told that it is in %s',
    async (mine, other, hint) => {
      const {
        account,
        [other]: { id, short_code },
      } = owned;
      for (const name of [id, short_code]) {
        for (const call of [getIntent, getTimeline, postCancel]) {
          const { status, json } = await call(api, name, account[mine]);
          expect([status, json.error.code]).toEqual([404, 'payment_intent_not_found']);
          expect(json.error.message).toBe(`No such payment intent ${hint}`);
        }
      }
      expect((await getIntent(api, id, account[other])).json.status).toBe('open');
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
      tax: 0,
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
    const { task_queue, gateway } = api.service.config;
    const start = (name: string, simulator: Config['gateway']['simulator']) =>
      api.beside({ task_queue: `${task_queue}-${name}`, gateway: { ...gateway, simulator } });
    const { url, secrets } = gateway.simulator!;
    bare = await start('bare', undefined);
    half = await start('half', { url, secrets: { ...secrets, live: [] } });
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

import { setUp } from '../support/database';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import { type HttpResponse, request } from '../support/http';
import { actAt, setFaults } from '../support/sandbox-gateway';
import { startTestApi } from '../support/api';
import { waitFor } from '../support/wait';
import { startTestService } from '../support/service';
import { expectContract, refusal } from './support/contract';
import {
  getIntent,
  intentBody,
  postCancel,
  postIntent,
  waitForStatus,
  expectCreated,
  expectRefused,
  isReplay,
  listIntents,
} from './support/intents';
import { randomUUID } from 'node:crypto';

const api = setUp(startTestApi);

afterEach(async () => {
  await expectBooksHold(api.database.db);
});

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

  const create = async (fields: object = {}): Promise<HttpResponse['json']> =>
    (await postIntent(api, intentBody('5000', { ...fields }))).json;

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
    const WAYS: Readonly<Record<string, () => Promise<object>>> = {
      async processing() {
        const intent = await create();
        await api.notify(intent, { type: 'payment.pending' });
        return intent;
      },
      async succeeded() {
        const intent = await create();
        await api.notify(intent);
        return intent;
      },
    };

    // Each status: test/db/intents.test.ts.
    it.each(Object.entries(WAYS))(
      'because it is %s answers intent_not_cancelable, says why, and does not change',
      async (status, make) => {
        const intent = (await make()) as HttpResponse['json'];
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

  // Its other faults: test/workflows/payment-intent-cancel.test.ts.
  it('at a gateway that answers 503: 502, the intent stays open, and a retry cancels', async () => {
    const intent = await create();
    await setFaults(api.gateway, 'sandbox', { fail: '5xx', only: 'close' });
    expect(await postCancel(api, intent.id)).toMatchObject(refusal('gateway_error'));
    expect((await getIntent(api, intent.id)).json).toEqual(intent);
    await setFaults(api.gateway, 'sandbox', {});
    expect((await postCancel(api, intent.id)).json.status).toBe('canceled');
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

    it.each([
      ['return_url', 'http://shop.example/'],
      ['cancel_url', 'http://shop.example/'],
    ])('are refused when %s is %j, and the fault names the field', async (name, value) => {
      const response = await expectRefused(api, () => send({ [name]: value }), name);
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
      const { gateway, task_queue } = api.service.config;
      const production = await startTestService({
        database: api.database,
        overrides: { gateway, task_queue, production: true, trusted_proxies: ['loopback'] },
      });
      const at = { service: production, test_key: api.test_key };
      const ask = (fields: Readonly<Record<string, unknown>>) =>
        postIntent(at, intentBody('5000', fields), { headers: { 'X-Forwarded-Proto': 'https' } });
      for (const [name, value] of Object.entries(local)) {
        const response = await ask({ [name]: value });
        expect([response.status, response.json.error.param]).toEqual([422, name]);
        expect(response.json.error.message).not.toContain('localhost');
      }
      expect((await ask({ return_url: RETURN_URL })).status).toBe(201);
    });

    it('belong to what an idempotency key stands for', async () => {
      const key = randomUUID();
      const first = await send({ return_url: RETURN_URL }, key);
      expect(first.status).toBe(201);
      expect(isReplay(await send({ return_url: RETURN_URL }, key))).toBe(true);
      const fields = { return_url: `${RETURN_URL}2`, cancel_url: CANCEL_URL };
      const reused = await send(fields, key);
      expect([reused.status, reused.json.error.code]).toEqual([422, 'idempotency_key_reuse']);
      expect(reused.json.error.details.map(({ param }: { param: string }) => param)).toEqual([
        'cancel_url',
        'return_url',
      ]);
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
    });

    it('sends those who give up to the payment when there is no cancel_url', async () => {
      const { json } = await send({ return_url: RETURN_URL });
      expect(await locationAfter(json.checkout_url, 'come_back_later')).toBe(
        `${json.pay_url}?back=1`,
      );
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

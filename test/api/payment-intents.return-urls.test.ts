// return_url and cancel_url: what POST /payment-intents takes, and what every answer shows of them. Which
// addresses are ones is a table in test/domain/return-address.test.ts.

import { randomUUID } from 'node:crypto';
import { startTestApi, type TestApi } from '../support/api';
import { request } from '../support/http';
import { actAt } from '../support/sandbox-gateway';
import { startTestService } from '../support/service';
import { waitFor } from '../support/wait';
import {
  expectCreated,
  expectRefused,
  getIntent,
  intentBody,
  isReplay,
  listIntents,
  postIntent,
  waitForStatus,
} from './support/intents';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});

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

  it.each([
    ['return_url', 'http://shop.example/'],
    ['return_url', 'javascript:alert(1)'],
    ['return_url', 'https://user@shop.example/'],
    ['return_url', ''],
    ['return_url', 5],
    ['return_url', null],
    ['cancel_url', 'http://shop.example/'],
    ['cancel_url', '//evil.example/'],
    ['cancel_url', `https://shop.example/${'a'.repeat(2_048)}`],
  ])('are refused when %s is %j, and the fault names the field', async (name, value) => {
    const response = await expectRefused(api, () => send({ [name]: value }), name);
    if (typeof value === 'string' && value !== '' && value.length < 2_048) {
      expect(response.json.error.message).toBe(
        `${name} must be an https address without user name and password (or http://localhost, while you develop), such as https://shop.example/orders/1042.`,
      );
    }
  });

  it('may be on this machine without TLS, but not in production', async () => {
    const local = { return_url: 'http://localhost:4000/a', cancel_url: 'http://127.0.0.1:4000/b' };
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

  it('do not change what a key of an earlier version stands for', async () => {
    const key = randomUUID();
    const { json } = await send({ description: 'from before' }, key);
    const { rows } = await api.database.owner.raw(
      'select fingerprint from payment_intents where id = ?',
      [json.id],
    );
    // As version 0.1 wrote it.
    expect(Object.keys(rows[0].fingerprint).sort()).toEqual([
      'amount',
      'country',
      'currency',
      'customer_email',
      'customer_phone',
      'description',
      'expires_in',
      'metadata',
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

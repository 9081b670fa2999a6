// Refunds over HTTP, made by the sandbox gateway: what a merchant sees of them, whatever their course.

import { randomUUID } from 'node:crypto';
import { MAX_REFUNDS } from '../../domain/intent';
import { setUp } from '../support/database';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import { fund } from '../support/users';
import { insist, request, type HttpResponse } from '../support/http';
import { startTestApi } from '../support/api';
import { setFaults } from '../support/sandbox-gateway';
import { waitFor } from '../support/wait';
import { buildAccount } from './support/accounts';
import { callApi, refusal } from './support/contract';
import { getIntent, isReplay } from './support/intents';
import { getRefund, payLink, postRefund, untilRefund } from './support/refunds';
import { PAYMENT_EVENT_TYPES } from '../../domain/event';
import { expectGenuine, startReceiver, type TestReceiver } from '../support/webhooks';

const api = setUp(() => startTestApi({ webhooks: true }));
const other = setUp(() => buildAccount(api.database));

afterEach(async () => {
  await setFaults(api.gateway, 'sandbox', {});
  await expectBooksHold(api.database.db);
});

type Json = HttpResponse['json'];

function wallet(environment: 'live' | 'sandbox' = 'sandbox'): Promise<bigint> {
  return balanceOf(api.database.db, api.merchant, 'XOF', environment);
}

const historyOf = async (reference: string): Promise<Json[]> =>
  (await list(`/transactions?reference=${reference}`)).transactions.toReversed();

const list = async (path: string, key = api.test_key): Promise<Json> =>
  (await callApi(api.service, 'GET', path, { key })).json;

describe('POST /payment-intents/{id_or_code}/refunds', () => {
  it('reserves the money at once and gives the whole payment back', async () => {
    const before = await wallet();
    const link = await payLink(api);
    expect(link.refunded_amount).toBe(0);
    const created = await postRefund(api, link.id);
    expect(created.status).toBe(201);
    expect(created.text).toContain('"amount":5000.00,');
    expect(created.json).toEqual({
      ok: true,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      reference: expect.stringMatching(/^RFD-[0-9A-HJKMNP-TV-Z]{20}$/),
      payment_intent_id: link.id,
      amount: 5000,
      currency: 'XOF',
      status: 'pending',
      environment: 'sandbox',
      reason: null,
      metadata: {},
      failure: null,
      created_at: expect.any(String),
      updated_at: created.json.created_at,
    });
    expect(await wallet()).toBe(before);
    const made = await untilRefund(api, created.json, 'succeeded');
    expect(made).toEqual({ ...created.json, status: 'succeeded', updated_at: expect.any(String) });
    expect(made.updated_at > made.created_at).toBe(true);
    expect(await wallet()).toBe(before);
    expect((await getIntent(api, link.id)).json).toMatchObject({
      status: 'succeeded',
      refunded_amount: 5000,
    });
    const row = { type: 'refund', direction: 'out', status: 'completed', related: link.id };
    expect(await historyOf(created.json.reference)).toEqual([
      expect.objectContaining({
        ...row,
        amount: 5000,
        fee: 0,
        balance_after: Number(before) / 100,
      }),
    ]);
  });

  it('takes parts with a reason and metadata, by the short code, up to what was paid', async () => {
    const link = await payLink(api);
    const metadata = { ticket: 17, urgent: false };
    const part = { amount: '2000.00', reason: 'One book was missing', metadata };
    const first = await postRefund(api, link.short_code, part);
    expect(first.json).toMatchObject({ ...part, amount: 2000 });
    const tooMuch = await postRefund(api, link.id, { amount: 3001 });
    expect(tooMuch).toMatchObject(refusal('refund_exceeds_payment', 'amount'));
    expect(tooMuch.json.error.message).toContain('3000.00 XOF');
    const rest = await postRefund(api, link.id, {});
    expect(rest.json).toMatchObject({ amount: 3000 });
    const nothing = await postRefund(api, link.id);
    expect(nothing).toMatchObject(refusal('refund_exceeds_payment', 'amount'));
    await untilRefund(api, first.json, 'succeeded');
    await untilRefund(api, rest.json, 'succeeded');
    expect((await getIntent(api, link.id)).json.refunded_amount).toBe(5000);
    expect(await historyOf(first.json.reference)).toEqual([
      expect.objectContaining({ description: 'One book was missing', amount: 2000 }),
    ]);
  });

  it('answers 402 when the wallet lacks the money, keeps that for the key, and changes nothing', async () => {
    const poor = await buildAccount(api.database);
    const key = poor.live;
    const link = await payLink(api, { key });
    const body = { to_username: other.username, currency: 'XOF', amount: 4000 };
    expect((await request(api.service, 'POST', '/transfers', { key, body })).status).toBe(200);
    const options = { key, idempotency_key: randomUUID() };
    const refused = await postRefund(api, link.id, undefined, options);
    expect(refused).toMatchObject(refusal('insufficient_funds', 'amount'));
    await fund(api.database.db, poor.id, 'live', 'XOF', 400_000n);
    const again = await postRefund(api, link.id, undefined, options);
    expect([again.status, again.text, isReplay(again)]).toEqual([402, refused.text, true]);
    expect((await list('/refunds', key)).refunds).toEqual([]);
    const { json } = await postRefund(api, link.id, undefined, { key });
    await untilRefund(api, json, 'succeeded', key);
  });

  it('answers 409 once the payment has had all the refunds that there may be', async () => {
    const link = await payLink(api);
    for (let count = 0; count < MAX_REFUNDS; count += 1) {
      const options = { idempotency_key: randomUUID() };
      const order = () => postRefund(api, link.id, { amount: 1 }, options);
      expect((await insist(order)).status).toBe(201);
    }
    expect(await postRefund(api, link.id)).toMatchObject(refusal('too_many_refunds'));
  });

  it('answers 409 while the link is open', async () => {
    const { json: link } = await api.create();
    const refused = await postRefund(api, link.id);
    expect(refused).toMatchObject(refusal('payment_intent_not_refundable'));
    expect(refused.json.error.message).toContain('open');
    expect((await api.show(link.id)).json.refunded_amount).toBeNull();
  });

  it('refuses cents of XOF and makes nothing of it', async () => {
    const link = await payLink(api);
    const cents = await postRefund(api, link.id, { amount: 10.5 });
    expect(cents).toMatchObject(refusal('invalid_request'));
    expect((await getIntent(api, link.id)).json.refunded_amount).toBe(0);
  });
});

describe('GET /refunds', () => {
  it('lists newest first, in pages, filtered, and only of this account and environment', async () => {
    const link = await payLink(api);
    const made: Json[] = [];
    for (const amount of [10, 20, 30]) {
      const { json } = await postRefund(api, link.id, { amount });
      made.unshift(await untilRefund(api, json, 'succeeded'));
    }
    const shown = made.map(({ ok, ...refund }) => (ok ? refund : {}));
    const path = `/refunds?payment_intent_id=${link.id}`;
    const first = await list(`${path}&limit=2`);
    expect(first).toMatchObject({ refunds: shown.slice(0, 2), has_more: true });
    const second = await list(`${path}&limit=2&cursor=${first.next_cursor}`);
    const end = { ok: true, next_cursor: null, has_more: false };
    expect(second).toEqual({ ...end, refunds: shown.slice(2) });
    expect((await list(`/payment-intents/${link.short_code}/refunds`)).refunds).toEqual(shown);
    expect((await list(`${path}&status=failed`)).refunds).toEqual([]);
    expect((await list(`${path}&currency=EUR`)).refunds).toEqual([]);
    expect((await list(path, other.sandbox)).refunds).toEqual([]);
    expect((await list(path, api.live_key)).refunds).toEqual([]);
    expect((await getRefund(api, made[0]!.id)).json).toEqual(made[0]);
  });
});

describe('the events of refunds', () => {
  const named = setUp(() => startReceiver());
  const usual = setUp(() => startReceiver());

  let secret: string;

  async function listen(receiver: TestReceiver, types?: readonly string[]) {
    const body = { url: receiver.url, ...(types ? { types } : {}) };
    const { json } = await callApi(api.service, 'POST', '/webhook-endpoints', {
      key: api.test_key,
      body,
    });
    return json;
  }

  beforeAll(async () => {
    ({ secret } = await listen(named, ['refund.succeeded', 'refund.failed']));
    expect((await listen(usual)).types).toEqual(PAYMENT_EVENT_TYPES);
  });

  const typesAt = ({ received }: TestReceiver): string[] =>
    received.map(({ body }) => (JSON.parse(body) as { type: string }).type);

  it('are delivered to endpoints that name them, signed, with the refund of that moment', async () => {
    const link = await payLink(api, { refunds: 'fail_later', delay_ms: 1_000 });
    const { json: refund } = await postRefund(api, link.id, { amount: 700, metadata: { n: 1 } });
    const made = await untilRefund(api, refund, 'succeeded');
    const failed = await untilRefund(api, refund, 'failed');
    await waitFor(() => named.received.length === 2);
    for (const [at, shown] of [made, failed].entries()) {
      const webhook = named.received[at]!;
      expectGenuine(webhook, secret);
      const { ok: _, ...data } = shown;
      expect(JSON.parse(webhook.body)).toEqual({
        id: expect.any(String),
        type: `refund.${shown.status}`,
        api_version: 'v1',
        created_at: shown.updated_at,
        environment: 'sandbox',
        sequence: expect.any(Number),
        data,
      });
      expect(webhook.body).toContain('"amount":700.00,');
    }
    await waitFor(() => usual.received.length === 1);
    expect(typesAt(usual)).toEqual(['payment.succeeded']);
    const json = await list('/events?limit=100');
    const events = (json.events as { type: string; sequence: number }[]).slice(-3);
    expect(events.map(({ type }) => type)).toEqual([
      'payment.succeeded',
      'refund.succeeded',
      'refund.failed',
    ]);
    expect(events.map(({ sequence }) => sequence)).toEqual(
      [0, 1, 2].map((n) => events[0]!.sequence + n),
    );
    expect((await getRefund(api, refund.id)).json).toEqual(failed);
  });
});

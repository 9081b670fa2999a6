import { randomUUID } from 'node:crypto';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import type { HttpResponse } from '../support/http';
import { request } from '../support/http';
import { actAt } from '../support/sandbox-gateway';
import { startTestApi, type TestApi } from '../support/api';
import { waitFor } from '../support/wait';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});

afterEach(async () => {
  await expectBooksHold(api.database.db);
});

/** Waits until an intent has a status. */
async function waitForStatus(
  intent: HttpResponse['json'],
  status: string,
): Promise<HttpResponse['json']> {
  return waitFor(async () => {
    const { json } = await api.show(intent.id);
    return json.status === status && json;
  });
}

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

  it('answers a repeated key with the first bytes, and another body with the fields', async () => {
    const idempotency_key = randomUUID();
    const first = await api.create({}, { idempotency_key });
    const again = await api.create({ amount: 5000.0 }, { idempotency_key });
    expect(again.text).toBe(first.text);
    expect(again.status).toBe(201);
    expect(again.headers['idempotent-replayed']).toBe('true');
    const other = await api.create({ description: 'else' }, { idempotency_key });
    expect(other.status).toBe(422);
    expect(other.json.error).toMatchObject({ code: 'idempotency_key_reuse', param: 'description' });
  });

  it('makes one intent for many requests with one key', async () => {
    const idempotency_key = randomUUID();
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => api.create({}, { idempotency_key })),
    );
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(responses[0]!.status).toBe(201);
  });
});

describe('a payment', () => {
  it('at the gateway settles the intent and credits the wallet', async () => {
    const before = await balanceOf(api.database.db, api.merchant, 'XOF', 'sandbox');
    const { json: intent } = await api.create({ description: 'Two books' });
    await actAt(intent.checkout_url, 'pay');
    const paid = await waitForStatus(intent, 'succeeded');
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

  it('fails, expires, and is cancelled', async () => {
    const [failing, expiring, canceled] = await Promise.all([
      api.create(),
      api.create({ expires_in: 3 }),
      api.create(),
    ]);
    await api.notify(failing.json, {
      type: 'payment.failed',
      failure: { code: 'card_declined', message: 'The card was declined.' },
    });
    const failed = await waitForStatus(failing.json, 'failed');
    expect(failed.last_payment_error).toEqual({
      code: 'card_declined',
      message: 'The card was declined.',
    });
    expect((await api.cancel(canceled.json.id)).json).toMatchObject({
      ok: true,
      status: 'canceled',
    });
    expect((await api.cancel(canceled.json.short_code)).status).toBe(200);
    expect((await api.cancel(failing.json.id)).json.error.code).toBe('intent_not_cancelable');
    const expired = await waitForStatus(expiring.json, 'expired');
    expect(Date.parse(expired.expired_at)).toBeGreaterThanOrEqual(Date.parse(expired.expires_at));
  });

  it('shows its steps in the timeline', async () => {
    const { json: intent } = await api.create();
    await api.notify(intent);
    await waitForStatus(intent, 'succeeded');
    const { json } = await request(api.service, 'GET', `/payment-intents/${intent.id}/timeline`, {
      key: api.test_key,
    });
    expect(
      json.timeline.map(
        ({ source, kind }: { source: string; kind: string }) => `${source} ${kind}`,
      ),
    ).toEqual([
      'api requested',
      'workflow checkout_opened',
      'ledger posted',
      'gateway notified',
      'webhook event',
    ]);
  });
});

// Payments by phone over HTTP, at the simulated operators: what a shop with pages of its own sees of them.

import { createHash, randomUUID } from 'node:crypto';
import { setUp } from '../support/database';
import { startTestApi } from '../support/api';
import { expectBooksHold } from '../support/books';
import type { HttpResponse } from '../support/http';
import { actAt, setFaults } from '../support/sandbox-gateway';
import { pressPhone } from '../support/sandbox-phones';
import { waitFor } from '../support/wait';
import { callApi, refusal, untilStatus } from './support/contract';

type Json = HttpResponse['json'];

const api = setUp(() => startTestApi({ gateway: { durations: { settle_ms: 50 } } }));

afterEach(async () => {
  await setFaults(api.gateway, 'sandbox', {});
  await expectBooksHold(api.database.db);
});

let phones = 0;
/** A phone that has not been rung, with these last digits: 013 waits for its owner. */
const newPhone = (digits = '013', prefix = '+22176'): string => {
  phones += 1;
  return `${prefix}${String(phones).padStart(4, '0')}${digits}`;
};

const link = async (fields: Readonly<Record<string, unknown>> = {}): Promise<Json> =>
  (await api.create(fields)).json;

interface Sent {
  readonly operator?: string;
  readonly phone?: string;
  readonly otp?: string;
  readonly key?: string;
  readonly idempotency_key?: string;
}

/** Begins at the operator whose customers confirm a prompt. */
function begin(
  { id }: Json,
  { key = api.test_key, idempotency_key = randomUUID(), ...fields }: Sent = {},
): Promise<HttpResponse> {
  const body = { operator: 'free_sn', phone: newPhone(), ...fields };
  return callApi(api.service, 'POST', `/payment-intents/${id}/attempts`, {
    key,
    idempotency_key,
    body,
  });
}

const get = (path: string, key = api.test_key): Promise<HttpResponse> =>
  callApi(api.service, 'GET', path, { key });

const until = ({ payment_intent_id, id }: Json, status: string): Promise<Json> => {
  const path = `/payment-intents/${payment_intent_id}/attempts/${id}`;
  return untilStatus(api.service, path, api.test_key, status);
};

const giveOtp = ({ payment_intent_id, id }: Json, otp: string): Promise<HttpResponse> =>
  callApi(api.service, 'POST', `/payment-intents/${payment_intent_id}/attempts/${id}/otp`, {
    key: api.test_key,
    body: { otp },
  });

describe('GET /payment-methods', () => {
  it('answers the operators as they are, of a currency and a country', async () => {
    const { json } = await get('/payment-methods?currency=XOF&country=CI');
    const methods = json.payment_methods as Json[];
    expect(methods.map(({ operator, step }) => `${operator} ${step}`).sort()).toEqual([
      'moov_ci dial',
      'mtn_ci prompt',
      'orange_ci otp',
      'wave_ci redirect',
    ]);
    expect(methods.find(({ operator }) => operator === 'orange_ci')).toEqual({
      operator: 'orange_ci',
      name: expect.any(String),
      country: 'CI',
      currency: 'XOF',
      prefixes: ['+22507'],
      minimum: expect.any(Number),
      maximum: expect.any(Number),
      step: 'otp',
      state: 'open',
    });
    const none = await get('/payment-methods?currency=USD');
    expect(none.json).toEqual({ ok: true, payment_methods: [] });
  });
});

describe('POST /payment-intents/{id_or_code}/attempts', () => {
  it('answers the next step once the operator was asked, and the payment is the link’s', async () => {
    const intent = await link();
    const phone = newPhone();
    const created = await begin(intent, { phone: `${phone.slice(0, 4)} ${phone.slice(4)}` });
    expect(created.status).toBe(201);
    expect(created.json).toEqual({
      ok: true,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      payment_intent_id: intent.id,
      status: 'waiting',
      operator: 'free_sn',
      phone,
      next_step: {
        kind: 'prompt',
        expires_at: created.json.expires_at,
        code: null,
        url: null,
        instructions: { fr: expect.any(Array), en: expect.any(Array) },
      },
      failure: null,
      created_at: expect.any(String),
      expires_at: expect.any(String),
      ended_at: null,
    });
    expect(await begin(intent)).toMatchObject(refusal('attempt_in_progress'));
    await pressPhone(api.gateway, 'sandbox', created.json.id, 'confirm');
    expect(await until(created.json, 'succeeded')).toMatchObject({ next_step: null });
    const { json } = await api.show(intent.id);
    expect(json).toMatchObject({ status: 'succeeded', amount_received: 5000 });
    expect(await begin(intent)).toMatchObject(refusal('payment_intent_not_payable'));
    // It cannot be paid a second time in its checkout.
    await waitFor(async () => {
      const page = await (await fetch(intent.checkout_url)).text();
      return !page.includes('name="action"');
    });
    expect((await actAt(intent.checkout_url, 'pay')).status).toBe(409);
    const { json: timeline } = await get(`/payment-intents/${intent.id}/timeline`);
    const entries = timeline.timeline as { kind: string; detail: Record<string, unknown> }[];
    expect(entries.find(({ kind }) => kind === 'attempt_begun')!.detail).toMatchObject({
      operator: 'Mixx by Yas',
      phone_end: '13',
    });
    expect(JSON.stringify(entries)).not.toContain(phone.slice(4));
  });

  it.each([
    [{ operator: 'orange_mars' }, 'invalid_request', 'operator'],
    [{ phone: '+33612345678' }, 'invalid_request', 'phone'],
    [{ phone: '12' }, 'invalid_request', 'phone'],
    [{ phone: '+2217712345678' }, 'invalid_request', 'phone'],
    [{ phone: '+22177123456.0' }, 'invalid_request', 'phone'],
    [{ otp: '1234' }, 'invalid_request', 'otp'],
    [{ otp: '12' }, 'invalid_request', 'otp'],
  ] as const)('refuses %j', async (fields, code, param) => {
    expect(await begin(await link(), fields)).toMatchObject(refusal(code, param));
  });

  it('refuses an amount that the operator does not take, and says what it takes', async () => {
    const response = await begin(await link({ amount: 9_000_000 }));
    expect(response).toMatchObject(refusal('amount_out_of_bounds'));
    const { json } = await get('/payment-methods?currency=XOF&country=SN');
    const { minimum, maximum } = (json.payment_methods as Json[])[0]!;
    expect(response.json.error.details).toEqual({ minimum, maximum });
  });

  it('rings a phone five times, and says when it may be rung again', async () => {
    const phone = newPhone('001');
    for (let ring = 1; ring <= 5; ring += 1) {
      expect((await begin(await link(), { phone })).status).toBe(201);
    }
    const sixth = await begin(await link(), { phone });
    expect(sixth).toMatchObject(refusal('rate_limited', 'phone'));
    expect(Number(sixth.headers['retry-after'])).toBeGreaterThan(3_500);
  });
});

describe('POST …/attempts/{attempt_id}/otp', () => {
  const newOrange = () => ({ operator: 'orange_sn', phone: newPhone('100', '+22177') });

  it('is unknown to another link', async () => {
    const { json: attempt } = await begin(await link());
    const path = `/payment-intents/${(await link()).id}/attempts/${attempt.id}`;
    expect(await get(path)).toMatchObject(refusal('attempt_not_found'));
    await pressPhone(api.gateway, 'sandbox', attempt.id, 'decline');
  });

  it('goes on with the code that the customer has made', async () => {
    const intent = await link();
    const { json: attempt } = await begin(intent, newOrange());
    const next_step = { kind: 'otp', code: '#144*391#' };
    expect(attempt).toMatchObject({ status: 'waiting', next_step });
    const given = await giveOtp(attempt, '1234');
    expect(given.status).toBe(200);
    expect(given.json).toMatchObject({ failure: null });
    await until(attempt, 'succeeded');
    expect(await giveOtp(attempt, '1234')).toMatchObject(refusal('otp_not_expected'));
  });

  it('fails with a wrong code; a new attempt brings its own', async () => {
    const intent = await link();
    const orange = newOrange();
    const { json: attempt } = await begin(intent, orange);
    expect((await giveOtp(attempt, '000000')).json).toMatchObject({
      status: 'failed',
      failure: { code: 'wrong_otp' },
    });
    const { json: next } = await begin(intent, { ...orange, otp: '4321' });
    await until(next, 'succeeded');
    // A hash of four digits is no secret.
    const hash = createHash('sha256').update('"4321"').digest('hex').slice(0, 16);
    const { rows } = await api.database.owner.raw(
      `select a::text || k::text as kept from payment_attempts a
         join idempotency_keys k on k.operation = 'payment_attempt' and k.reference = a.id::text
        where a.id = ?`,
      [next.id],
    );
    const [{ kept }] = rows as [{ kept: string }];
    expect([kept.includes('4321'), kept.includes(hash)]).toEqual([false, false]);
  });

  it('is for attempts that wait for a code', async () => {
    const { json: attempt } = await begin(await link());
    expect(await giveOtp(attempt, '1234')).toMatchObject(refusal('otp_not_expected'));
    const unknown = { ...attempt, id: randomUUID() };
    expect(await giveOtp(unknown, '1234')).toMatchObject(refusal('attempt_not_found'));
  });
});

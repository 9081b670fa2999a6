// The checkout page's side of the sandbox adapter: calls about sessions while the gateway is slow, failing or silent, and
// notifications of payments. The kit checks what it does with phones (test/dev/adapter-kit.test.ts).

import * as fc from 'fast-check';
import { createSandboxGateway } from '../../gateway/sandbox/adapter';
import { createSandboxPayouts } from '../../gateway/sandbox/payouts';
import type { Faults } from '../../dev/simulators/gateway/faults';
import { signGatewayBody } from '../../secrets/gateway-signature';
import { setUp } from '../support/database';
import {
  actAt,
  adapterOf,
  checkoutRequest,
  GATEWAY_SECRETS,
  startNotificationReceiver,
  setFaults,
  startTestGateway,
} from '../support/sandbox-gateway';
import { payoutsOf } from '../support/sandbox-payouts';
import { errorOf } from './support/errors';

// Long enough for the work before the delayed response, on a busy machine with a slow disk.
const HASTY_MS = 1_000;

const running = setUp(async () =>
  startTestGateway({ notification_url: (await startNotificationReceiver()).url }),
);
const gateway = setUp(async () => adapterOf(running, 'sandbox'));

afterEach(() => setFaults(running, 'sandbox', {}));

const faultOf = async (call: Promise<unknown>): Promise<string> => (await errorOf(call)).fault;

describe('a gateway', () => {
  it.each<[string, Partial<Faults>]>([
    ['that never answers', { fail: 'hang' }],
    ['that is slow', { delay_ms: 60_000 }],
  ])('%s has done nothing, and the call can be repeated', async (_name, faults) => {
    const [request, hasty] = [checkoutRequest(), adapterOf(running, 'sandbox', HASTY_MS)];
    const { session_id } = await gateway.openCheckout(request);
    await setFaults(running, 'sandbox', faults);
    const calls = [hasty.openCheckout(checkoutRequest()), hasty.closeCheckout(session_id)];
    expect(await Promise.all(calls.map(faultOf))).toEqual(['timeout', 'timeout']);
    await setFaults(running, 'sandbox', {});
    const { checkout_url } = await gateway.openCheckout(request);
    expect((await actAt(checkout_url, 'pay')).status).toBe(303);
  });

  it('accepts calls signed with either secret during a rotation', async () => {
    const secrets = { live: ['l'], sandbox: ['new', 'old'] };
    const own = await startTestGateway({ notification_url: running.url, secrets });
    for (const sandbox of ['new', 'old']) {
      const one = { ...own, secrets: { live: [], sandbox: [sandbox] } };
      expect(await adapterOf(one, 'sandbox').closeCheckout('cs_x')).toEqual({ state: 'none' });
    }
  });
});

describe('the adapter', () => {
  it('is not created without secrets, or with an empty one', () => {
    for (const secrets of [[], ['']]) {
      const options = { environment: 'live', url: 'http://x', secrets, timeout_ms: 1 } as const;
      for (const create of [createSandboxGateway, createSandboxPayouts]) {
        expect(() => create(options)).toThrow('needs secrets');
      }
    }
  });
});

describe('readNotification', () => {
  const [secret] = GATEWAY_SECRETS.sandbox;
  const good = {
    event_id: 'evt_1',
    type: 'payment.succeeded',
    intent_id: 'b9a5ad1c-0d52-4d0b-9f5e-0d5a3a7e9c11',
    reference: 'TRX-1',
    amount: 5000,
    currency: 'XOF',
    environment: 'sandbox',
    provider_payment_id: 'pay_1',
    occurred_at: '2026-11-21T08:00:00.123Z',
  };
  const readRaw = (raw: Buffer | string, signature: unknown = signGatewayBody(raw, secret)) =>
    gateway.readNotification(Buffer.from(raw as string), {
      'x-gateway-signature': signature as string,
    });
  const read = (fields: object) => readRaw(JSON.stringify({ ...good, ...fields }));

  it("returns the payment in the port's terms", () => {
    const text = JSON.stringify(good).replace('5000', '5000.00');
    expect(readRaw(text)).toEqual({
      ok: true,
      notification: {
        event_id: 'evt_1',
        environment: 'sandbox',
        type: 'payment.succeeded',
        final: true,
        intent_id: good.intent_id,
        reference: 'TRX-1',
        provider_payment_id: 'pay_1',
        amount_minor: '500000',
        currency: 'XOF',
        failure: null,
        occurred_at: '2026-11-21T08:00:00.123000Z',
      },
    });
  });

  it('treats a failure as final unless it says otherwise', () => {
    const failure = { code: 'card_declined', message: 'No.' };
    const failed = { type: 'payment.failed', failure };
    for (const final of [undefined, true, false]) {
      const notification = { type: 'payment.failed', final: final !== false, failure };
      expect(read({ ...failed, final })).toMatchObject({ ok: true, notification });
    }
    // Other types ignore both fields.
    expect(read({ final: false, failure })).toMatchObject({
      notification: { final: true, failure: null },
    });
  });

  it('needs intent_id or reference, and ignores unknown fields', () => {
    expect(read({ intent_id: undefined, more: { a: [1] } })).toMatchObject({
      notification: { intent_id: null, reference: 'TRX-1' },
    });
    expect(read({ reference: null })).toMatchObject({ notification: { reference: null } });
    expect(read({ reference: null, intent_id: null })).toEqual({
      ok: false,
      fault: 'malformed',
      detail: 'intent_id or reference is required',
    });
  });

  it("refuses a body that names another environment than the secret's", () => {
    for (const environment of ['live', 'test', 'SANDBOX']) {
      expect(read({ environment })).toMatchObject({ ok: false, fault: 'signature' });
    }
    const live = JSON.stringify({ ...good, environment: 'live' });
    const signature = signGatewayBody(live, GATEWAY_SECRETS.live[0]);
    expect(readRaw(live, signature)).toMatchObject({ fault: 'signature' });
    const headers = { 'x-gateway-signature': signature };
    expect(adapterOf(running, 'live').readNotification(Buffer.from(live), headers)).toMatchObject({
      ok: true,
      notification: { environment: 'live' },
    });
  });

  it('refuses every other form of a signature before it parses anything', () => {
    const signature = signGatewayBody(JSON.stringify(good), secret);
    for (const wrong of ['', 'f'.repeat(64), signature.toUpperCase(), [signature, signature]]) {
      expect(readRaw('no JSON at all', wrong)).toEqual({ ok: false, fault: 'signature' });
    }
  });

  it('returns irrelevant for other types, as of payouts, which are irrelevant to payments', () => {
    for (const type of ['payout.paid', 'payout.updated']) {
      const reading = read({ type, amount: undefined });
      expect(reading).toMatchObject({ ok: false, fault: 'irrelevant' });
    }
    const raw = Buffer.from(JSON.stringify(good));
    const headers = { 'x-gateway-signature': signGatewayBody(raw, secret) };
    const provider = payoutsOf(running, 'sandbox');
    expect(provider.readNotification(raw, headers)).toMatchObject({ fault: 'irrelevant' });
  });

  const text = JSON.stringify(good);
  const failed = text.replace('succeeded', 'failed');
  it('reads what is signed with a byte order mark in front, and no other bytes', () => {
    const marked = `\ufeff${text}`;
    const signature = signGatewayBody(marked, GATEWAY_SECRETS.sandbox[0]);
    expect(readRaw(marked, signature)).toMatchObject({
      ok: true,
      notification: { event_id: 'evt_1' },
    });
    expect(readRaw(text, signature)).toMatchObject({ ok: false, fault: 'signature' });
  });

  it.each<[string, string | Buffer, string]>([
    ['no JSON', '{', 'JSON'],
    ['no UTF-8', Buffer.concat([Buffer.from(text), Buffer.from([0xff])]), 'UTF-8'],
    ['two byte order marks', `\ufeff\ufeff${text}`, 'JSON'],
    ['a list', `[${text}]`, 'object'],
    ['null', 'null', 'object'],
    ['one field twice', text.replace('{', '{"amount":1,'), '"amount" twice'],
    ['an amount in quotes', text.replace('5000', '"5000"'), 'amount'],
    ['a negative amount', text.replace('5000', '-5000'), 'amount'],
    ['an amount of zero', text.replace('5000', '0.00'), 'amount'],
    ['an amount with an exponent', text.replace('5000', '5e3'), 'amount'],
    ['an amount too fine', text.replace('5000', '5000.5'), 'amount'],
    ['an amount too large', text.replace('5000', '99999999999999999'), 'amount'],
    ['an unknown currency', text.replace('XOF', 'GBP'), 'currency'],
    ['a day for an instant', text.replace('T08:00:00.123Z', ''), 'occurred_at'],
    ['no such day', text.replace('2026-11-21', '2026-02-30'), 'occurred_at'],
    ['a NUL in an id', text.replace('evt_1', 'evt\\u0000'), 'event_id'],
    ['a lone surrogate', text.replace('pay_1', '\\ud800'), 'provider_payment_id'],
    ['a number for an id', text.replace('"evt_1"', '1'), 'event_id'],
    ['a very long id', text.replace('evt_1', 'e'.repeat(201)), 'event_id'],
    ['a word for final', text.replace('{', '{"final":"no",'), 'final'],
    ['a text for failure', failed.replace('{', '{"failure":"no",'), 'failure'],
  ])('finds %s malformed, and names the field', (_name, raw, field) => {
    const reading = readRaw(raw);
    expect(reading).toMatchObject({ ok: false, fault: 'malformed' });
    expect((reading as { detail: string }).detail).toContain(field);
  });

  const { intent_id: _, reference: __, ...required } = good;
  it.each(Object.keys(required))('finds it malformed without %s', (field) => {
    expect(read({ [field]: undefined })).toMatchObject({ ok: false, fault: 'malformed' });
  });

  it('keeps every amount exactly', () => {
    const minor = fc.bigInt({ min: 1n, max: 999_999_999_999_999n });
    fc.assert(
      fc.property(minor, (amount) => {
        const digits = String(amount).padStart(3, '0');
        const number = `${digits.slice(0, -2)}.${digits.slice(-2)}`;
        const raw = text.replace('5000', number).replace('XOF', 'EUR');
        expect(readRaw(raw)).toMatchObject({ notification: { amount_minor: String(amount) } });
      }),
    );
  });

  it('never throws for any signed body', () => {
    const bytes = fc.uint8Array().map((array) => Buffer.from(array));
    const field = fc.constantFrom(...Object.keys(good), 'final', 'failure');
    const changed = fc
      .tuple(field, fc.jsonValue())
      .map(([name, one]) => JSON.stringify({ ...good, [name]: one }));
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string(), bytes, changed), (raw) => {
        expect(typeof readRaw(raw).ok).toBe('boolean');
      }),
      { numRuns: 300 },
    );
  });
});

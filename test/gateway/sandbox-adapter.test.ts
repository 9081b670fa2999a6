// How the adapter handles a gateway that is slow, failing or silent, and malformed notifications.

import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import * as fc from 'fast-check';
import { GatewayError } from '../../domain/gateway-error';
import type { Minor } from '../../domain/money';
import type { Gateway } from '../../gateway/port';
import { createSandboxGateway } from '../../gateway/sandbox/adapter';
import type { Faults } from '../../dev/simulators/gateway/faults';
import { signGatewayBody } from '../../secrets/gateway-signature';
import { closeAfterFile } from '../support/cleanup';
import {
  actAt,
  adapterOf,
  callGateway,
  checkoutRequest,
  GATEWAY_SECRETS,
  startNotificationReceiver,
  setFaults,
  startTestGateway,
  type RunningGateway,
} from '../support/sandbox-gateway';
import { waitFor } from '../support/wait';

// Long enough for the work before the delayed response, on a busy machine with a slow disk.
const HASTY_MS = 1_000;

let running: RunningGateway;
let gateway: Gateway;
let hasty: Gateway;

beforeAll(async () => {
  running = await startTestGateway({ notification_url: (await startNotificationReceiver()).url });
  gateway = adapterOf(running, 'sandbox');
  hasty = adapterOf(running, 'sandbox', HASTY_MS);
});

afterEach(() => setFaults(running, 'sandbox', {}));

const faultOf = async (call: Promise<unknown>): Promise<string> => {
  const thrown: unknown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof GatewayError)) throw new Error(`Not a GatewayError: ${String(thrown)}`);
  return thrown.fault;
};

describe('a gateway', () => {
  it.each<[string, Partial<Faults>, string]>([
    ['that answers 503', { fail: '5xx' }, 'unreachable'],
    ['that resets the connection', { fail: 'reset' }, 'unreachable'],
    ['that never answers', { fail: 'hang' }, 'timeout'],
    ['that is slow', { delay_ms: 60_000 }, 'timeout'],
  ])('%s has done nothing, and the call can be repeated', async (_name, faults, fault) => {
    const request = checkoutRequest();
    const { session_id } = await gateway.openCheckout(request);
    await setFaults(running, 'sandbox', faults);
    const adapter = fault === 'timeout' ? hasty : gateway;
    const calls = [
      adapter.openCheckout(checkoutRequest()),
      adapter.closeCheckout(session_id),
      adapter.refund({ ...request, provider_payment_id: 'pay_x', idempotency_key: 'x' }),
    ];
    expect(await Promise.all(calls.map(faultOf))).toEqual([fault, fault, fault]);
    await setFaults(running, 'sandbox', {});
    const { checkout_url } = await gateway.openCheckout(request);
    expect((await actAt(checkout_url, 'pay')).status).toBe(303);
  });

  it.each<[string, Partial<Faults>, string]>([
    ['answers 503', { fail: '5xx', after_work: true }, 'unreachable'],
    ['resets the connection', { fail: 'reset', after_work: true }, 'unreachable'],
    ['never answers', { fail: 'hang', after_work: true }, 'timeout'],
    ['answers too late', { answer_after_timeout: true }, 'timeout'],
  ])(
    'that did the work and then %s returns the result when the call is repeated',
    async (...row) => {
      const [, faults, fault] = row;
      const request = checkoutRequest();
      const { session_id, checkout_url } = await gateway.openCheckout(request);
      await setFaults(running, 'sandbox', faults);
      const adapter = fault === 'timeout' ? hasty : gateway;
      expect(await faultOf(adapter.closeCheckout(session_id))).toBe(fault);
      expect((await actAt(checkout_url, 'pay')).status).toBe(409);
      await setFaults(running, 'sandbox', {});
      expect(await gateway.closeCheckout(session_id)).toEqual({ state: 'none' });
      expect(await gateway.openCheckout(request)).toMatchObject({ session_id });
    },
  );

  it('that fails two calls of one kind works again after them', async () => {
    await setFaults(running, 'sandbox', { fail: '5xx', only: 'open', calls: 2 });
    expect(await gateway.closeCheckout('cs_x')).toEqual({ state: 'none' });
    expect(await faultOf(gateway.openCheckout(checkoutRequest()))).toBe('unreachable');
    expect(await faultOf(gateway.openCheckout(checkoutRequest()))).toBe('unreachable');
    await expect(gateway.openCheckout(checkoutRequest())).resolves.toBeDefined();
  });

  it('has faults in one account only, and none on its pages', async () => {
    const { checkout_url } = await gateway.openCheckout(checkoutRequest());
    await setFaults(running, 'sandbox', { fail: 'reset' });
    await expect(adapterOf(running, 'live').openCheckout(checkoutRequest())).resolves.toBeDefined();
    expect((await actAt(checkout_url, 'pay')).status).toBe(303);
  });

  it('refuses unknown fault switches', async () => {
    for (const faults of [{ fial: '5xx' }, { fail: '4xx' }, { delay_ms: -1 }, { calls: 0 }]) {
      const response = await callGateway(running, 'sandbox', 'POST', '/faults', faults);
      expect(response.status).toBe(422);
    }
  });

  it('can have faults from the start', async () => {
    const broken = await startTestGateway({
      notification_url: running.url,
      faults: { fail: '5xx', calls: 1 },
    });
    const adapter = adapterOf(broken, 'sandbox');
    expect(await faultOf(adapter.closeCheckout('cs_x'))).toBe('unreachable');
    expect(await adapter.closeCheckout('cs_x')).toEqual({ state: 'none' });
  });

  it('that hangs can be stopped', async () => {
    const own = await startTestGateway({ notification_url: running.url, faults: { fail: 'hang' } });
    const call = faultOf(adapterOf(own, 'sandbox', 60_000).closeCheckout('cs_x'));
    // Whether the call is still on its way or already hangs, it must end.
    await callGateway(own, 'live', 'GET', '/health');
    await own.stop();
    expect(await call).toBe('unreachable');
  });

  it('that is not running is unreachable', async () => {
    const own = await startTestGateway({ notification_url: running.url });
    await own.stop();
    expect(await faultOf(adapterOf(own, 'sandbox').closeCheckout('cs_x'))).toBe('unreachable');
  });

  it('that does not know our secret refuses the call', async () => {
    const stranger = { ...running, secrets: { live: ['x'], sandbox: ['y'] } };
    expect(await faultOf(adapterOf(stranger, 'sandbox').closeCheckout('cs_x'))).toBe('refused');
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

describe('a response', () => {
  /** The adapter of a server that is not a gateway. */
  async function adapterFor(listener: RequestListener, timeout_ms = 60_000): Promise<Gateway> {
    const server = createServer(listener);
    server.listen({ host: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    closeAfterFile(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return createSandboxGateway({ environment: 'sandbox', url, secrets: ['s'], timeout_ms });
  }
  const answering = (status: number, body: string) =>
    adapterFor((_request, response) => void response.writeHead(status).end(body));

  it.each<[number, string, string]>([
    [200, 'no JSON', 'unreachable'],
    [200, '{"state":"unheard of"}', 'unreachable'],
    [200, '{"state":"paid"}', 'unreachable'],
    [200, '{"state":"none","state":"pending"}', 'unreachable'],
    [200, `{"state":"none","more":"${'x'.repeat(1_100_000)}"}`, 'unreachable'],
    [302, '', 'unreachable'],
    [400, '', 'refused'],
    [404, 'not here', 'refused'],
    [408, '', 'unreachable'],
    [429, '', 'unreachable'],
    [500, '', 'unreachable'],
    [502, '<html>', 'unreachable'],
  ])('%i %.40s is a fault: %s', async (status, body, fault) => {
    expect(await faultOf((await answering(status, body)).closeCheckout('cs_x'))).toBe(fault);
  });

  it('that arrives byte by byte is held to the one deadline', async () => {
    const adapter = await adapterFor((_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(' '), 50);
      response.once('close', () => clearInterval(timer));
    }, 500);
    expect(await faultOf(adapter.closeCheckout('cs_x'))).toBe('timeout');
  });
});

describe('the adapter', () => {
  it('accepts all currencies and any amount', () => {
    expect([gateway.name, gateway.environment, gateway.bounds]).toEqual([
      'sandbox',
      'sandbox',
      { currencies: ['XOF', 'EUR', 'USD'], minimum: {} },
    ]);
  });

  it('is not created without secrets, or with an empty one', () => {
    for (const secrets of [[], ['']]) {
      const options = { environment: 'live', url: 'http://x', secrets, timeout_ms: 1 } as const;
      expect(() => createSandboxGateway(options)).toThrow('needs secrets');
    }
  });

  it('carries the smallest and the largest amount', async () => {
    for (const amount of [1n, 999_999_999_999_999n] as Minor[]) {
      const request = checkoutRequest({ amount, currency: 'USD' });
      const { session_id, checkout_url } = await gateway.openCheckout(request);
      await actAt(checkout_url, 'pay');
      await waitFor(async () => {
        const state = await gateway.closeCheckout(session_id);
        return state.state === 'paid' && state.payment.amount_minor === String(amount);
      });
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
    for (const [final, expected] of [
      [undefined, true],
      [true, true],
      [false, false],
    ] as const) {
      expect(read({ ...failed, final })).toMatchObject({
        ok: true,
        notification: { type: 'payment.failed', final: expected, failure },
      });
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

  it('returns not_ours without our header', () => {
    const raw = Buffer.from(JSON.stringify(good));
    expect(gateway.readNotification(raw, {})).toEqual({ ok: false, fault: 'not_ours' });
    expect(gateway.readNotification(raw, { 'stripe-signature': 't=1' })).toEqual({
      ok: false,
      fault: 'not_ours',
    });
  });

  it('refuses a wrong signature before it parses anything', () => {
    const raw = JSON.stringify(good);
    const wrong = [
      '',
      'f'.repeat(64),
      signGatewayBody(raw, secret).toUpperCase(),
      signGatewayBody(raw, GATEWAY_SECRETS.live[0]),
      [signGatewayBody(raw, secret), signGatewayBody(raw, secret)],
    ];
    for (const signature of wrong) {
      expect(readRaw(raw, signature)).toEqual({ ok: false, fault: 'signature' });
      expect(readRaw('no JSON at all', signature)).toEqual({ ok: false, fault: 'signature' });
    }
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

  it('returns irrelevant for other types', () => {
    expect(read({ type: 'payout.paid', amount: undefined })).toMatchObject({
      ok: false,
      fault: 'irrelevant',
    });
  });

  const text = JSON.stringify(good);
  it.each<[string, string | Buffer, string]>([
    ['no JSON', '{', 'JSON'],
    ['no UTF-8', Buffer.concat([Buffer.from(text), Buffer.from([0xff])]), 'UTF-8'],
    ['a byte order mark', `\ufeff${text}`, 'JSON'],
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
    [
      'a text for failure',
      text.replace('{', '{"failure":"no",').replace('succeeded', 'failed'),
      'failure',
    ],
  ])('finds %s malformed, and names the field', (_name, raw, field) => {
    const reading = readRaw(raw);
    expect(reading).toMatchObject({ ok: false, fault: 'malformed' });
    expect((reading as { detail: string }).detail).toContain(field);
  });

  it.each([
    'event_id',
    'type',
    'amount',
    'currency',
    'environment',
    'provider_payment_id',
    'occurred_at',
  ])('finds it malformed without %s', (field) => {
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
    const value = fc.oneof(fc.json(), fc.string(), fc.constant(text));
    const bytes = fc.uint8Array().map((array) => Buffer.from(array));
    fc.assert(
      fc.property(
        fc.oneof(
          value.map((one) => Buffer.from(one)),
          bytes,
        ),
        (raw) => {
          expect(typeof readRaw(raw).ok).toBe('boolean');
        },
      ),
    );
    const field = fc.constantFrom(...Object.keys(good), 'final', 'failure');
    fc.assert(
      fc.property(field, fc.jsonValue(), (name, one) => {
        expect(typeof read({ [name]: one }).ok).toBe('boolean');
      }),
    );
  });
});

// Payments by phone through the sandbox adapter: what stands on the wire, what each failure of a call is known to
// mean, and that an id is asked for once.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Faults } from '../../dev/simulators/gateway/faults';
import { GatewayError } from '../../domain/gateway-error';
import type { Minor } from '../../domain/money';
import type { PhonePayments } from '../../gateway/port';
import { createSandboxPhones } from '../../gateway/sandbox/phones';
import { signGatewayBody } from '../../secrets/gateway-signature';
import { closeAfterFile } from '../support/cleanup';
import {
  adapterOf,
  callGateway,
  GATEWAY_SECRETS,
  listPayments,
  setFaults,
  startNotificationReceiver,
  startTestGateway,
  type NotificationReceiver,
  type RunningGateway,
} from '../support/sandbox-gateway';
import { chargeOrder, phonesOf, pressPhone } from '../support/sandbox-phones';
import { waitFor } from '../support/wait';

const HASTY_MS = 1_000;

let receiver: NotificationReceiver;
let running: RunningGateway;
let phones: PhonePayments;

beforeAll(async () => {
  receiver = await startNotificationReceiver();
  running = await startTestGateway({ notification_url: receiver.url, durations: { settle_ms: 1 } });
  phones = phonesOf(running, 'sandbox');
});

afterEach(() => setFaults(running, 'sandbox', {}));

const errorOf = async (call: Promise<unknown>): Promise<GatewayError> => {
  const thrown: unknown = await call.then(
    (value) => value,
    (error: unknown) => error,
  );
  if (!(thrown instanceof GatewayError)) throw new Error(`No GatewayError: ${String(thrown)}`);
  return thrown;
};
const outcomeOf = async (call: Promise<unknown>): Promise<string> => (await errorOf(call)).outcome;

describe('one id', () => {
  it('is one payment, however often and at once it is asked for', async () => {
    const order = chargeOrder();
    await Promise.all(Array.from({ length: 10 }, () => phones.charge(order)));
    const paid = await waitFor(async () => {
      const state = await phones.charge(order);
      return state.status === 'paid' && state;
    });
    expect(await phones.findCharge(order.id)).toEqual(paid);
    const { payments } = await listPayments(running, 'sandbox');
    expect(payments.filter(({ intent_id }) => intent_id === order.intent_id)).toHaveLength(1);
  });

  it('with another amount, phone or operator is loud, and asks nobody', async () => {
    const order = chargeOrder({ phone: '+221760000013' });
    await phones.charge(order);
    for (const other of [
      { amount: 500_100n as Minor },
      { phone: '+221760000100' },
      { operator: 'wave_sn' },
    ]) {
      const { outcome, message } = await errorOf(phones.charge({ ...order, ...other }));
      expect([outcome, message]).toEqual([
        'unknown',
        expect.stringContaining('409: The id was used'),
      ]);
    }
    expect(await phones.findCharge(order.id)).toMatchObject({ status: 'waiting' });
  });

  it('is another charge in the other environment', async () => {
    const order = chargeOrder();
    await phones.charge(order);
    expect(await phonesOf(running, 'live').findCharge(order.id)).toBe('never_seen');
    const pressed = await pressPhone(running, 'live', order.id, 'confirm');
    expect(pressed.status).toBe(404);
  });
});

describe('a call', () => {
  it.each<[string, Partial<Faults>]>([
    ['answered with 503', { fail: '5xx' }],
    ['whose connection is reset', { fail: 'reset' }],
    ['that is never answered', { fail: 'hang' }],
    ['whose work is done, then answered with 503', { fail: '5xx', after_work: true }],
    ['whose work is done, then reset', { fail: 'reset', after_work: true }],
    ['whose work is done, then never answered', { answer_after_timeout: true }],
  ])('%s is unknown, and the id tells what became of it', async (_name, faults) => {
    const order = chargeOrder();
    await setFaults(running, 'sandbox', { ...faults, only: 'charge' });
    expect(await outcomeOf(phonesOf(running, 'sandbox', HASTY_MS).charge(order))).toBe('unknown');
    const isDone = faults.after_work === true || faults.answer_after_timeout === true;
    expect((await phones.findCharge(order.id)) !== 'never_seen').toBe(isDone);
  });

  it('that looks or lists methods has faults of its own', async () => {
    for (const [only, call] of [
      ['find_charge', () => phones.findCharge(chargeOrder().id)],
      ['methods', () => phones.methods()],
    ] as const) {
      await setFaults(running, 'sandbox', { fail: '5xx', only });
      expect(await outcomeOf(call())).toBe('unknown');
    }
  });

  it('to nobody has asked nobody', async () => {
    const nowhere = { ...running, url: 'http://nobody.invalid' };
    expect(await outcomeOf(phonesOf(nowhere, 'sandbox').charge(chargeOrder()))).toBe('not_done');
  });

  it('with a wrong secret, and one that we wrote wrongly, has asked nobody', async () => {
    const stranger = { ...running, secrets: { live: ['x'], sandbox: ['y'] } };
    const refused = await errorOf(phonesOf(stranger, 'sandbox').charge(chargeOrder()));
    expect([refused.fault, refused.outcome, refused.is_about_access]).toEqual([
      'refused',
      'not_done',
      true,
    ]);
    expect(await outcomeOf(phones.charge(chargeOrder({ reference: '' })))).toBe('not_done');
    expect(await outcomeOf(phones.charge(chargeOrder({ return_url: 'javascript:x' })))).toBe(
      'not_done',
    );
  });

  it('of part of a franc is refused before it is sent', async () => {
    const order = chargeOrder({ amount: 500_050n as Minor });
    const error = await errorOf(phones.charge(order));
    expect([error.outcome, error.message]).toEqual(['not_done', 'XOF has no decimals']);
    expect(await phones.findCharge(order.id)).toBe('never_seen');
  });
});

describe('on the wire', () => {
  const bodies: string[] = [];
  const order = chargeOrder({ description: '', otp: '4711' });
  const good = {
    charge_id: order.id,
    provider_payment_id: 'ch_1',
    status: 'paid',
    amount: '5000',
    currency: 'XOF',
    paid_at: '2026-01-02T03:04:05.000Z',
    next_step: null,
    failure: null,
  };
  const step = {
    kind: 'redirect',
    expires_at: '2026-01-02T03:09:05.000Z',
    code: null,
    url: 'https://operator.example/pay',
    instructions: { fr: ['Continuez.'], en: ['Continue.'] },
  };
  const waiting = { ...good, status: 'waiting', paid_at: null, next_step: step };
  let next = { status: 200, body: '' };
  let fake: PhonePayments;

  beforeAll(async () => {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        bodies.push(Buffer.concat(chunks).toString());
        response.writeHead(next.status).end(next.body);
      });
    });
    server.listen({ host: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    closeAfterFile(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const account = { environment: 'sandbox', url, secrets: ['s'], timeout_ms: 5_000 } as const;
    fake = createSandboxPhones(account);
  });

  const answer = (status: number, body: object | string): void => {
    next = { status, body: typeof body === 'string' ? body : JSON.stringify(body) };
  };

  it('francs are whole, and nothing is left out', async () => {
    answer(200, good);
    expect(await fake.charge(order)).toEqual({
      status: 'paid',
      payment: {
        provider_payment_id: 'ch_1',
        amount_minor: '500000',
        currency: 'XOF',
        occurred_at: '2026-01-02T03:04:05.000000Z',
      },
    });
    const { id, amount: _, ...rest } = order;
    expect(JSON.parse(bodies.at(-1)!)).toEqual({
      ...rest,
      charge_id: id,
      amount: '5000',
      description: null,
    });
  });

  it.each([
    ['400', 400, 'unknown'],
    ['401', 401, 'not_done'],
    ['a 404 of a wrong address', 404, 'unknown'],
    ['409', 409, 'unknown'],
    ['422', 422, 'not_done'],
    ['429', 429, 'not_done'],
    ['500', 500, 'unknown'],
    ['a 502 with HTML', 502, 'unknown'],
    ['a redirect', 302, 'unknown'],
    ['an empty 200', 200, 'unknown'],
  ])('%s is %s: %s', async (_name, status, outcome) => {
    answer(status, status === 502 ? '<html>' : '');
    expect(await outcomeOf(fake.charge(order))).toBe(outcome);
  });

  it('only the operator’s own 404 says that an id was never seen', async () => {
    for (const code of ['not_found', 'payout_not_seen']) {
      answer(404, { error: { code, message: 'No such page.' } });
      expect(await outcomeOf(fake.findCharge(order.id))).toBe('unknown');
    }
    answer(404, { error: { code: 'charge_not_seen', message: 'Never seen.' } });
    expect(await fake.findCharge(order.id)).toBe('never_seen');
  });

  it('a step is read, and a reason that we do not know is unspecified, and kept', async () => {
    answer(200, waiting);
    expect(await fake.charge(order)).toEqual({
      status: 'waiting',
      provider_payment_id: 'ch_1',
      next_step: { ...step, expires_at: '2026-01-02T03:09:05.000000Z' },
    });
    answer(200, { ...good, status: 'failed', failure: { code: 'NEW', message: 'Something new.' } });
    expect(await fake.charge(order)).toEqual({
      status: 'failed',
      failure: { code: 'unspecified', message: 'Something new.', provider_code: 'NEW' },
    });
  });

  it.each<[string, object | string]>([
    ['no JSON', '{'],
    ['a state that is not known', { ...good, status: 'unheard of' }],
    ['another charge', { ...good, charge_id: 'b9a5ad1c-0d52-4d0b-9f5e-0d5a3a7e9c11' }],
    ['francs with decimals', { ...good, amount: '5000.00' }],
    ['a payment without its time', { ...good, paid_at: null }],
    ['a failure without a reason', { ...good, status: 'failed' }],
    ['a step that is not known', { ...waiting, next_step: { ...step, kind: 'dance' } }],
    ['a page that is none', { ...waiting, next_step: { ...step, url: 'javascript:alert(1)' } }],
    ['instructions that are no texts', { ...waiting, next_step: { ...step, instructions: {} } }],
  ])('an answer with %s is unknown', async (_name, body) => {
    answer(200, body);
    expect(await outcomeOf(fake.charge(order))).toBe('unknown');
  });
});

describe('a notification', () => {
  it('of the simulator is signed over its bytes, and names our attempt', async () => {
    const order = chargeOrder();
    await phones.charge(order);
    const { raw, headers } = await waitFor(() =>
      receiver.accepted.find(({ json }) => json['charge_id'] === order.id),
    );
    const sandbox = adapterOf(running, 'sandbox');
    expect(sandbox.readNotification(raw, headers)).toEqual({ ok: true, attempt_id: order.id });
    const changed = Buffer.from(raw.toString().replace('charge.updated', 'charge.created'));
    for (const [gateway, bytes] of [
      [sandbox, changed],
      [adapterOf(running, 'live'), raw],
    ] as const) {
      expect(gateway.readNotification(bytes, headers)).toEqual({ ok: false, fault: 'signature' });
    }
  });

  it('without an id of ours is malformed', () => {
    for (const charge_id of [undefined, '', 'x', 7]) {
      const fields = { event_id: 'evt_1', type: 'charge.updated', environment: 'sandbox' };
      const raw = Buffer.from(JSON.stringify({ ...fields, charge_id }));
      const signature = signGatewayBody(raw, GATEWAY_SECRETS.sandbox[0]);
      const headers = { 'x-gateway-signature': signature };
      expect(adapterOf(running, 'sandbox').readNotification(raw, headers)).toMatchObject({
        ok: false,
        fault: 'malformed',
      });
    }
  });
});

it('the simulator refuses orders and buttons that are written wrongly', async () => {
  const { id, ...rest } = chargeOrder();
  const post = async (path: string, body: object): Promise<number> =>
    (await callGateway(running, 'sandbox', 'POST', path, body)).status;
  for (const wrong of [
    { amount: '5000.00' },
    { amount: 5000 },
    { amount: '5000', phone: '77' },
    { amount: '5000', merchant_name: '' },
  ]) {
    expect(await post('/charges', { ...rest, charge_id: id, ...wrong })).toBe(422);
  }
  await phones.charge({ ...rest, id });
  expect(await post(`/charges/${id}/press`, { press: 'dance' })).toBe(422);
});

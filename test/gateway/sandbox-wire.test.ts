// The requests on the wire to the simulated gateway, and which of its answers are read: a server of the test answers in
// its place. Lost answers, 5xx, 429 and HTML are the kit's (test/dev/adapter-kit.test.ts).

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Minor } from '../../domain/money';
import type { PayoutProvider } from '../../gateway/payout-port';
import type { Gateway, PhonePayments } from '../../gateway/port';
import { createSandboxGateway } from '../../gateway/sandbox/adapter';
import { createSandboxPayouts } from '../../gateway/sandbox/payouts';
import { closeAfterFile } from '../support/cleanup';
import { payoutOrder } from '../support/sandbox-payouts';
import { chargeOrder } from '../support/sandbox-phones';
import { errorOf } from './support/errors';

const bodies: Readonly<Record<string, unknown>>[] = [];
let next = { status: 200, body: '' };
let gateway: Gateway;
let phones: PhonePayments;
let payouts: PayoutProvider;

beforeAll(async () => {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      if (text !== '') bodies.push(JSON.parse(text) as (typeof bodies)[number]);
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
  gateway = createSandboxGateway(account);
  phones = gateway.phones!;
  payouts = createSandboxPayouts(account);
});

function answer(status: number, body: object | string): void {
  next = { status, body: typeof body === 'string' ? body : JSON.stringify(body) };
}

const charge = chargeOrder({ description: '', otp: '4711' });
const payout = payoutOrder();
const OTHER = 'b9a5ad1c-0d52-4d0b-9f5e-0d5a3a7e9c11';

const paid = {
  charge_id: charge.id,
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
const waiting = { ...paid, status: 'waiting', paid_at: null, next_step: step };
const settled = {
  payout_id: payout.id,
  provider_payment_id: 'po_1',
  status: 'succeeded',
  currency: 'XOF',
  paid: '5000',
  returned: '0',
  failure: null,
};
const NEW = { code: 'NEW', message: 'Something new.' };
const UNSPECIFIED = { code: 'unspecified', message: NEW.message, provider_code: NEW.code };

it('a charge goes out whole, and its payment, its step and a reason that we do not know are read', async () => {
  answer(200, paid);
  const payment = {
    provider_payment_id: 'ch_1',
    amount_minor: '500000',
    currency: 'XOF',
    occurred_at: '2026-01-02T03:04:05.000000Z',
  };
  expect(await phones.charge(charge)).toEqual({ status: 'paid', payment });
  const { id, ...rest } = charge;
  expect(bodies.at(-1)).toEqual({ ...rest, charge_id: id, amount: '5000', description: null });
  answer(200, waiting);
  const next_step = { ...step, expires_at: '2026-01-02T03:09:05.000000Z' };
  const asked = { status: 'waiting', provider_payment_id: 'ch_1', next_step };
  expect(await phones.charge(charge)).toEqual(asked);
  answer(200, { ...paid, status: 'failed', failure: NEW });
  expect(await phones.charge(charge)).toEqual({ status: 'failed', failure: UNSPECIFIED });
});

it('a payout goes out whole, euros with two decimals, and its answer is read', async () => {
  answer(200, settled);
  expect(await payouts.send(payout)).toMatchObject({ status: 'succeeded', paid: 500_000n });
  const { id, ...rest } = payout;
  expect(bodies.at(-1)).toEqual({ ...rest, payout_id: id, amount: '5000' });
  await errorOf(payouts.send({ ...payout, id: OTHER, currency: 'EUR', amount: 1_205n as Minor }));
  expect(bodies.at(-1)).toMatchObject({ amount: '12.05', currency: 'EUR' });
  answer(200, { ...settled, status: 'failed', paid: null, failure: NEW });
  expect((await payouts.send(payout)).failure).toEqual(UNSPECIFIED);
});

it.each<[string, number, string, string]>([
  ['400', 400, 'unknown', 'refused'],
  ['401', 401, 'not_done', 'refused'],
  ['a 404 of a wrong address', 404, 'unknown', 'refused'],
  ['408', 408, 'unknown', 'unreachable'],
  ['409', 409, 'unknown', 'refused'],
  ['422', 422, 'not_done', 'refused'],
  ['429', 429, 'not_done', 'unreachable'],
  ['504', 504, 'unknown', 'unreachable'],
  ['a redirect', 302, 'unknown', 'unreachable'],
  ['an empty 204', 204, 'unknown', 'unreachable'],
])('to an order %s is %s: %s, and the call is %s', async (_name, status, outcome, fault) => {
  answer(status, '');
  const is_about_access = [401, 404].includes(status);
  for (const call of [phones.charge(charge), payouts.send(payout)]) {
    expect(await errorOf(call)).toMatchObject({ outcome, fault, is_about_access });
  }
  expect(await errorOf(gateway.closeCheckout('cs_x'))).toMatchObject({ fault });
});

it.each([
  ['charge_not_seen', () => phones.findCharge(charge.id)],
  ['payout_not_seen', () => payouts.find(payout.id)],
])('only the 404 of %s says that an id was never seen', async (code, find) => {
  for (const other of ['not_found', 'order_not_seen']) {
    answer(404, { error: { code: other, message: 'No such page.' } });
    expect((await errorOf(find())).outcome).toBe('unknown');
  }
  answer(404, { error: { code, message: 'Never seen.' } });
  expect(await find()).toBe('never_seen');
});

it.each<[string, () => Promise<unknown>, object | string]>([
  ['a charge’s state that is not known', ask, { ...paid, status: 'unheard of' }],
  ['another charge', ask, { ...paid, charge_id: OTHER }],
  ['francs with decimals', ask, { ...paid, amount: '5000.00' }],
  ['a payment without its time', ask, { ...paid, paid_at: null }],
  ['a failure without a reason', ask, { ...paid, status: 'failed' }],
  ['a step that is not known', ask, { ...waiting, next_step: { ...step, kind: 'dance' } }],
  ['a page that is none', ask, { ...waiting, next_step: { ...step, url: 'javascript:alert(1)' } }],
  ['instructions that are no texts', ask, { ...waiting, next_step: { ...step, instructions: {} } }],
  ['a payout’s state that is not known', send, { ...settled, status: 'unheard of' }],
  ['another payout', send, { ...settled, payout_id: OTHER }],
  ['a number for an amount', send, { ...settled, paid: 5000 }],
  ['more returned than paid', send, { ...settled, returned: '5001' }],
  ['success without an amount', send, { ...settled, paid: null }],
  ['a payout’s failure without a reason', send, { ...settled, status: 'failed', paid: null }],
  ['no id of its own', send, { ...settled, provider_payment_id: '' }],
  ['a currency that is not ours', send, { ...settled, currency: 'GBP' }],
  ['too much', send, { ...settled, more: 'x'.repeat(1_100_000) }],
  ['a session’s state that is not known', close, { state: 'unheard of' }],
  ['a payment that is missing', close, { state: 'paid' }],
  ['two states', close, '{"state":"none","state":"pending"}'],
  ['no JSON', close, 'no JSON'],
])('an answer with %s is not read', async (_name, call, body) => {
  answer(200, body);
  expect(await errorOf(call())).toMatchObject({ outcome: 'unknown', fault: 'unreachable' });
});

function ask() {
  return phones.charge(charge);
}
function send() {
  return payouts.send(payout);
}
function close() {
  return gateway.closeCheckout('cs_x');
}

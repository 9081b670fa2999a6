// Phones that pay at the simulated operators: what each number does at each step, and what its owner's buttons do.

import { PAYING_PHONES } from '../../../domain/test-phones';
import type { ChargeState, PaymentMethod } from '../../../domain/payment-attempt';
import type { ChargeOrder, Gateway } from '../../../gateway/port';
import { setUp } from '../../support/database';
import {
  adapterOf,
  listPayments,
  startNotificationReceiver,
  startTestGateway,
  type TestGateway,
} from '../../support/sandbox-gateway';
import { chargeOrder, phonesOf, pressPhone } from '../../support/sandbox-phones';
import { waitFor } from '../../support/wait';

const receiver = setUp(startNotificationReceiver);
const running = setUp(() =>
  startTestGateway({ notification_url: receiver.url, durations: { settle_ms: 1 } }),
);
let gateway: Gateway;

beforeAll(async () => {
  gateway = adapterOf(running, 'sandbox');
});

const callbacksFor = (id: string): unknown[] =>
  receiver.accepted.map(({ json }) => json).filter(({ charge_id }) => charge_id === id);

async function ended(order: ChargeOrder, at: TestGateway = running): Promise<ChargeState> {
  return waitFor(async () => {
    const state = await phonesOf(at, 'sandbox').findCharge(order.id);
    return state !== 'never_seen' && state.status !== 'waiting' && state;
  });
}

/** How it is begun and ends by itself, in the words of the operator, and how often it is told. */
const ENDS = {
  not_found: ['failed', 'PAYER_NOT_FOUND', 1],
  blocked: ['failed', 'PAYER_BLOCKED', 1],
  over_limit: ['failed', 'PAYER_LIMIT_REACHED', 1],
  closed: ['failed', 'OPERATOR_DOWN', 1],
  fails: ['waiting', 'NOT_APPROVED', 1],
  lost_not_paid: ['lost', 'OPERATOR_DOWN', 0],
  lost_paid: ['lost', 'paid', 0],
  no_callback: ['waiting', 'paid', 0],
  two_callbacks: ['waiting', 'paid', 2],
  asks: ['waiting', 'waiting', 0],
} as const;

it.each(PAYING_PHONES)('a phone …$digits: $outcome', async ({ digits, outcome }) => {
  const order = chargeOrder({ phone: `+221760000${digits}` });
  const [first, end, callbacks] = ENDS[outcome];
  const begun = await gateway.phones!.charge(order).catch(() => ({ status: 'lost' }));
  expect(begun.status).toBe(first);
  const state = await (outcome === 'asks' ? gateway.phones!.findCharge(order.id) : ended(order));
  if (state === 'never_seen') throw new Error('The charge was never seen.');
  expect(state.status === 'failed' ? state.failure.provider_code : state.status).toBe(end);
  await waitFor(async () => (await listPayments(running, 'sandbox')).undelivered === 0);
  expect(callbacksFor(order.id)).toHaveLength(callbacks);
});

it.each([
  ['prompt', 'free_sn', '+221760000100', null, 'prompt'],
  ['dial', 'moov_ci', '+2250100000100', null, 'dial'],
  ['otp', 'orange_sn', '+221770000100', '4711', null],
  ['redirect', 'wave_sn', '+221770000100', null, 'redirect'],
])('where the step is %s, any other phone is told what to do, and pays', async (...row) => {
  const [, operator, phone, otp, shown] = row;
  const order = chargeOrder({ operator, phone, otp });
  const first = await gateway.phones!.charge(order);
  const next_step = first.status === 'waiting' ? first.next_step : null;
  expect([first.status, next_step?.kind ?? null]).toEqual(['waiting', shown]);
  expect(next_step?.code ?? null).toBe(shown === 'dial' ? '*155#' : null);
  if (shown === 'redirect') expect(next_step?.url).toMatch(/\/charges\/ch_\w+\/page$/);
  for (const texts of Object.values(next_step?.instructions ?? {})) expect(texts).not.toEqual([]);
  expect(await ended(order)).toMatchObject({ status: 'paid' });
  await waitFor(() => callbacksFor(order.id).length > 0);
  const { event_id } = callbacksFor(order.id)[0] as { event_id: string };
  const told = { event_id, type: 'charge.updated', environment: 'sandbox', charge_id: order.id };
  expect([event_id, callbacksFor(order.id)]).toEqual([expect.stringMatching(/^evt_/), [told]]);
});

it('every operator has a name, numbers of its country and a step, and Wave none of its own', async () => {
  const methods = await gateway.phones!.methods();
  const of = (operator: string): PaymentMethod | undefined =>
    methods.find((one) => one.operator === operator);
  expect(new Set(methods.map(({ country }) => country)).size).toBe(7);
  expect(of('orange_ci')).toEqual({
    operator: 'orange_ci',
    name: 'Orange Money',
    country: 'CI',
    currency: 'XOF',
    prefixes: ['+22507'],
    minimum: 10_000n,
    maximum: 200_000_000n,
    step: 'otp',
    state: 'open',
    otp_code: '#144*82#',
  });
  expect(of('orange_sn')).toMatchObject({ otp_code: '#144*391#' });
  expect(of('moov_tg')).toMatchObject({ name: 'Moov Money', step: 'dial', otp_code: null });
  expect(of('wave_sn')).toMatchObject({ name: 'Wave', step: 'redirect', prefixes: [] });
  expect(of('mtn_bj')).toMatchObject({ name: 'MTN MoMo', step: 'prompt' });
  expect(of('mtn_bj')!.prefixes).toEqual(expect.arrayContaining(['+22997', '+2290197']));
});

it.each([null, '000000', '123', '123456789', 'abcd'])(
  'the one-time code %s is wrong',
  async (otp) => {
    const order = chargeOrder({ operator: 'orange_sn', phone: '+221770000100', otp });
    expect(await gateway.phones!.charge(order)).toMatchObject({
      status: 'failed',
      failure: { code: 'wrong_otp', provider_code: 'WRONG_CODE' },
    });
  },
);

// Amounts out of bounds are the kit's.
it.each([
  ['in euros', { currency: 'EUR' }],
  ['of a phone of another country', { phone: '+2250700000100' }],
  ['at an operator that is unknown', { operator: 'orange_fr' }],
] as const)('a charge that is %s is refused', async (_name, overrides) => {
  const state = await gateway.phones!.charge(chargeOrder(overrides));
  expect(state).toMatchObject({ status: 'failed', failure: { code: 'rejected' } });
});

describe('the buttons of a phone', () => {
  const ask = async (): Promise<ChargeOrder> => {
    const order = chargeOrder({ phone: '+221760000013' });
    await gateway.phones!.charge(order);
    return order;
  };
  const press = async (order: ChargeOrder, button: 'confirm' | 'decline' | 'expire') =>
    (await pressPhone(running, 'sandbox', order.id, button)).status;

  it('are on the page of its number, also of the old one in Benin', async () => {
    const order = chargeOrder({ operator: 'mtn_bj', phone: '+2290197000013' });
    await gateway.phones!.charge(order);
    for (const number of [order.phone, '+22997000013']) {
      const page = await fetch(`${running.url}/phones/${number}`);
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('5,000')]);
    }
    await press(order, 'decline');
  });

  it('confirm, and then no button does anything', async () => {
    const order = await ask();
    expect(await press(order, 'confirm')).toBe(200);
    const state = await ended(order);
    expect(state).toMatchObject({ status: 'paid' });
    for (const button of ['confirm', 'decline', 'expire'] as const) {
      expect(await press(order, button)).toBe(409);
    }
    expect(await gateway.phones!.findCharge(order.id)).toEqual(state);
    await waitFor(() => callbacksFor(order.id).length > 0);
  });

  it('decline, which is final', async () => {
    const order = await ask();
    expect(await press(order, 'decline')).toBe(200);
    expect(await ended(order)).toMatchObject({ failure: { code: 'not_approved' } });
    expect(await press(order, 'confirm')).toBe(409);
  });

  it('let it expire, after which a late secret code still pays', async () => {
    const order = await ask();
    expect(await press(order, 'expire')).toBe(200);
    expect(await ended(order)).toMatchObject({ failure: { code: 'expired' } });
    expect(await press(order, 'confirm')).toBe(200);
    expect(await ended(order)).toMatchObject({ status: 'paid' });
    await waitFor(() => callbacksFor(order.id).length === 2);
  });
});

it('what a person has pressed is final: nothing happens by itself any more', async () => {
  const durations = { settle_ms: 1_000 };
  const own = await startTestGateway({ notification_url: receiver.url, durations });
  const phones = phonesOf(own, 'sandbox');
  const [expired, later] = [chargeOrder(), chargeOrder()];
  await phones.charge(expired);
  const { ok } = await pressPhone(own, 'sandbox', expired.id, 'expire');
  await phones.charge(later);
  expect(await ended(later, own)).toMatchObject({ status: 'paid' });
  // On a very slow machine it was paid before the button was pressed.
  expect(await phones.findCharge(expired.id)).toMatchObject({ status: ok ? 'failed' : 'paid' });
});

it('what a phone has paid is listed under its intent', async () => {
  const order = chargeOrder();
  await gateway.phones!.charge(order);
  const state = await ended(order);
  if (state.status !== 'paid') throw new Error('It was not paid.');
  const { provider_payment_id, occurred_at } = state.payment;
  const { intent_id, reference } = order;
  const listed = await gateway.findTakenPayment(provider_payment_id);
  expect(listed).toEqual({ ...state.payment, intent_id, reference });
  const to = new Date(Date.parse(occurred_at) + 1).toISOString();
  expect((await gateway.listPayments({ from: occurred_at, to })).items).toContainEqual(listed);
});

// The simulated operator through its adapter: what each test phone does, what each failure of a call is known to
// mean, and that an id is paid once.

import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { GatewayError } from '../../domain/gateway-error';
import { forEach } from '../../domain/limit';
import type { Minor } from '../../domain/money';
import type { PayoutDestination, PayoutState } from '../../domain/payout';
import { TEST_PHONES } from '../../domain/test-phones';
import type { ListedPayout, PayoutProvider } from '../../gateway/payout-port';
import { createSandboxPayouts } from '../../gateway/sandbox/payouts';
import type { Faults } from '../../dev/simulators/gateway/faults';
import { signGatewayBody } from '../../secrets/gateway-signature';
import { closeAfterFile } from '../support/cleanup';
import {
  adapterOf,
  callGateway,
  createGatewayProcess,
  GATEWAY_SECRETS,
  listPayments,
  setFaults,
  startNotificationReceiver,
  startTestGateway,
  type NotificationReceiver,
  type RunningGateway,
} from '../support/sandbox-gateway';
import {
  actOnPayout,
  listPaid,
  listPayouts,
  notifyOfPayout,
  payoutOrder,
  payoutsOf,
  phone,
  setFloat,
} from '../support/sandbox-payouts';
import { waitFor } from '../support/wait';

const HASTY_MS = 3_000;

let receiver: NotificationReceiver;
let running: RunningGateway;
let provider: PayoutProvider;

beforeAll(async () => {
  receiver = await startNotificationReceiver();
  const durations = { settle_ms: 1, return_ms: 1 };
  running = await startTestGateway({ notification_url: receiver.url, durations });
  provider = payoutsOf(running, 'sandbox');
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

const callbacksFor = (id: string): unknown[] =>
  receiver.accepted.map(({ json }) => json).filter(({ payout_id }) => payout_id === id);

async function ended(id: string, status: PayoutState['status']): Promise<PayoutState> {
  return waitFor(async () => {
    const state = await provider.find(id);
    return state !== 'never_seen' && state.status === status && state;
  });
}

const to = (digits: string) => phone(`+221770000${digits}`);
const bank = (account: string): PayoutDestination => ({
  type: 'bank',
  account,
  name: 'Atelier Awa',
  bank_code: null,
});

describe('a payout', () => {
  it('to any other phone is sent, then paid, with one callback', async () => {
    const order = payoutOrder();
    expect(await provider.send(order)).toMatchObject({ status: 'sent' });
    const state = await ended(order.id, 'succeeded');
    expect(state).toEqual({
      status: 'succeeded',
      provider_payment_id: expect.stringMatching(/^po_/) as string,
      paid: 500_000n,
    });
    await waitFor(() => callbacksFor(order.id).length > 0);
    expect(callbacksFor(order.id)).toEqual([
      expect.objectContaining({ type: 'payout.updated', status: 'succeeded', amount: '5000' }),
    ]);
    expect(await listPaid(running, 'sandbox')).toContainEqual(
      expect.objectContaining({ payout_id: order.id, paid: '5000' }),
    );
  });

  it.each([
    ['001', 'recipient_not_found', 'PAYEE_NOT_FOUND'],
    ['002', 'recipient_blocked', 'PAYEE_BLOCKED'],
    ['003', 'recipient_limit_exceeded', 'PAYEE_LIMIT_REACHED'],
  ])('to …%s fails at once: %s', async (digits, code, provider_code) => {
    const order = payoutOrder({ destination: to(digits) });
    const state = await provider.send(order);
    expect(state).toMatchObject({ status: 'failed', failure: { code, provider_code } });
    expect(state).not.toHaveProperty('paid');
    expect(await provider.find(order.id)).toEqual(state);
  });

  it('to …004 and …005 is paid, whatever the name', async () => {
    for (const digits of ['004', '005']) {
      const order = payoutOrder({ destination: to(digits) });
      await provider.send(order);
      await ended(order.id, 'succeeded');
    }
  });

  it('to …006 fails after it was sent', async () => {
    const order = payoutOrder({ destination: to('006') });
    expect(await provider.send(order)).toMatchObject({ status: 'sent' });
    expect(await ended(order.id, 'failed')).toMatchObject({ failure: { code: 'rejected' } });
  });

  it('to …007 waits for the operator to open, and can be canceled until then', async () => {
    const canceled = payoutOrder({ destination: to('007') });
    const paid = payoutOrder({ destination: to('007') });
    for (const order of [canceled, paid]) {
      expect(await provider.send(order)).toMatchObject({ status: 'queued' });
    }
    expect(await provider.cancelQueued!(canceled.id)).toMatchObject({ status: 'canceled' });
    expect(await provider.cancelQueued!(canceled.id)).toMatchObject({ status: 'canceled' });
    await actOnPayout(running, 'sandbox', paid.id, { action: 'open' });
    await ended(paid.id, 'succeeded');
    expect(await provider.cancelQueued!(paid.id)).toMatchObject({ status: 'succeeded' });
    expect(await provider.find(canceled.id)).toMatchObject({ status: 'canceled' });
  });

  it('to …008 is paid, and its answer lost once', async () => {
    const order = payoutOrder({ destination: to('008') });
    expect(await outcomeOf(provider.send(order))).toBe('unknown');
    expect(await provider.find(order.id)).toMatchObject({ status: 'succeeded', paid: 500_000n });
    expect(await provider.send(order)).toMatchObject({ status: 'succeeded' });
  });

  it('to …009 is not paid, and its answer lost', async () => {
    const order = payoutOrder({ destination: to('009') });
    expect(await outcomeOf(provider.send(order))).toBe('unknown');
    expect(await ended(order.id, 'failed')).toMatchObject({
      failure: { code: 'provider_unavailable', provider_code: 'OPERATOR_DOWN' },
    });
  });

  it('to …010 is paid, and comes back', async () => {
    const order = payoutOrder({ destination: to('010') });
    await provider.send(order);
    expect(await ended(order.id, 'returned')).toMatchObject({ paid: 500_000n, returned: 500_000n });
    await waitFor(() => callbacksFor(order.id).length === 2);
  });

  it('to …011 has no callback, and to …012 has two', async () => {
    const [silent, twice] = [
      payoutOrder({ destination: to('011') }),
      payoutOrder({ destination: to('012') }),
    ];
    await provider.send(silent);
    await ended(silent.id, 'succeeded');
    await provider.send(twice);
    await waitFor(() => callbacksFor(twice.id).length === 2);
    await waitFor(async () => (await listPayments(running, 'sandbox')).undelivered === 0);
    expect(callbacksFor(silent.id)).toEqual([]);
  });

  it('to an account goes by its last digits too, in each currency', async () => {
    for (const currency of ['XOF', 'EUR', 'USD'] as const) {
      const good = payoutOrder({ destination: bank('SN08 1234'), currency });
      await provider.send(good);
      await ended(good.id, 'succeeded');
      const bad = payoutOrder({ destination: bank('SN08 001'), currency });
      expect(await provider.send(bad)).toMatchObject({ status: 'failed' });
    }
  });

  it.each<[string, Partial<Parameters<typeof payoutOrder>[0]>, string]>([
    ['too small', { amount: 9_900n as Minor }, 'amount_out_of_bounds'],
    ['too large', { amount: 200_000_100n as Minor }, 'amount_out_of_bounds'],
    ['in euros to a phone', { currency: 'EUR' }, 'rejected'],
    ['to a phone of another country', { destination: phone('+33612345678') }, 'rejected'],
  ])('that is %s is refused', async (_name, overrides, code) => {
    const state = await provider.send(payoutOrder(overrides));
    expect(state).toMatchObject({ status: 'failed', failure: { code } });
  });
});

it('knows what each phone of the table does', () => {
  expect(TEST_PHONES.map(({ digits }) => digits)).toEqual(
    Array.from({ length: 12 }, (_, index) => String(index + 1).padStart(3, '0')),
  );
});

describe('one id', () => {
  it('is one payment, however often and at once it is sent', async () => {
    const order = payoutOrder();
    const states = await Promise.all(Array.from({ length: 10 }, () => provider.send(order)));
    expect(new Set(states.map((state) => state.provider_payment_id)).size).toBe(1);
    await ended(order.id, 'succeeded');
    expect(await provider.send(order)).toMatchObject({ status: 'succeeded' });
    const paid = await listPaid(running, 'sandbox');
    expect(paid.filter(({ payout_id }) => payout_id === order.id)).toHaveLength(1);
  });

  it('with another amount, currency or destination is loud, and pays nothing more', async () => {
    const order = payoutOrder({ destination: bank('SN08 1234') });
    await provider.send(order);
    for (const other of [
      { amount: 500_100n as Minor },
      { currency: 'EUR' as const },
      { destination: bank('SN08 1235') },
      { destination: to('100') },
    ]) {
      const error = await errorOf(provider.send({ ...order, ...other }));
      expect(error.outcome).toBe('unknown');
      expect(error.message).toContain('409: The id was used');
    }
    expect(await ended(order.id, 'succeeded')).toMatchObject({ paid: 500_000n });
  });

  it('is another payout in the other environment', async () => {
    const order = payoutOrder();
    await provider.send(order);
    expect(await payoutsOf(running, 'live').find(order.id)).toBe('never_seen');
  });
});

describe('what a person does at the operator', () => {
  it('pays or fails what is under way, and nothing else', async () => {
    const [one, other] = [
      payoutOrder({ destination: to('007') }),
      payoutOrder({ destination: to('007') }),
    ];
    await provider.send(one);
    await provider.send(other);
    await actOnPayout(running, 'sandbox', one.id, { action: 'pay' });
    await actOnPayout(running, 'sandbox', other.id, { action: 'fail' });
    expect(await provider.find(one.id)).toMatchObject({ status: 'succeeded' });
    expect(await provider.find(other.id)).toMatchObject({ status: 'failed' });
    for (const action of ['pay', 'fail', 'open', 'pay_after_failure'] as const) {
      const acting = actOnPayout(running, 'sandbox', one.id, { action });
      await expect(acting).rejects.toThrow('does not fit');
    }
  });

  it('is final: what would have happened by itself does not happen any more', async () => {
    const durations = { closed_ms: 1_000, settle_ms: 1 };
    const own = await startTestGateway({ notification_url: receiver.url, durations });
    const operator = payoutsOf(own, 'sandbox');
    const [canceled, later] = [to('007'), to('007')].map((destination) =>
      payoutOrder({ destination }),
    );
    await operator.send(canceled!);
    const { status } = await operator.cancelQueued!(canceled!.id);
    await operator.send(later!);
    await waitFor(async () =>
      (await listPaid(own, 'sandbox')).some((one) => one.payout_id === later!.id),
    );
    // On a very slow machine the hour was over before the cancellation.
    const expected = status === 'canceled' ? 'canceled' : 'succeeded';
    expect(await operator.find(canceled!.id)).toMatchObject({ status: expected });
  });

  it('returns a payout in parts, and never more than was paid', async () => {
    const order = payoutOrder();
    await provider.send(order);
    await ended(order.id, 'succeeded');
    const act = (amount: string) =>
      actOnPayout(running, 'sandbox', order.id, { action: 'return', amount });
    await act('2000');
    expect(await provider.find(order.id)).toMatchObject({ status: 'returned', returned: 200_000n });
    await expect(act('3001')).rejects.toThrow('does not fit');
    await actOnPayout(running, 'sandbox', order.id, { action: 'return' });
    expect(await provider.find(order.id)).toMatchObject({ status: 'returned', returned: 500_000n });
  });

  it('lets one fail after it was paid, which is a return', async () => {
    const order = payoutOrder();
    await provider.send(order);
    await ended(order.id, 'succeeded');
    await actOnPayout(running, 'sandbox', order.id, { action: 'late_fail' });
    expect(await provider.find(order.id)).toMatchObject({
      status: 'returned',
      returned: 500_000n,
      failure: { code: 'rejected' },
    });
  });

  it('pays one that had failed', async () => {
    const order = payoutOrder({ destination: to('006') });
    await provider.send(order);
    await ended(order.id, 'failed');
    await actOnPayout(running, 'sandbox', order.id, { action: 'pay_after_failure' });
    expect(await provider.find(order.id)).toMatchObject({ status: 'succeeded', paid: 500_000n });
  });
});

describe('a check', () => {
  const check = (
    destination: PayoutDestination,
    name: string | null = 'Awa Diop',
    currency: 'XOF' | 'EUR' = 'XOF',
  ) => provider.check({ destination, currency, name });

  it.each([
    ['001', false, 'open', null],
    ['002', false, 'open', 'Awa Diop'],
    ['003', true, 'open', 'Awa Diop'],
    ['004', true, 'open', 'Moussa Sarr'],
    ['005', true, 'open', 'Awa Dio'],
    ['007', true, 'closed', 'Awa Diop'],
    ['100', true, 'open', 'Awa Diop'],
  ])('of …%s: payable %s, %s, %s', async (digits, payable, state, name_found) => {
    expect(await check(to(digits))).toEqual({
      payable,
      name_found,
      rail: {
        type: 'mobile_money',
        operator: 'orange_sn',
        country: 'SN',
        currency: 'XOF',
        decimals: 0,
        minimum: 10_000n,
        maximum: 200_000_000n,
        state,
        name_check: 'before',
      },
    });
  });

  it.each([
    ['+221761234567', 'free_sn'],
    ['+2250712345678', 'orange_ci'],
    ['+2250512345678', 'mtn_ci'],
    ['+2250112345678', 'moov_ci'],
    ['+2290197123456', 'mtn_bj'],
    ['+22995123456', 'moov_bj'],
    ['+22890123456', 'yas_tg'],
    ['+22372123456', 'orange_ml'],
    ['+22662123456', 'moov_bf'],
    ['+22796123456', 'airtel_ne'],
    ['+22790123456', 'zamani_ne'],
  ])('finds that %s is of %s', async (number, operator) => {
    expect((await check(phone(number)))?.rail.operator).toBe(operator);
  });

  it('finds another name where the one that was given is that of the other', async () => {
    expect((await check(to('004'), 'Moussa Sarr'))?.name_found).toBe('Fatou Bâ');
    expect((await check(to('100'), null))?.name_found).toBe('Awa Diop');
  });

  it('takes the operator that was named, if the country has it', async () => {
    const named = (operator: string) => check(phone('+221771234567', operator));
    expect((await named('wave_sn'))?.rail.operator).toBe('wave_sn');
    expect(await named('wave_ci')).toBeUndefined();
  });

  it('finds no rail for a number that no operator has, nor for euros to a phone', async () => {
    for (const number of ['+33612345678', '+22177123456', '+221331234567']) {
      expect(await check(phone(number))).toBeUndefined();
    }
    expect(await check(to('100'), null, 'EUR')).toBeUndefined();
  });

  it('knows no names at some operators and banks', async () => {
    expect(await check(phone('+22790123456'))).toMatchObject({
      rail: { name_check: 'none' },
      name_found: null,
    });
    expect(await check(bank('FR76 123'), null, 'EUR')).toMatchObject({
      rail: { type: 'bank', operator: null, country: null, name_check: 'none' },
      name_found: null,
    });
    expect((await check(bank('SN08 123'), null))?.name_found).toBe('Atelier Awa');
  });

  it('is of one of the rails', async () => {
    const rails = await provider.rails();
    expect(new Set(rails.flatMap(({ country }) => country ?? []))).toEqual(
      new Set(['SN', 'CI', 'BJ', 'TG', 'ML', 'BF', 'NE']),
    );
    expect(rails).toContainEqual((await check(to('100')))!.rail);
    expect(rails.filter(({ type }) => type === 'bank').map(({ currency }) => currency)).toEqual([
      'XOF',
      'EUR',
      'USD',
    ]);
  });
});

describe('the float', () => {
  const xof = async (from = provider): Promise<bigint> =>
    (await from.float()).find(({ currency }) => currency === 'XOF')!.amount;

  it('falls with what is paid, and rises with what fails or comes back', async () => {
    const own = await startTestGateway({ notification_url: receiver.url });
    const operator = payoutsOf(own, 'sandbox');
    const start = await xof(operator);
    const paid = payoutOrder({ destination: to('007') });
    const failed = payoutOrder({ destination: to('007'), amount: 100_000n as Minor });
    await operator.send(paid);
    await operator.send(failed);
    expect(await xof(operator)).toBe(start - 600_000n);
    await actOnPayout(own, 'sandbox', failed.id, { action: 'fail' });
    await actOnPayout(own, 'sandbox', paid.id, { action: 'pay' });
    expect(await xof(operator)).toBe(start - 500_000n);
    await actOnPayout(own, 'sandbox', paid.id, { action: 'return', amount: '2000' });
    expect(await xof(operator)).toBe(start - 300_000n);
  });

  it('that is too low pays nothing', async () => {
    const own = await startTestGateway({ notification_url: receiver.url });
    const operator = payoutsOf(own, 'sandbox');
    await setFloat(own, 'sandbox', { currency: 'XOF', amount: '4999' });
    expect(await operator.send(payoutOrder())).toMatchObject({
      status: 'failed',
      failure: { code: 'provider_out_of_funds', provider_code: 'FLOAT_TOO_LOW' },
    });
    expect(await xof(operator)).toBe(499_900n);
  });
});

describe('the list', () => {
  it('loses and repeats nothing while payouts arrive', async () => {
    const own = await startTestGateway({ notification_url: receiver.url });
    const operator = payoutsOf(own, 'sandbox');
    const from = new Date(Date.now() - 1_000).toISOString();
    const window = { from, to: new Date(Date.now() + 3_600_000).toISOString() };
    const send = async (count: number): Promise<string[]> => {
      const orders = Array.from({ length: count }, () => payoutOrder());
      await Promise.all(orders.map((order) => operator.send(order)));
      return orders.map(({ id }) => id);
    };
    const sent = await send(60);
    const seen: ListedPayout[] = [];
    let cursor: string | undefined;
    do {
      const page = await operator.list(window, cursor);
      seen.push(...page.items);
      if (cursor === undefined) sent.push(...(await send(60)));
      cursor = page.next ?? undefined;
    } while (cursor !== undefined);
    expect(seen.map(({ id }) => id).sort()).toEqual(sent.sort());
    expect(seen[0]).toMatchObject({
      amount_minor: '500000',
      currency: 'XOF',
      state: { provider_payment_id: seen[0]!.provider_payment_id },
    });
    const before = { from: '2020-01-01T00:00:00Z', to: from };
    expect(await operator.list(before)).toEqual({ items: [], next: null });
  });
});

describe('a call', () => {
  let hasty: PayoutProvider;
  beforeAll(() => {
    hasty = payoutsOf(running, 'sandbox', HASTY_MS);
  });

  it.each<[string, Partial<Faults>]>([
    ['answered with 503', { fail: '5xx' }],
    ['whose connection is reset', { fail: 'reset' }],
    ['that is never answered', { fail: 'hang' }],
    ['whose work is done, then answered with 503', { fail: '5xx', after_work: true }],
    ['whose work is done, then reset', { fail: 'reset', after_work: true }],
    ['whose work is done, then never answered', { answer_after_timeout: true }],
  ])('%s is unknown, and the id tells what became of it', async (_name, faults) => {
    const order = payoutOrder();
    await setFaults(running, 'sandbox', { ...faults, only: 'payout' });
    expect(await outcomeOf(hasty.send(order))).toBe('unknown');
    const isDone = faults.after_work === true || faults.answer_after_timeout === true;
    expect((await provider.find(order.id)) !== 'never_seen').toBe(isDone);
    await setFaults(running, 'sandbox', {});
    await provider.send(order);
    await ended(order.id, 'succeeded');
  });

  it('that asks, cancels, checks or lists has faults of its own', async () => {
    await provider.send(payoutOrder());
    for (const [only, call] of [
      ['find_payout', () => provider.find('x')],
      ['cancel_payout', () => provider.cancelQueued!('x')],
      ['check_payout', () => provider.rails()],
      ['list', () => provider.float()],
    ] as const) {
      await setFaults(running, 'sandbox', { fail: '5xx', only });
      expect(await outcomeOf(call())).toBe('unknown');
    }
  });

  it('to nobody, or to a host without an address, has sent nothing', async () => {
    const own = await startTestGateway({ notification_url: receiver.url });
    await own.stop();
    expect(await outcomeOf(payoutsOf(own, 'sandbox').send(payoutOrder()))).toBe('not_done');
    const nowhere = { ...running, url: 'http://nobody.invalid' };
    expect(await outcomeOf(payoutsOf(nowhere, 'sandbox').send(payoutOrder()))).toBe('not_done');
  });

  it('with a wrong secret, and one that we wrote wrongly, has done nothing', async () => {
    const stranger = { ...running, secrets: { live: ['x'], sandbox: ['y'] } };
    expect(await outcomeOf(payoutsOf(stranger, 'sandbox').send(payoutOrder()))).toBe('not_done');
    expect(await outcomeOf(provider.send(payoutOrder({ reference: '' })))).toBe('not_done');
  });

  it('of part of a franc is refused before it is sent', async () => {
    const order = payoutOrder({ amount: 500_050n as Minor });
    const error = await errorOf(provider.send(order));
    expect([error.outcome, error.message]).toEqual(['not_done', 'XOF has no decimals']);
    expect(await provider.find(order.id)).toBe('never_seen');
  });

  it('cannot cancel what was never seen', async () => {
    const error = await errorOf(provider.cancelQueued!('b9a5ad1c-0d52-4d0b-9f5e-0d5a3a7e9c11'));
    expect(error.message).toContain('404');
  });
});

describe('on the wire', () => {
  interface Answer {
    readonly status: number;
    readonly body: string;
  }
  const bodies: string[] = [];

  /** The adapter of a server that is no operator. */
  async function answering(answer: (id: string) => Answer): Promise<PayoutProvider> {
    const listener: RequestListener = (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        bodies.push(Buffer.concat(chunks).toString());
        const { status, body } = answer(order.id);
        response.writeHead(status).end(body);
      });
    };
    const server = createServer(listener);
    server.listen({ host: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    closeAfterFile(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return createSandboxPayouts({ environment: 'sandbox', url, secrets: ['s'], timeout_ms: 5_000 });
  }

  const order = payoutOrder();
  const good = {
    payout_id: order.id,
    provider_payment_id: 'po_1',
    status: 'succeeded',
    currency: 'XOF',
    paid: '5000',
    returned: '0',
    failure: null,
  };

  it('francs are whole, and euros have two decimals', async () => {
    const operator = await answering(() => ({ status: 500, body: '' }));
    await outcomeOf(operator.send(order));
    await outcomeOf(operator.send({ ...order, currency: 'EUR', amount: 1_205n as Minor }));
    const [francs, euros] = bodies.map((body) => JSON.parse(body) as Record<string, unknown>);
    expect(francs).toEqual({
      payout_id: order.id,
      reference: order.reference,
      amount: '5000',
      currency: 'XOF',
      destination: order.destination,
      name: 'Awa Diop',
      description: null,
    });
    expect(euros).toMatchObject({ amount: '12.05', currency: 'EUR' });
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
    ['504', 504, 'unknown'],
    ['a redirect', 302, 'unknown'],
    ['an empty 200', 200, 'unknown'],
    ['an empty 204', 204, 'unknown'],
  ])('%s is %s: %s', async (_name, status, outcome) => {
    const operator = await answering(() => ({ status, body: status === 502 ? '<html>' : '' }));
    expect(await outcomeOf(operator.send(order))).toBe(outcome);
  });

  it('a 404 that is not the operator’s does not say that an id was never seen', async () => {
    for (const body of ['', '<html>', '{"error":{"code":"not_found","message":"No such page."}}']) {
      const operator = await answering(() => ({ status: 404, body }));
      expect(await outcomeOf(operator.find(order.id))).toBe('unknown');
    }
  });

  it('a good answer is read', async () => {
    const operator = await answering(() => ({ status: 200, body: JSON.stringify(good) }));
    expect(await operator.send(order)).toMatchObject({ status: 'succeeded', paid: 500_000n });
  });

  it('a reason that we do not know is unspecified, and kept', async () => {
    const failure = { code: 'NEW_REASON', message: 'Something new.' };
    const failed = { ...good, status: 'failed', paid: null, failure };
    const operator = await answering(() => ({ status: 200, body: JSON.stringify(failed) }));
    expect((await operator.send(order)).failure).toEqual({
      code: 'unspecified',
      message: 'Something new.',
      provider_code: 'NEW_REASON',
    });
  });

  it.each<[string, object | string]>([
    ['no JSON', '{'],
    ['a state that is not known', { status: 'unheard of' }],
    ['another payout', { payout_id: 'b9a5ad1c-0d52-4d0b-9f5e-0d5a3a7e9c11' }],
    ['francs with decimals', { paid: '5000.00' }],
    ['a number for an amount', { paid: 5000 }],
    ['more returned than paid', { returned: '5001' }],
    ['success without an amount', { paid: null }],
    ['a failure without a reason', { status: 'failed', paid: null }],
    ['no id of its own', { provider_payment_id: '' }],
    ['a currency that is not ours', { currency: 'GBP' }],
    ['too much', { more: 'x'.repeat(1_100_000) }],
  ])('an answer with %s is unknown', async (_name, wrong) => {
    const body = typeof wrong === 'string' ? wrong : JSON.stringify({ ...good, ...wrong });
    const operator = await answering(() => ({ status: 200, body }));
    expect(await outcomeOf(operator.send(order))).toBe('unknown');
  });
});

describe('a notification', () => {
  const body = {
    event_id: 'evt_1',
    type: 'payout.updated',
    environment: 'sandbox',
    payout_id: 'b9a5ad1c-0d52-4d0b-9f5e-0d5a3a7e9c11',
  };
  const read = (fields: object, secret: string = GATEWAY_SECRETS.sandbox[0]) => {
    const raw = Buffer.from(JSON.stringify({ ...body, ...fields }));
    return provider.readNotification(raw, { 'x-gateway-signature': signGatewayBody(raw, secret) });
  };

  it('of the simulator is signed over its bytes, and names our payout', async () => {
    const order = payoutOrder();
    await provider.send(order);
    await waitFor(() => callbacksFor(order.id).length > 0);
    const { raw, headers } = receiver.accepted.find(({ json }) => json['payout_id'] === order.id)!;
    expect(provider.mayBeSigned(headers)).toBe(true);
    expect(provider.readNotification(raw, headers)).toEqual({ ok: true, payout_id: order.id });
    const changed = Buffer.from(raw.toString().replace('5000', '5001'));
    expect(provider.readNotification(changed, headers)).toEqual({ ok: false, fault: 'signature' });
    const live = payoutsOf(running, 'live');
    expect(live.readNotification(raw, headers)).toEqual({ ok: false, fault: 'signature' });
    expect(adapterOf(running, 'sandbox').readNotification(raw, headers)).toMatchObject({
      fault: 'irrelevant',
    });
  });

  it('is not ours without the header, and refused with another environment’s key or name', () => {
    expect(provider.mayBeSigned({})).toBe(false);
    expect(provider.readNotification(Buffer.from('{}'), {})).toEqual({
      ok: false,
      fault: 'not_ours',
    });
    expect(read({}, GATEWAY_SECRETS.live[0])).toEqual({ ok: false, fault: 'signature' });
    expect(read({ environment: 'live' })).toMatchObject({ ok: false, fault: 'signature' });
  });

  it('of another type is irrelevant, and without an id of ours malformed', () => {
    expect(read({})).toEqual({ ok: true, payout_id: body.payout_id });
    expect(read({ type: 'payment.succeeded' })).toMatchObject({ fault: 'irrelevant' });
    for (const payout_id of [undefined, '', 'x', 7, body.payout_id.toUpperCase()]) {
      expect(read({ payout_id })).toMatchObject({ ok: false, fault: 'malformed' });
    }
  });

  it('can be sent again: twice, with another amount, by a forger', async () => {
    const order = payoutOrder({ destination: to('011') });
    await provider.send(order);
    const answers = await notifyOfPayout(running, 'sandbox', order.id, {
      times: 2,
      amount: '7000',
      signed_by: 'live',
    });
    expect(answers).toEqual(['accepted', 'accepted']);
    expect(callbacksFor(order.id)).toEqual(
      Array(2).fill(expect.objectContaining({ amount: '7000', environment: 'sandbox' })),
    );
    const { raw, headers } = receiver.accepted.find(({ json }) => json['payout_id'] === order.id)!;
    expect(provider.readNotification(raw, headers)).toMatchObject({ fault: 'signature' });
    expect(payoutsOf(running, 'live').readNotification(raw, headers)).toMatchObject({
      fault: 'signature',
    });
  });
});

it('refuses acts, copies and orders that are written wrongly', async () => {
  const order = payoutOrder({ destination: to('007') });
  await provider.send(order);
  const statusOf = async (path: string, body: object) =>
    (await callGateway(running, 'sandbox', 'POST', path, body)).status;
  const path = `/payouts/${order.id}`;
  expect(await statusOf(`${path}/act`, { action: 'dance' })).toBe(422);
  expect(await statusOf(`${path}/act`, { action: 'return', amount: '1.5' })).toBe(422);
  expect(await statusOf(`${path}/notify`, { times: 0 })).toBe(422);
  const { id, ...rest } = order;
  for (const amount of ['5000.00', '0', '-5', 5000]) {
    const body = { ...rest, payout_id: id, amount };
    expect(await statusOf('/payouts', body)).toBe(422);
  }
  const stranger = actOnPayout(running, 'live', order.id, { action: 'pay' });
  await expect(stranger).rejects.toThrow('payout_not_seen');
});

it('keeps all that it has answered when it is killed', async () => {
  const own = await createGatewayProcess(receiver.url);
  await own.start();
  const operator = payoutsOf(own, 'live');
  const queued = payoutOrder({ destination: to('007') });
  const returned = payoutOrder({ destination: to('007') });
  const silent = payoutOrder({ destination: to('011') });
  await operator.send(queued);
  await operator.send(returned);
  await actOnPayout(own, 'live', returned.id, { action: 'pay' });
  await actOnPayout(own, 'live', returned.id, { action: 'return', amount: '2000' });
  await setFloat(own, 'live', { currency: 'EUR', amount: '12.00' });
  const sent = await operator.send(silent);
  const [states, float] = [await operator.find(returned.id), await operator.float()];

  await own.kill();
  await own.start();
  expect(await operator.find(queued.id)).toMatchObject({ status: 'queued' });
  expect(await operator.find(returned.id)).toEqual(states);
  expect(await operator.float()).toEqual(float);
  // What was under way goes on, and is no second payment.
  await waitFor(async () => {
    const state = await operator.find(silent.id);
    return state !== 'never_seen' && state.status === 'succeeded';
  });
  expect(await operator.send(silent)).toEqual({ ...sent, status: 'succeeded', paid: 500_000n });
  expect(await operator.cancelQueued!(queued.id)).toMatchObject({ status: 'canceled' });
  expect(await listPayouts(own, 'live')).toHaveLength(3);
});

it('is not created without secrets, or with an empty one', () => {
  for (const secrets of [[], ['']]) {
    const account = { environment: 'live', url: 'http://x', secrets, timeout_ms: 1 } as const;
    expect(() => createSandboxPayouts(account)).toThrow('needs secrets');
  }
});

it('follows the clock of an account with many payouts, and tells the first that wait', async () => {
  const clock = { account: randomUUID(), clock_seconds: 0 };
  // Each waits for an hour.
  const order = { destination: phone('+221770000007'), clock };
  await forEach(Array.from({ length: 800 }), 16, async () => {
    await provider.send(payoutOrder(order));
  });
  const due = async (clock_seconds: number): Promise<number[]> =>
    (await provider.followClock!({ ...clock, clock_seconds })).map(({ due_at }) =>
      Date.parse(due_at),
    );
  const before = await due(0);
  expect(before).toHaveLength(100);
  expect(before).toEqual([...before].sort((one, other) => one - other));
  expect((await due(60))[0]).toBe(before[0]! - 60_000);
});

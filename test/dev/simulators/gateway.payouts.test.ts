// Payouts at the simulated operator: what becomes of each test phone, the buttons of a person, names, the float and
// the clock. What every provider must do is checked by the kit (test/dev/adapter-kit.test.ts), and what stands
// on the wire by test/gateway/sandbox-wire.test.ts.

import { randomUUID } from 'node:crypto';
import { forEach } from '../../../domain/limit';
import type { Minor } from '../../../domain/money';
import type { PayoutDestination, PayoutState } from '../../../domain/payout';
import { TEST_PHONES } from '../../../domain/test-phones';
import type { PayoutOrder, PayoutProvider } from '../../../gateway/payout-port';
import { setUp } from '../../support/database';
import {
  callGateway,
  listPayments,
  startNotificationReceiver,
  startTestGateway,
} from '../../support/sandbox-gateway';
import {
  actOnPayout,
  listPaid,
  notifyOfPayout,
  payoutOrder,
  payoutsOf,
  phone,
  setFloat,
} from '../../support/sandbox-payouts';
import { waitFor } from '../../support/wait';
import { errorOf } from '../../gateway/support/errors';

const receiver = setUp(startNotificationReceiver);
const durations = { settle_ms: 1, return_ms: 1 };
const running = setUp(() => startTestGateway({ notification_url: receiver.url, durations }));
let provider: PayoutProvider;

beforeAll(async () => {
  provider = payoutsOf(running, 'sandbox');
});

const callbacksFor = (id: string): unknown[] =>
  receiver.accepted.map(({ json }) => json).filter(({ payout_id }) => payout_id === id);

const ended = (id: string, status: PayoutState['status']): Promise<PayoutState> =>
  waitFor(async () => {
    const state = await provider.find(id);
    return state !== 'never_seen' && state.status === status && state;
  });

const to = (digits: string) => phone(`+221770000${digits}`);
const toPhone = (digits: string) => payoutOrder({ destination: to(digits) });
/** An order that was sent to a phone. */
const sent = async (digits: string): Promise<PayoutOrder> => {
  const order = toPhone(digits);
  await provider.send(order);
  return order;
};
const bank = (account: string): PayoutDestination => ({
  type: 'bank',
  account,
  name: 'Atelier Awa',
  bank_code: null,
});

const paid = { status: 'succeeded', paid: 500_000n } as const;
const failed = (code: string, provider_code: string) =>
  ({ status: 'failed', failure: { code, provider_code } }) as const;

type Row = readonly [
  digits: string,
  first: PayoutState['status'] | 'unknown',
  end: { readonly status: PayoutState['status'] },
  callbacks?: number,
];
const returned = { ...paid, status: 'returned', returned: 500_000n } as const;
const PHONES: readonly Row[] = [
  ['001', 'failed', failed('recipient_not_found', 'PAYEE_NOT_FOUND')],
  ['002', 'failed', failed('recipient_blocked', 'PAYEE_BLOCKED')],
  ['003', 'failed', failed('recipient_limit_exceeded', 'PAYEE_LIMIT_REACHED')],
  ['004', 'sent', paid],
  ['005', 'sent', paid],
  ['006', 'sent', failed('rejected', 'DECLINED')],
  ['007', 'queued', { status: 'queued' }],
  ['008', 'unknown', paid],
  ['009', 'unknown', failed('provider_unavailable', 'OPERATOR_DOWN')],
  ['010', 'sent', returned, 2],
  ['011', 'sent', paid, 0],
  ['012', 'sent', paid, 2],
];

const OTHERS: Row = ['100', 'sent', paid, 1];

it.each([...PHONES, OTHERS].map((row) => [row[0], row] as const))(
  'a payout to …%s ends as the table says',
  async (_, [digits, first, end, callbacks]) => {
    const order = toPhone(digits);
    const told = first === 'unknown' ? errorOf(provider.send(order)) : provider.send(order);
    expect(await told).toMatchObject(first === 'unknown' ? { outcome: first } : { status: first });
    expect(await ended(order.id, end.status)).toMatchObject(end);
    if (callbacks === undefined) return;
    await waitFor(() => callbacksFor(order.id).length >= callbacks);
    await waitFor(async () => (await listPayments(running, 'sandbox')).undelivered === 0);
    expect(callbacksFor(order.id)).toHaveLength(callbacks);
  },
);

it('knows what each phone of the table does', () => {
  expect(PHONES.map(([digits]) => digits)).toEqual(TEST_PHONES.map(({ digits }) => digits));
});

it('a payout to an account goes by its last digits too, in each currency', async () => {
  for (const currency of ['XOF', 'EUR', 'USD'] as const) {
    const good = payoutOrder({ destination: bank('SN08 1234'), currency });
    await provider.send(good);
    await ended(good.id, 'succeeded');
    const bad = payoutOrder({ destination: bank('SN08 001'), currency });
    expect(await provider.send(bad)).toMatchObject({ status: 'failed' });
  }
});

it('a payout that waits for the operator to open can be canceled until then', async () => {
  const [canceled, later] = [await sent('007'), await sent('007')];
  for (let turn = 0; turn < 2; turn += 1) {
    expect(await provider.cancelQueued!(canceled.id)).toMatchObject({ status: 'canceled' });
  }
  await actOnPayout(running, 'sandbox', later.id, { action: 'open' });
  await ended(later.id, 'succeeded');
  expect(await provider.cancelQueued!(later.id)).toMatchObject({ status: 'succeeded' });
  expect(await provider.find(canceled.id)).toMatchObject({ status: 'canceled' });
  const unseen = await errorOf(provider.cancelQueued!(randomUUID()));
  expect(unseen.message).toContain('404');
});

describe('what a person does at the operator', () => {
  const act = (id: string, action: Parameters<typeof actOnPayout>[3]) =>
    actOnPayout(running, 'sandbox', id, action);
  const paidOrder = async () => {
    const order = await sent('100');
    await ended(order.id, 'succeeded');
    return order;
  };

  it('pays or fails what is under way, and nothing else', async () => {
    const [one, other] = [await sent('007'), await sent('007')];
    await act(one.id, { action: 'pay' });
    await act(other.id, { action: 'fail' });
    expect(await provider.find(one.id)).toMatchObject({ status: 'succeeded' });
    expect(await provider.find(other.id)).toMatchObject({ status: 'failed' });
    for (const action of ['pay', 'fail', 'open', 'pay_after_failure'] as const) {
      await expect(act(one.id, { action })).rejects.toThrow('does not fit');
    }
  });

  it('is final: what would have happened by itself does not happen any more', async () => {
    const hurried = { closed_ms: 1_000, settle_ms: 1 };
    const own = await startTestGateway({ notification_url: receiver.url, durations: hurried });
    const operator = payoutsOf(own, 'sandbox');
    const [canceled, later] = [toPhone('007'), toPhone('007')];
    await operator.send(canceled);
    const { status } = await operator.cancelQueued!(canceled.id);
    await operator.send(later);
    await waitFor(async () =>
      (await listPaid(own, 'sandbox')).some((one) => one.payout_id === later.id),
    );
    // On a very slow machine the hour was over before the cancellation.
    const expected = status === 'canceled' ? 'canceled' : 'succeeded';
    expect(await operator.find(canceled.id)).toMatchObject({ status: expected });
  });

  it('returns a payout in parts, and never more than was paid', async () => {
    const { id } = await paidOrder();
    await act(id, { action: 'return', amount: '2000' });
    expect(await provider.find(id)).toMatchObject({ status: 'returned', returned: 200_000n });
    await expect(act(id, { action: 'return', amount: '3001' })).rejects.toThrow('does not fit');
    await act(id, { action: 'return' });
    expect(await provider.find(id)).toMatchObject({ status: 'returned', returned: 500_000n });
  });

  it('lets one fail after it was paid, which is a return, and pays one that had failed', async () => {
    const { id } = await paidOrder();
    await act(id, { action: 'late_fail' });
    const late = { status: 'returned', returned: 500_000n, failure: { code: 'rejected' } };
    expect(await provider.find(id)).toMatchObject(late);
    const order = await sent('006');
    await ended(order.id, 'failed');
    await act(order.id, { action: 'pay_after_failure' });
    expect(await provider.find(order.id)).toMatchObject(paid);
  });

  it('sends callbacks again: twice, with another amount, by a forger', async () => {
    const order = await sent('011');
    const forged = { times: 2, amount: '7000', signed_by: 'live' } as const;
    const answers = await notifyOfPayout(running, 'sandbox', order.id, forged);
    expect(answers).toEqual(['accepted', 'accepted']);
    const told = expect.objectContaining({ amount: '7000', environment: 'sandbox' }) as unknown;
    expect(callbacksFor(order.id)).toEqual([told, told]);
    const { raw, headers } = receiver.accepted.find(({ json }) => json['payout_id'] === order.id)!;
    for (const environment of ['sandbox', 'live'] as const) {
      const reading = payoutsOf(running, environment).readNotification(raw, headers);
      expect(reading).toMatchObject({ fault: 'signature' });
    }
  });

  it('is refused where it is written wrongly, as orders are', async () => {
    const { id, ...rest } = await sent('007');
    for (const [path, body] of [
      [`/payouts/${id}/act`, { action: 'dance' }],
      [`/payouts/${id}/act`, { action: 'return', amount: '1.5' }],
      [`/payouts/${id}/notify`, { times: 0 }],
      ...['5000.00', '0', '-5', 5000].map(
        (amount) => ['/payouts', { ...rest, payout_id: id, amount }] as const,
      ),
    ] as const) {
      expect((await callGateway(running, 'sandbox', 'POST', path, body)).status).toBe(422);
    }
    const stranger = actOnPayout(running, 'live', id, { action: 'pay' });
    await expect(stranger).rejects.toThrow('payout_not_seen');
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
    const checked = (await check(to(digits)))!;
    expect(checked).toMatchObject({ payable, name_found, rail: { operator: 'orange_sn', state } });
    if (state === 'open') expect(await provider.rails()).toContainEqual(checked.rail);
  });

  it.each([
    ['+221761234567', null, 'free_sn'],
    ['+2250712345678', null, 'orange_ci'],
    ['+2250512345678', null, 'mtn_ci'],
    ['+2250112345678', null, 'moov_ci'],
    ['+2290197123456', null, 'mtn_bj'],
    ['+22995123456', null, 'moov_bj'],
    ['+22890123456', null, 'yas_tg'],
    ['+22372123456', null, 'orange_ml'],
    ['+22662123456', null, 'moov_bf'],
    ['+22796123456', null, 'airtel_ne'],
    ['+22790123456', null, 'zamani_ne'],
    ['+221771234567', 'wave_sn', 'wave_sn'],
    ['+221771234567', 'wave_ci', undefined],
    ['+33612345678', null, undefined],
    ['+22177123456', null, undefined],
    ['+221331234567', null, undefined],
  ])('of %s through %s is of %s', async (number, named, operator) => {
    expect((await check(phone(number, named)))?.rail.operator).toBe(operator);
  });

  it('finds another name where the one that was given is that of the other', async () => {
    expect((await check(to('004'), 'Moussa Sarr'))?.name_found).toBe('Fatou Bâ');
    expect((await check(to('100'), null))?.name_found).toBe('Awa Diop');
  });

  it('knows no names at some operators and banks, and pays banks in each currency', async () => {
    const nameless = { rail: { name_check: 'none' }, name_found: null };
    expect(await check(phone('+22790123456'))).toMatchObject(nameless);
    const rail = { type: 'bank', operator: null, country: null, name_check: 'none' };
    expect(await check(bank('FR76 123'), null, 'EUR')).toMatchObject({ ...nameless, rail });
    expect((await check(bank('SN08 123'), null))?.name_found).toBe('Atelier Awa');
    const banks = (await provider.rails()).filter(({ type }) => type === 'bank');
    expect(banks.map(({ currency }) => currency)).toEqual(['XOF', 'EUR', 'USD']);
  });
});

it('the float falls with what is paid, rises with what fails or comes back, and pays nothing beyond', async () => {
  const own = await startTestGateway({ notification_url: receiver.url });
  const operator = payoutsOf(own, 'sandbox');
  const xof = async (): Promise<bigint> =>
    (await operator.float()).find(({ currency }) => currency === 'XOF')!.amount;
  const start = await xof();
  const [one, other] = [toPhone('007'), { ...toPhone('007'), amount: 100_000n as Minor }];
  await operator.send(one);
  await operator.send(other);
  expect(await xof()).toBe(start - 600_000n);
  await actOnPayout(own, 'sandbox', other.id, { action: 'fail' });
  await actOnPayout(own, 'sandbox', one.id, { action: 'pay' });
  expect(await xof()).toBe(start - 500_000n);
  await actOnPayout(own, 'sandbox', one.id, { action: 'return', amount: '2000' });
  expect(await xof()).toBe(start - 300_000n);
  await setFloat(own, 'sandbox', { currency: 'XOF', amount: '4999' });
  const refused = failed('provider_out_of_funds', 'FLOAT_TOO_LOW');
  expect(await operator.send(payoutOrder())).toMatchObject(refused);
  expect(await xof()).toBe(499_900n);
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

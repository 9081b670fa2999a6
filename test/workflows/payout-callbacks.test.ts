// The operator's callbacks, as they come: never, twice, before the answer, with other words in them, and for money
// that comes back. A callback only brings the next question forward; what is booked is the answer to it.

import { randomUUID } from 'node:crypto';
import { balanceOf } from '../support/balances';
import { expectBooksHold } from '../support/books';
import { startTestApi, type TestApi } from '../support/api';
import { request, type HttpResponse } from '../support/http';
import { setFaults } from '../support/sandbox-gateway';
import { actOnPayout, notifyOfPayout, listPaid } from '../support/sandbox-payouts';
import { fund } from '../support/users';
import { waitFor } from '../support/wait';

type Payout = HttpResponse['json'];

/** In minor units: what one payout takes. */
const TOTAL = 500_000n;

let api: TestApi;
/** The wallet's balance before each test. */
let before: bigint;

beforeAll(async () => {
  api = await startTestApi({ gateway: { durations: { settle_ms: 100 } } });
  await fund(api.database.db, api.merchant.id, 'sandbox', 'XOF', 10_000_000n);
});

beforeEach(async () => {
  before = await wallet();
});

afterEach(() => expectBooksHold(api.database.db));

const wallet = (): Promise<bigint> => balanceOf(api.database.db, api.merchant, 'XOF', 'sandbox');

async function order(phone: string): Promise<Payout> {
  const body = { currency: 'XOF', amount: 5000, destination: { type: 'mobile_money', phone } };
  const options = { key: api.test_key, idempotency_key: randomUUID(), body };
  const { status, json } = await request(api.service, 'POST', '/payouts', options);
  expect(status).toBe(201);
  return json;
}

async function show({ id }: Payout): Promise<Payout> {
  const shown = await request(api.service, 'GET', `/payouts/${id as string}`, {
    key: api.test_key,
  });
  return shown.json;
}

const until = (payout: Payout, fields: Readonly<Record<string, unknown>>): Promise<Payout> =>
  waitFor(async () => {
    const json = await show(payout);
    return Object.entries(fields).every(([name, value]) => json[name] === value) && json;
  });

/** The types of its events, in their order. */
async function eventsOf({ id }: Payout): Promise<string[]> {
  const { rows } = await api.database.owner.raw(
    'select type from events where payout_id = ? order by sequence',
    [id],
  );
  return (rows as { type: string }[]).map(({ type }) => type);
}

async function noticedAt({ id }: Payout): Promise<unknown> {
  const { rows } = await api.database.owner.raw('select notified_at from payouts where id = ?', [
    id,
  ]);
  return (rows as [{ notified_at: unknown }])[0].notified_at;
}

const paidFor = async ({ id }: Payout): Promise<number> =>
  (await listPaid(api.gateway, 'sandbox')).filter(({ payout_id }) => payout_id === id).length;

describe('a callback', () => {
  it('that comes twice settles once', async () => {
    const payout = await order('+221770000012');
    await until(payout, { status: 'succeeded' });
    const times = { times: 3 } as const;
    const answers = await notifyOfPayout(api.gateway, 'sandbox', payout.id as string, times);
    expect(answers).toEqual(['accepted', 'accepted', 'accepted']);
    await waitFor(async () => (await noticedAt(payout)) === null);
    expect(await eventsOf(payout)).toEqual(['payout.sent', 'payout.succeeded']);
    expect([await paidFor(payout), await wallet()]).toEqual([1, before - TOTAL]);
  });

  it('that comes before the answer is not lost', async () => {
    await setFaults(api.gateway, 'sandbox', { fail: 'hang', after_work: true, only: 'payout' });
    const payout = await order('+221770000100');
    // It is paid, and the question is still open.
    await waitFor(async () => (await noticedAt(payout)) !== null);
    expect(await show(payout)).toMatchObject({ status: 'pending', stage: 'unknown' });
    await until(payout, { status: 'succeeded' });
    await setFaults(api.gateway, 'sandbox', {});
    expect([await paidFor(payout), await wallet()]).toEqual([1, before - TOTAL]);
  });

  it('with another amount changes nothing: the answer counts', async () => {
    const payout = await order('+221770000007');
    await waitFor(async () => (await show(payout)).provider.payment_id !== null);
    const act = { amount: '999999' } as const;
    expect(await notifyOfPayout(api.gateway, 'sandbox', payout.id as string, act)).toEqual([
      'accepted',
    ]);
    await waitFor(async () => (await noticedAt(payout)) === null);
    expect(await show(payout)).toMatchObject({ status: 'pending', stage: 'queued', amount: 5000 });
    expect(await wallet()).toBe(before - TOTAL);
    await actOnPayout(api.gateway, 'sandbox', payout.id as string, { action: 'open' });
    await until(payout, { status: 'succeeded' });
    expect([await paidFor(payout), await wallet()]).toEqual([1, before - TOTAL]);
  });

  it('with the secret of the other environment is refused, and nobody is asked', async () => {
    const payout = await order('+221770000007');
    await waitFor(async () => (await show(payout)).provider.payment_id !== null);
    const act = { signed_by: 'live' } as const;
    const [answer] = await notifyOfPayout(api.gateway, 'sandbox', payout.id as string, act);
    expect(answer).toMatch(/^status 4/);
    expect(await noticedAt(payout)).toBeNull();
  });
});

it('the operator pays what it had said it would not: the money stays where it is, and operators are told', async () => {
  const payout = await order('+221770000006');
  await until(payout, { status: 'failed' });
  await actOnPayout(api.gateway, 'sandbox', payout.id as string, { action: 'pay_after_failure' });
  await waitFor(() =>
    api.service.log.some(
      ({ part, payout: named }) => part === 'payouts' && named === payout.reference,
    ),
  );
  expect(await show(payout)).toMatchObject({ status: 'failed' });
  expect(await wallet()).toBe(before);
  await expect(expectBooksHold(api.database.db)).rejects.toThrow('gateway gave money away');
});

it('money that comes back in two parts is returned when all of it is there', async () => {
  const payout = await order('+221770000100');
  await until(payout, { status: 'succeeded' });
  const act = { action: 'return', amount: '1500' } as const;
  await actOnPayout(api.gateway, 'sandbox', payout.id as string, act);
  await until(payout, { status: 'succeeded', returned_amount: 1500 });
  expect(await wallet()).toBe(before - TOTAL + 150_000n);
  await actOnPayout(api.gateway, 'sandbox', payout.id as string, { action: 'return' });
  await until(payout, { status: 'returned', returned_amount: 5000 });
  expect(await wallet()).toBe(before);
  expect((await eventsOf(payout)).filter((type) => type === 'payout.returned')).toHaveLength(2);
});

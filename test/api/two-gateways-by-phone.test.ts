// pawaPay and the simulated operators in one environment. Whichever gateway a link is of, its customer pays by phone at
// the first one that has the operator; that one tells of the payment, and refunds it.

import { generateKeyPairSync } from 'node:crypto';
import { setUp } from '../support/database';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import type { HttpResponse } from '../support/http';
import { actAt, adapterOf } from '../support/sandbox-gateway';
import { pressPhone } from '../support/sandbox-phones';
import { waitFor } from '../support/wait';
import { startSideBySide, type GatewayName } from './support/side-by-side';
import { setFees } from '../support/fees';

type Json = HttpResponse['json'];

const CALLBACKS = '/internal/gateway/notifications';

const both = setUp(startSideBySide);

beforeAll(async () => {
  await setFees(both.database.owner, { kinds: ['payment_intent'], percent: 2 });
});

afterEach(() => expectBooksHold(both.database.db));

/** Nothing happens before their owners confirm. The fee is 2 %. */
const CUSTOMERS = {
  ivorian: {
    method: { operator: 'mtn_ci', country: 'CI', currency: 'XOF' },
    phone: '+2250500000013',
    price: { amount: 5000, fee: 100, back: 2000 },
  },
  togolese: {
    method: { operator: 'yas_tg', country: 'TG', currency: 'XOF' },
    phone: '+22890000013',
    price: { amount: 5000, fee: 100, back: 2000 },
  },
  congolese: {
    method: { operator: 'vodacom_mpesa_cod', country: 'CD', currency: 'USD' },
    phone: '+243810000013',
    price: { amount: 12.5, fee: 0.25, back: 2.5 },
  },
} as const;

async function order(path: string, body: object): Promise<Json> {
  const { status, json } = await both.call('POST', path, body);
  expect({ status, json }).toMatchObject({ status: 201 });
  return json;
}

const until = (path: string, status: string): Promise<Json> =>
  waitFor(async () => {
    const { json } = await both.call('GET', path);
    return json.status === status && json;
  });

async function confirm(id: string, at: GatewayName): Promise<void> {
  if (at === 'sandbox') {
    await pressPhone(both.gateway, 'live', id, 'confirm');
    return;
  }
  const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  expect(await both.pawapay.callBack(id, { key })).toBe(401);
  both.pawapay.approve(id);
}

const countCallbacks = (): number =>
  both.service().access_lines.filter(({ route, status }) => route === CALLBACKS && status === 200)
    .length;

/** The requests for the attempt that each gateway has served. */
async function servedBy(id: string): Promise<Readonly<Record<GatewayName, readonly string[]>>> {
  const pawapay = both.pawapay.seen
    .filter(({ method, body }) => method === 'POST' && (body as Json).depositId === id)
    .map(({ path }) => path.replace('/v2/', ''));
  const sandbox = adapterOf(both.gateway, 'live');
  const charge = await sandbox.phones!.findCharge(id);
  if (charge === 'never_seen' || charge.status !== 'paid') return { pawapay, sandbox: [] };
  const hour = (number: number) => new Date(Date.now() + number * 3_600_000).toISOString();
  const { items } = await sandbox.listRefunds({ from: hour(-1), to: hour(1) });
  const { provider_payment_id } = charge.payment;
  const refunds = items.filter((refund) => refund.provider_payment_id === provider_payment_id);
  return { pawapay, sandbox: ['deposits', ...refunds.map(() => 'refunds')] };
}

it.each([
  ['pawapay', 'ivorian', 'pawapay', 'dial'],
  ['pawapay', 'togolese', 'sandbox', 'prompt'],
  ['sandbox', 'ivorian', 'sandbox', 'prompt'],
  ['sandbox', 'congolese', 'pawapay', 'prompt'],
] as const)('a link of %s, paid by the %s customer, is paid at %s', async (own, who, at, step) => {
  await both.choose(own);
  const { method, phone, price } = CUSTOMERS[who];
  const { operator, country, currency } = method;
  const balance = () => balanceOf(both.database.db, both.merchant, currency);
  const intent = await order('/payment-intents', { amount: price.amount, currency });
  expect(intent.checkout_url === intent.pay_url).toBe(own === 'pawapay');
  const before = await balance();

  const offered = await both.call(
    'GET',
    `/payment-methods?currency=${currency}&country=${country}`,
  );
  expect(offered.json.payment_methods).toContainEqual(expect.objectContaining({ ...method, step }));
  const path = `/payment-intents/${intent.id}`;
  const attempt = await order(`${path}/attempts`, { operator, phone });
  expect(attempt).toMatchObject({ status: 'waiting', next_step: { kind: step } });
  const callbacks = countCallbacks();
  await confirm(attempt.id, at);

  const paid = await until(path, 'succeeded');
  expect(paid).toMatchObject({ amount_received: price.amount, fee: price.fee });
  await until(`${path}/attempts/${attempt.id}`, 'succeeded');
  await waitFor(() => countCallbacks() > callbacks);
  const net = BigInt(Math.round((price.amount - price.fee) * 100));
  expect((await balance()) - before).toBe(net);
  // The checkout of the link's own gateway takes no second payment.
  if (own === 'sandbox') {
    await waitFor(async () => {
      const page = await fetch(intent.checkout_url);
      return !(await page.text()).includes('name="action"');
    });
    expect((await actAt(intent.checkout_url, 'pay')).status).toBe(409);
  }

  const refund = await order(`${path}/refunds`, { amount: price.back });
  await until(`/refunds/${refund.id}`, 'succeeded');
  expect((await balance()) - before).toBe(net - BigInt(price.back * 100));
  const other = at === 'pawapay' ? 'sandbox' : 'pawapay';
  expect(await servedBy(attempt.id)).toEqual({ [at]: ['deposits', 'refunds'], [other]: [] });
});

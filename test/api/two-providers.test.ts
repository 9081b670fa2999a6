// pawaPay and the simulated operator in one environment: each pays what the other does not, alone and in a batch, and
// finishes what it began.

import { setUp } from '../support/database';
import { expectBooksHold } from '../support/books';
import type { HttpResponse } from '../support/http';
import { listPayouts } from '../support/sandbox-payouts';
import { fund } from '../support/users';
import { waitFor } from '../support/wait';
import { startSideBySide } from './support/side-by-side';

const both = setUp(startSideBySide);

beforeAll(async () => {
  const { database, merchant } = both;
  await fund(database.db, merchant.id, 'live', 'XOF', 100_000_000n);
  await fund(database.db, merchant.id, 'live', 'USD', 100_000_000n);
});

afterEach(() => {
  both.pawapay.fault = undefined;
  return expectBooksHold(both.database.db);
});

const to = (phone: string) => ({ type: 'mobile_money', phone });
const ORDERS = {
  // Orange of Côte d'Ivoire both pay: pawaPay is first.
  ivorian: { destination: to('+2250700000100'), currency: 'XOF', amount: 5000 },
  congolese: { destination: to('+243810000100'), currency: 'USD', amount: 12.5 },
  togolese: { destination: to('+22890000100'), currency: 'XOF', amount: 5000 },
  bank: {
    destination: { type: 'bank', account: 'CI93CI0080111301134291200589', name: 'Awa Diop' },
    currency: 'XOF',
    amount: 5000,
  },
};

const check = (order: keyof typeof ORDERS): Promise<HttpResponse> => {
  const { destination, currency } = ORDERS[order];
  return both.call('POST', '/payout-destinations/check', { destination, currency });
};

const paidBy = async (id_or_reference: string): Promise<string> => {
  const { json } = await waitFor(async () => {
    const shown = await both.call('GET', `/payouts/${id_or_reference}`);
    return shown.json.status === 'succeeded' && shown;
  });
  const at_operator = (await listPayouts(both.gateway, 'live')).some(
    ({ payout_id }) => payout_id === json.id,
  );
  const at_pawapay = both.pawapay.seen.some(
    ({ body }) => (body as { payoutId?: string }).payoutId === json.id,
  );
  return [at_pawapay && 'pawapay', at_operator && 'sandbox'].filter(Boolean).join();
};

it.each([
  ['ivorian', 'pawapay', 'orange_ci'],
  ['congolese', 'pawapay', 'vodacom_mpesa_cod'],
  ['togolese', 'sandbox', 'yas_tg'],
  ['bank', 'sandbox', null],
] as const)('a payout to %s is paid by %s', async (order, provider, operator) => {
  expect((await check(order)).json).toMatchObject({ operator });
  const { status, json } = await both.call('POST', '/payouts', ORDERS[order]);
  expect(status).toBe(201);
  expect(await paidBy(json.id)).toBe(provider);
});

it('is refused where neither pays', async () => {
  const order = { ...ORDERS.ivorian, destination: to('+33612345678') };
  const { status, json } = await both.call('POST', '/payouts', order);
  expect([status, json.error.code]).toEqual([422, 'unsupported_destination']);
});

it('goes to the one that answers, while the other one does not', async () => {
  both.pawapay.fault = { answer: 'reset' };
  const { json } = await both.call('POST', '/payouts', ORDERS.ivorian);
  expect(await paidBy(json.id)).toBe('sandbox');
});

it('a batch is paid by both', async () => {
  const payouts = [ORDERS.ivorian, ORDERS.togolese, ORDERS.congolese].map((order) => ({
    ...order,
    name: 'Awa Diop',
  }));
  const ordered = await both.call('POST', '/payout-batches', { payouts, confirm: true });
  expect(ordered.status).toBe(202);
  const path = `/payout-batches/${ordered.json.id}`;
  await waitFor(async () => (await both.call('GET', path)).json.status === 'completed');
  const items = (await both.call('GET', `${path}/payouts?limit=10`)).json.payouts;
  const references = items.map(({ reference }: { readonly reference: string }) => reference);
  expect(await Promise.all(references.map(paidBy))).toEqual(['pawapay', 'sandbox', 'pawapay']);
});

// pawaPay and the simulated operator in one environment: each pays what the other does not, alone and in a batch, and
// finishes what it began.

import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { startPawapay, type PawapaySimulator } from '../../dev/simulators/pawapay/server';
import { expectBooksHold } from '../support/books';
import { gatewayConfig } from '../support/api';
import { closeAfterFile } from '../support/cleanup';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { request, type HttpResponse } from '../support/http';
import { pickTestPort } from '../support/ports';
import { startTestGateway, type RunningGateway } from '../support/sandbox-gateway';
import { listPayouts } from '../support/sandbox-payouts';
import { startTestService, type TestService } from '../support/service';
import { buildApiKey, buildUser, fund } from '../support/users';
import { waitFor } from '../support/wait';

const TOKEN = 'a-token-of-the-tests';
const UNLIMITED = { requests_per_minute: 1_000_000, writes_per_minute: 1_000_000 };

let database: TestDatabase;
let gateway: RunningGateway;
let pawapay: PawapaySimulator;
let service: TestService;
let key: string;

beforeAll(async () => {
  database = await createTestDatabase();
  const port = await pickTestPort();
  const public_url = `http://127.0.0.1:${port}`;
  const callback_url = `${public_url}/internal/gateway/notifications`;
  gateway = await startTestGateway({ notification_url: callback_url });
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  pawapay = await startPawapay({ token: TOKEN, callback_url, key: privateKey });
  closeAfterFile(() => pawapay.stop());
  const account = { url: pawapay.url, token: TOKEN, callback_keys: [pawapay.public_key] };
  service = await startTestService({
    database,
    webhooks: false,
    overrides: {
      port,
      public_url,
      pay_url_base: public_url,
      gateway: { ...gatewayConfig(gateway), pawapay: { ...account, callback_url } },
    },
  });
  const user = await buildUser(database.db);
  ({ key } = await buildApiKey(database.db, { user, environment: 'live', ...UNLIMITED }));
  await fund(database.db, user.id, 'live', 'XOF', 100_000_000n);
  await fund(database.db, user.id, 'live', 'USD', 100_000_000n);
});

afterEach(() => {
  pawapay.fault = undefined;
  return expectBooksHold(database.db);
});

const call = (method: 'GET' | 'POST', path: string, body?: object): Promise<HttpResponse> =>
  request(service, method, path, { key, ...(body ? { body, idempotency_key: randomUUID() } : {}) });

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
  return call('POST', '/payout-destinations/check', { destination, currency });
};

const paidBy = async (id_or_reference: string): Promise<string> => {
  const { json } = await waitFor(async () => {
    const shown = await call('GET', `/payouts/${id_or_reference}`);
    return shown.json.status === 'succeeded' && shown;
  });
  const at_operator = (await listPayouts(gateway, 'live')).some(
    ({ payout_id }) => payout_id === json.id,
  );
  const at_pawapay = pawapay.seen.some(
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
  const { status, json } = await call('POST', '/payouts', ORDERS[order]);
  expect(status).toBe(201);
  expect(await paidBy(json.id)).toBe(provider);
});

it('is refused where neither pays', async () => {
  const order = { ...ORDERS.ivorian, destination: to('+33612345678') };
  const { status, json } = await call('POST', '/payouts', order);
  expect([status, json.error.code]).toEqual([422, 'unsupported_destination']);
});

it('goes to the one that answers, while the other one does not', async () => {
  pawapay.fault = { answer: 'reset' };
  const { json } = await call('POST', '/payouts', ORDERS.ivorian);
  expect(await paidBy(json.id)).toBe('sandbox');
});

it('a batch is paid by both', async () => {
  const payouts = [ORDERS.ivorian, ORDERS.togolese, ORDERS.congolese].map((order) => ({
    ...order,
    name: 'Awa Diop',
  }));
  const ordered = await call('POST', '/payout-batches', { payouts });
  expect(ordered.status).toBe(202);
  const path = `/payout-batches/${ordered.json.id}`;
  await waitFor(async () => (await call('GET', path)).json.status === 'completed');
  const items = (await call('GET', `${path}/payouts?limit=10`)).json.payouts;
  const references = items.map(({ reference }: { readonly reference: string }) => reference);
  expect(await Promise.all(references.map(paidBy))).toEqual(['pawapay', 'sandbox', 'pawapay']);
});

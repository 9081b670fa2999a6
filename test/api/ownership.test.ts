// Two merchants, each in two environments, and everything that each may see and change. A record that belongs to
// another answers the same bytes as one that does not exist.

import { randomUUID } from 'node:crypto';
import { ROUTES } from '../../api/routes';
import { issueFeeInvoices } from '../../db/ledger/fee-invoices';
import { ENVIRONMENTS, type Environment } from '../../domain/environment';
import { makeShortCode, makeTransferReference } from '../../secrets/random';
import { startTestApi } from '../support/api';
import { setUp } from '../support/database';
import { setFees } from '../support/fees';
import type { HttpResponse } from '../support/http';
import { buildAccount, type Account } from './support/accounts';
import { callApi, refusal } from './support/contract';
import { disputePayment } from './support/disputes';
import { payLink } from './support/refunds';
import { call, createEndpoint, essence, listDeliveries } from './support/webhooks';

const api = setUp(startTestApi);
const stranger = setUp(() => buildAccount(api.database, { live: FUNDS, sandbox: FUNDS }));
let keys: Record<string, string>;
let owned: Record<string, Record<keyof typeof THINGS, readonly string[]>>;

const FUNDS = { XOF: 100_000n, EUR: 100_000n };
const VIEWS = ['first', 'second'].flatMap((name) =>
  ENVIRONMENTS.map((environment) => `${name} ${environment}`),
);
/** Another environment of the same account, and another account in the same environment. */
const STRANGERS = [
  ['first live', 'first sandbox'],
  ['first sandbox', 'first live'],
  ['first live', 'second live'],
  ['second sandbox', 'first sandbox'],
] as const;

/** The things that a path names: the code when there is no such thing, and names that nothing has. */
const THINGS = {
  transactions: ['transaction_not_found', () => [randomUUID(), 'x', '%00']],
  transfers: ['transfer_not_found', () => [makeTransferReference(), 'TRF-', 'trf-x', '%00']],
  'transfer-batches': ['transfer_batch_not_found', () => [randomUUID(), 'x']],
  'payout-batches': ['payout_batch_not_found', () => [randomUUID(), 'x']],
  'payment-intents': ['payment_intent_not_found', () => [randomUUID(), makeShortCode(), '%00']],
  'payment-links': ['payment_link_not_found', () => [randomUUID(), makeShortCode(), '%00']],
  refunds: ['refund_not_found', () => [randomUUID(), 'x']],
  disputes: ['dispute_not_found', () => [randomUUID(), 'x']],
  payouts: ['payout_not_found', () => [randomUUID(), 'PYT-00000000000000000000', 'x', '%00']],
  'webhook-endpoints': ['webhook_endpoint_not_found', () => [randomUUID(), 'x', '%00']],
  events: ['event_not_found', () => [randomUUID(), 'x', '%00']],
  'webhook-deliveries': ['webhook_delivery_not_found', () => [randomUUID(), 'x', '%00']],
  'webhook-resends': ['webhook_resend_not_found', () => [randomUUID(), 'x', '%00']],
  'fee-invoices': ['fee_invoice_not_found', () => ['FEE-2026-999999', 'x', '%00']],
} as const;

/** The body to send where an empty object is refused. */
const BODIES: Readonly<Record<string, object>> = {
  '/payment-intents/{id_or_code}/attempts': { operator: 'free_sn', phone: '+221760000100' },
  '/payment-intents/{id_or_code}/attempts/{attempt_id}/otp': { otp: '1234' },
};

const NAMED = ROUTES.filter(
  // A statement is named by what every account has; test/api/statements.test.ts has whose it is.
  ({ path }) => path.includes('{') && !/^\/(idempotency-keys|statements)\//.test(path),
).map((route) => [`${route.method} ${route.path}`, route] as const);

/** The lists, and whether they have pages. */
const LISTED = new Map(
  ROUTES.filter(({ method }) => method === 'GET').map(({ path, query }) => [
    path,
    query?.properties['limit'] !== undefined,
  ]),
);

beforeAll(async () => {
  [keys, owned] = [{}, {}];
  await setFees(api.database.owner, {
    kinds: ['payment_intent'],
    currency: 'XOF',
    fixed_minor: 100,
  });
  for (const name of ['first', 'second']) {
    const account = await buildAccount(api.database, { live: FUNDS, sandbox: FUNDS });
    for (const environment of ENVIRONMENTS) {
      keys[`${name} ${environment}`] = account[environment];
      owned[`${name} ${environment}`] = await buildThings(account, environment);
    }
  }
});

async function buildThings(account: Account, environment: Environment) {
  const key = account[environment];
  const merchant = { service: api.service, key };
  const send = async (from: string, to: Account): Promise<string> => {
    const body = { to_username: to.username, currency: 'XOF', amount: 1 };
    const { status, json } = await callApi(api.service, 'POST', '/transfers', { key: from, body });
    expect(status).toBe(200);
    return json.reference;
  };
  const transfers = [await send(key, stranger), await send(stranger[environment], account)];
  const { json } = await call(merchant, 'GET', '/transactions');
  const transfer = { to_username: stranger.username, currency: 'XOF', amount: 1 };
  const batch = await call(merchant, 'POST', '/transfer-batches', { transfers: [transfer] });
  const destination = { type: 'mobile_money', phone: '+221770000100' };
  const paid_out = { currency: 'XOF', amount: 100, destination };
  const payouts = await call(merchant, 'POST', '/payout-batches', { payouts: [paid_out] });
  const { id, short_code } = await payLink(api, { key });
  const refund = await call(merchant, 'POST', `/payment-intents/${id}/refunds`, { amount: 1 });
  const dispute = await disputePayment(api, id, { key });
  const waiting = { ...paid_out, confirm: false };
  const payout = (await call(merchant, 'POST', '/payouts', waiting)).json;
  const coffee = { title: 'Coffee', currency: 'XOF', amount: 1 };
  const reusable = (await call(merchant, 'POST', '/payment-links', coffee)).json;
  const endpoint = await createEndpoint(merchant);
  const path = `/webhook-endpoints/${endpoint.id}`;
  const { event_id, delivery_id } = (await call(merchant, 'POST', `${path}/test`)).json;
  const resend = await call(merchant, 'POST', `${path}/resend`);
  const invoiced = { user_id: account.id, environment };
  const invoices = await issueFeeInvoices(
    api.database.operator,
    invoiced,
    'pay.example.com',
    'test',
  );
  return {
    transfers,
    transactions: json.transactions.map((row: { id: string }) => row.id) as string[],
    'transfer-batches': [batch.json.id as string],
    'payout-batches': [payouts.json.id as string],
    'payment-intents': [id as string, short_code as string],
    'payment-links': [reusable.id as string, reusable.code as string],
    refunds: [refund.json.id as string],
    disputes: [dispute.id as string],
    payouts: [payout.id as string, payout.reference as string],
    'webhook-endpoints': [endpoint.id],
    events: [event_id as string],
    'webhook-deliveries': [delivery_id as string],
    'webhook-resends': [resend.json.id as string],
    'fee-invoices': invoices.map(({ number }) => number),
  };
}

const merchantOf = (view: string) => ({ service: api.service, key: keys[view]! });
const get = (view: string, path: string): Promise<HttpResponse> =>
  call(merchantOf(view), 'GET', path);

describe.each(NAMED)('%s', (_name, { method, path, body, sandbox_only }) => {
  const thing = path.split('/')[1] as keyof typeof THINGS;
  const callAs = (viewer: string, name: string) => {
    const sent =
      method === 'PATCH'
        ? { description: 'mine now' }
        : body && (sandbox_only ? { fault: 'swap' } : (BODIES[path] ?? {}));
    return call(merchantOf(viewer), method, path.replace(/\{\w+\}/g, name), sent);
  };

  it.each(STRANGERS)('shows %s nothing that belongs to %s', async (viewer, owner) => {
    const [code, makeUnknown] = THINGS[thing];
    const [unknown, ...others] = makeUnknown();
    const response = await callAs(viewer, unknown!);
    const isRefused = sandbox_only && viewer.endsWith('live');
    expect(response).toMatchObject(refusal(isRefused ? 'forbidden' : code));
    for (const name of others) {
      expect(essence(await callAs(viewer, name))).toEqual(essence(response));
    }
    const is_own_account = viewer.split(' ')[0] === owner.split(' ')[0];
    for (const name of owned[owner]![thing].flatMap((one) => [one, `${one}0`])) {
      const foreign = await callAs(viewer, name);
      expect(foreign).toMatchObject(refusal(isRefused ? 'forbidden' : code));
      // The owner of a link is told that it is in the other environment.
      if (thing === 'payment-intents' && is_own_account) continue;
      expect(essence(foreign)).toEqual(essence(response));
    }
  });
});

describe('a merchant', () => {
  it.each(VIEWS)('is shown everything that the %s account owns', async (view) => {
    for (const [thing, names] of Object.entries(owned[view]!)) {
      for (const name of names) {
        expect([thing, (await get(view, `/${thing}/${name}`)).status]).toEqual([thing, 200]);
      }
    }
    const [sent, received] = owned[view]!.transfers;
    const environment = view.split(' ')[1];
    expect((await get(view, `/transfers/${sent}`)).json).toMatchObject({
      reference: sent,
      direction: 'out',
      environment,
      to_username: stranger.username,
      simulated: environment === 'sandbox',
    });
    expect((await get(view, `/transfers/${received}`)).json).toMatchObject({
      reference: received,
      direction: 'in',
      from_username: stranger.username,
    });
  });

  it('names a link by its id or its short code: not by its reference, and not in another case', async () => {
    const [id, short_code] = owned['first live']!['payment-intents'];
    const shown = await get('first live', `/payment-intents/${id}`);
    for (const name of [id!.toUpperCase(), short_code]) {
      expect((await get('first live', `/payment-intents/${name}`)).text).toBe(shown.text);
    }
    const swapped = short_code!.replace(/[a-zA-Z]/g, (letter) =>
      letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
    );
    for (const name of [shown.json.reference, swapped]) {
      expect(await get('first live', `/payment-intents/${name}`)).toMatchObject(
        refusal('payment_intent_not_found'),
      );
    }
  });

  it.each(VIEWS)('finds in lists of the %s account what is its own', async (view) => {
    const others = VIEWS.filter((name) => name !== view);
    const foreign = new Set(others.flatMap((name) => Object.values(owned[name]!).flat()));
    for (const [thing, [own]] of Object.entries(owned[view]!)) {
      if (!LISTED.has(`/${thing}`)) continue;
      const { json } = await get(view, `/${thing}${LISTED.get(`/${thing}`) ? '?limit=100' : ''}`);
      const rows = Object.values(json as object).find(Array.isArray) as {
        id?: string;
        number: string;
      }[];
      const ids = rows.map(({ id, number }) => id ?? number);
      // The event of a test is in no list.
      const found = { thing, is_there: thing === 'events' || ids.includes(own!) };
      const strange = ids.filter((id) => foreign.has(id));
      expect({ ...found, strange }).toEqual({ thing, is_there: true, strange: [] });
    }
    for (const other of others) {
      for (const query of [
        `endpoint_id=${owned[other]!['webhook-endpoints'][0]}`,
        `event_id=${owned[other]!.events[0]}`,
      ]) {
        expect(await listDeliveries(merchantOf(view), `?${query}`)).toEqual([]);
      }
    }
  });

  it.each(['merchant_id', 'user_id', 'owner_id', 'environment', 'account'])(
    'cannot filter lists by %s',
    async (name) => {
      const response = await get('first live', `/transactions?${name}=${stranger.id}`);
      expect(response).toMatchObject(refusal('invalid_request', name));
    },
  );

  it.each(STRANGERS)('as %s sends nothing to the endpoint of %s', async (viewer, owner) => {
    const [event_id] = owned[viewer]!.events;
    const resend = (endpoint_id: string) =>
      call(merchantOf(viewer), 'POST', `/events/${event_id}/resend`, { endpoint_id });
    const unknown = await resend(randomUUID());
    const foreign = await resend(owned[owner]!['webhook-endpoints'][0]!);
    expect(foreign).toMatchObject(refusal('webhook_endpoint_not_found'));
    expect(essence(foreign)).toEqual(essence(unknown));
    const { rows } = await api.database.owner.raw(
      'select count(*)::int from webhook_deliveries where event_id = ?',
      [event_id!],
    );
    expect(rows[0].count).toBe(1);
  });
});

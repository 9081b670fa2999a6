import { PREFIX } from '../../http/prefix';
import type { Route } from '../../api/route';
import { ROUTES } from '../../api/routes';

import { createTestDatabase, setUp } from '../support/database';
import { request } from '../support/http';
import { fund, setKyc } from '../support/users';
import { postOne } from '../support/postings';
import { startTestService } from '../support/service';
import { buildAccount } from './support/accounts';
import { callApi, expectErrorBody } from './support/contract';
import { requestHead, sendRaw } from './support/raw';

const database = setUp(createTestDatabase);
const service = setUp(() => startTestService({ database }));
const merchant = setUp(() =>
  buildAccount(database, {
    live: { XOF: 500_000n, EUR: 1_234n },
    sandbox: { USD: 7n },
  }),
);
const customer = setUp(() => buildAccount(database));

describe('GET /me', () => {
  it('§4 answers the profile and the environment of a live key', async () => {
    const response = await callApi(service, 'GET', '/me', { key: merchant.live });
    expect(response).toMatchObject({ status: 200, json: { ok: true, environment: 'live' } });
    expect(response.json.profile).toEqual({
      id: merchant.id,
      username: merchant.username,
      email: merchant.email,
      first_name: 'Test',
      last_name: 'Person',
      country: 'SN',
      kyc_status: 'approved',
      display_name: null,
      contact: null,
    });
  });

  it('says sandbox for a test key', async () => {
    const response = await callApi(service, 'GET', '/me', { key: merchant.sandbox });
    expect(response.json.environment).toBe('sandbox');
  });

  it.each(['expired', 'approved'])('shows the identity check as %s', async (status) => {
    await setKyc(database.db, customer.username, status);
    const response = await callApi(service, 'GET', '/me', { key: customer.sandbox });
    expect(response.json.profile.kyc_status).toBe(status);
  });
});

describe('GET /wallets', () => {
  it('§4 answers one wallet per currency, with two decimals in the bytes', async () => {
    const response = await callApi(service, 'GET', '/wallets', { key: merchant.live });
    const wallets = response.text.matchAll(/"currency":"(\w+)","balance":([^,}]+)/g);
    expect([...wallets].map(([, currency, balance]) => `${balance} ${currency}`)).toEqual([
      '5000.00 XOF',
      '12.34 EUR',
      '0.00 USD',
    ]);
  });

  it('keeps the environments apart', async () => {
    const live = await callApi(service, 'GET', '/wallets', { key: merchant.live });
    const sandbox = await callApi(service, 'GET', '/wallets', { key: merchant.sandbox });
    expect(sandbox.json.environment).toBe('sandbox');
    expect(sandbox.text).toContain('"currency":"USD","balance":0.07');
    const ids = (response: typeof live) =>
      response.json.wallets.map(({ id }: { id: string }) => id);
    expect(new Set([...ids(live), ...ids(sandbox)]).size).toBe(6);
  });

  it('shows the largest balance exactly', async () => {
    const rich = await buildAccount(database);
    await fund(database.db, rich.id, 'live', 'EUR', 999_999_999_999_999n);
    const response = await callApi(service, 'GET', '/wallets', { key: rich.live });
    expect(response.text).toContain('"currency":"EUR","balance":9999999999999.99');
  });
});

describe('GET /transactions/{id}', () => {
  it('shows one transaction, as the list does', async () => {
    await postOne(database.db, { from: merchant, to: customer, amount: 150_000n });
    const list = await callApi(service, 'GET', '/transactions?limit=1', { key: merchant.live });
    const [listed] = list.json.transactions;
    const path = `/transactions/${listed.id}`;
    const response = await callApi(service, 'GET', path, { key: merchant.live });
    expect(response.json).toEqual({ ok: true, ...listed });
    expect(listed).toMatchObject({
      type: 'transfer_out',
      status: 'completed',
      direction: 'out',
      currency: 'XOF',
      amount: 1500,
      fee: 0,
      net_amount: 1500,
      balance_after: 3500,
      counterparty: customer.username,
    });
    expect(response.text).toContain('"amount":1500.00,"fee":0.00,"tax":0.00,"net_amount":1500.00');
  });
});

const concrete = ({ path }: Pick<Route, 'path'>): string => path.replace(/\{\w+\}/g, 'x');

describe('methods', () => {
  const paths = [...new Set(ROUTES.map((route) => route.path))];
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'];
  const wrong = paths.flatMap((path) => {
    const allowed = ROUTES.filter((route) => route.path === path).map((route) => route.method);
    return methods
      .filter((method) => !allowed.includes(method as Route['method']))
      .map((method) => [method, path, allowed] as const);
  });

  it.each(wrong)('%s %s answers 405 and names the allowed ones', async (method, path, allowed) => {
    const response = await request(service, method, concrete({ path }), { key: merchant.live });
    expectErrorBody(response, ['method_not_allowed']);
    const named = String(response.headers['allow']).split(', ');
    expect(named.filter((name) => name !== 'HEAD')).toEqual([...allowed]);
  });

  it.each(
    ROUTES.filter(({ method }) => method === 'GET').map((route) => [route.path, route] as const),
  )('HEAD %s answers as GET does, without the body', async (_path, route) => {
    const [get, bodyless] = await Promise.all(
      ['GET', 'HEAD'].map((method) =>
        request(service, method, concrete(route), { key: merchant.live }),
      ),
    );
    expect(bodyless!.status).toBe(get!.status);
    expect(bodyless!.text).toBe('');
    expect(bodyless!.headers['content-type']).toBe(get!.headers['content-type']);
  });

  it.each(paths)('OPTIONS %s names the allowed methods, without a key', async (path) => {
    const response = await request(service, 'OPTIONS', concrete({ path }));
    expect(response.status).toBe(200);
    expect(response.text).toBe('');
    const allowed = ROUTES.filter((route) => route.path === path).map((route) => route.method);
    for (const method of allowed) expect(response.headers['allow']).toContain(method);
  });
});

describe('unknown paths', () => {
  it.each(['/', '/nothing', '/me/more', '/wallets/x', '/transfers/x/y', '/payment_intents'])(
    '%s answers not_found',
    async (path) => {
      for (const method of ['GET', 'POST', 'OPTIONS', 'PROPFIND']) {
        const response = await request(service, method, path, { key: merchant.live });
        expectErrorBody(response, ['not_found']);
      }
    },
  );

  it.each([
    '/%zz',
    '/%00',
    '/transactions/%c3%28',
    '/transactions/..%2f..',
    '/transfers/%0d%0aX-Injected:%20yes',
    `/transactions/${'9'.repeat(4000)}`,
  ])('%s answers 404', async (path) => {
    const line = requestHead(service, `GET ${PREFIX}${path}`, [
      `Authorization: Bearer ${merchant.live}`,
    ]);
    const response = await sendRaw(service, line);
    expectErrorBody(response, ['not_found', 'transaction_not_found', 'transfer_not_found']);
    expect(response.headers['x-injected']).toBeUndefined();
  });

  it.each(['/wallets/', '///wallets//'])(
    'answers %s as without the slashes that are too many',
    async (path) => {
      const response = await request(service, 'GET', path, { key: merchant.live });
      expect(response.status).toBe(200);
    },
  );
});

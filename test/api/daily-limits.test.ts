// The daily limit of a key over HTTP: of all that leaves by it, and of nothing that others send.

import { randomUUID } from 'node:crypto';
import { setUp } from '../support/database';
import { expectBooksHold } from '../support/books';
import { startTestApi } from '../support/api';
import type { HttpResponse } from '../support/http';
import { buildApiKey, buildUser, fund, type TestUser } from '../support/users';
import { callApi, refusal } from './support/contract';
import { payLink, postRefund } from './support/refunds';
import { waitFor } from '../support/wait';

type Json = HttpResponse['json'];

const api = setUp(() => startTestApi({ webhooks: true }));
let bob: TestUser;

beforeAll(async () => {
  await fund(api.database.db, api.merchant.id, 'live', 'XOF', 100_000_000n);
  await fund(api.database.db, api.merchant.id, 'sandbox', 'XOF', 100_000_000n);
});

beforeEach(async () => {
  bob = await buildUser(api.database.db);
});

afterEach(() => expectBooksHold(api.database.db));

const buildKey = async (minor: string, environment: 'live' | 'sandbox' = 'sandbox') => {
  const options = { user: api.merchant, environment, daily_limit: { XOF: minor } };
  return (await buildApiKey(api.database.db, options)).key;
};

const send = (key: string, amount: number, idempotency_key = randomUUID()): Promise<HttpResponse> =>
  callApi(api.service, 'POST', '/transfers', {
    key,
    idempotency_key,
    body: { to_username: bob.username, currency: 'XOF', amount },
  });

const destination = { type: 'mobile_money', phone: '+221770000100' };

const pay = (key: string, amount: number): Promise<HttpResponse> =>
  callApi(api.service, 'POST', '/payouts', {
    key,
    idempotency_key: randomUUID(),
    body: { currency: 'XOF', amount, destination },
  });

describe('the daily limit of a key', () => {
  it('of a transfer tells what it is and what is left; its Idempotency-Key stays free', async () => {
    const key = await buildKey('100000');
    expect((await send(key, 600)).status).toBe(200);
    const idempotency_key = randomUUID();
    const refused = await send(key, 401, idempotency_key);
    expect(refused).toMatchObject(refusal('limit_exceeded'));
    expect(refused.json.error).toMatchObject({
      param: 'amount',
      message: 'Within 24 hours 1000.00 XOF may leave by this API key; 400.00 of it are left.',
      details: {
        limit: 'key_daily',
        currency: 'XOF',
        maximum: 1000,
        used: 600,
        remaining: 400,
        resets_at: expect.stringMatching(/T\d\d:\d\d:00/) as string,
      },
    });
    const { rows } = await api.database.owner.raw(
      `select max(minute) + interval '1 day 1 minute' as at from key_spending`,
    );
    const { resets_at } = refused.json.error.details;
    expect(new Date(resets_at).getTime()).toBe(new Date(rows[0].at).getTime());
    expect((await send(key, 400, idempotency_key)).status).toBe(200);
    // A replay answers when nothing is left.
    expect((await send(key, 400, idempotency_key)).headers['idempotent-replayed']).toBe('true');
    expect((await send(api.test_key, 401)).status).toBe(200);
  });

  it('counts payouts with their fees, alone and in batches', async () => {
    const key = await buildKey('1000000');
    const { status, json } = await pay(key, 6000);
    expect(status).toBe(201);
    const refused = await pay(key, 6000);
    expect(refused).toMatchObject(refusal('limit_exceeded'));
    expect(refused.json.error.details.used).toBe(json.total);
    const ordered = await callApi(api.service, 'POST', '/payout-batches', {
      key,
      idempotency_key: randomUUID(),
      body: {
        payouts: [6000, 2000].map((amount) => ({ currency: 'XOF', amount, destination })),
        confirm: true,
      },
    });
    expect(ordered.status).toBe(202);
    const path = `/payout-batches/${ordered.json.id}`;
    await waitFor(async () => {
      const { json: batch } = await callApi(api.service, 'GET', path, { key });
      return batch.status === 'completed';
    });
    const { json: listed } = await callApi(api.service, 'GET', `${path}/payouts`, { key });
    const items: Json[] = listed.payouts;
    expect(items.map((item: Json) => item.error?.code ?? null)).toEqual(['limit_exceeded', null]);
  });

  it('counts refunds', async () => {
    const key = await buildKey('600000');
    const link = await payLink(api);
    const refused = await postRefund(api, link.id, { amount: 4000 }, { key: await buildKey('1') });
    expect(refused).toMatchObject(refusal('limit_exceeded'));
    expect((await postRefund(api, link.id, { amount: 4000 }, { key })).status).toBe(201);
    expect(await postRefund(api, (await payLink(api)).id, undefined, { key })).toMatchObject(
      refusal('limit_exceeded'),
    );
  });
});

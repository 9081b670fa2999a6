// The daily limit of a key over HTTP: of all that leaves by it, and of nothing that others send.

import { randomUUID } from 'node:crypto';
import { balanceOf } from '../support/balances';
import { expectBooksHold } from '../support/books';
import { startTestApi, type TestApi } from '../support/api';
import { insist, type HttpResponse } from '../support/http';
import { buildApiKey, buildUser, fund, type TestUser } from '../support/users';
import { finished, itemsOf } from './support/batches';
import { callApi, refusal } from './support/contract';
import { payLink, postRefund } from './support/refunds';
import { waitFor } from '../support/wait';

type Json = HttpResponse['json'];

let api: TestApi;
let bob: TestUser;

beforeAll(async () => {
  api = await startTestApi({ webhooks: true });
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
        maximum: '1000.00',
        used: '600.00',
        remaining: '400.00',
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

  it('of 64 transfers at once with room for ten carries out ten, and all of another key', async () => {
    const key = await buildKey('100000', 'live');
    const sendMany = (count: number, by: string) =>
      Promise.all(
        Array.from({ length: count }, () => {
          const idempotency_key = randomUUID();
          return insist(() => send(by, 100, idempotency_key));
        }),
      );
    const [ours, theirs] = await Promise.all([sendMany(64, key), sendMany(20, api.live_key)]);
    const refused = ours.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(54);
    for (const response of refused) expect(response).toMatchObject(refusal('limit_exceeded'));
    expect(theirs.map(({ status }) => status)).toEqual(theirs.map(() => 200));
    expect(await balanceOf(api.database.db, bob)).toBe(300_000n);
  });

  it('fails the items of a batch that are above it', async () => {
    const key = await buildKey('100000', 'live');
    const transfers = [600, 600, 400].map((amount) => ({
      to_username: bob.username,
      currency: 'XOF',
      amount,
    }));
    const ordered = await callApi(api.service, 'POST', '/transfer-batches', {
      key,
      idempotency_key: randomUUID(),
      body: { transfers },
    });
    expect(ordered.status).toBe(202);
    await finished(api.service, ordered.json.id, key);
    const items = await itemsOf(api.service, ordered.json.id, key);
    expect(items.map(({ error }: Json) => error?.code ?? null)).toEqual([
      null,
      'limit_exceeded',
      null,
    ]);
  });

  it('counts payouts with their fees, alone and in batches', async () => {
    const key = await buildKey('1000000');
    const { status, json } = await pay(key, 6000);
    expect(status).toBe(201);
    const refused = await pay(key, 6000);
    expect(refused).toMatchObject(refusal('limit_exceeded'));
    expect(refused.json.error.details.used).toBe(json.total.toFixed(2));
    const ordered = await callApi(api.service, 'POST', '/payout-batches', {
      key,
      idempotency_key: randomUUID(),
      body: { payouts: [6000, 2000].map((amount) => ({ currency: 'XOF', amount, destination })) },
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

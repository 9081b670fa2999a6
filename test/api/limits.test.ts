// Limits over HTTP: what an account is told of its own, what a sender is told of the recipient's, and payments above one.

import { randomUUID } from 'node:crypto';
import { setUp } from '../support/database';
import { expectBooksHold } from '../support/books';
import { startTestApi } from '../support/api';
import type { HttpResponse } from '../support/http';
import { limitAccount } from '../support/limits';
import { buildApiKey, buildUser, fund, type TestUser } from '../support/users';
import { callApi, refusal } from './support/contract';

const api = setUp(() => startTestApi());
let alice: TestUser;
let bob: TestUser;
let key: string;

beforeEach(async () => {
  alice = await buildUser(api.database.db, { funds: { sandbox: { XOF: 10_000_000n } } });
  bob = await buildUser(api.database.db);
  ({ key } = await buildApiKey(api.database.db, { user: alice, environment: 'sandbox' }));
});

afterEach(() => expectBooksHold(api.database.db));

const post = (path: string, body: object): Promise<HttpResponse> =>
  callApi(api.service, 'POST', path, { key, idempotency_key: randomUUID(), body });

const send = (amount: number) =>
  post('/transfers', { to_username: bob.username, currency: 'XOF', amount });

const limits = async () => (await callApi(api.service, 'GET', '/limits', { key })).json;

it('GET /limits has an entry for each limit that holds, with what is used and left', async () => {
  expect(await limits()).toEqual({
    ok: true,
    environment: 'sandbox',
    tier: 'identified',
    limits: [],
  });
  await limitAccount(
    api.database,
    alice,
    { balance: '50000', single_out: '300', daily_out: '1000' },
    'sandbox',
  );
  expect((await send(250)).status).toBe(200);
  const of = { currency: 'XOF', resets_at: null };
  const { limits: held } = await limits();
  expect(held).toEqual([
    { ...of, limit: 'balance', maximum: 50_000, used: 100_000, remaining: 0 },
    { ...of, limit: 'single_out', maximum: 300, used: 0, remaining: 300 },
    {
      ...of,
      limit: 'daily_out',
      maximum: 1_000,
      used: 250,
      remaining: 750,
      resets_at: expect.stringMatching(/T00:00:00/) as string,
    },
  ]);
});

it('a transfer above a limit tells the sender its figures, and of the recipient none', async () => {
  await limitAccount(api.database, alice, { daily_out: '1000' }, 'sandbox');
  await limitAccount(api.database, bob, { single_in: '300' }, 'sandbox');
  const own = await send(1_001);
  expect(own).toMatchObject(refusal('limit_exceeded'));
  expect(own.json.error).toMatchObject({
    param: 'amount',
    details: { limit: 'daily_out', currency: 'XOF', maximum: 1_000, used: 0, remaining: 1_000 },
  });
  const theirs = await send(301);
  expect(theirs).toMatchObject(refusal('limit_exceeded'));
  expect(theirs.json.error.details).toEqual({ limit: 'recipient', currency: 'XOF' });
});

it('money for rehearsals and a link are refused above what the wallet can take', async () => {
  await limitAccount(api.database, alice, { balance: '100100' }, 'sandbox');
  const funded = await post('/sandbox/fund', { currency: 'XOF', amount: 101 });
  expect(funded).toMatchObject(refusal('limit_exceeded'));
  expect(funded.json.error.details).toMatchObject({ limit: 'balance', remaining: 100 });
  expect((await post('/sandbox/fund', { currency: 'XOF', amount: 100 })).status).toBe(201);
  const link = await post('/payment-intents', { currency: 'XOF', amount: 100_101, country: 'SN' });
  expect(link).toMatchObject(refusal('limit_exceeded'));
  await fund(api.database.db, bob.id, 'live', 'XOF', 100n);
});

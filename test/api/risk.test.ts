// What callers see of rules: 202 and 403, the way of what is held, and its events.

import { randomUUID } from 'node:crypto';
import { startTestApi } from '../support/api';
import { expectBooksHold } from '../support/books';
import { setUp } from '../support/database';
import { decide, latestCase, removeRules, setRule } from '../support/risk';
import { buildApiKey, buildUser, type TestUser } from '../support/users';
import { callApi, refusal, untilStatus } from './support/contract';

const api = setUp(() => startTestApi());
const sender = setUp(() =>
  buildUser(api.database.db, { funds: { sandbox: { XOF: 100_000_000n } } }),
);
const recipient = setUp(() => buildUser(api.database.db));
let key: string;

beforeAll(async () => {
  key = await keyOf(sender);
  const types = ['transfer.held', 'transfer.refused', 'transfer.sent', 'payout.held'] as const;
  const url = 'https://shop.example.com/hooks';
  await post('/webhook-endpoints', { url, types });
});
afterEach(async () => {
  await removeRules(api.database.owner);
  await expectBooksHold(api.database.db);
});

const keyOf = async (user: TestUser): Promise<string> =>
  (await buildApiKey(api.database.db, { user, environment: 'sandbox' })).key;
const get = (path: string, by = key) => callApi(api.service, 'GET', path, { key: by });
const post = (path: string, body: object, idempotency_key: string = randomUUID()) =>
  callApi(api.service, 'POST', path, { key, body, idempotency_key });
const transfer = (amount: number) => ({
  to_username: recipient.username,
  currency: 'XOF',
  amount,
});
const eventsAfter = async (reference: string): Promise<string[]> =>
  (await get('/events?limit=100')).json.events
    .filter(({ data }: { data: { reference: string } }) => data.reference === reference)
    .map(({ type }: { type: string }) => type);

it('counts by the address of the caller', async () => {
  const velocity = { kind: 'velocity', counted_by: 'ip', window_seconds: 3_600, most_count: 2 };
  const statuses: number[] = [];
  await setRule(api.database.operator, {
    ...velocity,
    watches: ['transfer'],
    environment: 'sandbox',
  });
  for (let n = 0; n < 3; n += 1) statuses.push((await post('/transfers', transfer(10))).status);
  expect(statuses).toEqual([200, 200, 202]);
  expect(await latestCase(api.database.db)).toMatchObject({ reasons: [{ name: 'large' }] });
});

it('answers 202 for a transfer that is held, and the same for ever', async () => {
  await setRule(api.database.operator);
  const idempotency_key = randomUUID();
  const held = await post('/transfers', transfer(2_000), idempotency_key);
  expect(held.status).toBe(202);
  const { reference, hold } = held.json;
  expect(held.json).toMatchObject({ ok: true, status: 'held', simulated: true });
  expect(await get(`/transfers/${reference}`)).toMatchObject({ json: { status: 'held', hold } });
  const theirs = await get(`/transfers/${reference}`, await keyOf(recipient));
  expect(theirs).toMatchObject(refusal('transfer_not_found'));
  await decide(api.database.operator, hold.reference, 'release');
  expect(await get(`/transfers/${reference}`)).toMatchObject({
    json: { status: 'simulated', hold: null },
  });
  const replayed = await post('/transfers', transfer(2_000), idempotency_key);
  expect([replayed.status, replayed.text]).toEqual([202, held.text]);
  expect((await get(`/idempotency-keys/${idempotency_key}?operation=transfer`)).json).toMatchObject(
    {
      state: 'completed',
      http_status: 202,
      reference,
    },
  );
  expect((await eventsAfter(reference)).toSorted()).toEqual(['transfer.held', 'transfer.sent']);
});

it('answers 403 risk_refused, without saying why', async () => {
  await setRule(api.database.operator, { decision: 'refuse' });
  const refused = await post('/transfers', transfer(2_000));
  expect(refused).toMatchObject(refusal('risk_refused'));
  expect(refused.text).not.toContain('large');
  const payout = {
    amount: 2_000,
    currency: 'XOF',
    destination: { type: 'mobile_money', phone: '+221770000100' },
  };
  expect(await post('/payouts', payout)).toMatchObject(refusal('risk_refused'));
});

it('refuses what is held when its time is over by the clock of the sandbox', async () => {
  await setRule(api.database.operator);
  const { reference } = (await post('/transfers', transfer(2_000))).json;
  const payout = {
    amount: 2_000,
    currency: 'XOF',
    destination: { type: 'mobile_money', phone: '+221770000100' },
  };
  const ordered = await post('/payouts', payout);
  expect(ordered).toMatchObject({ status: 201, json: { status: 'held', hold: {} } });
  const { waiting } = (await get('/sandbox/clock')).json;
  expect(waiting.map(({ type }: { type: string }) => type)).toEqual(
    expect.arrayContaining(['transfer', 'payout']),
  );
  const advance = { seconds: 73 * 3_600 };
  await callApi(api.service, 'POST', '/sandbox/clock/advance', { key, body: advance });
  await untilStatus(api.service, `/transfers/${reference}`, key, 'refused');
  const failed = await untilStatus(api.service, `/payouts/${ordered.json.id}`, key, 'failed');
  expect(failed).toMatchObject({ failure: { code: 'risk_refused' }, hold: null });
  expect((await eventsAfter(reference)).toSorted()).toEqual(['transfer.held', 'transfer.refused']);
  const { transactions } = (await get(`/transactions?reference=${reference}`)).json;
  expect(
    transactions.map(({ type, status }: Record<string, string>) => `${type} ${status}`),
  ).toEqual(['reversal simulated', 'transfer_out failed']);
});

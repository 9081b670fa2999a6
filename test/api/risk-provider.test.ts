// Orders about which a provider is asked: what its word does to them, that it is asked once, and that those who are
// not asked about wait for nothing.

import { randomUUID } from 'node:crypto';
import { changeSetting } from '../../db/operators/settings';
import { listCases, type RiskCase } from '../../db/risk/cases';
import { startTestApi } from '../support/api';
import { expectBooksHold } from '../support/books';
import { setUp } from '../support/database';
import { decide, latestCase, removeRules, setRule } from '../support/risk';
import { saying, setProvider, startProvider } from '../support/risk-provider';
import { buildApiKey, buildUser } from '../support/users';
import { waitFor } from '../support/wait';
import { callApi, refusal, untilStatus } from './support/contract';
import { finished, itemsOf } from './support/batches';

const api = setUp(() => startTestApi());
const provider = setUp(startProvider);
const sender = setUp(() =>
  buildUser(api.database.db, { funds: { sandbox: { XOF: 100_000_000n } } }),
);
const recipient = setUp(() => buildUser(api.database.db));
let key: string;

beforeAll(async () => {
  key = (await buildApiKey(api.database.db, { user: sender, environment: 'sandbox' })).key;
});
beforeEach(() => {
  provider.asked.length = 0;
});
afterEach(async () => {
  await setProvider(api.database.operator, null);
  await removeRules(api.database.owner);
  await expectBooksHold(api.database.db);
});

const set = (fields: Readonly<Record<string, unknown>> = {}) =>
  setProvider(api.database.operator, { url: provider.url, ...fields });
const get = (path: string) => callApi(api.service, 'GET', path, { key });
const post = (path: string, body: object, idempotency_key: string = randomUUID()) =>
  callApi(api.service, 'POST', path, { key, body, idempotency_key });
const transfer = (amount: number) => ({ to_username: recipient.username, currency: 'XOF', amount });
const payout = (amount: number) => ({
  amount,
  currency: 'XOF',
  destination: { type: 'mobile_money', phone: '+221770000100' },
  name: 'Fatou Sow',
});

const untilHeld = (type: RiskCase['subject_type']): Promise<RiskCase> =>
  waitFor(async () => {
    const found = await listCases(api.database.db, { status: 'held', limit: 100 });
    return found.find(({ subject_type }) => subject_type === type);
  });

it('holds a transfer from the first posting on, and a replay asks nothing', async () => {
  await set();
  provider.behave(saying({ decision: 'hold', reason: 'odd' }));
  const idempotency_key = randomUUID();
  const held = await post('/transfers', transfer(10), idempotency_key);
  expect(held).toMatchObject({ status: 202, json: { status: 'held' } });
  const found = await latestCase(api.database.db);
  expect(found).toMatchObject({
    subject: held.json.reference,
    reasons: [{ source: 'provider', detail: 'odd', decision: 'hold' }],
    asked: { provider: { sent: { id: held.json.reference }, answered: { decision: 'hold' } } },
  });
  expect((await post('/transfers', transfer(10), idempotency_key)).text).toBe(held.text);
  expect(provider.asked).toHaveLength(1);
  provider.behave(saying({ decision: 'refuse' }));
  expect(await post('/transfers', transfer(10))).toMatchObject(refusal('risk_refused'));
  provider.behave(saying({ decision: 'allow' }));
  expect((await post('/transfers', transfer(10))).status).toBe(200);
  expect(provider.asked.map(({ json }) => json.recipient)).toEqual(
    Array(3).fill({ username: recipient.username }),
  );
  await setProvider(api.database.operator, null);
  expect((await post('/transfers', transfer(10))).status).toBe(200);
  expect(provider.asked).toHaveLength(3);
});

it('stands with the rules in one case, the strictest decides', async () => {
  await set();
  await setRule(api.database.operator, { decision: 'refuse' });
  provider.behave(saying({ decision: 'hold' }));
  expect(await post('/transfers', transfer(2_000))).toMatchObject(refusal('risk_refused'));
  expect(await latestCase(api.database.db)).toMatchObject({
    decision: 'refuse',
    reasons: [{ source: 'provider' }, { source: 'rule', name: 'large' }],
  });
});

it('is not asked about what its funds refuse, and there is no case', async () => {
  await set();
  provider.behave(saying({ decision: 'hold' }));
  const poor = await buildUser(api.database.db);
  const theirs = await buildApiKey(api.database.db, { user: poor, environment: 'live' });
  const before = (await listCases(api.database.db, { limit: 1_000 })).length;
  const body = { ...transfer(10), to_username: sender.username };
  const refused = await callApi(api.service, 'POST', '/transfers', {
    key: theirs.key,
    body,
    idempotency_key: randomUUID(),
  });
  expect(refused).toMatchObject(refusal('insufficient_funds'));
  expect(provider.asked).toHaveLength(0);
  expect(await listCases(api.database.db, { limit: 1_000 })).toHaveLength(before);
});

it('holds a payout, which goes on once it is released', async () => {
  await set();
  provider.behave(saying({ decision: 'hold' }));
  const held = await post('/payouts', payout(100));
  expect(held).toMatchObject({ status: 201, json: { status: 'held' } });
  expect(provider.asked[0]!.json).toMatchObject({
    id: held.json.reference,
    recipient: { phone: '+221770000100', name: 'Fatou Sow' },
  });
  await decide(api.database.operator, held.json.hold.reference, 'release');
  await untilStatus(api.service, `/payouts/${held.json.id}`, key, 'succeeded');
  provider.behave(saying({ decision: 'refuse' }));
  expect(await post('/payouts', payout(100))).toMatchObject(refusal('risk_refused'));
});

it('is asked about each item of a batch once, about 16 at most at once', async () => {
  await set({ deadline_ms: 5_000 });
  const transfers = Array.from({ length: 40 }, () => transfer(10));
  const waiting: (() => void)[] = [];
  const answer = (): void => waiting.splice(0).forEach((one) => one());
  provider.behave((response, { json }) => {
    const decision = json.id.endsWith('/3') ? 'hold' : json.id.endsWith('/4') ? 'refuse' : 'allow';
    waiting.push(() => response.end(JSON.stringify({ decision })));
    // A seventeenth question would come before the answer to this one of ours.
    if (waiting.length === 16) void get('/wallets').then(answer);
    else if (provider.asked.length >= transfers.length) answer();
  });
  const { id } = (await post('/transfer-batches', { transfers })).json;
  expect(await finished(api.service, id, key)).toMatchObject({ completed: 38, failed: 1, held: 1 });
  const items = await itemsOf(api.service, id, key);
  expect(items[3]).toMatchObject({ status: 'held' });
  expect(items[4]).toMatchObject({ status: 'failed', error: { code: 'risk_refused' } });
  expect(new Set(provider.asked.map(({ json }) => json.id)).size).toBe(40);
  expect(provider.asked).toHaveLength(40);
  expect(provider.most()).toBe(16);
  const atomic = { transfers: transfers.slice(0, 5), mode: 'atomic' };
  const whole = (await post('/transfer-batches', atomic)).json;
  expect(await finished(api.service, whole.id, key)).toMatchObject({ status: 'failed', failed: 5 });
});

it('holds an item of a payout batch', async () => {
  await set();
  provider.behave(saying({ decision: 'hold' }));
  const ordered = await post('/payout-batches', { payouts: [payout(100)], confirm: true });
  const held = await untilHeld('payout');
  expect(held).toMatchObject({ subject_type: 'payout', reasons: [{ source: 'provider' }] });
  expect(provider.asked[0]!.json).toMatchObject({ id: held.subject, batch_id: ordered.json.id });
});

it('holds a payment, and its refusal is a hold', async () => {
  await set({ watches: ['payment'] });
  provider.behave(saying({ decision: 'refuse' }));
  const { json: intent } = await api.create();
  await api.notify(intent);
  const held = await untilHeld('payment_intent');
  expect(held).toMatchObject({ decision: 'hold', subject: intent.reference });
  expect((await api.show(intent.id)).json).toMatchObject({ status: 'processing', hold: {} });
  await decide(api.database.operator, held.reference, 'release');
  expect((await api.show(intent.id)).json).toMatchObject({ status: 'succeeded' });
});

/** A service of names is asked like the provider. */
const setNames = (mode: 'local' | 'url', service: object = {}) =>
  changeSetting(api.database.operator, 'risk.screening', { mode, ...service }, 'olivia');

it.each([
  ['the provider', () => set({ watches: ['payout'], deadline_ms: 5_000 })],
  [
    'the service of names',
    () =>
      setNames('url', {
        url: provider.url,
        minimum: 0.9,
        deadline_ms: 5_000,
        on_silence: 'hold',
      }),
  ],
])(
  '%s that hangs holds up no other order, and is left alone after five silences until it is set again',
  async (_, setAgain) => {
    provider.behave(() => undefined);
    // The names of accounts are compared, too.
    const questions = () => provider.asked.filter(({ url, text }) => /Fatou/.test(url + text));
    // On a slow machine the deadline may pass meanwhile: then once more.
    await waitFor(async () => {
      await setAgain();
      const before = questions().length;
      let isAnswered = false;
      const order = post('/payouts', payout(100)).then(() => {
        isAnswered = true;
      });
      await waitFor(async () => questions().length > before);
      expect((await post('/transfers', transfer(10))).status).toBe(200);
      expect((await get('/wallets')).status).toBe(200);
      const isFirst = !isAnswered;
      await order;
      return isFirst;
    });
    const hanging = Array.from({ length: 16 }, () => post('/payouts', payout(100)));
    const statuses = (await Promise.all(hanging)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([201]));
    // A slow machine may let the pause pass; then the next silence begins it again.
    await waitFor(async () => {
      const before = questions().length;
      expect((await post('/payouts', payout(100))).json).toMatchObject({ status: 'held' });
      const [reason] = (await latestCase(api.database.db)).reasons;
      expect(reason).toMatchObject({ source: 'silence' });
      return reason!.detail === 'paused' && questions().length === before;
    });
    provider.behave(saying({ decision: 'allow', entities: [] }));
    await setAgain();
    const before = questions().length;
    expect((await post('/payouts', payout(100))).json).toMatchObject({ status: 'pending' });
    expect(questions()).toHaveLength(before + 1);
    await setNames('local');
  },
);

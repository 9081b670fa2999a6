// The clock of a sandbox over HTTP: one jump does all that becomes due on the way, with the real workers, gateway and
// receiver.

import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setUp } from '../support/database';
import { startTestApi } from '../support/api';
import { expectBooksHold } from '../support/books';
import { buildApiKey, buildUser, type TestUser } from '../support/users';
import type { HttpResponse } from '../support/http';
import { setFaults } from '../support/sandbox-gateway';
import { connectTestTemporal } from '../support/temporal';
import { waitFor } from '../support/wait';
import { startReceiver } from '../support/webhooks';
import { listStalled } from '../../db/pursuits';
import { advanceSandboxClock } from '../../db/sandbox/clock';
import { intentWorkflowId, pursuitWorkflowId } from '../../domain/ids';
import { payoutsOf } from '../support/sandbox-payouts';
import { createTestActivities } from '../workflows/intents';
import { callApi, refusal, untilStatus } from './support/contract';

type Json = HttpResponse['json'];

const HOUR = 3_600;
const DAY = 24 * HOUR;

const api = setUp(() => startTestApi({ webhooks: true }));
const receiver = setUp(startReceiver);

afterEach(async () => {
  await setFaults(api.gateway, 'sandbox', {});
  receiver.answer = (_webhook, response) => response.end('ok');
  await expectBooksHold(api.database.db);
});

interface Account {
  readonly user: TestUser;
  readonly key: string;
  get(path: string): Promise<HttpResponse>;
  post(path: string, body: object): Promise<HttpResponse>;
}

async function openAccount(): Promise<Account> {
  const { db } = api.database;
  const user = await buildUser(db, { funds: { sandbox: { XOF: 100_000_000n } } });
  const limits = { requests_per_minute: 1_000_000, writes_per_minute: 1_000_000 };
  const { key } = await buildApiKey(db, { user, environment: 'sandbox', ...limits });
  return {
    user,
    key,
    get: (path) => callApi(api.service, 'GET', path, { key }),
    post: (path, body) =>
      callApi(api.service, 'POST', path, {
        key,
        body,
        ...(path.startsWith('/sandbox') ? {} : { idempotency_key: randomUUID() }),
      }),
  };
}

const advance = async (account: Account, move: object): Promise<Json> =>
  (await account.post('/sandbox/clock/advance', move)).json;

const clock = async (account: Account): Promise<Json> => (await account.get('/sandbox/clock')).json;

/** Again and again, as the description says, until all is done. */
async function settle(account: Account, move: object): Promise<Json> {
  const moved = await advance(account, move);
  await waitFor(async () => (await advance(account, { to: (await clock(account)).now })).settled);
  return moved;
}

const linkOf = async (account: Account, more: object = {}): Promise<Json> =>
  (await account.post('/payment-intents', { amount: 5000, currency: 'XOF', ...more })).json;

const payoutOf = async (account: Account, end = '100', more: object = {}): Promise<Json> =>
  (
    await account.post('/payouts', {
      currency: 'XOF',
      amount: 5000,
      destination: { type: 'mobile_money', phone: `+221770000${end}` },
      ...more,
    })
  ).json;

const until = ({ key }: Account, path: string, status: string): Promise<Json> =>
  untilStatus(api.service, path, key, status);

describe('POST /sandbox/clock/advance', () => {
  it('lets a link of 24 h expire, with its webhook', async () => {
    const account = await openAccount();
    await account.post('/webhook-endpoints', { url: receiver.url, types: ['payment.expired'] });
    const link = await linkOf(account);
    const before = await clock(account);
    expect(before).toMatchObject({
      offset_seconds: 0,
      next_due_at: link.expires_at,
      waiting: [{ type: 'payment_intent', id: link.id, due_at: link.expires_at }],
    });
    expect((await advance(account, { seconds: DAY - HOUR })).moved.payment_intents).toBe(1);
    const shown = await account.get(`/payment-intents/${link.id}`);
    expect(shown.json).toMatchObject({ status: 'open', expires_at: link.expires_at });
    expect(Date.parse(shown.headers['sandbox-clock'] as string) - Date.now()).toBeGreaterThan(
      (DAY - HOUR - 60) * 1_000,
    );
    expect(await settle(account, { seconds: HOUR })).toMatchObject({
      offset_seconds: DAY,
      moved: { payment_intents: 1, payouts: 0 },
      settled: true,
    });
    const ended = (await account.get(`/payment-intents/${link.id}`)).json;
    expect(ended).toMatchObject({ status: 'expired', expires_at: link.expires_at });
    await waitFor(() => receiver.received.some(({ body }) => body.includes(link.id)));
    expect((await clock(account)).waiting).toEqual([]);
    // Its workflow does not stay until the day on which it would have expired.
    const { workflow } = await connectTestTemporal();
    const running = workflow.getHandle(intentWorkflowId('sandbox', link.id));
    expect(await running.result()).toEqual({ status: 'expired' });
    // Another jump leaves what has ended as it was.
    await advance(account, { seconds: DAY });
    expect((await account.get(`/payment-intents/${link.id}`)).json).toEqual(ended);
  });

  it('makes all ten attempts at a dead endpoint in one jump of 92 h, and then gives up', async () => {
    const account = await openAccount();
    receiver.answer = (_webhook, response) => void response.writeHead(503).end();
    const { json: endpoint } = await account.post('/webhook-endpoints', {
      url: receiver.url,
      types: ['payout.succeeded'],
    });
    await payoutOf(account);
    const first = await waitFor(async () => {
      const { json } = await account.get('/webhook-deliveries');
      return json.webhook_deliveries[0]?.attempts >= 1 && json.webhook_deliveries[0];
    });
    // It is due in some seconds of the account's clock, also when it is behind a pause.
    const before = await clock(account);
    await settle(account, { seconds: 92 * HOUR });
    const path = `/webhook-deliveries/${first.id}`;
    expect((await account.get(path)).json).toMatchObject({ status: 'exhausted', attempts: 10 });
    expect(before.waiting[0]).toMatchObject({ type: 'webhook_delivery', id: first.id });
    const shown = await account.get(`/webhook-endpoints/${endpoint.id}`);
    expect(shown.json).toMatchObject({ status: 'enabled', consecutive_failures: 10 });
    expect(Object.keys(shown.json.last_failure).sort()).toEqual(['at', 'outcome', 'status']);
    // Real days have not passed; those of the clock have: five with failures, one day after another.
    const moments = [];
    for (let days = 0; days < 2; days += 1) {
      await payoutOf(account);
      // Those of the days before may still wait; this payout's own delivery is what fails on this day.
      await waitFor(
        async () => (await account.get('/webhook-deliveries')).json.webhook_deliveries[days + 1],
      );
      await settle(account, { seconds: DAY });
      moments.push((await account.get(`/webhook-endpoints/${endpoint.id}`)).json.status);
    }
    expect(moments).toEqual(['enabled', 'disabled']);
  });

  it('opens an operator that is closed for an hour, and returns what comes back a day later', async () => {
    const account = await openAccount();
    const closed = await payoutOf(account, '007');
    const back = await payoutOf(account, '010');
    await until(account, `/payouts/${back.id}`, 'succeeded');
    await waitFor(async () => {
      const { waiting } = await clock(account);
      return waiting.filter(({ id }: Json) => id === closed.id).length > 1;
    });
    const { waiting } = await clock(account);
    expect(waiting.map(({ type }: Json) => type)).toEqual(['payout', 'payout', 'payout']);
    expect(waiting[0].id).toBe(closed.id);
    await settle(account, { to_next: true });
    await until(account, `/payouts/${closed.id}`, 'succeeded');
    expect((await account.get(`/payouts/${back.id}`)).json.status).toBe('succeeded');
    const next = await settle(account, { to_next: true });
    expect(Date.parse(next.now)).toBeGreaterThan(Date.now() + (DAY - 120) * 1_000);
    await until(account, `/payouts/${back.id}`, 'returned');
    expect(await advance(account, { to_next: true })).toMatchObject({
      offset_seconds: next.offset_seconds,
      moved: { payouts: 0 },
      settled: true,
    });
  });

  it('lets links expire in the order in which they were due', async () => {
    const account = await openAccount();
    await account.post('/webhook-endpoints', { url: receiver.url, types: ['payment.expired'] });
    const links: Json[] = [];
    for (const days of [3, 1, 6, 2, 5, 4]) {
      links.push(await linkOf(account, { expires_in: days * DAY }));
    }
    await settle(account, { seconds: 7 * DAY });
    const { json } = await account.get('/events?type=payment.expired&limit=10');
    const due = (json.events as Json[]).map(({ data }) => data.expires_at as string);
    expect(due).toEqual(links.map(({ expires_at }) => expires_at as string).sort());
  });

  it('lets an approval lapse after seven days of the clock', async () => {
    const account = await openAccount();
    await api.database.owner.raw(
      `insert into payout_settings (user_id, currency, approval_above_minor) values (?, 'XOF', 100000)`,
      [account.user.id],
    );
    const payout = await payoutOf(account);
    expect(payout.status).toBe('requires_approval');
    await advance(account, { seconds: 7 * DAY - HOUR });
    const shown = (await account.get(`/payouts/${payout.id}`)).json;
    expect(shown).toMatchObject({ status: 'requires_approval', expires_at: payout.expires_at });
    await settle(account, { seconds: HOUR });
    await until(account, `/payouts/${payout.id}`, 'canceled');
  });

  it('is made up for by the sweep when the process dies after the commit', async () => {
    const account = await openAccount();
    const closed = await payoutOf(account, '007');
    await waitFor(async () => {
      const { json } = await account.get(`/payouts/${closed.id}`);
      return json.provider.payment_id !== null;
    });
    // Its workflow would ask again after five seconds, and then there is nothing to make up for.
    const { workflow } = await connectTestTemporal();
    await workflow.getHandle(pursuitWorkflowId('payout', 'sandbox', closed.id)).terminate('lost');
    const { db } = api.database;
    // No signal, and no call to the provider.
    await advanceSandboxClock(db, account.user.id, { seconds: 2 * HOUR, provider_due: undefined });
    const provider = payoutsOf(api.gateway, 'sandbox');
    const activities = await createTestActivities(api.database, {
      gateway: undefined,
      payout_providers: { live: [], sandbox: [provider] },
    });
    await api.database.owner.raw(
      `update payouts set notified_at = notified_at - interval '6 seconds' where user_id = ?`,
      [account.user.id],
    );
    expect(await listStalled(db, 'payout', 100)).toEqual([closed.id]);
    await activities.askOnce('payout', closed.id);
    await until(account, `/payouts/${closed.id}`, 'succeeded');
  });

  it('runs one move of an account at a time, which holds up no other account', async () => {
    const [account, other] = [await openAccount(), await openAccount()];
    const unanswered: ServerResponse[] = [];
    receiver.answer = (_webhook, response) => unanswered.push(response);
    await account.post('/webhook-endpoints', { url: receiver.url, types: ['payment.expired'] });
    await linkOf(account);
    const moving = advance(account, { seconds: DAY });
    await waitFor(() => unanswered.length > 0);
    const second = await account.post('/sandbox/clock/advance', { seconds: 1 });
    expect(second).toMatchObject(refusal('rate_limited'));
    expect(await advance(other, { seconds: 1 })).toMatchObject({ offset_seconds: 1 });
    for (const response of unanswered) response.end('ok');
    expect(await moving).toMatchObject({ offset_seconds: DAY, settled: true });
    expect((await account.post('/sandbox/clock/advance', { seconds: 1 })).status).toBe(200);
  });

  it('refuses live keys, more than one field, the past, and more than 400 days', async () => {
    const account = await openAccount();
    const live = { key: api.live_key };
    for (const [method, path, body] of [
      ['GET', '/sandbox/clock', undefined],
      ['POST', '/sandbox/clock/advance', { seconds: 1 }],
    ] as const) {
      expect(await callApi(api.service, method, path, { ...live, body })).toMatchObject(
        refusal('forbidden'),
      );
    }
    await advance(account, { seconds: 400 * DAY - 1 });
    for (const body of [
      {},
      { seconds: 1, to_next: true },
      { seconds: 2 },
      { to: '2020-01-01T00:00:00Z' },
      { to: 'tomorrow, please' },
    ]) {
      expect(await account.post('/sandbox/clock/advance', body)).toMatchObject(
        refusal('invalid_request'),
      );
    }
    expect((await clock(account)).offset_seconds).toBe(400 * DAY - 1);
  });
});

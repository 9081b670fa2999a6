// Calls while Temporal is down. A real network connection is cut; nothing is mocked.

import { randomUUID } from 'node:crypto';
import { expectBooksHold } from '../support/books';
import { createTestDatabase, setUp } from '../support/database';
import { insist, type HttpResponse, type RequestOptions } from '../support/http';
import { startTestService, type TestService } from '../support/service';
import { waitFor } from '../support/wait';
import { expectGenuine, startReceiver } from '../support/webhooks';
import { buildAccount, type Account } from './support/accounts';
import { callApi, expectUnavailable, refusal } from './support/contract';
import { startTemporalProxy } from './support/tcp-proxy';
import { call, createEndpoint, listDeliveries, patchEndpoint } from './support/webhooks';

const database = setUp(createTestDatabase);
const temporal = setUp(startTemporalProxy);
let service: TestService;
let sender: Account;
let recipient: Account;

beforeAll(async () => {
  const overrides = { temporal_address: temporal.address };
  service = await startTestService({ database, webhooks: true, overrides });
  sender = await buildAccount(database, { live: { XOF: 100_000_000n } });
  recipient = await buildAccount(database);
});

const status = () => callApi(service, 'GET', '/status', { key: sender.live });

function send(options: RequestOptions = {}, amount = 100): Promise<HttpResponse> {
  const body = { to_username: recipient.username, currency: 'XOF', amount };
  return callApi(service, 'POST', '/transfers', { key: sender.live, body, ...options });
}

async function countTransfers(): Promise<number> {
  const { rows } = await database.owner.raw('select count(*)::int as count from transfers');
  return rows[0].count;
}

describe('without Temporal', () => {
  it('replays stored responses, and answers 503 to new requests', async () => {
    const idempotency_key = randomUUID();
    const first = await insist(() => send({ idempotency_key }));
    const poor = await buildAccount(database);
    const refused = await insist(() => send({ key: poor.live, idempotency_key }));
    expect([first.status, refused.status]).toEqual([200, 402]);
    const before = await countTransfers();
    await temporal.cut();

    const again = await send({ idempotency_key });
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect((await send({ key: poor.live, idempotency_key })).text).toBe(refused.text);
    expect(await send({ idempotency_key }, 101)).toMatchObject(refusal('idempotency_key_reuse'));

    const began = performance.now();
    const fresh = await send();
    const waited_ms = performance.now() - began;
    expectUnavailable(fresh);
    const made = fresh.headers['idempotency-key'] as string;
    expect(made).toMatch(/^[0-9a-f-]{36}$/);
    // Later requests get the same without waiting for a deadline.
    const asked_at = performance.now();
    expectUnavailable(await send());
    expect(performance.now() - asked_at).toBeLessThan(waited_ms);
    expect(await countTransfers()).toBe(before);

    expect((await status()).json).toEqual({
      ok: true,
      status: 'degraded',
      components: { postgres: 'operational', temporal: 'degraded' },
    });
    for (const path of ['/me', '/wallets', '/transactions', '/health']) {
      expect((await callApi(service, 'GET', path, { key: sender.live })).status).toBe(200);
    }

    // A transfer that got 503 did not happen, and its key is free for the retry.
    await temporal.restore();
    const retried = await waitFor(async () => {
      const response = await send({ idempotency_key: made });
      return response.status === 200 && response;
    });
    expect(retried.headers['idempotent-replayed']).toBeUndefined();
    expect(await countTransfers()).toBe(before + 1);
    expect((await status()).json.status).toBe('operational');
    await expectBooksHold(database.db);
  });

  it('takes and delivers webhooks, because that needs Postgres only', async () => {
    await temporal.cut();
    const receiver = await startReceiver();
    const merchant = { service, key: recipient.sandbox };
    const { id, secret } = await createEndpoint(merchant, { url: receiver.url });
    for (const to of ['disabled', 'enabled']) await patchEndpoint(merchant, id, { status: to });
    const path = `/webhook-endpoints/${id}`;
    expect((await call(merchant, 'POST', `${path}/test`)).status).toBe(202);
    await waitFor(() => receiver.received.length === 1);
    expectGenuine(receiver.received[0]!, secret);
    await waitFor(async () => (await listDeliveries(merchant, '?status=delivered')).length === 1);
    const range = { status: 'delivered' };
    expect((await call(merchant, 'POST', `${path}/resend`, range)).status).toBe(202);
    await waitFor(() => receiver.received.length === 2);
    await temporal.restore();
  });
});

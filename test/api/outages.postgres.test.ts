// Calls while Postgres is down, or while its responses are lost. A real network connection is cut; nothing is mocked.

import { randomUUID } from 'node:crypto';
import { makeApiKey } from '../../secrets/api-key';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import { createTestDatabase, setUp } from '../support/database';
import { request, type HttpResponse, type RequestOptions } from '../support/http';
import { buildApiKey, revokeKey } from '../support/users';
import { startTestService } from '../support/service';
import { readStack } from '../support/stack';
import { waitFor } from '../support/wait';
import { buildAccount } from './support/accounts';
import { callApi, expectUnavailable } from './support/contract';
import { startPostgresProxy } from './support/tcp-proxy';

const database = setUp(createTestDatabase);
const postgres = setUp(() => startPostgresProxy(database));
const service = setUp(() =>
  startTestService({ database, overrides: { database_url: postgres.url } }),
);
const sender = setUp(() => buildAccount(database, { live: { XOF: 100_000_000n } }));
const recipient = setUp(() => buildAccount(database));

afterEach(async () => {
  postgres.dropIf(undefined);
  await postgres.restore();
  await waitFor(async () => {
    const response = await request(service, 'GET', '/status', { key: sender.live });
    return response.status === 200 && response.json.status === 'operational';
  });
  await expectBooksHold(database.db);
});

function send(options: RequestOptions = {}): Promise<HttpResponse> {
  const body = { to_username: recipient.username, currency: 'XOF', amount: 100 };
  return callApi(service, 'POST', '/transfers', { key: sender.live, body, ...options });
}

describe('without Postgres', () => {
  it('answers 503 to callers with a key, and still 401 to callers without one', async () => {
    const revoked = await buildApiKey(database.db, { user: sender });
    await revokeKey(database.db, revoked.id);
    await postgres.cut();
    for (const path of ['/me', '/wallets', '/transactions', '/status']) {
      expectUnavailable(await callApi(service, 'GET', path, { key: sender.live }));
    }
    const idempotency_key = randomUUID();
    expectUnavailable(await send({ idempotency_key }));
    // A response from before the handler names a key to retry with, too.
    const nameless = await send();
    expectUnavailable(nameless);
    expect(nameless.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
    // A wrong checksum is refused without a query; a right one needs the database.
    const { key } = makeApiKey('pay', 'live');
    const flipped = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
    expect((await request(service, 'GET', '/me', { key: flipped })).status).toBe(401);
    expect((await request(service, 'GET', '/me', { key })).status).toBe(503);
    expect((await request(service, 'GET', '/me', { key: revoked.key })).status).toBe(503);
    expect((await callApi(service, 'GET', '/health')).status).toBe(200);

    await postgres.restore();
    const retried = await waitFor(async () => {
      const response = await send({ idempotency_key });
      return response.status === 200 && response;
    });
    expect(retried.headers['idempotent-replayed']).toBeUndefined();
  });

  it('keeps its errors out of the responses and in the log', async () => {
    await postgres.cut();
    const response = await callApi(service, 'GET', '/wallets', { key: sender.live });
    await postgres.restore();
    expectUnavailable(response);
    expect(response.text).not.toMatch(/ECONN|postgres|127\.0\.0\.1:(?!\d+\/docs)/i);
    const entry = service.log.find(
      ({ request_id }) => request_id === response.headers['x-request-id'],
    );
    expect(entry).toMatchObject({ log: 'error', unavailable: true });
  });

  it('says degraded while Postgres accepts connections and does no work', async () => {
    // A table that cannot be read: the probe needs it, authentication does not.
    await database.owner.raw('revoke select on currencies from ??', [readStack().app_role]);
    const response = await callApi(service, 'GET', '/status', { key: sender.live });
    await database.owner.raw('grant select on currencies to ??', [readStack().app_role]);
    expect(response.json).toEqual({
      ok: true,
      status: 'degraded',
      components: { postgres: 'degraded', temporal: 'operational' },
    });
  });

  it('answers 503 to a posting that never arrives, once it cannot happen any more', async () => {
    const before = await balanceOf(database.db, sender);
    postgres.dropIf('post_transfer_batch');
    const response = await send();
    expectUnavailable(response);
    const made = response.headers['idempotency-key'] as string;
    postgres.dropIf(undefined);
    expect(await balanceOf(database.db, sender)).toBe(before);
    const retried = await waitFor(async () => {
      const again = await send({ idempotency_key: made });
      return again.status === 200 && again;
    });
    expect(retried.headers['idempotent-replayed']).toBeUndefined();
    expect(await balanceOf(database.db, sender)).toBe(before - 10_000n);
  });
});

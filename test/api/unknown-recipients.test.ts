// B4 over HTTP: a caller that tries usernames is told when to come back, and a payer is not kept from
// paying.

import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '../support/database';
import type { HttpResponse } from '../support/http';
import { startTestService, type TestService } from '../support/service';
import { buildAccount, type Account } from './support/accounts';
import { callApi, refusal } from './support/contract';

let database: TestDatabase;
let service: TestService;
let sender: Account;
let recipient: Account;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database });
  sender = await buildAccount(database, { live: { XOF: 100_000n }, sandbox: { XOF: 100_000n } });
  recipient = await buildAccount(database);
});

function send(
  to_username: string,
  key = sender.live,
  idempotency_key = randomUUID(),
): Promise<HttpResponse> {
  const body = { to_username, currency: 'XOF', amount: 1 };
  return callApi(service, 'POST', '/transfers', { key, idempotency_key, body });
}

describe.each(['live', 'sandbox'] as const)('a %s key', (environment) => {
  it('B4 gets 429 with Retry-After for the 31st name that nobody has, and still what it had before', async () => {
    const key = sender[environment];
    const first_key = randomUUID();
    const first = await send('nobody-0', key, first_key);
    expect(first).toMatchObject(refusal('recipient_not_found'));
    for (let i = 1; i < 30; i += 1) {
      expect(await send(`nobody-${i}`, key)).toMatchObject(refusal('recipient_not_found'));
    }
    const idempotency_key = randomUUID();
    for (let i = 0; i < 2; i += 1) {
      const refused = await send('nobody-30', key, idempotency_key);
      expect(refused).toMatchObject(refusal('rate_limited', 'to_username'));
      const seconds = Number(refused.headers['retry-after']);
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(3_600);
      expect(refused.headers['idempotent-replayed']).toBeUndefined();
    }
    const again = await send('nobody-0', key, first_key);
    expect([again.status, again.text]).toEqual([404, first.text]);
    expect(await send('nobody-1', key)).toMatchObject(refusal('recipient_not_found'));
    const stranger = await send(recipient.username, key);
    if (environment === 'live') expect(stranger.status).toBe(200);
    else expect(stranger).toMatchObject(refusal('rate_limited', 'to_username'));
  });
});

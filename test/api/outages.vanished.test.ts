// Calls while the database's host is gone without a word, and afterwards: its packets are lost, and no connection is
// closed or reset.

import { randomUUID } from 'node:crypto';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import { createTestDatabase, setUp } from '../support/database';
import { request, type HttpResponse } from '../support/http';
import { startTestService } from '../support/service';
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

function send(idempotency_key: string): Promise<HttpResponse> {
  const body = { to_username: recipient.username, currency: 'XOF', amount: 100 };
  return callApi(service, 'POST', '/transfers', { key: sender.live, body, idempotency_key });
}

const newKeys = (count: number): string[] => Array.from({ length: count }, () => randomUUID());

async function sendUntilFinal(idempotency_key: string): Promise<HttpResponse> {
  return waitFor(async () => {
    const response = await send(idempotency_key);
    return response.status === 200 && response;
  });
}

it.each(['everything', 'answers'] as const)(
  'answers everybody while %s is lost, recovers by itself, and gives each key one outcome',
  async (lost) => {
    const before = await balanceOf(database.db, sender);
    // Fills the pool with connections that will all be dead.
    await Promise.all(newKeys(8).map(sendUntilFinal));
    const keys = newKeys(8);
    postgres.vanish(lost);
    const told = await Promise.all(keys.map(send));
    for (const response of told) expectUnavailable(response);
    for (const path of ['/wallets', '/transactions', '/me']) {
      expectUnavailable(await callApi(service, 'GET', path, { key: sender.live }));
    }
    postgres.reappear();
    await waitFor(async () => {
      const { status, json } = await request(service, 'GET', '/status', { key: sender.live });
      return status === 200 && json.status === 'operational';
    });
    const finals = await Promise.all(keys.map(sendUntilFinal));
    expect(new Set(finals.map(({ json }) => json.reference)).size).toBe(keys.length);
    expect(await balanceOf(database.db, sender)).toBe(before - 16n * 10_000n);
    await expectBooksHold(database.db);
  },
);

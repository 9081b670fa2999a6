// A key whose first request is still running: another session holds the key's lock, as a slow posting
// would.

import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { balanceOf } from '../support/balances';
import { createTestDatabase, openSession, type TestDatabase } from '../support/database';
import type { HttpResponse } from '../support/http';
import { startTestService, type TestService } from '../support/service';
import { waitFor } from '../support/wait';
import { buildAccount, type Account } from './support/accounts';
import { callApi, expectUnavailable, refusal } from './support/contract';

let database: TestDatabase;
let service: TestService;
let sender: Account;
let recipient: Account;
let session: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database });
  sender = await buildAccount(database, { live: { XOF: 1_000_000n } });
  recipient = await buildAccount(database);
  session = await openSession(database.app_url);
});

function send(idempotency_key: string): Promise<HttpResponse> {
  const body = { to_username: recipient.username, currency: 'XOF', amount: 100 };
  return callApi(service, 'POST', '/transfers', { key: sender.live, body, idempotency_key });
}

async function hold(idempotency_key: string): Promise<void> {
  await session.query('begin');
  await session.query(
    `select pg_advisory_xact_lock(idempotency_lock($1, 'live', 'transfer', $2))`,
    [sender.id, idempotency_key],
  );
}

function isPostingHeld(): Promise<boolean> {
  return database.owner
    .raw(
      `select 1 from pg_stat_activity where datname = current_database()
          and wait_event_type = 'Lock' and query like '%post_transfer_batch%'`,
    )
    .then(({ rows }: { rows: unknown[] }) => rows.length > 0);
}

describe('a key whose first request is still running', () => {
  it('answers idempotency_in_progress in the end, and gives the first request its real outcome', async () => {
    const idempotency_key = randomUUID();
    await hold(idempotency_key);
    const before = await balanceOf(database.db, sender);
    const first = send(idempotency_key);
    await waitFor(isPostingHeld);
    const second = await send(idempotency_key);
    expect(second).toMatchObject(refusal('idempotency_in_progress'));
    expect(Number(second.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(second.headers['idempotency-key']).toBe(idempotency_key);
    await session.query('rollback');
    expectUnavailable(await first);
    expect(await balanceOf(database.db, sender)).toBe(before);
    const third = await send(idempotency_key);
    expect([third.status, third.headers['idempotent-replayed']]).toEqual([200, undefined]);
  });

  it("gets the first request's response when that comes in time", async () => {
    const idempotency_key = randomUUID();
    await hold(idempotency_key);
    const both = [send(idempotency_key), send(idempotency_key)];
    await waitFor(isPostingHeld);
    await session.query('rollback');
    const [one, two] = await Promise.all(both);
    expect([one!.status, two!.status]).toEqual([200, 200]);
    expect(one!.text).toBe(two!.text);
    expect([one, two].filter((response) => response!.headers['idempotent-replayed'])).toHaveLength(
      1,
    );
  });
});

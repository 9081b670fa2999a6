// "Nothing was changed" in a 503: said only when it is certain for the key, at the first request and
// at each that follows.

import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { expectBooksHold } from '../support/books';
import {
  createTestDatabase,
  openSession,
  untilLocked,
  type TestDatabase,
} from '../support/database';
import type { HttpResponse, RequestOptions } from '../support/http';
import { startTestService, type TestService } from '../support/service';
import { buildApiKey } from '../support/users';
import { waitFor } from '../support/wait';
import { buildAccount, type Account } from './support/accounts';
import { findAccessRow } from './support/access-lines';
import { callApi } from './support/contract';
import {
  startPostgresProxy,
  startTemporalProxy,
  type PostgresProxy,
  type TemporalProxy,
} from './support/tcp-proxy';

const NOTHING_CHANGED = /Nothing was changed/;
const EARLIER_MAY_HAPPEN = /an earlier request with this Idempotency-Key may still be carried out/;

let database: TestDatabase;
let postgres: PostgresProxy;
let temporal: TemporalProxy;
let service: TestService;
let sender: Account;
let recipient: Account;
/** Also the sender's. Calls of a key are counted in advance, and one test needs a call that is not. */
let other_key: string;

beforeAll(async () => {
  database = await createTestDatabase();
  postgres = await startPostgresProxy(database);
  temporal = await startTemporalProxy();
  service = await startTestService({
    database,
    overrides: {
      database_url: postgres.url,
      temporal_address: temporal.address,
      transfers_in_flight: 1,
    },
  });
  sender = await buildAccount(database, { live: { XOF: 100_000_000n } });
  recipient = await buildAccount(database);
  other_key = (await buildApiKey(database.db, { user: sender })).key;
});

afterEach(async () => {
  postgres.dropIf(undefined);
  await bringBack();
  await expectBooksHold(database.db);
});

/** New connections, and a transfer: nothing is begun before the service has found that Temporal is back. */
async function bringBack(): Promise<void> {
  await temporal.cut();
  temporal.reappear();
  await temporal.restore();
  await waitFor(async () => (await send({ key: other_key })).status === 200);
}

function send(options: RequestOptions = {}): Promise<HttpResponse> {
  const body = { to_username: recipient.username, currency: 'XOF', amount: 100 };
  return callApi(service, 'POST', '/transfers', { key: sender.live, body, ...options });
}

async function transfersOf(key: string): Promise<number> {
  const { rows } = await database.owner.raw('select 1 from transfers where idempotency_key = ?', [
    key,
  ]);
  return (rows as unknown[]).length;
}

function expectMessage({ status, json }: HttpResponse, message: RegExp): void {
  expect([status, json.error.message]).toEqual([503, expect.stringMatching(message)]);
}

/** Sends a request by hand, and resolves with what hangs up on it. */
function sendRaw(idempotency_key: string, request_id: string = randomUUID()): () => Promise<void> {
  const body = JSON.stringify({ to_username: recipient.username, currency: 'XOF', amount: 100 });
  const { hostname, port, pathname } = new URL(`${service.base_url}/transfers`);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `host: ${hostname}`,
    `authorization: Bearer ${sender.live}`,
    `idempotency-key: ${idempotency_key}`,
    `x-request-id: ${request_id}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return () => new Promise((resolve) => socket.end(() => resolve()));
}

describe('a key that was sent before', () => {
  it('is not told that nothing was changed by a request that could not look', async () => {
    const idempotency_key = randomUUID();
    const session = await openSession(database.app_url);
    await session.query('begin');
    await session.query(
      `select pg_advisory_xact_lock(idempotency_lock($1, 'live', 'transfer', $2))`,
      [sender.id, idempotency_key],
    );
    // The first request is being posted when its connection is lost.
    const hangUp = sendRaw(idempotency_key);
    await untilLocked(database, 'post_transfer_batch');
    await hangUp();
    // The second meets a database that does not answer.
    postgres.dropIf(idempotency_key);
    const second = await send({ idempotency_key });
    expectMessage(second, EARLIER_MAY_HAPPEN);
    expect(second.text).not.toMatch(NOTHING_CHANGED);
    postgres.dropIf(undefined);
    await session.query('rollback');
    const last = await waitFor(async () => {
      const response = await send({ idempotency_key });
      return response.status === 200 && response;
    });
    expect(last.headers['idempotency-key']).toBe(idempotency_key);
    expect(await transfersOf(idempotency_key)).toBe(1);
  });

  it('is told so by nothing that is refused while Temporal is away, the first time or later', async () => {
    await temporal.cut();
    // This one was begun, and is over: it was looked up after its time.
    expectMessage(await send({ idempotency_key: randomUUID() }), NOTHING_CHANGED);
    const intent = { amount: 5_000, currency: 'XOF' };
    const idempotency_key = randomUUID();
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const refused = await send({ idempotency_key });
      expectMessage(refused, EARLIER_MAY_HAPPEN);
      expect(refused.text).not.toMatch(NOTHING_CHANGED);
    }
    // No other caller can know a key that the API has just made.
    expectMessage(await send(), NOTHING_CHANGED);
    const link = await callApi(service, 'POST', '/payment-intents', {
      key: sender.live,
      body: intent,
      idempotency_key,
    });
    // There is no gateway: the response claims nothing about the key.
    expect(link.text).not.toMatch(NOTHING_CHANGED);
  });

  it('is told so by nothing that waited for its turn in vain', async () => {
    const [own, generated, begun] = await waitFor(async () => {
      await bringBack();
      temporal.vanish('everything');
      const idempotency_key = randomUUID();
      const first = send({ idempotency_key });
      // It has the only turn.
      await waitFor(() => temporal.countSent(idempotency_key) > 0);
      const starts = temporal.countSent(sender.username);
      const others = [send({ idempotency_key: randomUUID() }), send()];
      const told = await Promise.all([...others, first]);
      // Those that came a second too late for it had a turn of their own.
      return temporal.countSent(sender.username) === starts && told;
    });
    expectMessage(own!, EARLIER_MAY_HAPPEN);
    expectMessage(generated!, NOTHING_CHANGED);
    expectMessage(begun!, NOTHING_CHANGED);
  });
});

it('does not begin a request whose caller has hung up', async () => {
  const idempotency_key = randomUUID();
  const status = await waitFor(async () => {
    const request_id = randomUUID();
    const session = await openSession(database.owner_url);
    await session.query('begin; lock table rate_windows in access exclusive mode');
    const hangUp = sendRaw(idempotency_key, request_id);
    await untilLocked(database, 'authenticate');
    await hangUp();
    // Served after the end of that connection was read. Its body cannot be read any more.
    await callApi(service, 'GET', '/health');
    await session.query('rollback');
    const row = await findAccessRow(database, request_id);
    // It waits for the lock no longer than a statement may.
    return row.status !== 503 && row.status;
  });
  expect(status).toBe(400);
  expect(await transfersOf(idempotency_key)).toBe(0);
});

describe('a write without a key', () => {
  it('claims nothing when the database does not answer', async () => {
    await postgres.cut();
    for (const [method, path] of [
      ['POST', '/webhook-endpoints'],
      ['POST', `/payment-intents/${randomUUID()}/cancel`],
      ['DELETE', `/webhook-endpoints/${randomUUID()}`],
    ] as const) {
      const body = { url: 'https://example.com/' };
      const response = await callApi(service, method, path, {
        key: sender.live,
        ...(path === '/webhook-endpoints' ? { body } : {}),
      });
      expect(response.status).toBe(503);
      expect(response.text).not.toMatch(NOTHING_CHANGED);
    }
    await postgres.restore();
  });
});

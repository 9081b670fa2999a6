// "Nothing was changed" in a 503: said only when it is certain for the key, at the first request and
// at each that follows.

import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { expectBooksHold } from '../support/books';
import { createTestDatabase, openSession, type TestDatabase } from '../support/database';
import type { HttpResponse, RequestOptions } from '../support/http';
import { request } from '../support/http';
import { startTestService, type TestService } from '../support/service';
import { waitFor } from '../support/wait';
import { untilLocked } from '../support/webhooks';
import { buildAccount, type Account } from './support/accounts';
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
});

afterEach(async () => {
  postgres.dropIf(undefined);
  temporal.reappear();
  await temporal.restore();
  await waitFor(async () => {
    const { status, json } = await request(service, 'GET', '/status', { key: sender.live });
    return status === 200 && json.status === 'operational';
  });
  await expectBooksHold(database.db);
});

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
    // Nobody else can know a key that the API has just made.
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
    temporal.vanish('everything');
    const idempotency_key = randomUUID();
    const begun = send({ idempotency_key });
    // It has the only turn.
    await waitFor(() => temporal.countSent(idempotency_key) > 0);
    const [own, generated] = await Promise.all([send({ idempotency_key: randomUUID() }), send()]);
    expectMessage(own, EARLIER_MAY_HAPPEN);
    expectMessage(generated, NOTHING_CHANGED);
    expectMessage(await begun, NOTHING_CHANGED);
    temporal.reappear();
    await temporal.cut();
  });
});

it('does not begin a request whose caller has hung up', async () => {
  const [idempotency_key, request_id] = [randomUUID(), randomUUID()];
  const session = await openSession(database.owner_url);
  await session.query('begin; lock table rate_windows in access exclusive mode');
  const hangUp = sendRaw(idempotency_key, request_id);
  await untilLocked(database, 'authenticate');
  await hangUp();
  // Served after the end of that connection was read. Its body cannot be read any more.
  await callApi(service, 'GET', '/health');
  await session.query('rollback');
  await waitFor(async () => {
    const { rows } = await database.owner.raw(
      'select 1 from access_entries where request_id = ? and status = 400',
      [request_id],
    );
    return (rows as unknown[]).length > 0;
  });
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

// Webhooks without payments: endpoints, events that are committed as the end of an intent commits
// them, attempts to record, and a receiver that keeps what it gets.

import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { Db } from '../../db/connect';
import type { AttemptRecord, HealthRecord } from '../../db/webhooks/webhook-attempts';
import { beginResend, type NewResend } from '../../db/webhooks/webhook-resends';
import type { Environment } from '../../domain/environment';
import type { DeliveryStatus } from '../../domain/webhook';
import { createSealer } from '../../secrets/seal';
import { isServiceSignature, makeWebhookSecret } from '../../secrets/webhook-secret';
import { closeAfterFile } from './cleanup';
import type { TestDatabase } from './database';
import { TEST_SECRETS_KEY } from './secrets';

export interface TestEndpoint {
  readonly id: string;
  readonly user_id: string;
  readonly environment: Environment;
  readonly secret: string;
}

export interface TestEndpointOptions {
  readonly user_id: string;
  readonly url: string;
  readonly environment?: Environment;
  readonly max_per_second?: number;
}

export const testSealer = createSealer([TEST_SECRETS_KEY]);

export async function createTestEndpoint(
  { db }: TestDatabase,
  { user_id, url, environment = 'sandbox', max_per_second }: TestEndpointOptions,
): Promise<TestEndpoint> {
  const id = randomUUID();
  const secret = makeWebhookSecret();
  const request = {
    id,
    user_id,
    environment,
    url,
    max_per_second,
    description: null,
    types: ['payment.succeeded', 'payment.failed', 'payment.expired'],
  };
  await db.raw('select create_webhook_endpoint(?::jsonb, ?, 10000)', [
    JSON.stringify(request),
    testSealer.seal(secret, id),
  ]);
  return { id, user_id, environment, secret };
}

/** Adds them in one commit, to all of the endpoints, which belong to one account. Returns their ids. */
export async function addEvents(
  { owner }: TestDatabase,
  endpoints: readonly TestEndpoint[],
  count = 1,
): Promise<string[]> {
  const [{ user_id, environment }] = endpoints as [TestEndpoint];
  const ids = Array.from({ length: count }, () => randomUUID());
  return owner.transaction(async (tx) => {
    await tx.raw('select lock_event_counter(?::uuid, ?)', [user_id, environment]);
    await tx.raw(
      `insert into events (id, user_id, environment, sequence, type, intent_id, body, created_at)
       select id, ?::uuid, ?, 0, 'payment.succeeded', null,
              json_build_object('id', id, 'type', 'payment.succeeded', 'data', 'é€')::text,
              clock_timestamp()
         from unnest(?::uuid[]) id`,
      [user_id, environment, ids],
    );
    await tx.raw('select add_deliveries(id, ?::uuid[]) from unnest(?::uuid[]) id', [
      endpoints.map(({ id }) => id),
      ids,
    ]);
    return ids;
  });
}

/** A new endpoint with so many pending deliveries, without a delivery run. */
export async function buildEndpointWithDeliveries(
  database: TestDatabase,
  user_id: string,
  count: number,
): Promise<TestEndpoint> {
  const endpoint = await createTestEndpoint(database, {
    user_id,
    url: 'https://shop.example/hooks',
  });
  await addEvents(database, [endpoint], count);
  return endpoint;
}

/** Asks for all payments that were ever sent to the endpoint and have one of these statuses. */
export function buildResend(
  { id, user_id, environment }: Pick<TestEndpoint, 'id' | 'user_id' | 'environment'>,
  statuses: readonly DeliveryStatus[],
): NewResend {
  return {
    user_id,
    environment,
    endpoint_id: id,
    statuses,
    types: ['payment.succeeded'],
    created_from: '2000-01-01T00:00:00Z',
    created_to: '2100-01-01T00:00:00Z',
  };
}

/** The only one of its endpoint. Returns its id. */
export async function beginTestResend(
  db: Db,
  ...resend: Parameters<typeof buildResend>
): Promise<string> {
  const id = await beginResend(db, buildResend(...resend));
  if (id === null) throw new Error('another resend of the endpoint is running');
  return id;
}

/** An attempt that arrived, unless `fields` say otherwise. */
export function buildAttempt(
  delivery_id: string,
  fields: Partial<AttemptRecord> = {},
): AttemptRecord {
  return {
    delivery_id,
    number: 1,
    trigger: 'automatic',
    age_ms: 5,
    duration_ms: 5,
    outcome: 'delivered',
    status: 200,
    response_body: 'ok',
    response_truncated: false,
    url: 'https://shop.example/hooks',
    retry_after_seconds: null,
    retry_ms: null,
    ...fields,
  };
}

export const REFUSED = { outcome: 'refused', status: 500, retry_ms: 60_000 } as const;

/** One failure, unless `fields` say otherwise. */
export function buildHealth(fields: Partial<HealthRecord> = {}): HealthRecord {
  return {
    url: 'https://shop.example/hooks',
    has_arrived: false,
    failures: 1,
    pause_ms: 0,
    is_gone: false,
    disable_after_seconds: 432_000,
    quiet_seconds: 129_600,
    last_failure: { outcome: 'refused', status: 500 },
    ...fields,
  };
}

export interface ReceivedWebhook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The body's id. */
  readonly id: string;
  readonly at: number;
}

export interface TestReceiver {
  readonly url: string;
  readonly received: readonly ReceivedWebhook[];
  /** How often each event came. */
  counts(path?: string): Map<string, number>;
  /** Answers 200 unless told otherwise. */
  answer: (webhook: ReceivedWebhook, response: ServerResponse) => void;
  shut(): Promise<void>;
}

export async function startReceiver(): Promise<TestReceiver> {
  const received: ReceivedWebhook[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const { id } = JSON.parse(body) as { id: string };
      const { url: path = '', headers } = request;
      const webhook = { path, headers, body, id, at: performance.now() };
      received.push(webhook);
      receiver.answer(webhook, response);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const shut = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const receiver: TestReceiver = {
    url: `http://127.0.0.1:${port}/hooks`,
    received,
    counts(path) {
      const counts = new Map<string, number>();
      for (const webhook of received) {
        if (path !== undefined && webhook.path !== path) continue;
        counts.set(webhook.id, (counts.get(webhook.id) ?? 0) + 1);
      }
      return counts;
    },
    answer: (_webhook, response) => response.end('ok'),
    shut,
  };
  closeAfterFile(shut);
  return receiver;
}

/** Verifies by the specification's header and by Standard Webhooks' own library. */
export function expectGenuine({ headers, body }: ReceivedWebhook, secret: string): void {
  expect(isServiceSignature(body, headers['x-service-signature'], secret)).toBe(true);
  expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
    id: headers['webhook-id'],
  });
}

/** Whether the library of Standard Webhooks verifies it. */
export function isStandardWebhook({ headers, body }: ReceivedWebhook, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

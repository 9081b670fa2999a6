// Keys, requests and webhooks for the tests that visit every page.

import { randomUUID } from 'node:crypto';
import { insertAccessRows } from '../../db/requests/access-log';
import { recordAttempts } from '../../db/webhooks/webhook-attempts';
import { listDeliveries } from '../../db/webhooks/webhook-deliveries';
import type { TestDatabase } from '../support/database';
import { buildApiKey, type TestUser } from '../support/users';
import {
  addEvents,
  buildAttempt,
  buildHealth,
  createTestEndpoint,
  REFUSED,
} from '../support/webhooks';

/** Keys are a route and a parameter. */
export async function buildDeveloperParams(
  database: TestDatabase,
  user: TestUser,
): Promise<Readonly<Record<string, string>>> {
  const { id: key_id } = await buildApiKey(database.db, {
    user,
    environment: 'sandbox',
    allowed_ips: ['203.0.113.0/24'],
    requests_per_minute: 60,
    writes_per_minute: 30,
  });
  const place = await addRequests(database, key_id);
  const { endpoint_id, delivery_id } = await buildDeliveries(database, user);
  const of = (pattern: string, id: string): Record<string, string> => ({ [`${pattern} :id`]: id });
  return {
    ...of('/keys/:id/edit', key_id),
    ...of('/keys/:id/rotate', key_id),
    ...of('/keys/:id/revoke', key_id),
    ...of('/webhooks/:id', endpoint_id),
    ...of('/webhooks/:id/edit', endpoint_id),
    ...of('/webhooks/:id/delete', endpoint_id),
    ...of('/webhooks/:id/secret', endpoint_id),
    ...of('/webhooks/:id/resend', endpoint_id),
    ...of('/deliveries/:id', delivery_id),
    '/requests/:place :place': place,
  };
}

/** Returns the place of one that was refused. */
async function addRequests({ db }: TestDatabase, key_id: string): Promise<string> {
  const own = [
    { method: 'POST', route: '/api/v1/transfers', status: 200, duration_ms: 12.4 },
    {
      method: 'GET',
      route: '/api/v1/payouts/{id_or_reference}',
      path: '/api/v1/payouts/PYT-C00094BAF41D3F404F0B',
      status: 200,
      duration_ms: 2.1,
    },
    { method: 'GET', route: '/api/v1/wallets', status: 200, duration_ms: 1.9 },
    { method: 'POST', route: '/api/v1/payment-intents', ...REFUSED_CALL, duration_ms: 3.1 },
    { method: 'POST', route: '/api/v1/transfers', status: 503, duration_ms: 5_003 },
  ];
  const rowOf = (age: number) => ({
    id: randomUUID(),
    at: new Date(Date.now() - age * 60_000).toISOString(),
    ip: '203.0.113.7',
    key_id,
  });
  const rows = own.map((call, at) => ({ ...rowOf(at + 1), ...call, request_id: randomUUID() }));
  await insertAccessRows(db, rows);
  return `${rows[3]!.at}_${rows[3]!.id}`;
}

const REFUSED_CALL = {
  status: 422,
  idempotency_key: 'order-4711',
  fault: 'slow=1000',
  names: ['b5967439-3fa3-5edd-8ab0-85a03511907c', 'TRX-X9WWHT8P0PN6GAJXY1CV'],
  code: 'invalid_request',
  refusal: JSON.stringify({
    path: '/api/v1/payment-intents',
    request: { amount: 15_000, currency: 'XOF', desc: '…' },
    response: {
      ok: false,
      error: {
        code: 'invalid_request',
        message: 'desc is not a known field. Did you mean description?',
        param: 'desc',
        retryable: false,
      },
    },
  }),
};

/** One that arrived at the second attempt, and some that wait. */
async function buildDeliveries(
  database: TestDatabase,
  { id: user_id }: TestUser,
): Promise<{ readonly endpoint_id: string; readonly delivery_id: string }> {
  const url = 'https://shop.example.com/webhooks/payments';
  const endpoint = await createTestEndpoint(database, { user_id, url });
  await addEvents(database, [endpoint], 4);
  const [delivery] = await listDeliveries(database.db, {
    user_id,
    environment: 'sandbox',
    before: undefined,
    limit: 1,
    filters: {},
  });
  const { id } = delivery!;
  const refused = buildAttempt(id, { ...REFUSED, url, response_body: '<p>not now</p>' });
  const arrived = buildAttempt(id, { number: 2, url, response_body: '{"ok":true}' });
  await recordAttempts(database.db, endpoint.id, [refused], buildHealth({ url }));
  await recordAttempts(database.db, endpoint.id, [arrived], null);
  return { endpoint_id: endpoint.id, delivery_id: id };
}

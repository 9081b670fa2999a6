// The lists of an endpoint's deliveries: how little of them they read.

import {
  deliveriesStatement,
  listDeliveries,
  type DeliveryQuery,
} from '../../db/webhooks/webhook-deliveries';
import { NIL_UUID } from '../../domain/ids';
import { createTestDatabase, setUp } from '../support/database';
import { countRowsRead, LOOK_UP_PLAN } from '../support/plans';
import { buildUser } from '../support/users';
import { createTestEndpoint } from '../support/webhooks';

const ROWS = 8_000;

const database = setUp(createTestDatabase);
const merchant = setUp(() => buildUser(database.db));
let endpoint_id: string;

/** All are of failed payments; the newest two hundred wait, the oldest three arrived, all others are held. */
beforeAll(async () => {
  const options = { user_id: merchant.id, url: 'https://shop.example/hooks' };
  ({ id: endpoint_id } = await createTestEndpoint(database, options));
  const { id: other_id } = await createTestEndpoint(database, options);
  await database.owner.transaction(async (tx) => {
    await tx.raw('set local statement_timeout = 0');
    await tx.raw(
      `insert into webhook_deliveries (event_id, endpoint_id, user_id, environment, type, status,
         next_attempt_at, delivered_at, created_at)
       select gen_random_uuid(), e.id, :user, 'sandbox', e.type,
              case when n <= 3 then 'delivered' when n > :rows::integer - 200 then 'pending'
                   else 'held' end,
              case when n > :rows::integer - 200 then now() end, case when n <= 3 then now() end,
              now() - interval '30 days' + n * interval '1 minute' + e.later
         from generate_series(1, :rows::integer) n,
              (values (:endpoint::uuid, 'payment.failed', interval '0'),
                      (:other::uuid, 'payment.expired', interval '1 second')) e (id, type, later)`,
      { user: merchant.id, endpoint: endpoint_id, other: other_id, rows: ROWS },
    );
    // Most accounts have few, so a plan for any account expects few.
    await tx.raw(
      `insert into webhook_deliveries (event_id, endpoint_id, user_id, environment, type, status,
         delivered_at, created_at)
       select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'sandbox', 'payment.failed',
              'delivered', now(), now()
         from generate_series(1, :rows::integer) n`,
      { rows: ROWS },
    );
  });
  await database.owner.raw('analyze webhook_deliveries');
});

const query = (filters: DeliveryQuery['filters']): DeliveryQuery => ({
  user_id: merchant.id,
  environment: 'sandbox',
  before: undefined,
  limit: 25,
  filters,
});

const PERIOD = { created_from: '2000-01-01', created_to: '2100-01-01' };

const OF_ENDPOINT: readonly (readonly [filters: DeliveryQuery['filters'], found: number])[] = [
  [{}, 25],
  [{ type: 'payment.failed' }, 25],
  // Those of the other endpoint are many.
  [{ type: 'payment.expired' }, 0],
  [{ type: 'payment.succeeded' }, 0],
  [{ status: 'delivered' }, 3],
  [{ status: 'exhausted' }, 0],
  [{ status: 'held' }, 25],
  [{ type: 'payment.failed', status: 'delivered' }, 3],
  [{ type: 'payment.expired', status: 'held' }, 0],
  [{ type: 'payment.expired', ...PERIOD }, 0],
  [{ status: 'delivered', ...PERIOD }, 3],
];

const OF_ACCOUNT: typeof OF_ENDPOINT = [
  [{}, 25],
  [PERIOD, 25],
  [{ type: 'payment.failed' }, 25],
  [{ type: 'payment.succeeded' }, 0],
  [{ type: 'payment.succeeded', ...PERIOD }, 0],
  [{ type: 'payment.succeeded', status: 'delivered' }, 0],
  [{ status: 'exhausted' }, 0],
  [{ status: 'exhausted', ...PERIOD }, 0],
  [{ status: 'exhausted', type: 'payment.failed' }, 0],
  [{ event_id: NIL_UUID }, 0],
  [{ event_id: NIL_UUID, type: 'payment.failed' }, 0],
];

describe.each([
  { whose: 'an endpoint', cases: OF_ENDPOINT },
  { whose: 'an account', cases: OF_ACCOUNT },
])('of $whose with 8,000 deliveries, hardly any of which arrived', ({ whose, cases }) => {
  const scoped = (filters: DeliveryQuery['filters']): DeliveryQuery =>
    query(whose === 'an endpoint' ? { ...filters, endpoint_id } : filters);

  it.each(cases)('%j finds %i', async (filters, count) => {
    expect(await listDeliveries(database.db, scoped(filters))).toHaveLength(count);
  });

  it.each(cases)('%j reads a few rows more than a page', async (filters) => {
    const { statement, values } = deliveriesStatement(scoped(filters));
    // 35 kinds at most, each with a page.
    expect(await countRowsRead(database.db, statement, values, LOOK_UP_PLAN)).toBeLessThan(1_500);
  });
});

// The row that a request hands to the first opening in its own process: the same as the stored one,
// used once, and never believed over the database.

import {
  createIntentActivities,
  type IntentActivities,
  type OpeningOutcome,
} from '../../activities/payment-intents';
import { createEndpointWaker } from '../../temporal/webhook-endpoints';
import { abandonIntent, createIntent, getIntent, type IntentRow } from '../../db/intents';
import { verifyLedger } from '../../db/verify';
import { GatewayError } from '../../gateway/port';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { createTestUser, type TestUser } from '../support/people';
import { connectTestTemporal } from '../support/temporal';
import { fakeGateway, type FakeGateway } from './fake-gateway';
import { newIntent, statusOf } from './intents';

let database: TestDatabase;
let merchant: TestUser;
let fake: FakeGateway;
let just_created: Map<string, IntentRow>;
let published: [id: string, outcome: OpeningOutcome][];
let activities: IntentActivities;

beforeAll(async () => {
  database = await createTestDatabase();
  merchant = await createTestUser(database.db);
});

beforeEach(async () => {
  fake = fakeGateway();
  just_created = new Map();
  published = [];
  activities = createIntentActivities({
    db: database.db,
    gateways: { live: undefined, sandbox: fake.gateway },
    pay_url_base: 'https://pay.example.com',
    openings: { publish: (id, outcome) => published.push([id, outcome]) },
    just_created,
    deliverNotification: async () => undefined,
    runIntent: async () => false,
    waker: createEndpointWaker({
      temporal: await connectTestTemporal(),
      task_queue: 'nobody',
      onError: () => undefined,
    }),
  });
});

afterEach(async () => {
  expect(await verifyLedger(database.db)).toEqual([]);
});

async function create(): Promise<IntentRow> {
  const intent = newIntent(merchant, 'fake', {
    description: 'Café',
    customer_email: 'a@example.com',
    metadata: { order: 7, is_gift: true, note: null },
  });
  const { is_new, ...row } = await createIntent(database.db, intent);
  expect(is_new).toBe(true);
  return row;
}

/** The bytes kept for its key. */
async function keptAnswer({ id }: IntentRow): Promise<string | undefined> {
  const { rows } = await database.owner.raw(
    `select k.body from payment_intents i
       join idempotency_keys k on (k.user_id, k.environment, k.operation, k.key)
                                = (i.user_id, i.environment, 'payment_intent', i.idempotency_key)
      where i.id = ?`,
    [id],
  );
  return (rows as { body: string }[])[0]?.body;
}

it('is the row as it is stored', async () => {
  const row = await create();
  const { session_id, session_number, has_lapsed, remaining_ms, ...stored } = await getIntent(
    database.db,
    row.id,
  );
  expect(row).toEqual(stored);
  expect([session_id, session_number, has_lapsed]).toEqual([null, 0, false]);
  expect(remaining_ms).toBeGreaterThan(0);
});

it('opens its checkout, with the answer that a row read again makes', async () => {
  const [handed, read] = [await create(), await create()];
  just_created.set(handed.id, handed);
  for (const { id } of [handed, read])
    expect(await activities.openCheckout(id)).toEqual({ status: 'open' });
  expect(just_created.size).toBe(0);
  const alike = (text: string | undefined, row: IntentRow): string =>
    [row.id, row.short_code, row.reference, row.created_at, row.updated_at, row.expires_at].reduce(
      (rest, value, at) => rest.replaceAll(value, `<${at}>`),
      text ?? '',
    );
  const [first, second] = [await keptAnswer(handed), await keptAnswer(read)];
  expect(alike(first, handed)).toBe(alike(second, read));
  expect(first).toContain('Café');
  expect(published).toMatchObject([
    [handed.id, { status: 201, body: first }],
    [read.id, { status: 201, body: second }],
  ]);
});

it('is used once: what the next try needs is read', async () => {
  const row = await create();
  // Its own view of the gateway is wrong, so that it is seen who used it.
  just_created.set(row.id, { ...row, gateway: 'another' });
  expect(await activities.openCheckout(row.id)).toEqual({
    status: 'creating',
    fault: 'unreachable',
  });
  expect(fake.sessions).toEqual([]);
  expect(await activities.openCheckout(row.id)).toEqual({ status: 'open' });
});

it('opens nothing that is over meanwhile, and answers nobody', async () => {
  const row = await create();
  just_created.set(row.id, row);
  await abandonIntent(database.db, row.id);
  expect(await activities.openCheckout(row.id)).toEqual({ status: 'abandoned' });
  expect(await statusOf(database, row)).toBe('abandoned');
  expect(published).toEqual([]);
  expect(await keptAnswer(row)).toBeUndefined();
});

it('is let go when the gateway fails', async () => {
  const row = await create();
  just_created.set(row.id, row);
  fake.fault = new GatewayError('timeout', 'too late');
  expect(await activities.openCheckout(row.id)).toEqual({ status: 'creating', fault: 'timeout' });
  expect(just_created.size).toBe(0);
  expect(published).toEqual([[row.id, { fault: 'timeout' }]]);
});

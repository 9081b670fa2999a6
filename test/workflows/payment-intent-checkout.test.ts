// The activities that open a checkout and cancel it: what they store for the key, what they hand to the request that
// waits in the same process, and what they do when the gateway knows more than the row.

import { closeSession } from '../../activities/checkouts';
import { GatewayError } from '../../domain/gateway-error';
import type { CheckoutOutcome } from '../../domain/intent';
import type { PaymentState } from '../../domain/payment';
import {
  abandonIntent,
  cancelIntent,
  createIntent,
  getIntent,
  type IntentRow,
} from '../../db/payment-intents/intents';
import { beginAskingAttempt, createAttempt } from '../../db/payment-attempts/payment-attempts';
import { createVoices } from '../../use-cases/risk/voices';
import { expectBooksHold } from '../support/books';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { buildNewAttempt } from '../support/payment-attempts';
import { buildUser, type TestUser } from '../support/users';
import { testMessages } from '../support/secrets';
import { fakeGateway, PAID, type FakeGateway } from './fake-gateway';
import {
  createTestActivities,
  buildNewIntent,
  FAILURE,
  letLapse,
  statusOf,
  type PaymentActivities,
} from './intents';

let database: TestDatabase;
let merchant: TestUser;
let fake: FakeGateway;
let published: [id: string, outcome: CheckoutOutcome][];
let activities: PaymentActivities;

beforeAll(async () => {
  database = await createTestDatabase();
  merchant = await buildUser(database.db);
});

beforeEach(async () => {
  fake = fakeGateway();
  published = [];
  activities = await createTestActivities(database, {
    gateway: fake.gateway,
    pending_checkouts: { publish: (id, outcome) => published.push([id, outcome]) },
  });
});

afterEach(async () => {
  await expectBooksHold(database.db);
});

async function create(): Promise<IntentRow> {
  const intent = buildNewIntent(merchant, 'fake', {
    description: 'Café',
    customer_email: 'a@example.com',
    metadata: { order: 7, is_gift: true, note: null },
  });
  const { is_new, ...row } = await createIntent(database.db, intent);
  expect(is_new).toBe(true);
  return row;
}

/** The bytes kept for its key. */
async function storedBody({ id }: IntentRow): Promise<string | undefined> {
  const { rows } = await database.owner.raw(
    `select k.body from payment_intents i
       join idempotency_keys k on (k.user_id, k.environment, k.operation, k.key)
                                = (i.user_id, i.environment, 'payment_intent', i.idempotency_key)
      where i.id = ?`,
    [id],
  );
  return (rows as { body: string }[])[0]?.body;
}

it('hands over the bytes that it stores', async () => {
  const row = await create();
  expect(await activities.openCheckout(row.id)).toEqual({ status: 'open' });
  const body = await storedBody(row);
  expect(body).toContain('Café');
  expect(published).toEqual([[row.id, { status: 201, body, fingerprint: row.fingerprint }]]);
});

it('hands over nothing when the checkout is open already', async () => {
  const row = await create();
  await activities.openCheckout(row.id);
  published = [];
  expect(await activities.openCheckout(row.id)).toEqual({ status: 'open' });
  expect(fake.sessions).toHaveLength(1);
  expect(published).toEqual([]);
});

it('reports a gateway that is not there, and opens when it is', async () => {
  const row = await create();
  const without = await createTestActivities(database, { gateway: undefined });
  expect(await without.openCheckout(row.id)).toEqual({ status: 'creating', fault: 'unreachable' });
  expect(fake.sessions).toEqual([]);
  expect(await activities.openCheckout(row.id)).toEqual({ status: 'open' });
});

it('opens nothing that was abandoned meanwhile, and hands over nothing', async () => {
  const row = await create();
  await abandonIntent(database.db, row.id);
  expect(await activities.openCheckout(row.id)).toEqual({ status: 'abandoned' });
  expect(await statusOf(database, row)).toBe('abandoned');
  expect(published).toEqual([]);
  expect(await storedBody(row)).toBeUndefined();
});

// A worker that lost its task may still have the first attempt under way, while another makes the next.
it.each([
  ['', async () => undefined],
  [
    ', after the intent had begun again',
    async ({ id }: IntentRow) =>
      database.owner.raw(
        `update payment_intents set created_at = now() - interval '2 hours',
                expires_at = now() - interval '1 hour' where id = ?`,
        [id],
      ),
  ],
])('hands over only what is stored when another attempt was faster%s', async (_, meanwhile) => {
  const row = await create();
  fake.onOpen = async () => {
    fake.onOpen = async () => undefined;
    await meanwhile(row);
    expect(await activities.openCheckout(row.id)).toEqual({ status: 'open' });
  };
  expect(await activities.openCheckout(row.id)).toEqual({ status: 'open' });
  const body = await storedBody(row);
  expect(published).toEqual([[row.id, { status: 201, body, fingerprint: row.fingerprint }]]);
  expect(body).toContain(`"expires_at":"${(await getIntent(database.db, row.id)).expires_at}"`);
});

it('opens nothing that is abandoned while the gateway opens it', async () => {
  const row = await create();
  fake.onOpen = async () => {
    await abandonIntent(database.db, row.id);
  };
  expect(await activities.openCheckout(row.id)).toEqual({ status: 'abandoned' });
  expect(published).toEqual([]);
  expect(await storedBody(row)).toBeUndefined();
});

it('hands over the fault when the gateway fails', async () => {
  const row = await create();
  fake.fault = new GatewayError('timeout', 'too late');
  expect(await activities.openCheckout(row.id)).toEqual({ status: 'creating', fault: 'timeout' });
  expect(published).toEqual([[row.id, { fault: 'timeout' }]]);
});

describe('the cancellation', () => {
  it.each([
    ['paid', PAID, 'succeeded'],
    ['pending', { state: 'pending' }, 'processing'],
    ['failed', { state: 'failed', failure: FAILURE }, 'failed'],
    ['not paid', { state: 'none' }, 'canceled'],
  ] as [string, PaymentState, string][])(
    'of what the gateway says is %s, and has not told yet, ends so',
    async (_, state, status) => {
      const { id } = await create();
      await activities.openCheckout(id);
      fake.state = state;
      expect(await activities.cancelIntent(id, testMessages.sealCancellation(id))).toEqual({
        status,
      });
      expect(await statusOf(database, { id })).toBe(status);
      expect(fake.closed).toEqual([`cs_${id}_1`]);
    },
  );

  it('asks the gateway nothing while a customer is asked on a phone', async () => {
    const { id, environment } = await create();
    await activities.openCheckout(id);
    const attempt = buildNewAttempt({ id, environment, user_id: merchant.id }, { gateway: 'fake' });
    await createAttempt(database.db, attempt);
    await beginAskingAttempt(database.db, attempt.id);
    const order = testMessages.sealCancellation(id);
    expect(await activities.cancelIntent(id, order)).toEqual({ status: 'open' });
    expect(fake.closed).toEqual([]);
  });

  it('asks the gateway once', async () => {
    const { id } = await create();
    await activities.openCheckout(id);
    const order = testMessages.sealCancellation(id);
    for (const _ of [1, 2]) {
      expect(await activities.cancelIntent(id, order)).toEqual({ status: 'canceled' });
    }
    expect(fake.closed).toEqual([`cs_${id}_1`]);
  });

  it.each(['timeout', 'unreachable', 'refused'] as const)(
    'at a gateway that is %s is a fault, and the intent stays open',
    async (fault) => {
      const { id } = await create();
      await activities.openCheckout(id);
      fake.fault = new GatewayError(fault, 'as the test wants it');
      const order = testMessages.sealCancellation(id);
      expect(await activities.cancelIntent(id, order)).toEqual({ status: 'open', fault });
      expect(await statusOf(database, { id })).toBe('open');
    },
  );
});

describe('the renewal of a checkout that has lapsed', () => {
  async function lapsed(): Promise<string> {
    const { id } = await create();
    await activities.openCheckout(id);
    await letLapse(database, { id });
    return id;
  }

  it('opens none of a link that is over', async () => {
    const id = await lapsed();
    await cancelIntent(database.db, id);
    expect(await activities.renewCheckout(id)).toEqual({ status: 'canceled' });
    expect(fake.closed).toEqual([]);
    expect(fake.sessions).toHaveLength(1);
  });

  it('opens none while the gateway does not say that the old one is closed', async () => {
    const id = await lapsed();
    fake.onClose = () => Promise.reject(new GatewayError('timeout', 'too late'));
    expect(await activities.renewCheckout(id)).toEqual({ status: 'open', fault: 'timeout' });
    expect(fake.sessions).toHaveLength(1);
  });

  it('that fails is a fault, and the link stays open', async () => {
    const id = await lapsed();
    fake.onOpen = () => Promise.reject(new GatewayError('timeout', 'too late'));
    expect(await activities.renewCheckout(id)).toEqual({ status: 'open', fault: 'timeout' });
    expect(await statusOf(database, { id })).toBe('open');
  });
});

it('closes nothing of a link whose checkout was not opened yet', async () => {
  const intent = await getIntent(database.db, (await create()).id);
  const gateways = { live: [], sandbox: [fake.gateway] };
  const voices = createVoices([]);
  const at = { db: database.db, gateways, voices, pay_url_base: 'https://pay.example.com' };
  expect(await closeSession(at, intent)).toEqual({ status: 'creating', is_paying: false });
  expect(fake.closed).toEqual([]);
});

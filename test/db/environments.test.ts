// Live and sandbox, and one merchant and another, share every table. Two merchants have the same of
// everything in both environments here, under the same names and keys; each query must see what is of
// its own account and environment, and nothing of the other three.

import { randomUUID } from 'node:crypto';
import { authenticate, identify } from '../../db/keys/api-keys';
import { lastSequence, listEvents } from '../../db/webhooks/events';
import { findStoredResponse, resolveOutcome } from '../../db/requests/orders';
import { createIntent, type NewIntent } from '../../db/payment-intents/intents';
import { listIntents } from '../../db/payment-intents/intent-views';
import {
  applyNotification,
  claimWaitingNotifications,
  storeNotification,
  type Applied,
} from '../../db/suspense/notifications';
import {
  findOperatorIntent,
  listOperatorIntents,
  listUnappliedNotifications,
} from '../../db/payment-intents/operator-intents';
import {
  countUndelivered,
  listOperatorEndpoints,
  listOperatorEvents,
} from '../../db/webhooks/operator-webhooks';
import { listTransactions } from '../../db/ledger/transactions';
import { listWallets } from '../../db/ledger/wallets';
import { listDeliveries } from '../../db/webhooks/webhook-deliveries';
import { createWebhookEndpoint, listWebhookEndpoints } from '../../db/webhooks/webhook-endpoints';
import { beginResend } from '../../db/webhooks/webhook-resends';
import { ENVIRONMENTS, type Environment } from '../../domain/environment';
import type { PaymentNotification } from '../../domain/payment';
import { hashApiKey } from '../../secrets/api-key';
import { expectBooksHold } from '../support/books';
import { createTestDatabase, setUp } from '../support/database';
import { disputeOf, say } from '../support/disputes';
import { answerPayout, orderedPayout } from '../support/payouts';
import { buildTransferRequest, post } from '../support/postings';
import { answer, ordered, payIntent } from '../support/refunds';
import { buildApiKey, buildUser, type TestUser } from '../support/users';
import { createTestEndpoint, testSealer } from '../support/webhooks';
import { buildNewIntent, notificationOf, openAtOnce } from '../workflows/intents';

const PAY_URL = 'https://pay.example.com';
/** Every transfer and every intent has it: what differs is the account and the environment. */
const KEY = 'the same key';

/** Everything of one merchant in one environment. */
interface World {
  readonly name: string;
  readonly user: TestUser;
  readonly environment: Environment;
  readonly key_hash: Buffer;
  readonly intent: NewIntent;
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly delivery_id: string;
  readonly resend_id: string;
  /** Names the deposit. */
  readonly transaction_id: string;
  /** Sent by this merchant. */
  readonly transfer: string;
}

const database = setUp(createTestDatabase);
let worlds: readonly World[];

beforeAll(async () => {
  const [seller, customer] = [await buildMerchant(), await buildUser(database.db)];
  const other = await buildMerchant();
  const places = [seller, other].flatMap((user) =>
    ENVIRONMENTS.map((environment) => ({ user, environment })),
  );
  // All endpoints are there before the first event.
  const endpoints = await Promise.all(
    places.map(({ user, environment }) =>
      createTestEndpoint(database, {
        user_id: user.id,
        environment,
        url: 'https://shop.example/hooks',
      }),
    ),
  );
  const built: World[] = [];
  for (const [index, { user, environment }] of places.entries()) {
    const name = `${user === seller ? 'the seller' : 'the other'}, ${environment}`;
    built.push(await buildWorld(name, user, environment, customer, endpoints[index]!.id));
  }
  worlds = built;
});

function buildMerchant(): Promise<TestUser> {
  const wallet = { XOF: 100_000n };
  return buildUser(database.db, { funds: { live: wallet, sandbox: wallet } });
}

async function buildWorld(
  name: string,
  user: TestUser,
  environment: Environment,
  customer: TestUser,
  endpoint_id: string,
): Promise<World> {
  const { db, owner } = database;
  const intent = await openOne(user, environment, { idempotency_key: KEY });
  await applyOne(notificationOf(intent));
  const request = buildTransferRequest({
    from: user,
    to: customer,
    amount: 100n,
    environment,
    key: KEY,
  });
  await post(db, [request]);
  const resend_id = (await beginResend(db, {
    user_id: user.id,
    environment,
    endpoint_id,
    statuses: ['exhausted'],
    types: ['payment.failed'],
    created_from: '2026-01-01T00:00:00Z',
    created_to: '2026-01-02T00:00:00Z',
  }))!;
  const { rows } = await owner.raw(
    `select i.transaction_id, e.id as event_id, d.id as delivery_id
       from payment_intents i join events e on e.intent_id = i.id
       left join webhook_deliveries d on d.event_id = e.id and d.endpoint_id = ?
      where i.id = ?`,
    [endpoint_id, intent.id],
  );
  const { key } = await buildApiKey(db, { user, environment });
  return {
    name,
    user,
    environment,
    key_hash: hashApiKey(key),
    intent,
    endpoint_id,
    resend_id,
    ...(rows as Pick<World, 'transaction_id' | 'event_id' | 'delivery_id'>[])[0]!,
    transfer: request.reference,
  };
}

async function openOne(
  user: TestUser,
  environment: Environment,
  fields: Partial<NewIntent> = {},
): Promise<NewIntent> {
  const intent = buildNewIntent(user, 'sandbox', { environment, ...fields });
  await createIntent(database.db, intent);
  const checkout_url = `https://gateway.example.com/${intent.id}`;
  const checkout = { session_id: intent.id, checkout_url, lapses_at: null };
  await openAtOnce(database.db, intent.id, checkout);
  return intent;
}

async function storeOne(notification: PaymentNotification, gateway = 'sandbox') {
  return storeNotification(database.db, gateway, notification, Buffer.from('{}'));
}

async function applyOne(notification: PaymentNotification): Promise<Applied> {
  return applyNotification(database.db, (await storeOne(notification)).id, PAY_URL);
}

/** Asked on behalf of each of the four: the answer is one of these names. */
async function expectOwn(read: (world: World) => Promise<unknown>, own: (world: World) => unknown) {
  const found = await Promise.all(worlds.map(async (world) => [world.name, await read(world)]));
  expect(found).toEqual(worlds.map((world) => [world.name, own(world)]));
}

/** Each of the four asks for what each of the four has: only its own is there. */
async function expectOwnOnly(find: (asking: World, asked: World) => Promise<unknown>) {
  const found: string[] = [];
  for (const asking of worlds) {
    for (const asked of worlds) {
      if ((await find(asking, asked)) !== undefined) found.push(`${asking.name} → ${asked.name}`);
    }
  }
  expect(found).toEqual(worlds.map(({ name }) => `${name} → ${name}`));
}

const idsOf = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id);

it('keeps books in which nothing crosses', async () => {
  await expectBooksHold(database.db);
});

const intentScope = ({ user, environment }: World) => ({
  user_id: user.id,
  environment,
  pay_url_base: PAY_URL,
});

describe('a list', () => {
  const page = { before: undefined, limit: 50 };
  const scope = ({ user, environment }: World) => ({ user_id: user.id, environment });

  it('of payment intents', () =>
    expectOwn(
      async (world) =>
        idsOf(await listIntents(database.db, { ...intentScope(world), ...page, filters: {} })),
      ({ intent }) => [intent.id],
    ));

  it('of events', () =>
    expectOwn(
      async (world) =>
        idsOf(await listEvents(database.db, { ...scope(world), after: 0n, limit: 50 })),
      ({ event_id }) => [event_id],
    ));

  it.each([{}, { status: 'pending' as const }, { type: 'payment.succeeded' as const }])(
    'of deliveries, with the filters %j',
    (filters) =>
      expectOwn(
        async (world) =>
          idsOf(await listDeliveries(database.db, { ...scope(world), ...page, filters })),
        ({ delivery_id }) => [delivery_id],
      ),
  );

  it('of webhook endpoints', () =>
    expectOwn(
      async ({ user, environment }) =>
        idsOf(await listWebhookEndpoints(database.db, user.id, environment)),
      ({ endpoint_id }) => [endpoint_id],
    ));

  it.each([undefined, ['deposit', 'transfer_out'] as const])(
    'of transactions, of the types %s',
    (types) =>
      expectOwn(
        async (world) => {
          const query = { ...scope(world), ...page, types };
          const { transactions } = await listTransactions(database.db, query);
          const rows = JSON.parse(`[${transactions}]`) as { type: string; reference: string }[];
          return rows.filter(({ type }) => type !== 'adjustment').map(({ reference }) => reference);
        },
        ({ intent, transfer }) => [transfer, intent.reference],
      ),
  );

  it('of wallets', async () => {
    const lists = await Promise.all(
      worlds.map(({ user, environment }) => listWallets(database.db, user.id, environment)),
    );
    expect(lists.map((wallets) => wallets.map(({ currency }) => currency))).toEqual(
      worlds.map(() => ['XOF', 'EUR', 'USD']),
    );
    expect(new Set(idsOf(lists.flat())).size).toBe(12);
    // The payment arrived in each, and what was sent has left the live ones.
    await expectOwn(
      async ({ user, environment }) =>
        (await listWallets(database.db, user.id, environment))[0]!.balance_minor,
      ({ environment }) => (environment === 'live' ? 599_900n : 600_000n),
    );
  });

  it('of intents for operators, by merchant and environment', () =>
    expectOwn(
      async (world) =>
        idsOf(
          await listOperatorIntents(database.db, {
            ...intentScope(world),
            status: undefined,
            before: undefined,
            limit: 50,
          }),
        ),
      ({ intent }) => [intent.id],
    ));

  it('of endpoints for operators', () =>
    expectOwn(
      async ({ user, environment }) =>
        idsOf(await listOperatorEndpoints(database.db, user.id, [environment])),
      ({ endpoint_id }) => [endpoint_id],
    ));

  it('of events for operators', () =>
    expectOwn(
      async (world) =>
        idsOf(await listOperatorEvents(database.db, { ...scope(world), after: 0n, limit: 50 })),
      ({ event_id }) => [event_id],
    ));
});

describe('a single', () => {
  it('count of what did not reach an endpoint', () =>
    expectOwnOnly(
      async ({ user, environment }, { endpoint_id: id }) =>
        (await countUndelivered(database.db, { id, user_id: user.id, environment })).pending,
    ));
});

describe('the response stored for a key', () => {
  const scope = ({ user, environment }: World, operation: 'transfer' | 'payment_intent') => ({
    user_id: user.id,
    environment,
    operation,
    key: KEY,
  });
  const transferOf = (body: string | undefined): unknown =>
    (JSON.parse(body ?? '{}') as { reference?: string }).reference;
  const intentOf = (body: string | undefined): unknown =>
    (JSON.parse(body ?? '{}') as { id?: string }).id;

  it('is found by itself', async () => {
    await expectOwn(
      async (world) =>
        transferOf((await findStoredResponse(database.db, scope(world, 'transfer')))?.body),
      ({ transfer }) => transfer,
    );
    await expectOwn(
      async (world) =>
        intentOf((await findStoredResponse(database.db, scope(world, 'payment_intent')))?.body),
      ({ intent }) => intent.id,
    );
  });

  it('is found when its first response was lost', () =>
    expectOwn(
      async (world) => {
        const past = '2026-01-01T00:00:00Z';
        const state = await resolveOutcome(database.db, scope(world, 'transfer'), past);
        return state.state === 'answered' && transferOf(state.response.body);
      },
      ({ transfer }) => transfer,
    ));

  it.each([
    ['transfer', transferOf, ({ transfer }: World) => transfer],
    ['payment_intent', intentOf, ({ intent }: World) => intent.id],
  ] as const)('is found with its caller: %s', async (operation, read, own) => {
    const operation_key = { operation, key: KEY };
    await expectOwn(async ({ key_hash }) => {
      const caller = await authenticate(database.db, key_hash, true, { operation_key });
      return read(caller?.stored?.body);
    }, own);
    await expectOwn(async ({ key_hash }) => {
      const caller = await identify(database.db, key_hash, operation_key);
      return read(caller?.stored?.body);
    }, own);
  });
});

describe('a notification', () => {
  const OTHER = { live: 'sandbox', sandbox: 'live' } as const;

  it.each([
    ['both', {}],
    ['its id', { reference: null }],
    ['its reference', { intent_id: null }],
  ] as const)(
    'that names an intent of the other environment by %s is of nobody',
    async (_, name) => {
      const { db } = database;
      for (const { user, environment } of worlds) {
        const intent = await openOne(user, environment);
        const paid = notificationOf(intent, { ...name, environment: OTHER[environment] });
        const stored = await storeOne(paid);
        expect(stored).toMatchObject({ intent_id: null, intent_status: null });
        const waiting = await claimWaitingNotifications(db, -1_000, 50);
        expect(waiting).toEqual([expect.objectContaining({ id: stored.id, intent_id: null })]);
        const shown = (await findOperatorIntent(db, intent.id, PAY_URL))!;
        expect(await listUnappliedNotifications(db, shown)).toEqual([]);
        const applied = await applyNotification(db, stored.id, PAY_URL);
        expect(applied).toMatchObject({ outcome: 'suspense', intent_id: null, status: null });
        expect((await findOperatorIntent(db, intent.id, PAY_URL))!.status).toBe('open');
      }
      await expectBooksHold(db);
    },
  );

  it('of a gateway that names an intent of another gateway is of nobody', async () => {
    const { db } = database;
    const [{ user, environment }] = worlds as [World];
    for (const name of [{ reference: null }, { intent_id: null }]) {
      const intent = await openOne(user, environment);
      const paid = notificationOf(intent, name);
      const stored = await storeOne(paid, 'another');
      const shown = (await findOperatorIntent(db, intent.id, PAY_URL))!;
      expect(await listUnappliedNotifications(db, shown)).toEqual([]);
      expect((await applyNotification(db, stored.id, PAY_URL)).outcome).toBe('suspense');
    }
    await expectBooksHold(db);
  });

  it('of one environment is no repetition of one of the other with the same names', async () => {
    const { db } = database;
    const [live, sandbox] = worlds as [World, World];
    const same = { event_id: randomUUID(), provider_payment_id: randomUUID() };
    for (const { user, environment } of [live, sandbox]) {
      const intent = await openOne(user, environment);
      const paid = notificationOf(intent, same);
      const stored = await storeOne(paid);
      expect(stored.is_new).toBe(true);
      expect((await applyNotification(db, stored.id, PAY_URL)).outcome).toBe('succeeded');
      const again = await storeOne(paid);
      expect(again).toMatchObject({ id: stored.id, is_new: false, outcome: 'succeeded' });
    }
    await expectBooksHold(db);
  });
});

describe('the numbers of events', () => {
  it('count on in each account and environment', async () => {
    const before = new Map<string, bigint>();
    const last = ({ user, environment }: World) => lastSequence(database.db, user.id, environment);
    for (const world of worlds) before.set(world.name, await last(world));
    // A different number of events in each.
    for (const [index, { user, environment }] of worlds.entries()) {
      for (let count = 0; count <= index; count += 1) {
        const intent = await openOne(user, environment);
        await applyOne(notificationOf(intent));
      }
    }
    await expectOwn(
      async (world) => (await last(world)) - before.get(world.name)!,
      (world) => BigInt(worlds.indexOf(world) + 1),
    );
    await expectBooksHold(database.db);
  });
});

describe('the limit of endpoints', () => {
  it('is one for each account and environment', async () => {
    const { db } = database;
    for (const { user, environment } of worlds) {
      const id = randomUUID();
      const endpoint = {
        id,
        user_id: user.id,
        environment,
        url: 'https://shop.example/second',
        types: ['payment.failed'] as const,
        description: null,
        max_per_second: null,
      };
      const sealed = testSealer.seal('whsec_second', id);
      // Each has one so far.
      expect(await createWebhookEndpoint(db, endpoint, sealed, 1)).toBe(false);
      expect(await createWebhookEndpoint(db, endpoint, sealed, 2)).toBe(true);
    }
  });
});

it('has an event of each kind sent to endpoints of its account, environment and type that are there', async () => {
  const user = await buildUser(database.db, { funds: { sandbox: { XOF: 1_000_000n } } });
  const other = await buildUser(database.db);
  const types = ['payment.succeeded', 'refund.succeeded', 'payout.succeeded', 'dispute.opened'];
  const endpoint = async (changes: object, of: object = {}): Promise<string> => {
    const options = { user_id: user.id, url: 'https://shop.example/hooks', ...of };
    const { id } = await createTestEndpoint(database, options);
    await database
      .owner('webhook_endpoints')
      .where({ id })
      .update({ types, ...changes });
    return id;
  };
  const own = await endpoint({});
  await endpoint({}, { user_id: other.id });
  await endpoint({}, { environment: 'live' });
  await endpoint({ types: ['payment.failed'] });
  await endpoint({ status: 'deleted' });
  const intent = await payIntent(database.db, user);
  await say(database.db, await disputeOf(database, intent));
  const refund = await ordered(database.db, await payIntent(database.db, user));
  await answer(database.db, refund, 'succeeded');
  const payout = await orderedPayout(database.db, user);
  await answerPayout(database.db, payout, { status: 'succeeded' });
  const { rows } = await database.owner.raw(
    `select d.type, array_agg(d.endpoint_id) as endpoints from webhook_deliveries d
      where d.event_id in (select e.id from events e where e.user_id = ?) group by d.type`,
    [user.id],
  );
  const to = types.map((type) => ({
    type,
    endpoints: type === 'payment.succeeded' ? [own, own] : [own],
  }));
  expect(rows).toHaveLength(to.length);
  expect(rows).toEqual(expect.arrayContaining(to));
});

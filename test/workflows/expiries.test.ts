import { claimDueIntents } from '../../db/payment-intents/expiries';
import { createIntent, createIntentBefore, type NewIntent } from '../../db/payment-intents/intents';
import { applyNotification, storeNotification } from '../../db/suspense/notifications';
import { GatewayError } from '../../domain/gateway-error';
import type { PaymentState } from '../../domain/payment';
import { expectBooksHold } from '../support/books';
import { createTestDatabase, openSession, type TestDatabase } from '../support/database';
import { buildPaymentLink, ofLink } from '../support/payment-links';
import { buildUser, type TestUser } from '../support/users';
import { waitFor } from '../support/wait';
import { fakeGateway, hang, PAID, type FakeGateway } from './fake-gateway';
import {
  buildNewIntent,
  cutOffTurn,
  eventsOf,
  expiryTurn,
  FAILURE,
  notificationOf,
  letExpire,
  openAtOnce,
  statusOf,
  suspenseOf,
} from './intents';

// None of these intents has a workflow: that it was lost (F26) keeps no intent from its end.

interface Scene {
  readonly database: TestDatabase;
  readonly fake: FakeGateway;
  readonly log: Readonly<Record<string, unknown>>[];
  /** One turn of the job. */
  readonly turn: () => Promise<void>;
  /** Opens it for an hour. */
  readonly open: (merchant: TestUser, fields?: Partial<NewIntent>) => Promise<NewIntent>;
  /** Open, and due at once. */
  readonly expire: (merchant: TestUser, fields?: Partial<NewIntent>) => Promise<NewIntent>;
  readonly merchant: () => Promise<TestUser>;
}

async function setScene(): Promise<Scene> {
  const database = await createTestDatabase();
  const { db } = database;
  const fake = fakeGateway();
  const log: Readonly<Record<string, unknown>>[] = [];
  const open: Scene['open'] = async (merchant, fields) => {
    const intent = buildNewIntent(merchant, 'fake', fields);
    await createIntent(db, intent);
    const session_id = `cs_${intent.id}_1`;
    const checkout_url = 'https://gateway.example.com';
    await openAtOnce(db, intent.id, { session_id, checkout_url, lapses_at: null });
    return intent;
  };
  const turn = expiryTurn({ database, gateway: fake.gateway, log: (entry) => log.push(entry) });
  return {
    database,
    fake,
    log,
    turn: () => turn(new AbortController().signal),
    merchant: () => buildUser(db),
    open,
    async expire(merchant, fields) {
      const intent = await open(merchant, fields);
      await letExpire(database, intent);
      return intent;
    },
  };
}

async function many<Made>(count: number, make: () => Promise<Made>): Promise<Made[]> {
  return Promise.all(Array.from({ length: count }, make));
}

async function countOf({ database: { owner } }: Scene, status: string): Promise<number> {
  const { rows } = await owner.raw(
    'select count(*)::int as count from payment_intents where status = ?',
    [status],
  );
  return (rows as [{ count: number }])[0].count;
}

function closesOf({ fake }: Scene, { id }: NewIntent): number {
  return fake.closed.filter((session) => session === `cs_${id}_1`).length;
}

async function endPauses({ database }: Scene): Promise<void> {
  await database.owner.raw(
    'update payment_intents set next_check_at = now() where next_check_at is not null',
  );
}

/** The first books money that changes the row; then the second ends it. */
async function twoTurns(scene: Scene): Promise<void> {
  await scene.turn();
  await endPauses(scene);
  await scene.turn();
}

/** The database's clock, and when the one intent is tried again, in seconds. */
async function timesOf({ database: { owner } }: Scene): Promise<{ now: number; due: number }> {
  const { rows } = await owner.raw(
    `select extract(epoch from clock_timestamp())::float8 as now,
            extract(epoch from next_check_at)::float8 as due from payment_intents`,
  );
  return (rows as [{ now: number; due: number }])[0];
}

describe('what was never opened', () => {
  it('is abandoned once no workflow can still open it, and its place in a link is free', async () => {
    const { database, fake, merchant } = await setScene();
    const { db } = database;
    const seller = await merchant();
    const link = await buildPaymentLink(db, seller, { max_payments: 2 });
    // Their process died before it began a workflow.
    const [old, recent] = [1, 2].map(() => buildNewIntent(seller, 'fake', ofLink(link)));
    for (const intent of [old!, recent!]) await createIntentBefore(db, intent, undefined);
    await letExpire(database, old!, '10 minutes');
    await letExpire(database, recent!, '9 minutes');
    expect(
      await createIntentBefore(db, buildNewIntent(seller, 'fake', ofLink(link)), undefined),
    ).toBe('link_sold_out');
    await cutOffTurn({ database, gateway: fake.gateway });
    expect(await statusOf(database, old!)).toBe('abandoned');
    expect(await statusOf(database, recent!)).toBe('creating');
    // The same key begins it again, in the place that it gave back.
    expect(await createIntentBefore(db, old!, undefined)).toMatchObject({ status: 'creating' });
    await expectBooksHold(db);
  });
});

it('ends a day after its time at a gateway that is gone, and its place in a link is free', async () => {
  const { database, fake, merchant, open } = await setScene();
  const { db } = database;
  const seller = await merchant();
  const link = await buildPaymentLink(db, seller, { max_payments: 3 });
  const gone = () => ({ ...ofLink(link), gateway: 'gone' });
  const opened = [await open(seller, gone()), await open(seller, gone())] as const;
  const known = await open(seller);
  const creating = buildNewIntent(seller, 'gone', ofLink(link));
  await createIntentBefore(db, creating, undefined);
  for (const one of [opened[0], known, creating]) await letExpire(database, one, '25 hours');
  await letExpire(database, opened[1], '23 hours');
  await cutOffTurn({ database, gateway: fake.gateway });
  const all = [...opened, known, creating];
  expect(await Promise.all(all.map((one) => statusOf(database, one)))).toEqual([
    'expired',
    'open',
    'open',
    'abandoned',
  ]);
  expect(await eventsOf(database, opened[0])).toHaveLength(1);
  const { rows } = await database.owner.raw('select places from payment_links');
  expect(rows).toEqual([{ places: 1 }]);
});

describe('what has expired', () => {
  it('is ended once, with its event, after its session was closed; nothing else is', async () => {
    const scene = await setScene();
    const { database, fake } = scene;
    const merchants = await many(3, scene.merchant);
    const intents = await Promise.all(
      Array.from({ length: 150 }, (_, n) => scene.expire(merchants[n % 3]!)),
    );
    const later = await scene.open(merchants[0]!);
    await scene.turn();
    const { rows } = await database.owner.raw(
      `select p.expired_at >= p.expires_at as is_in_time, e.type,
              e.body::jsonb #>> '{data,status}' as shown,
              e.body::jsonb #>> '{data,expired_at}' = e.body::jsonb ->> 'created_at' as is_dated
         from payment_intents p join events e on e.intent_id = p.id`,
    );
    const event = { is_in_time: true, type: 'payment.expired', shown: 'expired', is_dated: true };
    expect(rows).toEqual(Array.from({ length: 150 }, () => event));
    // The events of each account have no gaps, and the books agree with the rows.
    const { rows: counters } = await database.owner.raw(
      `select s.last = count(e.*) and s.last = max(e.sequence) as is_whole
         from event_sequences s join events e using (user_id, environment)
        group by s.user_id, s.environment, s.last`,
    );
    expect(counters).toEqual(Array.from({ length: 3 }, () => ({ is_whole: true })));
    await expectBooksHold(database.db);
    expect([...fake.closed].sort()).toEqual(intents.map(({ id }) => `cs_${id}_1`).sort());
    expect(await statusOf(database, later)).toBe('open');
  });

  it('is ended once by two processes at the same moment', async () => {
    const scene = await setScene();
    const merchant = await scene.merchant();
    await many(100, () => scene.expire(merchant));
    await Promise.all([scene.turn(), scene.turn()]);
    await waitFor(async () => {
      await endPauses(scene);
      await scene.turn();
      return (await countOf(scene, 'expired')) === 100;
    });
    // Each has one event (I7).
    await expectBooksHold(scene.database.db);
  });

  it.each([
    ['paid', PAID, 'succeeded', []],
    ['failed', { state: 'failed', failure: FAILURE }, 'failed', []],
    [
      'paid with another amount',
      { ...PAID, payment: { ...PAID.payment, amount_minor: '400000' } },
      'expired',
      [{ reason: 'amount', amount_minor: 400_000n }],
    ],
  ] as [string, PaymentState, string, object[]][])(
    'ends as the gateway says: %s, also after it was pending',
    async (_, state, status, suspense) => {
      const scene = await setScene();
      const { database, fake } = scene;
      const merchant = await scene.merchant();
      const at_once = await scene.expire(merchant);
      fake.state = withPaymentId(state, 'pay_1');
      await twoTurns(scene);
      fake.state = { state: 'pending' };
      const pending = await scene.expire(merchant);
      await scene.turn();
      expect(await statusOf(database, pending)).toBe('processing');
      fake.state = withPaymentId(state, 'pay_2');
      await scene.turn();
      expect(closesOf(scene, pending)).toBe(1);
      await endPauses(scene);
      await twoTurns(scene);
      for (const intent of [at_once, pending]) {
        expect(await statusOf(database, intent)).toBe(status);
        expect(await eventsOf(database, intent)).toEqual([`payment.${status}`]);
        expect(await suspenseOf(database, intent)).toMatchObject(suspense);
      }
      await expectBooksHold(database.db);
    },
  );

  it('is paid between the answer and the end: the row decides', async () => {
    const scene = await setScene();
    const { database, fake } = scene;
    const intent = await scene.expire(await scene.merchant());
    // `none` is answered; then another process applies a payment, and only then the job ends it.
    fake.onClose = async () => {
      const paid = notificationOf(intent);
      const { id } = await storeNotification(database.db, 'fake', paid, Buffer.from('{}'));
      await applyNotification(database.db, id, 'https://pay.example.com');
    };
    await scene.turn();
    expect(await statusOf(database, intent)).toBe('succeeded');
    expect(await eventsOf(database, intent)).toEqual(['payment.succeeded']);
    await expectBooksHold(database.db);
  });

  it('of another gateway, or of the other environment, is left alone', async () => {
    const scene = await setScene();
    const merchant = await scene.merchant();
    await scene.expire(merchant, { gateway: 'another' });
    await scene.expire(merchant, { environment: 'live' });
    const ours = await scene.expire(merchant);
    await scene.turn();
    expect(await statusOf(scene.database, ours)).toBe('expired');
    expect(await countOf(scene, 'expired')).toBe(1);
    expect(scene.fake.closed).toEqual([`cs_${ours.id}_1`]);
  });
});

describe('one that cannot be ended', () => {
  it('is tried again after pauses that double, and ends when it can', async () => {
    const scene = await setScene();
    const intent = await scene.expire(await scene.merchant());
    scene.fake.fault = new GatewayError('refused', 'another account');
    for (const pause of [5, 10, 20, 40, 80, 160, 320, 640, 900, 900]) {
      const before = await timesOf(scene);
      await scene.turn();
      const after = await timesOf(scene);
      expect(after.due).toBeGreaterThanOrEqual(before.now + pause);
      expect(after.due).toBeLessThanOrEqual(after.now + pause);
      await endPauses(scene);
    }
    scene.fake.fault = undefined;
    await scene.turn();
    expect(await statusOf(scene.database, intent)).toBe('expired');
  });

  it('is logged when Postgres refuses it, and the others end', async () => {
    const scene = await setScene();
    const { database } = scene;
    const [merchant, other] = await many(2, scene.merchant);
    const poison = await scene.expire(merchant!);
    await database.owner.raw(
      `create function refuse_poison() returns trigger language plpgsql as $$
       begin
         if new.intent_id = '${poison.id}' then raise exception 'poison'; end if;
         return new;
       end $$;
       create trigger poison before insert on events for each row execute function refuse_poison()`,
    );
    await many(5, () => scene.expire(merchant!));
    await many(5, () => scene.expire(other!));
    await scene.turn();
    expect(await countOf(scene, 'expired')).toBe(10);
    expect(await statusOf(database, poison)).toBe('open');
    expect(scene.log).toEqual([
      { part: 'expiries', intent: poison.id, error: expect.stringContaining('poison') },
    ]);
  });

  it('because a session holds its row or its account delays no other', async () => {
    const scene = await setScene();
    const { database } = scene;
    const [merchant, busy] = await many(2, scene.merchant);
    const held = await scene.expire(merchant!);
    const of_busy = await scene.expire(busy!);
    await many(5, () => scene.expire(merchant!));
    await database.owner.raw(`insert into event_sequences values (?, 'sandbox', 0)`, [busy!.id]);
    // The owner's, because the application writes by functions only.
    const session = await openSession(database.owner_url);
    await session.query('begin');
    await session.query('select from payment_intents where id = $1 for update', [held.id]);
    await session.query('select from event_sequences where user_id = $1 for update', [busy!.id]);
    await scene.turn();
    expect(await countOf(scene, 'expired')).toBe(5);
    await session.query('rollback');
    await endPauses(scene);
    await scene.turn();
    expect(await statusOf(database, held)).toBe('expired');
    expect(await statusOf(database, of_busy)).toBe('expired');
  });

  it('because its request hangs delays none that another process takes', async () => {
    const scene = await setScene();
    const merchant = await scene.merchant();
    const hanging = await scene.expire(merchant);
    const release = hang(scene.fake, 'onClose');
    const turn = scene.turn();
    await waitFor(() => scene.fake.closed.length === 1);
    scene.fake.onClose = async () => undefined;
    // Its pause, of five seconds, may be over before the others are made.
    await scene.database.owner.raw(
      `update payment_intents set next_check_at = now() + interval '1 hour' where id = ?`,
      [hanging.id],
    );
    await many(40, () => scene.expire(merchant));
    await scene.turn();
    expect(await countOf(scene, 'expired')).toBe(40);
    expect(await statusOf(scene.database, hanging)).toBe('open');
    release();
    await turn;
    expect(await statusOf(scene.database, hanging)).toBe('expired');
  });

  it('because the gateway fails ends the turn after a few, and the next ones pause', async () => {
    const scene = await setScene();
    const merchant = await scene.merchant();
    scene.fake.fault = new GatewayError('timeout', 'it hangs');
    await many(100, () => scene.expire(merchant));
    await scene.turn();
    expect(scene.log).toEqual([
      { part: 'expiries', environment: 'sandbox', gateway: 'fake', error: 'the gateway fails' },
    ]);
    scene.fake.fault = undefined;
    await scene.turn();
    expect(await countOf(scene, 'expired')).toBe(0);
  });
});

it('takes of each account in turn, however many of one are due before', async () => {
  const scene = await setScene();
  const [many_links, one_link] = await many(2, scene.merchant);
  await many(100, () => scene.expire(many_links!));
  const last = await scene.expire(one_link!);
  const due = await claimDueIntents(scene.database.db, scene.fake.gateway, 10);
  expect(due).toHaveLength(10);
  expect(due.map(({ id }) => id)).toContain(last.id);
  // The next caller gets others.
  const next = await claimDueIntents(scene.database.db, scene.fake.gateway, 100);
  expect(new Set([...due, ...next].map(({ id }) => id)).size).toBe(101);
});

/** Each payment of a gateway has an id of its own. */
function withPaymentId(state: PaymentState, provider_payment_id: string): PaymentState {
  return state.state === 'paid'
    ? { ...state, payment: { ...state.payment, provider_payment_id } }
    : state;
}

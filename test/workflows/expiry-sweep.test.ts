import { randomUUID } from 'node:crypto';
import { createMetrics } from '../../telemetry/metrics';
import { createExpirySweep, type ExpirySweepDependencies } from '../../activities/expiry-sweep';
import { listDueIntents, takeExpiryLease } from '../../db/expiries';
import { createIntent, type NewIntent } from '../../db/intents';
import { verifyLedger } from '../../db/verify';
import type { Environment } from '../../domain/environment';
import { GatewayError, type Gateway } from '../../gateway/port';
import { createEndpointWaker } from '../../temporal/webhook-endpoints';
import { createTestDatabase, openSession, type TestDatabase } from '../support/database';
import { connectTestTemporal } from '../support/temporal';
import { buildUser, type TestUser } from '../support/users';
import { waitFor } from '../support/wait';
import { fakeGateway, hang, PAID, type FakeGateway } from './fake-gateway';
import { buildNewIntent, createTestActivities, eventsOf, openAtOnce, statusOf } from './intents';

// What expires together is ended by a sweep, many in one statement, and whatever is wrong with one of them
// is no matter of the others.

interface Scene {
  readonly database: TestDatabase;
  readonly fake: FakeGateway;
  readonly log: Readonly<Record<string, unknown>>[];
  readonly sweep: () => Promise<void>;
  readonly dependencies: ExpirySweepDependencies;
  /** Open, and due at once. */
  readonly expire: (merchant: TestUser, fields?: Partial<NewIntent>) => Promise<NewIntent>;
  readonly merchant: () => Promise<TestUser>;
}

async function setScene(gateways: Partial<Record<Environment, Gateway>> = {}): Promise<Scene> {
  const database = await createTestDatabase();
  const { db } = database;
  const fake = fakeGateway();
  const log: Readonly<Record<string, unknown>>[] = [];
  const temporal = await connectTestTemporal();
  const dependencies: ExpirySweepDependencies = {
    db,
    gateways: { live: undefined, sandbox: fake.gateway, ...gateways },
    pay_url_base: 'https://pay.example.com',
    waker: createEndpointWaker({ temporal, task_queue: 'no-worker', onError: () => undefined }),
    metrics: createMetrics(),
    log: (entry) => log.push(entry),
  };
  const sweep = createExpirySweep(dependencies, 'sandbox');
  return {
    ...{ database, fake, log, dependencies },
    sweep: () => sweep(new AbortController().signal),
    merchant: () => buildUser(db),
    async expire(merchant, fields = {}) {
      const intent = buildNewIntent(merchant, 'fake', { expires_in_seconds: 0, ...fields });
      await createIntent(db, intent);
      const session_id = `cs_${intent.id}_1`;
      const checkout_url = 'https://gateway.example.com';
      await openAtOnce(db, intent.id, { session_id, checkout_url, lapses_at: null });
      return intent;
    },
  };
}

async function many<Made>(count: number, make: () => Promise<Made>): Promise<Made[]> {
  return Promise.all(Array.from({ length: count }, make));
}

/** They are swept a second after their time at the earliest. */
async function sweepUntil(
  { sweep }: Pick<Scene, 'sweep'>,
  condition: () => Promise<boolean>,
): Promise<void> {
  await waitFor(async () => {
    await sweep();
    return condition();
  }, 60_000);
}

async function countOf({ database: { owner } }: Scene, status: string): Promise<number> {
  const { rows } = await owner.raw(
    'select count(*)::int as count from payment_intents where status = ?',
    [status],
  );
  return (rows as [{ count: number }])[0].count;
}

/** Left to its workflow: no sweep comes back to it. */
async function isLeft({ database: { owner } }: Scene, { id }: NewIntent): Promise<boolean> {
  const { rows } = await owner.raw(
    'select next_check_at is not null as is_left from payment_intents where id = ?',
    [id],
  );
  return (rows as [{ is_left: boolean }])[0].is_left;
}

function closesOf({ fake }: Scene, { id }: NewIntent): number {
  return fake.closed.filter((session) => session === `cs_${id}_1`).length;
}

describe('a sweep of what has expired', () => {
  it('ends each once, with its event, and its workflow finds it ended', async () => {
    const scene = await setScene();
    const { database, fake } = scene;
    const merchants = await many(3, scene.merchant);
    const intents = await Promise.all(
      Array.from({ length: 150 }, (_, n) => scene.expire(merchants[n % 3]!)),
    );
    const later = await scene.expire(merchants[0]!, { expires_in_seconds: 3_600 });
    await sweepUntil(scene, async () => (await countOf(scene, 'expired')) === 150);
    const { rows } = await database.owner.raw(
      `select p.expired_at >= p.expires_at as is_in_time, e.type, e.body::jsonb #>> '{data,status}' as shown,
              e.body::jsonb #>> '{data,expired_at}' = e.body::jsonb ->> 'created_at' as is_dated
         from payment_intents p join events e on e.intent_id = p.id`,
    );
    const expected = {
      is_in_time: true,
      type: 'payment.expired',
      shown: 'expired',
      is_dated: true,
    };
    expect(rows).toEqual(Array.from({ length: 150 }, () => expected));
    // Without gaps per account, and the books agree with the rows.
    const { rows: counters } = await database.owner.raw(
      `select s.last = count(e.*) and s.last = max(e.sequence) as is_whole
         from event_sequences s join events e using (user_id, environment)
        group by s.user_id, s.environment, s.last`,
    );
    expect(counters).toEqual(Array.from({ length: 3 }, () => ({ is_whole: true })));
    expect(await verifyLedger(database.db)).toEqual([]);
    // Their sessions were closed first, each by one request.
    expect([...fake.closed].sort()).toEqual(intents.map(({ id }) => `cs_${id}_1`).sort());
    expect(await statusOf(database, later)).toBe('open');
    const activities = await createTestActivities(database, { gateway: fake.gateway });
    expect(await activities.tryExpireIntent(intents[0]!.id)).toEqual({ status: 'expired' });
    expect(fake.closed).toHaveLength(150);
  });

  it('leaves what is paid meanwhile as it is, and what is being paid to its workflow', async () => {
    const scene = await setScene();
    const { database, fake } = scene;
    const merchant = await scene.merchant();
    fake.state = PAID;
    const paid = await scene.expire(merchant);
    await sweepUntil(scene, async () => (await statusOf(database, paid)) === 'succeeded');
    expect(await eventsOf(database, paid)).toEqual(['payment.succeeded']);
    fake.state = { state: 'pending' };
    const pending = await scene.expire(merchant);
    await sweepUntil(scene, () => isLeft(scene, pending));
    expect(await statusOf(database, pending)).toBe('processing');
    await scene.sweep();
    expect(closesOf(scene, pending)).toBe(1);
    expect(await verifyLedger(database.db)).toEqual([]);
  });

  it('ends the others when Postgres refuses one, and does not come back to it', async () => {
    const scene = await setScene();
    const { database } = scene;
    const [merchant, other] = await many(2, scene.merchant);
    const poison = await scene.expire(merchant!);
    await database.owner.raw(
      `create function refuse_poison() returns trigger language plpgsql as $$
       begin
         if new.intent_id = '${poison.id}' then raise exception 'poison'; end if;
         return new;
       end $$`,
    );
    await database.owner.raw(
      'create trigger poison before insert on events for each row execute function refuse_poison()',
    );
    await many(5, () => scene.expire(merchant!));
    await many(5, () => scene.expire(other!));
    await sweepUntil(scene, async () => (await countOf(scene, 'expired')) === 10);
    expect(await statusOf(database, poison)).toBe('open');
    expect(await isLeft(scene, poison)).toBe(true);
    await scene.sweep();
    expect(closesOf(scene, poison)).toBe(1);
    expect(scene.log).toEqual([
      { part: 'expiry-sweep', intent: poison.id, error: expect.stringContaining('poison') },
    ]);
  });

  it('waits for nobody: neither for a row nor for an account that somebody holds', async () => {
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
    await sweepUntil(scene, async () => (await countOf(scene, 'expired')) === 5);
    await session.query('rollback');
    expect(await statusOf(database, held)).toBe('open');
    expect(await statusOf(database, of_busy)).toBe('open');
  });

  it('ends the others while some hang at the gateway', async () => {
    const scene = await setScene();
    const merchant = await scene.merchant();
    const hanging = await many(3, () => scene.expire(merchant));
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { gateway } = scene.fake;
    const closeCheckout = gateway.closeCheckout.bind(gateway);
    const sessions = hanging.map(({ id }) => `cs_${id}_1`);
    Object.assign(gateway, {
      closeCheckout: async (session: string) => {
        if (sessions.includes(session)) await released;
        return closeCheckout(session);
      },
    });
    await many(40, () => scene.expire(merchant));
    await sweepUntil(scene, async () => (await countOf(scene, 'expired')) === 40);
    await waitFor(() => isLeft(scene, hanging[0]!));
    release();
  });

  it('stops when the gateway fails, and the other environment goes on', async () => {
    const live = { ...fakeGateway(), environment: 'live' } as const;
    const live_gateway: Gateway = { ...live.gateway, environment: 'live' };
    const scene = await setScene({ live: live_gateway });
    const merchant = await scene.merchant();
    scene.fake.fault = new GatewayError('timeout', 'it hangs');
    const intents = await many(100, () => scene.expire(merchant));
    const of_live = await scene.expire(merchant, { environment: 'live' });
    await sweepUntil(scene, async () => scene.log.length > 0);
    expect(scene.log).toEqual([
      { part: 'expiry-sweep', environment: 'sandbox', error: 'the gateway fails' },
    ]);
    // A few were tried; the rest waits for the next sweep, or its workflow.
    const left = await Promise.all(intents.map((intent) => isLeft(scene, intent)));
    expect(left.filter(Boolean).length).toBeLessThan(30);
    const sweepLive = createExpirySweep(scene.dependencies, 'live');
    await sweepUntil(
      { sweep: () => sweepLive(new AbortController().signal) },
      async () => (await statusOf(scene.database, of_live)) === 'expired',
    );
    expect(await countOf(scene, 'expired')).toBe(1);
  });

  it('tries those of a gateway that is gone once, and the others all the same', async () => {
    const scene = await setScene();
    const merchant = await scene.merchant();
    const gone = await many(20, () => scene.expire(merchant, { gateway: 'another' }));
    await many(5, () => scene.expire(merchant));
    await sweepUntil(scene, async () => (await countOf(scene, 'expired')) === 5);
    expect(await statusOf(scene.database, gone[0]!)).toBe('open');
    expect(scene.log).toEqual([]);
  });
});

describe('what a sweep takes', () => {
  it('takes of each account in turn, however many of one are due before', async () => {
    const scene = await setScene();
    const [many_links, one_link] = await many(2, scene.merchant);
    await many(100, () => scene.expire(many_links!));
    const last = await scene.expire(one_link!);
    const due = await waitFor(async () => {
      const options = { overdue_ms: 0, limit: 10 };
      const found = await listDueIntents(scene.database.db, 'sandbox', options);
      return found.length === 10 && found;
    });
    expect(due.map(({ id }) => id)).toContain(last.id);
  });

  it('is swept by one process at a time, and by another when that one is gone', async () => {
    const { database } = await setScene();
    const [one, other] = [randomUUID(), randomUUID()];
    const take = (holder: string, lease_ms: number): Promise<boolean> =>
      takeExpiryLease(database.db, 'sandbox', holder, lease_ms);
    expect(await take(one, 60_000)).toBe(true);
    expect(await take(other, 60_000)).toBe(false);
    expect(await takeExpiryLease(database.db, 'live', other, 60_000)).toBe(true);
    // It goes on, and then it is gone.
    expect(await take(one, 1)).toBe(true);
    await waitFor(() => take(other, 60_000));
    expect(await take(one, 60_000)).toBe(false);
  });
});

describe('an expiry in its own task', () => {
  it('holds few places and not for long while a gateway hangs', async () => {
    const scene = await setScene();
    const { fake, database } = scene;
    const merchant = await scene.merchant();
    const intents = await many(60, () => scene.expire(merchant));
    const release = hang(fake, 'onClose');
    const activities = await createTestActivities(database, { gateway: fake.gateway });
    const results = await Promise.all(intents.map(({ id }) => activities.tryExpireIntent(id)));
    expect(new Set(results)).toEqual(new Set([null]));
    // The others did not even ask.
    expect(fake.closed).toHaveLength(16);
    expect(await countOf(scene, 'expired')).toBe(0);
    release();
    await waitFor(async () => (await countOf(scene, 'expired')) === 16);
    const rest = intents.find(({ id }) => !fake.closed.includes(`cs_${id}_1`))!;
    expect(await activities.tryExpireIntent(rest.id)).toEqual({ status: 'expired' });
  });
});

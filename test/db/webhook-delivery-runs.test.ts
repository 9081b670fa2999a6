import { randomUUID } from 'node:crypto';
import { resendDeliveries } from '../../db/webhook-deliveries';
import { addTestEvent } from '../../db/events';
import { updateWebhookEndpoint } from '../../db/webhook-endpoints';
import { beginResend, resendPage } from '../../db/webhook-resends';
import { recordAttempts, type HealthRecord, type AttemptRecord } from '../../db/webhook-attempts';
import { readBacklog } from '../../db/webhook-backlog';
import {
  beginDeliveryRun,
  claimDeliveries,
  claimOverdueEndpoints,
  endDeliveryRun,
  renewLeases,
} from '../../db/webhook-delivery-runs';
import {
  connectAgain,
  createTestDatabase,
  openSession,
  type TestDatabase,
} from '../support/database';
import { createTestUser, type TestUser } from '../support/people';
import { waitFor } from '../support/wait';
import { addEvents, createTestEndpoint, type TestEndpoint } from '../support/webhooks';
import { attemptsOf, deliveriesTo, endpointRow, statusesAt } from '../workflows/deliveries';

const URL = 'https://shop.example/hooks';

let database: TestDatabase;
let merchant: TestUser;

beforeAll(async () => {
  database = await createTestDatabase();
  merchant = await createTestUser(database.db);
});

function createEndpoint(user_id = merchant.id): Promise<TestEndpoint> {
  return createTestEndpoint(database, { user_id, url: URL });
}

/** With so many deliveries, held by nobody. */
async function open(count: number): Promise<TestEndpoint> {
  const endpoint = await createEndpoint();
  await addEvents(database, [endpoint], count);
  return endpoint;
}

function made(delivery_id: string, fields: Partial<AttemptRecord> = {}): AttemptRecord {
  return {
    ...{ delivery_id, number: 1, trigger: 'automatic', url: URL, age_ms: 5, duration_ms: 5 },
    ...{ outcome: 'delivered', status: 200, response_body: 'ok', response_truncated: false },
    ...{ retry_after_seconds: null, retry_ms: null },
    ...fields,
  };
}

const REFUSED = { outcome: 'refused', status: 500, retry_ms: 60_000 } as const;

function health(fields: Partial<HealthRecord> = {}): HealthRecord {
  return {
    ...{
      url: URL,
      quiet_seconds: 129_600,
      has_arrived: false,
      failures: 1,
      pause_ms: 0,
      is_gone: false,
    },
    ...{ disable_after_seconds: 432_000, last_failure: { outcome: 'refused', status: 500 } },
    ...fields,
  };
}

describe('record_attempts', () => {
  it('writes an attempt once, however often it is told of it', async () => {
    const endpoint = await open(1);
    const [{ id } = { id: '' }] = await deliveriesTo({ database }, endpoint);
    const attempt = made(id, REFUSED);
    for (let n = 0; n < 3; n += 1) await recordAttempts(database.db, endpoint.id, [attempt], null);
    expect(await attemptsOf({ database }, id)).toHaveLength(1);
    expect((await deliveriesTo({ database }, endpoint))[0]).toMatchObject({
      ...{ status: 'pending', attempts: 1, tries: 1 },
    });
    // Nor is a later outcome of that number.
    await recordAttempts(database.db, endpoint.id, [made(id)], null);
    expect((await deliveriesTo({ database }, endpoint))[0]).toMatchObject({ status: 'pending' });
    expect((await attemptsOf({ database }, id))[0]).toMatchObject({ outcome: 'refused' });
  });

  it('writes it once of several who tell at one moment', async () => {
    const endpoint = await open(20);
    const rows = await deliveriesTo({ database }, endpoint);
    const attempts = rows.map(({ id }) => made(id));
    const others = connectAgain(database, 8);
    await Promise.all(
      Array.from({ length: 8 }, () => recordAttempts(others, endpoint.id, attempts, null)),
    );
    for (const { id, attempts: count } of await deliveriesTo({ database }, endpoint)) {
      expect(count).toBe(1);
      expect(await attemptsOf({ database }, id)).toHaveLength(1);
    }
  });

  it('keeps what was decided of a delivery while it was on its way', async () => {
    const endpoint = await open(2);
    const [first, second] = await deliveriesTo({ database }, endpoint);
    await updateWebhookEndpoint(database.db, endpoint.id, { status: 'disabled' });
    const attempts = [made(first!.id, REFUSED), made(second!.id)];
    await recordAttempts(database.db, endpoint.id, attempts, health());
    // The refused one waits for the merchant, not for its next try; what arrived has arrived.
    expect(await deliveriesTo({ database }, endpoint)).toMatchObject([
      { status: 'held', next_in_seconds: null, attempts: 1 },
      { status: 'delivered', next_in_seconds: null, attempts: 1 },
    ]);
  });

  it('says of the endpoint how long it has failed, until something arrives', async () => {
    const endpoint = await open(1);
    const [{ id } = { id: '' }] = await deliveriesTo({ database }, endpoint);
    const { db } = database;
    await recordAttempts(db, endpoint.id, [made(id, REFUSED)], health());
    const since = (await endpointRow({ database }, endpoint)).failing_since;
    expect(since).not.toBeNull();
    await recordAttempts(db, endpoint.id, [made(id, { ...REFUSED, number: 2 })], health());
    expect(await endpointRow({ database }, endpoint)).toMatchObject({
      ...{ consecutive_failures: 2, failing_since: since },
    });
    await recordAttempts(
      db,
      endpoint.id,
      [made(id, { number: 3 })],
      health({ has_arrived: true, failures: 0, last_failure: null }),
    );
    expect(await endpointRow({ database }, endpoint)).toMatchObject({
      ...{ consecutive_failures: 0, failing_since: null },
      last_failure: { outcome: 'refused', status: 500 },
    });
  });
});

describe('an attempt to an address that the endpoint had before', () => {
  it.each([
    ['says that it is gone', { is_gone: true }],
    ['asks for a day of rest', { pause_ms: 86_400_000 }],
    ['fails after days of failures', { disable_after_seconds: 0 }],
  ] as const)('%s, and says nothing of the new one', async (_, fields) => {
    const endpoint = await open(1);
    const [{ id } = { id: '' }] = await deliveriesTo({ database }, endpoint);
    await updateWebhookEndpoint(database.db, endpoint.id, { url: 'https://new.example/hooks' });
    const attempts = [made(id, REFUSED)];
    expect(await recordAttempts(database.db, endpoint.id, attempts, health(fields))).toBe(
      'enabled',
    );
    expect(await endpointRow({ database }, endpoint)).toMatchObject({
      ...{ status: 'enabled', consecutive_failures: 0, failing_since: null, paused_seconds: null },
    });
    expect(await attemptsOf({ database }, id)).toHaveLength(1);
  });
});

describe('the time for which an endpoint has failed', () => {
  it.each([
    ['begins anew', 3_600, true],
    ['goes on', 7_200 + 600, false],
  ] as const)(
    '%s after two quiet hours when %i seconds count as quiet',
    async (_, quiet_seconds, is_new) => {
      const endpoint = await open(1);
      const [{ id } = { id: '' }] = await deliveriesTo({ database }, endpoint);
      await recordAttempts(database.db, endpoint.id, [made(id, REFUSED)], health());
      await database.owner.raw(
        `update webhook_endpoints
          set failing_since = failing_since - interval '2 hours',
              last_failure = last_failure || jsonb_build_object('at', (last_failure ->> 'at')::timestamptz - interval '2 hours')
        where id = ?`,
        [endpoint.id],
      );
      const { failing_since } = await endpointRow({ database }, endpoint);
      const again = made(id, { ...REFUSED, number: 2 });
      await recordAttempts(database.db, endpoint.id, [again], health({ quiet_seconds }));
      const after = (await endpointRow({ database }, endpoint)).failing_since;
      if (is_new) expect(after).not.toEqual(failing_since);
      else expect(after).toEqual(failing_since);
    },
  );
});

describe('a delivery that arrives in the moment in which its endpoint is closed or it is sent again', () => {
  it.each(['disabled', 'deleted'] as const)('has arrived when it is %s', async (status) => {
    const endpoint = await open(3);
    const rows = await deliveriesTo({ database }, endpoint);
    const recording = await recordInSession(endpoint, [made(rows[0]!.id)]);
    const closing = updateWebhookEndpoint(database.db, endpoint.id, { status });
    await untilWaiting('update_webhook_endpoint');
    await recording.query('commit');
    await closing;
    const left = status === 'disabled' ? 'held' : 'discarded';
    expect((await deliveriesTo({ database }, endpoint)).map((row) => row.status)).toEqual([
      ...['delivered', left, left],
    ]);
  });

  it('is not sent again by a range of what has not arrived', async () => {
    const endpoint = await open(2);
    const [first] = await deliveriesTo({ database }, endpoint);
    const id = await beginResend(database.db, {
      ...{ user_id: merchant.id, environment: endpoint.environment, endpoint_id: endpoint.id },
      ...{ statuses: ['pending', 'exhausted'], types: ['payment.succeeded'] },
      created_from: '2000-01-01T00:00:00Z',
      created_to: '2100-01-01T00:00:00Z',
    });
    const recording = await recordInSession(endpoint, [made(first!.id)]);
    const queueing = resendPage(database.db, id, 100);
    await untilWaiting('resend_page');
    await recording.query('commit');
    expect(await queueing).toMatchObject({ is_done: true, queued: 1 });
    expect(await statusesAt({ database }, endpoint)).toEqual({ delivered: 1, pending: 1 });
  });

  /** In a transaction that is not committed yet. */
  async function recordInSession({ id }: TestEndpoint, attempts: readonly AttemptRecord[]) {
    const session = await openSession(database.app_url);
    await session.query('begin');
    await session.query('select record_attempts($1, $2, null)', [id, JSON.stringify(attempts)]);
    return session;
  }
});

/** Until a statement that names this waits for a lock. */
async function untilWaiting(name: string): Promise<void> {
  await waitFor(async () => {
    const { rows } = (await database.owner.raw(
      `select 1 from pg_stat_activity where datname = current_database()
          and wait_event_type = 'Lock' and query like ?`,
      [`%${name}%`],
    )) as { rows: unknown[] };
    return rows.length > 0;
  });
}

describe('a delivery that is sent again', () => {
  it('while an attempt is under way is not taken twice, and the attempt counts', async () => {
    const endpoint = await open(1);
    const [{ id } = { id: '' }] = await deliveriesTo({ database }, endpoint);
    const { db } = database;
    const token = randomUUID();
    expect((await beginDeliveryRun(db, endpoint.id, token, 60_000)).state).toBe('begun');
    const claim = await claimDeliveries(db, endpoint.id, token, 10, []);
    expect(claim!.deliveries.map((delivery) => delivery.id)).toEqual([id]);
    // A delivery run has the lease, and is notified: nobody is woken.
    expect(await resendDeliveries(db, [id])).toEqual({ queued: 1, wake: [] });
    expect((await claimDeliveries(db, endpoint.id, token, 10, [id]))!.deliveries).toEqual([]);
    await recordAttempts(db, endpoint.id, [made(id)], null);
    expect((await claimDeliveries(db, endpoint.id, token, 10, []))!.deliveries).toEqual([]);
    expect(await statusesAt({ database }, endpoint)).toEqual({ delivered: 1 });
    expect(await attemptsOf({ database }, id)).toHaveLength(1);
    await endDeliveryRun(db, endpoint.id, token);
  });

  it('after its schedule has all of it again, and says that it was asked for', async () => {
    const endpoint = await open(1);
    const [{ id } = { id: '' }] = await deliveriesTo({ database }, endpoint);
    const { db } = database;
    await recordAttempts(db, endpoint.id, [made(id, { ...REFUSED, retry_ms: null })], health());
    expect(await statusesAt({ database }, endpoint)).toEqual({ exhausted: 1 });
    expect(await resendDeliveries(db, [id])).toEqual({ queued: 1, wake: [endpoint.id] });
    expect((await deliveriesTo({ database }, endpoint))[0]).toMatchObject({
      ...{ status: 'pending', attempts: 1, tries: 0, is_resend: true },
    });
    const resend = made(id, { number: 2, trigger: 'resend' });
    await recordAttempts(db, endpoint.id, [resend], health({ has_arrived: true, failures: 0 }));
    expect((await deliveriesTo({ database }, endpoint))[0]).toMatchObject({
      ...{ status: 'delivered', attempts: 2, is_resend: false },
    });
    expect((await attemptsOf({ database }, id)).map(({ trigger }) => trigger)).toEqual([
      'automatic',
      'resend',
    ]);
  });

  it('before its next try keeps its place in the schedule', async () => {
    const endpoint = await open(1);
    const [{ id } = { id: '' }] = await deliveriesTo({ database }, endpoint);
    await recordAttempts(database.db, endpoint.id, [made(id, REFUSED)], health());
    await resendDeliveries(database.db, [id]);
    const [delivery] = await deliveriesTo({ database }, endpoint);
    expect(delivery).toMatchObject({ tries: 1, is_resend: true });
    expect(delivery!.next_in_seconds).toBeLessThanOrEqual(0);
  });

  it('is not when its endpoint is disabled', async () => {
    const endpoint = await open(1);
    await updateWebhookEndpoint(database.db, endpoint.id, { status: 'disabled' });
    const ids = (await deliveriesTo({ database }, endpoint)).map(({ id }) => id);
    expect(await resendDeliveries(database.db, ids)).toEqual({ queued: 0, wake: [] });
    expect(await statusesAt({ database }, endpoint)).toEqual({ held: 1 });
  });
});

describe('claim_overdue_endpoints', () => {
  it('names each endpoint to one of several who ask at one moment, and not again at once', async () => {
    const endpoints = await Promise.all(Array.from({ length: 30 }, () => open(1)));
    await backdate(endpoints);
    const others = connectAgain(database, 8);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => claimOverdueEndpoints(others, 1_000, 10)),
    );
    for (const named of answers) expect(named.length).toBeLessThanOrEqual(10);
    const named = answers.flat();
    expect(new Set(named).size).toBe(named.length);
    // The other tests' endpoints may be overdue by now, too.
    const ours = new Set(endpoints.map(({ id }) => id));
    const claimAll = async (): Promise<string[]> => {
      const all = await claimOverdueEndpoints(database.db, 1_000, 10_000);
      return all.filter((id) => ours.has(id));
    };
    // What one of them held, the others passed over: the next round has the rest.
    named.push(...(await claimAll()));
    expect(named.filter((id) => ours.has(id)).toSorted()).toEqual([...ours].toSorted());
    expect(await claimAll()).toEqual([]);
    // Still overdue after a while, they are named again.
    await database.owner.raw(`update webhook_endpoints set woken_at = now() - interval '1 minute'`);
    expect(await claimAll()).toHaveLength(30);
  });

  it('names one that was deleted with more than one statement discards', async () => {
    const endpoint = await open(1);
    await updateWebhookEndpoint(database.db, endpoint.id, { status: 'disabled' });
    await database.owner.raw(
      `update webhook_endpoints set status = 'deleted', disabled_reason = null,
      updated_at = clock_timestamp() where id = ?`,
      [endpoint.id],
    );
    expect(await claimOverdueEndpoints(database.db, 0, 100)).toContain(endpoint.id);
    expect((await beginDeliveryRun(database.db, endpoint.id, randomUUID(), 60_000)).state).toBe(
      'closed',
    );
    expect(await statusesAt({ database }, endpoint)).toEqual({ discarded: 1 });
  });

  it('names none that has a delivery run, is paused, disabled, or has nothing due', async () => {
    const [running, paused, disabled, empty, later] = await Promise.all(
      [1, 1, 1, 0, 1].map((count) => open(count)),
    );
    await backdate([running!, paused!, disabled!]);
    const { db, owner } = database;
    await beginDeliveryRun(db, running!.id, randomUUID(), 60_000);
    await owner.raw(
      `update webhook_endpoints set paused_until = now() + interval '1 hour' where id = ?`,
      [paused!.id],
    );
    await updateWebhookEndpoint(db, disabled!.id, { status: 'disabled' });
    await owner.raw(
      `update webhook_deliveries set next_attempt_at = now() + interval '1 hour'
        where endpoint_id = ?`,
      [later!.id],
    );
    const named = await claimOverdueEndpoints(db, 1_000, 100);
    for (const { id } of [running, paused, disabled, empty, later] as TestEndpoint[]) {
      expect(named).not.toContain(id);
    }
  });

  async function backdate(endpoints: readonly TestEndpoint[]): Promise<void> {
    await database.owner.raw(
      `update webhook_deliveries set next_attempt_at = now() - interval '5 seconds'
        where endpoint_id = any (?::uuid[])`,
      [endpoints.map(({ id }) => id)],
    );
  }
});

describe('deliveries', () => {
  it('are added at times of their own, whoever adds them at one moment', async () => {
    const other = await createTestUser(database.db);
    const endpoints = await Promise.all(
      [merchant.id, merchant.id, merchant.id, other.id, other.id].map(createEndpoint),
    );
    const pool = connectAgain(database, 10);
    await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        addTestEvent(
          pool,
          endpoints[n % endpoints.length]!.id,
          randomUUID(),
          'payment.failed',
          '{}',
        ),
      ),
    );
    const { rows } = (await database.owner.raw(
      `select user_id, count(*)::integer as count, count(distinct created_at)::integer as times
         from webhook_deliveries where endpoint_id = any (?::uuid[]) group by 1`,
      [endpoints.map(({ id }) => id)],
    )) as { rows: { user_id: string; count: number; times: number }[] };
    const counts = new Map(rows.map(({ user_id, ...row }) => [user_id, row]));
    expect(counts.get(merchant.id)).toEqual({ count: 120, times: 120 });
    expect(counts.get(other.id)).toEqual({ count: 80, times: 80 });
  });

  it('of an account wait for the commit before them, those of another do not', async () => {
    const other = await createTestUser(database.db);
    const [mine, theirs] = [await createEndpoint(), await createEndpoint(other.id)];
    const session = await openSession(database.app_url);
    await session.query('begin');
    const event = [mine.id, randomUUID(), 'payment.failed', '{}'];
    await session.query('select * from add_test_event($1, $2, $3, $4)', event);
    let is_added = false;
    const adding = addTestEvent(database.db, mine.id, randomUUID(), 'payment.failed', '{}').then(
      () => (is_added = true),
    );
    await untilWaiting('add_test_event');
    await addTestEvent(database.db, theirs.id, randomUUID(), 'payment.failed', '{}');
    expect(is_added).toBe(false);
    await session.query('commit');
    await adding;
    expect(await statusesAt({ database }, mine)).toEqual({ pending: 2 });
  });

  it('to several endpoints are of one commit, and each has its time', async () => {
    const endpoints = await Promise.all(Array.from({ length: 16 }, () => createEndpoint()));
    const { wake } = await addEvents(database, endpoints, 3);
    expect([...wake].toSorted()).toEqual(endpoints.map(({ id }) => id).toSorted());
    for (const endpoint of endpoints) {
      expect(await statusesAt({ database }, endpoint)).toEqual({ pending: 3 });
    }
  });

  it('do not wait for a change that disables the endpoint, and are held by its next delivery run', async () => {
    const endpoint = await createEndpoint();
    const disabling = await change(endpoint, 'disabled');
    const { wake } = await addEvents(database, [endpoint]);
    await disabling.query('commit');
    expect(await statusesAt({ database }, endpoint)).toEqual({ pending: 1 });
    expect(wake).toEqual([endpoint.id]);
    expect((await beginDeliveryRun(database.db, endpoint.id, randomUUID(), 60_000)).state).toBe(
      'closed',
    );
    expect(await statusesAt({ database }, endpoint)).toEqual({ held: 1 });
  });

  it('do not wait for a change that enables the endpoint, and none stays held by it', async () => {
    const endpoint = await createEndpoint();
    await updateWebhookEndpoint(database.db, endpoint.id, { status: 'disabled' });
    await addEvents(database, [endpoint]);
    const enabling = await change(endpoint, 'enabled');
    await addEvents(database, [endpoint]);
    await enabling.query('commit');
    expect(await statusesAt({ database }, endpoint)).toEqual({ pending: 2 });
  });

  it('to an endpoint that was deleted meanwhile are discarded', async () => {
    const endpoint = await createEndpoint();
    await updateWebhookEndpoint(database.db, endpoint.id, { status: 'deleted' });
    const { wake } = await addEvents(database, [endpoint]);
    expect(wake).toEqual([]);
    expect(await statusesAt({ database }, endpoint)).toEqual({ discarded: 1 });
  });

  it('to an endpoint that is disabled are waited for by a change that enables it', async () => {
    const endpoint = await createEndpoint();
    await updateWebhookEndpoint(database.db, endpoint.id, { status: 'disabled' });
    const session = await openSession(database.app_url);
    await session.query('begin');
    const event = [endpoint.id, randomUUID(), 'payment.failed', '{}'];
    await session.query('select * from add_test_event($1, $2, $3, $4)', event);
    let is_enabled = false;
    const enabling = updateWebhookEndpoint(database.db, endpoint.id, { status: 'enabled' }).then(
      () => (is_enabled = true),
    );
    await untilWaiting('update_webhook_endpoint');
    expect(is_enabled).toBe(false);
    await session.query('commit');
    await enabling;
    expect(await statusesAt({ database }, endpoint)).toEqual({ pending: 1 });
  });

  /** In a transaction that is not committed yet. */
  async function change({ id }: TestEndpoint, status: string) {
    const session = await openSession(database.app_url);
    await session.query('begin');
    await session.query('select * from update_webhook_endpoint($1, $2)', [
      id,
      JSON.stringify({ status }),
    ]);
    return session;
  }
});

describe('a lease', () => {
  it('is renewed and ended by its holder only, and taken by another run when it has expired', async () => {
    const endpoint = await open(1);
    const { db } = database;
    const [mine, theirs] = [randomUUID(), randomUUID()];
    expect((await beginDeliveryRun(db, endpoint.id, mine, 60_000)).state).toBe('begun');
    const busy = await beginDeliveryRun(db, endpoint.id, theirs, 60_000);
    expect(busy.state).toBe('busy');
    expect(busy.wait_ms).toBeGreaterThan(50_000);
    expect(await renewLeases(db, [[endpoint.id, theirs]], 60_000)).toEqual([]);
    await endDeliveryRun(db, endpoint.id, theirs);
    expect(await renewLeases(db, [[endpoint.id, mine]], 60_000)).toEqual([endpoint.id]);
    expect(await renewLeases(db, [[endpoint.id, mine]], -1)).toEqual([endpoint.id]);
    // It has expired: nothing can be claimed by it any more.
    expect(await claimDeliveries(db, endpoint.id, mine, 10, [])).toBeUndefined();
    expect((await beginDeliveryRun(db, endpoint.id, theirs, 60_000)).state).toBe('begun');
    expect(await renewLeases(db, [[endpoint.id, mine]], 60_000)).toEqual([]);
    expect(await claimDeliveries(db, endpoint.id, mine, 10, [])).toBeUndefined();
    expect((await claimDeliveries(db, endpoint.id, theirs, 10, []))!.deliveries).toHaveLength(1);
  });

  it('is renewed with the others of its process, also while somebody changes its endpoint', async () => {
    const { db } = database;
    const tokens = [randomUUID(), randomUUID()] as const;
    const endpoints = [await open(1), await open(1)] as const;
    const held = endpoints.map(({ id }, place) => [id, tokens[place]!] as const);
    for (const [id, token] of held) await beginDeliveryRun(db, id, token, 60_000);
    const session = await openSession(database.app_url);
    await session.query('begin');
    await session.query('select * from update_webhook_endpoint($1, $2)', [
      endpoints[0].id,
      '{"description": "new"}',
    ]);
    expect((await renewLeases(db, held, 60_000)).toSorted()).toEqual(
      endpoints.map(({ id }) => id).toSorted(),
    );
    await session.query('commit');
  });

  it('is given to nobody for an endpoint that is closed', async () => {
    const endpoint = await open(1);
    await updateWebhookEndpoint(database.db, endpoint.id, { status: 'deleted' });
    expect((await beginDeliveryRun(database.db, endpoint.id, randomUUID(), 60_000)).state).toBe(
      'closed',
    );
    expect(await readBacklog(database.db, endpoint.id)).toMatchObject({
      ...{ status: 'deleted', pending: 0, next_in_ms: null },
    });
  });
});

describe('the role of the application', () => {
  it.each([
    'update webhook_attempts set number = 2',
    'delete from webhook_attempts',
    'truncate webhook_attempts',
    "update events set body = '{}'",
    'delete from events',
    'truncate events',
    'insert into events select * from events',
    "update webhook_deliveries set status = 'held'",
    'delete from webhook_deliveries',
    "update webhook_endpoints set url = 'https://elsewhere.example'",
    'delete from webhook_endpoints',
  ])('L3: may not %s', async (sql) => {
    const endpoint = await open(1);
    const [{ id } = { id: '' }] = await deliveriesTo({ database }, endpoint);
    await recordAttempts(database.db, endpoint.id, [made(id)], null);
    await expect(database.db.raw(sql)).rejects.toThrow('permission denied');
  });

  it.each(['webhook_attempts', 'events'])(
    'L3: is not the only one: nobody changes %s',
    async (table) => {
      for (const sql of [`delete from ${table}`, `truncate ${table} cascade`]) {
        await expect(database.owner.raw(sql)).rejects.toThrow(/append-only|refused|never/i);
      }
    },
  );
});

describe('a range that is sent again in pages', () => {
  const PAGE = 7;

  it('queues each delivery once, however often a page is asked for', async () => {
    const endpoint = await open(30);
    const rows = await deliveriesTo({ database }, endpoint);
    const { db, owner } = database;
    await recordAttempts(
      db,
      endpoint.id,
      rows.slice(0, 25).map(({ id }) => made(id)),
      null,
    );
    const id = await beginResend(db, {
      ...{ user_id: merchant.id, environment: endpoint.environment, endpoint_id: endpoint.id },
      ...{ statuses: ['delivered'], types: ['payment.succeeded'] },
      created_from: '2000-01-01T00:00:00Z',
      created_to: '2100-01-01T00:00:00Z',
    });
    // Each asked for twice at one moment, as by an activity whose first answer was lost.
    let is_done = false;
    let asked = 0;
    while (!is_done) {
      const pages = await Promise.all([resendPage(db, id, PAGE), resendPage(db, id, PAGE)]);
      asked += 2;
      is_done = pages.some((page) => page.is_done);
      expect(asked).toBeLessThan(20);
    }
    expect(await resendPage(db, id, PAGE)).toEqual({ is_done: true, queued: 25, wake: [] });
    const after = await deliveriesTo({ database }, endpoint);
    expect(after.map(({ is_resend }) => is_resend)).toEqual(rows.map((_, at) => at < 25));
    const { rows: resends } = (await owner.raw(
      'select status, queued from webhook_resends where id = ?',
      [id],
    )) as { rows: unknown[] };
    expect(resends).toEqual([{ status: 'completed', queued: 25 }]);
    // What has arrived meanwhile is not sent a third time by a page that comes late.
    await recordAttempts(
      db,
      endpoint.id,
      rows.slice(0, 25).map((row) => made(row.id, { number: 2, trigger: 'resend' })),
      null,
    );
    await resendPage(db, id, PAGE);
    expect(await statusesAt({ database }, endpoint)).toEqual({ delivered: 25, pending: 5 });
  });
});

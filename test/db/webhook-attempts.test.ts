// Recorded attempts, and what they mean for their delivery and their endpoint.

import { recordAttempts, type AttemptRecord } from '../../db/webhooks/webhook-attempts';
import { updateWebhookEndpoint } from '../../db/webhooks/webhook-endpoints';
import { continueResend } from '../../db/webhooks/webhook-resends';
import { ATTEMPT_OUTCOMES, DELIVERY_STATUSES } from '../../domain/webhook';
import { EVENT_NOUNS } from '../../domain/event';
import { connectAgain, createTestDatabase, openSession, setUp } from '../support/database';
import { buildUser } from '../support/users';
import {
  beginTestResend,
  buildEndpointWithDeliveries,
  buildAttempt,
  buildHealth,
  REFUSED,
  untilLocked,
  type TestEndpoint,
} from '../support/webhooks';
import { attemptsOf, deliveriesTo, endpointRow, statusesAt } from '../webhooks/deliveries';

const database = setUp(createTestDatabase);
const merchant = setUp(() => buildUser(database.db));

function addDeliveries(count: number): Promise<TestEndpoint> {
  return buildEndpointWithDeliveries(database, merchant.id, count);
}

describe('record_attempts', () => {
  it('records an attempt once, however often it is called with it', async () => {
    const endpoint = await addDeliveries(1);
    const [{ id } = { id: '' }] = await deliveriesTo({ database }, endpoint);
    const attempt = buildAttempt(id, REFUSED);
    for (let n = 0; n < 3; n += 1) await recordAttempts(database.db, endpoint.id, [attempt], null);
    expect(await attemptsOf({ database }, id)).toHaveLength(1);
    expect((await deliveriesTo({ database }, endpoint))[0]).toMatchObject({
      status: 'pending',
      attempts: 1,
      tries: 1,
    });
    // Another outcome with the same number changes nothing either.
    await recordAttempts(database.db, endpoint.id, [buildAttempt(id)], null);
    expect((await deliveriesTo({ database }, endpoint))[0]).toMatchObject({ status: 'pending' });
    expect((await attemptsOf({ database }, id))[0]).toMatchObject({ outcome: 'refused' });
  });

  it('records it once when several callers record it at the same moment', async () => {
    const endpoint = await addDeliveries(20);
    const rows = await deliveriesTo({ database }, endpoint);
    const attempts = rows.map(({ id }) => buildAttempt(id));
    const others = connectAgain(database, 8);
    await Promise.all(
      Array.from({ length: 8 }, () => recordAttempts(others, endpoint.id, attempts, null)),
    );
    for (const { id, attempts: count } of await deliveriesTo({ database }, endpoint)) {
      expect(count).toBe(1);
      expect(await attemptsOf({ database }, id)).toHaveLength(1);
    }
  });

  it('keeps what happened to a delivery while it was being sent', async () => {
    const endpoint = await addDeliveries(2);
    const [first, second] = await deliveriesTo({ database }, endpoint);
    await updateWebhookEndpoint(database.db, endpoint.id, { status: 'disabled' });
    const attempts = [buildAttempt(first!.id, REFUSED), buildAttempt(second!.id)];
    await recordAttempts(database.db, endpoint.id, attempts, buildHealth());
    // The refused one is held for the merchant and has no next try; the other one stays delivered.
    expect(await deliveriesTo({ database }, endpoint)).toMatchObject([
      { status: 'held', next_in_seconds: null, attempts: 1 },
      { status: 'delivered', next_in_seconds: null, attempts: 1 },
    ]);
  });

  it('keeps since when the endpoint fails, until something arrives', async () => {
    const endpoint = await addDeliveries(1);
    const [{ id } = { id: '' }] = await deliveriesTo({ database }, endpoint);
    const { db } = database;
    await recordAttempts(db, endpoint.id, [buildAttempt(id, REFUSED)], buildHealth());
    const since = (await endpointRow({ database }, endpoint)).failing_since;
    expect(since).not.toBeNull();
    await recordAttempts(
      db,
      endpoint.id,
      [buildAttempt(id, { ...REFUSED, number: 2 })],
      buildHealth(),
    );
    expect(await endpointRow({ database }, endpoint)).toMatchObject({
      consecutive_failures: 2,
      failing_since: since,
    });
    await recordAttempts(
      db,
      endpoint.id,
      [buildAttempt(id, { number: 3 })],
      buildHealth({ has_arrived: true, failures: 0, last_failure: null }),
    );
    expect(await endpointRow({ database }, endpoint)).toMatchObject({
      consecutive_failures: 0,
      failing_since: null,
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
    const endpoint = await addDeliveries(1);
    const [{ id } = { id: '' }] = await deliveriesTo({ database }, endpoint);
    await updateWebhookEndpoint(database.db, endpoint.id, { url: 'https://new.example/hooks' });
    const attempts = [buildAttempt(id, REFUSED)];
    expect(await recordAttempts(database.db, endpoint.id, attempts, buildHealth(fields))).toBe(
      'enabled',
    );
    expect(await endpointRow({ database }, endpoint)).toMatchObject({
      status: 'enabled',
      consecutive_failures: 0,
      failing_since: null,
      paused_seconds: null,
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
      const endpoint = await addDeliveries(1);
      const [{ id } = { id: '' }] = await deliveriesTo({ database }, endpoint);
      await recordAttempts(database.db, endpoint.id, [buildAttempt(id, REFUSED)], buildHealth());
      await database.owner.raw(
        `update webhook_endpoints
          set failing_since = failing_since - interval '2 hours',
              last_failure = last_failure || jsonb_build_object('at', (last_failure ->> 'at')::timestamptz - interval '2 hours')
        where id = ?`,
        [endpoint.id],
      );
      const { failing_since } = await endpointRow({ database }, endpoint);
      const again = buildAttempt(id, { ...REFUSED, number: 2 });
      await recordAttempts(database.db, endpoint.id, [again], buildHealth({ quiet_seconds }));
      const after = (await endpointRow({ database }, endpoint)).failing_since;
      if (is_new) expect(after).not.toEqual(failing_since);
      else expect(after).toEqual(failing_since);
    },
  );
});

describe('a delivery that arrives at the moment at which its endpoint is closed or it is sent again', () => {
  it.each(['disabled', 'deleted'] as const)(
    'is delivered when the endpoint is %s',
    async (status) => {
      const endpoint = await addDeliveries(3);
      const rows = await deliveriesTo({ database }, endpoint);
      const recording = await recordInSession(endpoint, [buildAttempt(rows[0]!.id)]);
      const closing = updateWebhookEndpoint(database.db, endpoint.id, { status });
      await untilLocked(database, 'update_webhook_endpoint');
      await recording.query('commit');
      await closing;
      const left = status === 'disabled' ? 'held' : 'discarded';
      expect((await deliveriesTo({ database }, endpoint)).map((row) => row.status)).toEqual([
        'delivered',
        left,
        left,
      ]);
    },
  );

  it('is not sent again by a resend of what has not arrived', async () => {
    const endpoint = await addDeliveries(2);
    const [first] = await deliveriesTo({ database }, endpoint);
    const id = await beginTestResend(database.db, endpoint, ['pending', 'exhausted']);
    const recording = await recordInSession(endpoint, [buildAttempt(first!.id)]);
    const queueing = continueResend(database.db, 100);
    await untilLocked(database, 'continue_resend');
    await recording.query('commit');
    expect(await queueing).toBe(true);
    const { rows } = (await database.owner.raw('select queued from webhook_resends where id = ?', [
      id,
    ])) as { rows: unknown[] };
    expect(rows).toEqual([{ queued: 1 }]);
    expect(await statusesAt({ database }, endpoint)).toEqual({ delivered: 1, pending: 1 });
  });

  /** Leaves the transaction open. */
  async function recordInSession({ id }: TestEndpoint, attempts: readonly AttemptRecord[]) {
    const session = await openSession(database.app_url);
    await session.query('begin');
    await session.query('select record_attempts($1, $2, null)', [id, JSON.stringify(attempts)]);
    return session;
  }
});

describe('the role of the application', () => {
  it.each([
    'update webhook_attempts set number = 2',
    'delete from webhook_attempts',
    'truncate webhook_attempts',
    'delete from webhook_attempt_drops',
    "update events set body = '{}'",
    'delete from events',
    'truncate events',
    'insert into events select * from events',
    "update webhook_deliveries set status = 'held'",
    'delete from webhook_deliveries',
    "update webhook_endpoints set url = 'https://elsewhere.example'",
    'delete from webhook_endpoints',
  ])('L3: may not %s', async (sql) => {
    const endpoint = await addDeliveries(1);
    const [{ id } = { id: '' }] = await deliveriesTo({ database }, endpoint);
    await recordAttempts(database.db, endpoint.id, [buildAttempt(id)], null);
    await expect(database.db.raw(sql)).rejects.toThrow('permission denied');
  });

  it.each(['webhook_attempts', 'webhook_attempt_drops', 'events'])(
    'L3: is not the only one: no role changes %s',
    async (table) => {
      for (const sql of [`delete from ${table}`, `truncate ${table} cascade`]) {
        await expect(database.owner.raw(sql)).rejects.toThrow(/append-only|refused|never/i);
      }
    },
  );
});

describe('the words of the database', () => {
  it.each([
    ['webhook_attempts', 'outcome', ATTEMPT_OUTCOMES],
    ['webhook_deliveries', 'status', DELIVERY_STATUSES],
    ['webhook_endpoints', 'types', EVENT_NOUNS],
  ])('are those of domain: %s.%s', async (table, column, words) => {
    const { rows } = (await database.owner.raw(
      `select pg_get_constraintdef(c.oid) as text from pg_constraint c
        where c.conrelid = ?::regclass and c.conname = ?`,
      [table, `${table}_${column}_check`],
    )) as { rows: { text: string }[] };
    const allowed = [...rows[0]!.text.matchAll(/'([^']+)'::text/g)].map(([, word]) => word!);
    expect(allowed.toSorted()).toEqual([...words].toSorted());
  });
});

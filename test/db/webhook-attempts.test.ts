// Recorded attempts, and what they mean for their delivery and their endpoint.

import type { Client } from 'pg';
import {
  recordAttempts,
  type AttemptRecord,
  type HealthRecord,
} from '../../db/webhooks/webhook-attempts';
import { updateWebhookEndpoint } from '../../db/webhooks/webhook-endpoints';
import { continueResend } from '../../db/webhooks/webhook-resends';
import { ATTEMPT_OUTCOMES, DELIVERY_STATUSES } from '../../domain/webhook';
import { EVENT_NOUNS } from '../../domain/event';
import { connectAgain, createTestDatabase, setUp, whileUncommitted } from '../support/database';
import { buildUser } from '../support/users';
import {
  beginTestResend,
  buildEndpointWithDeliveries,
  buildAttempt,
  buildHealth,
  REFUSED,
  type TestEndpoint,
} from '../support/webhooks';
import {
  attemptsOf,
  deliveriesTo,
  endpointRow,
  statusesAt,
  type DeliveryRow,
} from '../webhooks/deliveries';

const database = setUp(createTestDatabase);
const merchant = setUp(() => buildUser(database.db));

function addDeliveries(count: number): Promise<TestEndpoint> {
  return buildEndpointWithDeliveries(database, merchant.id, count);
}

/** An endpoint with one delivery, whose attempts are recorded by number. */
async function openDelivery() {
  const endpoint = await addDeliveries(1);
  const [{ id } = { id: '' }] = await deliveriesTo({ database }, endpoint);
  let number = 0;
  return {
    endpoint,
    id,
    record: (fields: Partial<AttemptRecord>, health: HealthRecord) => {
      const attempt = buildAttempt(id, { ...fields, number: (number += 1) });
      return recordAttempts(database.db, endpoint.id, [attempt], health);
    },
    row: () => endpointRow({ database }, endpoint),
  };
}

/** Moves the times of its failures into the past. */
async function backdateFailures({ id }: TestEndpoint, hours: number): Promise<void> {
  await database.owner.raw(
    `update webhook_endpoints
        set failing_since = failing_since - :ago::interval,
            last_failure = last_failure
              || jsonb_build_object('at', (last_failure ->> 'at')::timestamptz - :ago::interval)
      where id = :id`,
    { id, ago: `${hours} hours` },
  );
}

describe('record_attempts', () => {
  it('records an attempt once, however many callers record it, and whatever they say later', async () => {
    const endpoint = await addDeliveries(20);
    const ids = (await deliveriesTo({ database }, endpoint)).map(({ id }) => id);
    const others = connectAgain(database, 8);
    const record = (fields: Partial<AttemptRecord>) => {
      const attempts = ids.map((id) => buildAttempt(id, fields));
      return recordAttempts(others, endpoint.id, attempts, null);
    };
    await Promise.all(Array.from({ length: 8 }, () => record(REFUSED)));
    // Another outcome with the same number changes nothing either.
    await record({});
    for (const { id, ...row } of await deliveriesTo({ database }, endpoint)) {
      expect(row).toMatchObject({ status: 'pending', attempts: 1, tries: 1 });
      expect(await attemptsOf({ database }, id)).toMatchObject([{ outcome: 'refused' }]);
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
    const { record, row } = await openDelivery();
    await record(REFUSED, buildHealth());
    const since = (await row()).failing_since;
    expect(since).not.toBeNull();
    await record(REFUSED, buildHealth());
    expect(await row()).toMatchObject({ consecutive_failures: 2, failing_since: since });
    await record({}, buildHealth({ has_arrived: true, failures: 0, last_failure: null }));
    expect(await row()).toMatchObject({
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
    const { endpoint, id, record, row } = await openDelivery();
    await updateWebhookEndpoint(database.db, endpoint.id, { url: 'https://new.example/hooks' });
    expect(await record(REFUSED, buildHealth(fields))).toBe('enabled');
    expect(await row()).toMatchObject({
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
      const { endpoint, record, row } = await openDelivery();
      await record(REFUSED, buildHealth());
      await backdateFailures(endpoint, 2);
      const { failing_since } = await row();
      await record(REFUSED, buildHealth({ quiet_seconds }));
      const after = (await row()).failing_since;
      if (is_new) expect(after).not.toEqual(failing_since);
      else expect(after).toEqual(failing_since);
    },
  );

  it.each([
    ['a failure', {}, 3_500, 'disabled', 'failing', 'held'],
    ['a failure', {}, 3_700, 'enabled', null, 'pending'],
    ['one that arrived before it', { has_arrived: true }, 3_500, 'enabled', null, 'pending'],
    ['a receiver that is gone', { is_gone: true }, 3_700, 'disabled', 'gone', 'held'],
  ] as const)(
    'of an hour, and %s with %j and a limit of %i seconds leave it %s (%s)',
    async (_, fields, disable_after_seconds, status, disabled_reason, left) => {
      const { endpoint, record, row } = await openDelivery();
      await record(REFUSED, buildHealth());
      await backdateFailures(endpoint, 1);
      const health = buildHealth({ ...fields, disable_after_seconds });
      expect(await record(REFUSED, health)).toBe(status);
      expect(await row()).toMatchObject({ status, disabled_reason });
      expect(await statusesAt({ database }, endpoint)).toEqual({ [left]: 1 });
    },
  );
});

describe('a delivery that arrives at the moment at which its endpoint is closed or it is sent again', () => {
  it.each([
    ['disabled', 'held'],
    ['deleted', 'discarded'],
  ] as const)('is delivered when the endpoint is %s', async (status, left) => {
    const endpoint = await addDeliveries(3);
    const [first] = await deliveriesTo({ database }, endpoint);
    await whileUncommitted(database, recording(endpoint, first!), () =>
      updateWebhookEndpoint(database.db, endpoint.id, { status }),
    );
    const after = await deliveriesTo({ database }, endpoint);
    expect(after.map((row) => row.status)).toEqual(['delivered', left, left]);
  });

  it('is not sent again by a resend of what has not arrived', async () => {
    const endpoint = await addDeliveries(2);
    const [first] = await deliveriesTo({ database }, endpoint);
    const id = await beginTestResend(database.db, endpoint, ['pending', 'exhausted']);
    const queued = await whileUncommitted(database, recording(endpoint, first!), () =>
      continueResend(database.db, 100),
    );
    expect(queued).toBe(true);
    const { rows } = (await database.owner.raw('select queued from webhook_resends where id = ?', [
      id,
    ])) as { rows: unknown[] };
    expect(rows).toEqual([{ queued: 1 }]);
    expect(await statusesAt({ database }, endpoint)).toEqual({ delivered: 1, pending: 1 });
  });

  const recording = (endpoint: TestEndpoint, { id }: DeliveryRow) => {
    const values = [endpoint.id, JSON.stringify([buildAttempt(id)])];
    return (session: Client) => session.query('select record_attempts($1, $2, null)', values);
  };
});

describe('the history of webhooks', () => {
  it.each(['webhook_attempts', 'webhook_attempt_drops', 'events'])(
    'L3: is changed by no role, not even by their owner: %s',
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

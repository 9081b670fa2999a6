// The leases of delivery runs, what workers are told at a commit, and what they find by themselves.

import { randomUUID } from 'node:crypto';
import { BACKLOG, readBacklog } from '../../db/webhooks/webhook-backlog';
import {
  CLAIM,
  DELIVERIES_CHANNEL,
  beginDeliveryRun,
  claimDeliveries,
  endDeliveryRun,
  findDueEndpoints,
  renewLeases,
} from '../../db/webhooks/webhook-delivery-runs';
import { resendDeliveries } from '../../db/webhooks/webhook-deliveries';
import { updateWebhookEndpoint } from '../../db/webhooks/webhook-endpoints';
import { listen } from '../../db/listen';
import { closeAfterFile } from '../support/cleanup';
import { createTestDatabase, pastLock, setUp } from '../support/database';
import { countRowsRead, countTableReads, LOOK_UP_PLAN, PLAN_MODES } from '../support/plans';
import { buildUser } from '../support/users';
import { waitFor } from '../support/wait';
import {
  addEvents,
  buildAttempt,
  buildEndpointWithDeliveries,
  type TestEndpoint,
} from '../support/webhooks';
import { deliveriesTo, statusesAt } from '../webhooks/deliveries';

const database = setUp(createTestDatabase);
const merchant = setUp(() => buildUser(database.db));

function addDeliveries(count: number): Promise<TestEndpoint> {
  return buildEndpointWithDeliveries(database, merchant.id, count);
}

describe('a lease', () => {
  it('is renewed and ended by its holder only, and taken by another run when it has expired', async () => {
    const endpoint = await addDeliveries(1);
    const { db } = database;
    const [mine, theirs] = [randomUUID(), randomUUID()];
    expect(await beginDeliveryRun(db, endpoint.id, mine, 60_000)).toBe('begun');
    expect(await beginDeliveryRun(db, endpoint.id, theirs, 60_000)).toBe('busy');
    expect(await renewLeases(db, [[endpoint.id, theirs]], 60_000)).toEqual([]);
    await endDeliveryRun(db, endpoint.id, theirs);
    expect(await renewLeases(db, [[endpoint.id, mine]], 60_000)).toEqual([endpoint.id]);
    expect(await renewLeases(db, [[endpoint.id, mine]], -1)).toEqual([endpoint.id]);
    // It has expired: nothing can be claimed by it any more.
    expect(await claimDeliveries(db, endpoint.id, mine, 10, [])).toBeUndefined();
    expect(await beginDeliveryRun(db, endpoint.id, theirs, 60_000)).toBe('begun');
    expect(await renewLeases(db, [[endpoint.id, mine]], 60_000)).toEqual([]);
    expect(await claimDeliveries(db, endpoint.id, mine, 10, [])).toBeUndefined();
    expect((await claimDeliveries(db, endpoint.id, theirs, 10, []))!.deliveries).toHaveLength(1);
  });

  it('is renewed with the others of its process, also while its merchant changes its endpoint', async () => {
    const { db } = database;
    const tokens = [randomUUID(), randomUUID()] as const;
    const endpoints = [await addDeliveries(1), await addDeliveries(1)] as const;
    const held = endpoints.map(({ id }, place) => [id, tokens[place]!] as const);
    for (const [id, token] of held) await beginDeliveryRun(db, id, token, 60_000);
    const renewed = await pastLock(
      database,
      (session) =>
        session.query(`select update_webhook_endpoint($1, '{"description": "new"}')`, [
          endpoints[0].id,
        ]),
      () => renewLeases(db, held, 60_000),
    );
    expect(new Set(renewed)).toEqual(new Set(endpoints.map(({ id }) => id)));
  });
});

describe('at a commit', () => {
  const heard: string[] = [];

  beforeAll(async () => {
    await new Promise<void>((resolve) => {
      const listener = listen({
        url: database.app_url,
        channels: { [DELIVERIES_CHANNEL]: (id) => heard.push(id) },
        onConnected: resolve,
      });
      closeAfterFile(() => listener.close());
    });
  });

  /** Notifications come in the order of their commits: after this one, all that were sent before have come. */
  async function untilHeard(): Promise<void> {
    const last = randomUUID();
    await database.owner.raw('select pg_notify(?, ?)', [DELIVERIES_CHANNEL, last]);
    await waitFor(() => heard.includes(last));
  }

  async function toldBy(act: () => Promise<unknown>): Promise<string[]> {
    await untilHeard();
    const before = heard.length;
    await act();
    await untilHeard();
    return heard.slice(before, -1);
  }

  const ofStatus = (status: 'enabled' | 'disabled') => (endpoint: TestEndpoint) =>
    updateWebhookEndpoint(database.db, endpoint.id, { status });
  const send = (endpoint: TestEndpoint) => addEvents(database, [endpoint]);

  it.each([
    ['adds deliveries', [], (endpoint: TestEndpoint) => addEvents(database, [endpoint], 3)],
    ['enables an endpoint again', [ofStatus('disabled')], ofStatus('enabled')],
    [
      'sends one again, which ends a pause',
      [send, pause],
      async (endpoint: TestEndpoint) => {
        const [delivery] = await deliveriesTo({ database }, endpoint);
        await resendDeliveries(database.db, [delivery!.id]);
      },
    ],
  ] as const)('that %s, workers are told of the endpoint', async (_, before, act) => {
    const endpoint = await addDeliveries(0);
    for (const step of before) await step(endpoint);
    expect(new Set(await toldBy(() => act(endpoint)))).toEqual(new Set([endpoint.id]));
  });

  it.each([
    ['is disabled', ofStatus('disabled')],
    ['is paused', pause],
  ] as const)('of deliveries to an endpoint that %s they are not told', async (_, step) => {
    const endpoint = await addDeliveries(0);
    await step(endpoint);
    expect(await toldBy(() => send(endpoint))).toEqual([]);
  });

  async function pause({ id }: TestEndpoint): Promise<void> {
    await database.owner.raw(
      `update webhook_endpoints set paused_until = now() + interval '1 hour' where id = ?`,
      [id],
    );
  }
});

describe('find_due_endpoints', () => {
  it('returns those that are due, up to a limit, and others the next time', async () => {
    const endpoints = await Promise.all(Array.from({ length: 30 }, () => addDeliveries(1)));
    expect(await findDueEndpoints(database.db, 10)).toHaveLength(10);
    const found = new Set(await findDueEndpoints(database.db, 10_000));
    expect(endpoints.filter(({ id }) => !found.has(id))).toEqual([]);
  });

  it('returns those with more deliveries than a change of their status could change', async () => {
    const endpoint = await addDeliveries(1);
    // One statement changes 5,000.
    await database.owner.raw(
      `insert into webhook_deliveries (event_id, endpoint_id, user_id, environment, type, status,
         next_attempt_at, created_at)
       select gen_random_uuid(), endpoint_id, user_id, environment, type, status, next_attempt_at,
              created_at - n * interval '1 hour'
         from webhook_deliveries, generate_series(1, 5001) n where endpoint_id = ?`,
      [endpoint.id],
    );
    for (const [status, left, all, state] of [
      ['disabled', { pending: 2, held: 5_000 }, { held: 5_002 }, 'closed'],
      ['enabled', { held: 2, pending: 5_000 }, { pending: 5_002 }, 'begun'],
      ['deleted', { pending: 2, discarded: 5_000 }, { discarded: 5_002 }, 'closed'],
    ] as const) {
      await updateWebhookEndpoint(database.db, endpoint.id, { status });
      expect(await statusesAt({ database }, endpoint)).toEqual(left);
      expect(await findDueEndpoints(database.db, 10_000)).toContain(endpoint.id);
      const token = randomUUID();
      expect(await beginDeliveryRun(database.db, endpoint.id, token, 60_000)).toBe(state);
      expect(await statusesAt({ database }, endpoint)).toEqual(all);
      await endDeliveryRun(database.db, endpoint.id, token);
    }
    const nothing = { pending: 0, oldest_pending_at: null, next_attempt_at: null };
    expect(await readBacklog(database.db, endpoint.id)).toEqual(nothing);
  });

  it('returns a deleted one whose deliveries are held', async () => {
    const endpoint = await addDeliveries(1);
    await updateWebhookEndpoint(database.db, endpoint.id, { status: 'disabled' });
    await database.owner.raw(
      `update webhook_endpoints set status = 'deleted', disabled_reason = null,
         updated_at = clock_timestamp() where id = ?`,
      [endpoint.id],
    );
    expect(await findDueEndpoints(database.db, 10_000)).toContain(endpoint.id);
    expect(await beginDeliveryRun(database.db, endpoint.id, randomUUID(), 60_000)).toBe('closed');
    expect(await statusesAt({ database }, endpoint)).toEqual({ discarded: 1 });
  });

  it('returns none that has a delivery run, is paused or disabled, or has nothing due', async () => {
    const [running, paused, disabled, empty, later] = await Promise.all(
      [1, 1, 1, 0, 1].map((count) => addDeliveries(count)),
    );
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
    const named = await findDueEndpoints(db, 10_000);
    for (const { id } of [running, paused, disabled, empty, later] as TestEndpoint[]) {
      expect(named).not.toContain(id);
    }
  });

  it('does not read endpoints that have nothing to deliver, however many there are', async () => {
    const own = await createTestDatabase();
    const { id: user_id } = await buildUser(own.db);
    const [overdue, waiting] = [
      await buildEndpointWithDeliveries(own, user_id, 50),
      await buildEndpointWithDeliveries(own, user_id, 50),
    ];
    await own.owner.raw(
      `update webhook_deliveries set next_attempt_at = case when endpoint_id = ?
         then now() - interval '5 seconds' else now() + interval '1 hour' end`,
      [overdue.id],
    );
    await own.owner.raw(
      `insert into webhook_endpoints (id, user_id, environment, url, types, sealed_secret)
       select gen_random_uuid(), user_id, environment, url, types, sealed_secret
         from webhook_endpoints, generate_series(1, 1000) where id = ?`,
      [waiting.id],
    );
    await own.owner.raw('analyze');
    const read = await own.owner.transaction((tx) =>
      countTableReads(tx, ['webhook_endpoints', 'webhook_deliveries'], async () => {
        const { rows } = await tx.raw('select find_due_endpoints(100) as id');
        expect(rows).toEqual([{ id: overdue.id }]);
      }),
    );
    for (const [table, rows] of Object.entries(read)) {
      expect({ table, is_few: rows < 20, rows }).toMatchObject({ table, is_few: true });
    }
  });
});

it('a run begins, records what it sent and reads what is left without a look at other endpoints', async () => {
  const own = await createTestDatabase();
  const { id: user_id } = await buildUser(own.db);
  const disabled = await buildEndpointWithDeliveries(own, user_id, 0);
  const enabled = await buildEndpointWithDeliveries(own, user_id, 5);
  await own.owner.raw(
    `insert into webhook_deliveries (event_id, endpoint_id, user_id, environment, type, status, created_at)
     select gen_random_uuid(), ?::uuid, ?::uuid, 'sandbox', 'payment.failed', 'held', now() - n * interval '1 minute'
       from generate_series(1, 8000) n`,
    [disabled.id, user_id],
  );
  await own.owner.raw('analyze');
  const [delivery] = await deliveriesTo({ database: own }, enabled);
  const read = await own.owner.transaction(async (tx) => {
    await tx.raw('set local plan_cache_mode = force_generic_plan');
    return countTableReads(tx, ['webhook_deliveries'], async () => {
      await tx.raw('select begin_delivery_run(?::uuid, gen_random_uuid(), 60000)', [enabled.id]);
      await tx.raw('select record_attempts(?::uuid, ?::jsonb, null)', [
        enabled.id,
        JSON.stringify([buildAttempt(delivery!.id)]),
      ]);
    });
  });
  expect(await statusesAt({ database: own }, enabled)).toEqual({ delivered: 1, pending: 4 });
  expect(read['webhook_deliveries']!).toBeLessThan(30);
  expect(await countRowsRead(own.db, BACKLOG, [enabled.id], LOOK_UP_PLAN)).toBeLessThan(30);
});

describe('what a run claims', () => {
  const DUE = 200;
  const LIMIT = 10;

  async function leased(): Promise<{ readonly id: string; readonly token: string }> {
    const { id } = await addDeliveries(DUE);
    const token = randomUUID();
    await beginDeliveryRun(database.db, id, token, 60_000);
    return { id, token };
  }

  it.each(PLAN_MODES)('is found without a look at all that is due, with %s', async (mode) => {
    const { id, token } = await leased();
    // The planner chooses so where tables are large.
    const settings = ['enable_seqscan = off', 'enable_bitmapscan = off'];
    const values = [id, token, LIMIT, []];
    const rows = await countRowsRead(database.db, CLAIM, values, { mode, settings });
    // A delivery and its event each, twice what was found (once to count it); the endpoint and its lease.
    expect(rows).toBeLessThanOrEqual(4 * LIMIT + 4);
    expect(rows).toBeGreaterThanOrEqual(LIMIT);
  });

  it('has the transfers that are due after all others, up to the limit', async () => {
    const { id, token } = await leased();
    await database.owner.raw(
      `update webhook_deliveries set type = 'transfer.received' where id in (
         select id from webhook_deliveries where endpoint_id = ? order by next_attempt_at limit ?)`,
      [id, DUE - LIMIT / 2],
    );
    const claim = await claimDeliveries(database.db, id, token, LIMIT, []);
    const ids = claim!.deliveries.map((delivery) => delivery.id);
    const { rows } = (await database.owner.raw(
      `select type from webhook_deliveries d, unnest(?::uuid[]) with ordinality q (id, at)
        where d.id = q.id order by at`,
      [ids],
    )) as { rows: { type: string }[] };
    expect(rows.map(({ type }) => type)).toEqual([
      ...Array<string>(LIMIT / 2).fill('payment.succeeded'),
      ...Array<string>(LIMIT / 2).fill('transfer.received'),
    ]);
  });
});

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { drain } from '../../activities/webhooks/delivery-run';
import { createDrains } from '../../activities/webhooks/active-runs';
import { createLeases } from '../../activities/webhooks/leases';
import { beginDrain, claimOverdueEndpoints } from '../../db/webhooks';
import { openSession } from '../support/database';
import { waitFor } from '../support/wait';
import {
  addEvents,
  expectGenuine,
  startReceiver,
  testSealer,
  type TestEndpoint,
  type TestReceiver,
} from '../support/webhooks';
import {
  attemptsOf,
  deliveriesTo,
  deliverySettings,
  endpointRow,
  openPost,
  openSender,
  startDeliverer,
  statusesAt,
  untilAll,
  workflowOf,
  type DelivererOptions,
} from './deliveries';

/** Printed when something fails; the same one makes the same moments. */
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000_007);
/** After each of them everything has to arrive: a commit behind it would wake what it had lost. */
const ROUNDS = 25;
const COMMITS = 12;
/** Looks of its own are rarer than any patience. */
const NEVER_MS = 120_000;
const OVERDUE_MS = 200;
/** What is lost arrives never, and what is late may be so for a machine that is busy. */
const PATIENCE_MS = 60_000;

interface Gap {
  /** Since the commit before. */
  readonly wait_ms: number;
  readonly count: number;
}

/** Many at about the time that a drain takes to end, some together, a few after a rest. */
const aGap: fc.Arbitrary<Gap> = fc.record({
  wait_ms: fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 4 }) },
    { weight: 6, arbitrary: fc.integer({ min: 5, max: 45 }) },
    { weight: 1, arbitrary: fc.integer({ min: 50, max: 150 }) },
  ),
  count: fc.oneof(
    { weight: 4, arbitrary: fc.constant(1) },
    { weight: 1, arbitrary: fc.integer({ min: 2, max: 5 }) },
  ),
});

interface Told {
  readonly ids: ReadonlySet<string>;
  /** How many commits had somebody to wake, and how many were left to be heard. */
  readonly woken: number;
  readonly unheard: number;
}

/** Commits at random moments, and wakes exactly those that the commit names. */
async function commitAtRandom(
  { post, receiver, endpoint }: Awaited<ReturnType<typeof open>>,
  seed: number,
): Promise<Told> {
  const told = new Set<string>();
  let woken = 0;
  let unheard = 0;
  const gaps = fc.sample(aGap, { numRuns: ROUNDS * COMMITS, seed });
  for (const [number, { wait_ms, count }] of gaps.entries()) {
    await delay(wait_ms);
    const { ids, wake } = await addEvents(post.database, [endpoint], count);
    for (const id of ids) told.add(id);
    if (wake.length > 0) woken += 1;
    else unheard += 1;
    post.waker.wake(wake);
    if ((number + 1) % COMMITS > 0) continue;
    await waitFor(() => receiver.counts().size === told.size, PATIENCE_MS).catch(() => {
      throw new Error(
        `seed ${seed}: ${receiver.counts().size} of ${told.size} arrived after ${number + 1} commits`,
      );
    });
  }
  return { ids: told, woken, unheard };
}

function expectEachOnce(receiver: TestReceiver, endpoint: TestEndpoint, told: Told): void {
  expect(new Set(receiver.counts().keys())).toEqual(told.ids);
  expect([...receiver.counts()].filter(([, times]) => times !== 1)).toEqual([]);
  for (const webhook of receiver.received) expectGenuine(webhook, endpoint.secret);
}

async function open(options: DelivererOptions) {
  const post = await openPost();
  const receiver = await startReceiver();
  await startDeliverer(post, options);
  return { post, receiver, endpoint: await post.createEndpoint(receiver.url) };
}

describe('events that are committed at random moments', () => {
  it.each([
    // Ends between almost any two commits; what it had not seen it never looks for.
    ['that hardly lingers', { linger_ms: 5, look_ms: 20, drain_ms: 40_000 }],
    // Only ever hears of the next.
    ['that hears and does not look', { linger_ms: 5, look_ms: NEVER_MS, drain_ms: 40_000 }],
    ['whose turns are short', { linger_ms: 5, look_ms: 20, drain_ms: 30 }],
  ])(
    'arrive once, without another commit and without a sweeper, at a drain %s',
    async (_name, pace) => {
      const opened = await open({ pace });
      const told = await commitAtRandom(opened, SEED);
      expectEachOnce(opened.receiver, opened.endpoint, told);
      // Both ways were needed.
      expect(told.unheard).toBeGreaterThan(10);
      expect(told.woken).toBeGreaterThan(10);
    },
    180_000,
  );

  it('arrive with nobody who hears, as the sweeper finds what was left', async () => {
    const opened = await open({ is_listening: false, pace: { linger_ms: 5, look_ms: 20 } });
    const { post, receiver, endpoint } = opened;
    let is_over = false;
    const sweeping = (async () => {
      while (!is_over) {
        post.waker.wake(await claimOverdueEndpoints(post.database.db, OVERDUE_MS, 500));
        await delay(50);
      }
    })();
    const told = await commitAtRandom(opened, SEED + 1).finally(() => (is_over = true));
    await sweeping;
    expectEachOnce(receiver, endpoint, told);
    await untilAll(post, endpoint, 'delivered');
  }, 180_000);
});

describe('a commit whose wake-up never happens', () => {
  it('is found by the sweeper, and not before it is overdue', async () => {
    const { post, receiver, endpoint } = await open({});
    const { ids, wake } = await addEvents(post.database, [endpoint]);
    expect(wake).toEqual([endpoint.id]);
    expect(await claimOverdueEndpoints(post.database.db, 60_000, 500)).toEqual([]);
    const overdue = await waitFor(async () => {
      const found = await claimOverdueEndpoints(post.database.db, OVERDUE_MS, 500);
      return found.length > 0 && found;
    });
    expect(overdue).toEqual([endpoint.id]);
    expect(receiver.received).toEqual([]);
    post.waker.wake(overdue);
    await waitFor(() => receiver.received.length > 0);
    expect([...receiver.counts()]).toEqual([[ids[0], 1]]);
    expectGenuine(receiver.received[0]!, endpoint.secret);
  });
});

describe('a commit that saw a drain which has left since', () => {
  it('is heard by the process of that drain', async () => {
    const { post, receiver, endpoint } = await open({ pace: { linger_ms: 500, look_ms: 20 } });
    await post.publish([endpoint]);
    await waitFor(() => receiver.received.length === 1);
    const session = await openSession(post.database.app_url);
    await session.query('begin');
    const id = randomUUID();
    const { rows } = await session.query<{ wake: string[] }>(
      'select wake from add_test_event($1, $2, $3, $4)',
      [endpoint.id, id, 'payment.failed', JSON.stringify({ id })],
    );
    expect(rows[0]!.wake).toEqual([]);
    await workflowOf(post, endpoint).result();
    await session.query('commit');
    await waitFor(() => receiver.received.length === 2);
    expect(receiver.counts().get(id)).toBe(1);
  });
});

describe('a process that listens no more while somebody commits', () => {
  it('looks once it hears again', async () => {
    const { post, receiver, endpoint } = await open({
      pace: { linger_ms: NEVER_MS, look_ms: NEVER_MS },
    });
    await post.publish([endpoint]);
    await waitFor(() => receiver.received.length === 1);
    const { owner } = post.database;
    await owner.raw(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'payment-listener'`,
    );
    const { wake } = await addEvents(post.database, [endpoint]);
    // It is being drained: nobody is named.
    expect(wake).toEqual([]);
    await waitFor(() => receiver.received.length === 2);
    expect(receiver.counts().size).toBe(2);
  });
});

describe('a pause', () => {
  it('ends for what is committed in it as for what was there before', async () => {
    // A 503: the endpoint is left alone for a second, the delivery for two minutes.
    const { post, receiver, endpoint } = await open({
      deliveries: { retry_seconds: [120] },
    });
    receiver.answer = (_webhook, response) =>
      response.writeHead(receiver.received.length === 1 ? 503 : 200).end();
    await post.publish([endpoint]);
    await waitFor(async () => (await endpointRow(post, endpoint)).paused_seconds !== null);
    await post.publish([endpoint]);
    await waitFor(() => receiver.received.length === 2, PATIENCE_MS);
  });

  it('ends for what is committed in it after the last try of all', async () => {
    const { post, receiver, endpoint } = await open({ deliveries: { retry_seconds: [] } });
    receiver.answer = (_webhook, response) =>
      response.writeHead(receiver.received.length === 1 ? 503 : 200).end();
    await post.publish([endpoint]);
    await workflowOf(post, endpoint).result();
    expect(await statusesAt(post, endpoint)).toEqual({ exhausted: 1 });
    await post.publish([endpoint]);
    await waitFor(() => receiver.received.length === 2, PATIENCE_MS);
  });
});

describe('two who would deliver to one endpoint', () => {
  async function openTwo(pace: DelivererOptions['pace'] = {}) {
    const post = await openPost();
    const receiver = await startReceiver();
    const endpoint = await post.createEndpoint(receiver.url);
    const drains = [createDrains(() => undefined), createDrains(() => undefined)] as const;
    const deliveries = deliverySettings({}, { linger_ms: 50, look_ms: 100, ...pace });
    const { db } = post.database;
    const depsOf = (of: (typeof drains)[number]) => ({
      ...{ db, sender: openSender(), sealer: testSealer, drains: of, deliveries },
      leases: createLeases(db, deliveries.pace.lease_ms),
    });
    return {
      post,
      receiver,
      endpoint,
      drains,
      first: depsOf(drains[0]),
      second: depsOf(drains[1]),
    };
  }

  it('take turns: the second is told for how long, and nothing is sent twice', async () => {
    const { post, receiver, endpoint, first, second } = await openTwo();
    receiver.answer = (_webhook, response) => void setTimeout(() => response.end(), 10);
    const { ids } = await addEvents(post.database, [endpoint], 100);
    const draining = drain(first, endpoint.id);
    await waitFor(() => receiver.received.length > 0);
    const other = await drain(second, endpoint.id);
    expect(other.ended).toBe('busy');
    expect(other.wait_ms).toBeGreaterThan(0);
    expect(other.wait_ms).toBeLessThanOrEqual(first.deliveries.pace.lease_ms);
    expect(await draining).toEqual({ ended: 'done', wait_ms: null });
    expect([...receiver.counts().keys()].toSorted()).toEqual([...ids].toSorted());
    expect(receiver.received).toHaveLength(100);
    // Left, not merely run out.
    expect(await drain(second, endpoint.id)).toEqual({ ended: 'done', wait_ms: null });
    expect((await endpointRow(post, endpoint)).drained_until).toBeNull();
  });

  it('start at one moment: one of them delivers', async () => {
    const { post, receiver, endpoint, first, second } = await openTwo();
    await addEvents(post.database, [endpoint], 40);
    const both = await Promise.all([first, second].map((deps) => drain(deps, endpoint.id)));
    expect(both.map(({ ended }) => ended).toSorted()).toEqual(['busy', 'done']);
    expect(receiver.received).toHaveLength(40);
    expect(receiver.counts().size).toBe(40);
    await untilAll(post, endpoint, 'delivered');
  });

  it('deliver what they claimed when a claim takes longer than the time between looks', async () => {
    const { post, receiver, endpoint, first } = await openTwo({ look_ms: 0.001 });
    await addEvents(post.database, [endpoint], 100);
    expect(await drain(first, endpoint.id)).toEqual({ ended: 'done', wait_ms: null });
    expect(receiver.received).toHaveLength(100);
  });

  it('renews its lease for as long as it works', async () => {
    const { post, receiver, endpoint, first, second } = await openTwo({ lease_ms: 400 });
    const began = performance.now();
    receiver.answer = (_webhook, response) => void setTimeout(() => response.end(), 1_500);
    await addEvents(post.database, [endpoint]);
    const draining = drain(first, endpoint.id);
    await waitFor(() => performance.now() - began > 1_200);
    expect(await drain(second, endpoint.id)).toMatchObject({ ended: 'busy' });
    expect((await draining).ended).toBe('done');
    expect(receiver.received).toHaveLength(1);
  });

  it('claims nothing once another has taken the endpoint, and records what it had sent', async () => {
    const { post, receiver, endpoint, first } = await openTwo();
    const { db, owner } = post.database;
    const answers: (() => void)[] = [];
    receiver.answer = (_webhook, response) => void answers.push(() => response.end());
    await addEvents(post.database, [endpoint], 50);
    const draining = drain(first, endpoint.id);
    await waitFor(() => receiver.received.length === 4);

    // As after a process that stood still for longer than its lease.
    const thief = '00000000-0000-4000-8000-000000000001';
    await owner.transaction(async (tx) => {
      await tx.raw('update webhook_endpoints set drained_until = now() where id = ?', [
        endpoint.id,
      ]);
      const { rows } = (await tx.raw('select state from begin_drain(?, ?, 60000)', [
        endpoint.id,
        thief,
      ])) as { rows: { state: string }[] };
      expect(rows).toEqual([{ state: 'draining' }]);
    });
    while (answers.length > 0) answers.pop()!();
    receiver.answer = (_webhook, response) => response.end();
    expect(await draining).toEqual({ ended: 'lost', wait_ms: null });
    // What it had claimed before is sent, and no more than that.
    expect(receiver.received.length).toBeLessThanOrEqual(8);
    const sent = receiver.received.length;
    expect(await statusesAt(post, endpoint)).toEqual({ delivered: sent, pending: 50 - sent });
    const rows = await deliveriesTo(post, endpoint);
    for (const { id, attempts } of rows.filter(({ status }) => status === 'delivered')) {
      expect([attempts, (await attemptsOf(post, id)).length]).toEqual([1, 1]);
    }
    // The lease of the other is as it was.
    expect((await beginDrain(db, endpoint.id, thief, 60_000)).state).toBe('draining');
  });
});

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { createMetrics } from '../../telemetry/metrics';
import {
  runDeliveries,
  type DeliveryRunDependencies,
} from '../../activities/webhooks/delivery-run';
import { createActiveRuns } from '../../activities/webhooks/active-runs';
import { createLeases } from '../../activities/webhooks/leases';
import { beginDeliveryRun, claimOverdueEndpoints } from '../../db/webhooks/webhook-delivery-runs';
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
  buildFixture,
  openSender,
  startTestDeliveries,
  statusesAt,
  untilAll,
  workflowOf,
  type TestDeliveryOptions,
} from './deliveries';

/** Printed with a failure; the same seed makes the same moments. */
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000_007);
/** Everything must have arrived after each: the next commit would wake what a lost one left. */
const ROUNDS = 25;
const COMMITS = 12;
/** A run that polls as rarely is never saved by a poll. */
const NEVER_MS = 3_600_000;
const OVERDUE_MS = 200;

interface Gap {
  /** Waits after the commit before. */
  readonly wait_ms: number;
  readonly count: number;
}

/** Many at about the time that a delivery run takes to end, some together, a few after a rest. */
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

interface Committed {
  readonly ids: ReadonlySet<string>;
  /** How many commits named an endpoint to wake, and how many notified a run instead. */
  readonly woken: number;
  readonly notified: number;
}

/** Commits at random moments, and wakes exactly the endpoints that each commit returns. */
async function commitAtRandom(
  { fixture, receiver, endpoint }: Awaited<ReturnType<typeof open>>,
  seed: number,
): Promise<Committed> {
  const committed = new Set<string>();
  let woken = 0;
  let notified = 0;
  const gaps = fc.sample(aGap, { numRuns: ROUNDS * COMMITS, seed });
  for (const [number, { wait_ms, count }] of gaps.entries()) {
    await delay(wait_ms);
    const { ids, wake } = await addEvents(fixture.database, [endpoint], count);
    for (const id of ids) committed.add(id);
    if (wake.length > 0) woken += 1;
    else notified += 1;
    fixture.waker.wake(wake);
    if ((number + 1) % COMMITS > 0) continue;
    await waitFor(() => receiver.counts().size === committed.size).catch(() => {
      throw new Error(
        `seed ${seed}: ${receiver.counts().size} of ${committed.size} arrived after ${number + 1} commits`,
      );
    });
  }
  return { ids: committed, woken, notified };
}

function expectEachOnce(
  receiver: TestReceiver,
  endpoint: TestEndpoint,
  committed: Committed,
): void {
  expect(new Set(receiver.counts().keys())).toEqual(committed.ids);
  expect([...receiver.counts()].filter(([, times]) => times !== 1)).toEqual([]);
  for (const webhook of receiver.received) expectGenuine(webhook, endpoint.secret);
}

async function open(options: TestDeliveryOptions) {
  const fixture = await buildFixture();
  const receiver = await startReceiver();
  await startTestDeliveries(fixture, options);
  return { fixture, receiver, endpoint: await fixture.createEndpoint(receiver.url) };
}

// Each has a database and a worker of its own and mostly waits, so they run side by side.
describe('events that are committed at random moments', () => {
  it.concurrent.each([
    // Ends between almost any two commits, and never polls for what it has not seen.
    ['that hardly lingers', { linger_ms: 5, poll_ms: 20, run_ms: 40_000 }],
    // Learns of the next delivery by its notification only.
    ['that is notified and does not poll', { linger_ms: 5, poll_ms: NEVER_MS, run_ms: 40_000 }],
    ['that is short', { linger_ms: 5, poll_ms: 20, run_ms: 30 }],
  ])(
    'arrive once, without another commit and without a sweeper, at a delivery run %s',
    async (_name, pace) => {
      const opened = await open({ pace });
      const committed = await commitAtRandom(opened, SEED);
      expectEachOnce(opened.receiver, opened.endpoint, committed);
      // Both ways were taken.
      expect(committed.notified).toBeGreaterThan(10);
      expect(committed.woken).toBeGreaterThan(10);
    },
  );

  it.concurrent('arrive without notifications, as the sweeper finds what was left', async () => {
    const opened = await open({ is_listening: false, pace: { linger_ms: 5, poll_ms: 20 } });
    const { fixture, receiver, endpoint } = opened;
    let is_over = false;
    const sweeping = (async () => {
      while (!is_over) {
        fixture.waker.wake(await claimOverdueEndpoints(fixture.database.db, OVERDUE_MS, 500));
        await delay(50);
      }
    })();
    const committed = await commitAtRandom(opened, SEED + 1).finally(() => (is_over = true));
    await sweeping;
    expectEachOnce(receiver, endpoint, committed);
    await untilAll(fixture, endpoint, 'delivered');
  });
});

describe('a commit whose wake-up never happens', () => {
  it('is found by the sweeper, and not before it is overdue', async () => {
    const { fixture, receiver, endpoint } = await open({});
    const { ids, wake } = await addEvents(fixture.database, [endpoint]);
    expect(wake).toEqual([endpoint.id]);
    expect(await claimOverdueEndpoints(fixture.database.db, 60_000, 500)).toEqual([]);
    const overdue = await waitFor(async () => {
      const found = await claimOverdueEndpoints(fixture.database.db, OVERDUE_MS, 500);
      return found.length > 0 && found;
    });
    expect(overdue).toEqual([endpoint.id]);
    expect(receiver.received).toEqual([]);
    fixture.waker.wake(overdue);
    await waitFor(() => receiver.received.length > 0);
    expect([...receiver.counts()]).toEqual([[ids[0], 1]]);
    expectGenuine(receiver.received[0]!, endpoint.secret);
  });
});

describe('a commit that saw the lease of a delivery run that has ended since', () => {
  it('notifies the process of that run, which wakes the workflow', async () => {
    const { fixture, receiver, endpoint } = await open({ pace: { linger_ms: 3_000, poll_ms: 20 } });
    const session = await openSession(fixture.database.app_url);
    await fixture.publish([endpoint]);
    await waitFor(() => receiver.received.length === 1);
    await session.query('begin');
    const id = randomUUID();
    const { rows } = await session.query<{ wake: string[] }>(
      'select wake from add_test_event($1, $2, $3, $4)',
      [endpoint.id, id, 'payment.failed', JSON.stringify({ id })],
    );
    expect(rows[0]!.wake).toEqual([]);
    await workflowOf(fixture, endpoint).result();
    await session.query('commit');
    await waitFor(() => receiver.received.length === 2);
    expect(receiver.counts().get(id)).toBe(1);
  });
});

describe('a process whose listener is disconnected during a commit', () => {
  it('polls once the listener is connected again', async () => {
    const { fixture, receiver, endpoint } = await open({
      pace: { linger_ms: NEVER_MS, poll_ms: NEVER_MS },
    });
    await fixture.publish([endpoint]);
    await waitFor(() => receiver.received.length === 1);
    const { owner } = fixture.database;
    await owner.raw(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'payment-listener'`,
    );
    const { wake } = await addEvents(fixture.database, [endpoint]);
    // A delivery run has the lease: no workflow is woken.
    expect(wake).toEqual([]);
    await waitFor(() => receiver.received.length === 2);
    expect(receiver.counts().size).toBe(2);
  });
});

describe('a pause', () => {
  it('ends for a delivery that is committed during it as for those from before', async () => {
    // A 503 pauses the endpoint for a second, and the delivery for two minutes.
    const { fixture, receiver, endpoint } = await open({
      deliveries: { retry_seconds: [120] },
    });
    receiver.answer = (_webhook, response) =>
      response.writeHead(receiver.received.length === 1 ? 503 : 200).end();
    await fixture.publish([endpoint]);
    await waitFor(async () => (await endpointRow(fixture, endpoint)).paused_seconds !== null);
    await fixture.publish([endpoint]);
    await waitFor(() => receiver.received.length === 2);
  });

  it('ends for a delivery that is committed during it, after the last try of all others', async () => {
    const { fixture, receiver, endpoint } = await open({ deliveries: { retry_seconds: [] } });
    receiver.answer = (_webhook, response) =>
      response.writeHead(receiver.received.length === 1 ? 503 : 200).end();
    await fixture.publish([endpoint]);
    await workflowOf(fixture, endpoint).result();
    expect(await statusesAt(fixture, endpoint)).toEqual({ exhausted: 1 });
    await fixture.publish([endpoint]);
    await waitFor(() => receiver.received.length === 2);
  });
});

describe('two processes that would deliver to one endpoint', () => {
  /** A later run, because a first one soon leaves the rest to the next. */
  const run = (deps: DeliveryRunDependencies, { id }: TestEndpoint) => runDeliveries(deps, id, 10);

  async function openTwo(pace: TestDeliveryOptions['pace'] = {}) {
    const fixture = await buildFixture();
    const receiver = await startReceiver();
    const endpoint = await fixture.createEndpoint(receiver.url);
    const processes = [
      createActiveRuns(() => undefined),
      createActiveRuns(() => undefined),
    ] as const;
    const deliveries = deliverySettings({}, { linger_ms: 50, poll_ms: 100, ...pace });
    const { db } = fixture.database;
    const depsOf = (active_runs: (typeof processes)[number]) => ({
      db,
      clock: { now: () => Date.now() },
      sender: openSender(),
      sealer: testSealer,
      active_runs,
      deliveries,
      metrics: createMetrics(),
      leases: createLeases(db, deliveries.pace.lease_ms),
    });
    return {
      fixture,
      receiver,
      endpoint,
      first: depsOf(processes[0]),
      second: depsOf(processes[1]),
    };
  }

  it('do so one after the other: the second learns for how long it waits, and nothing is sent twice', async () => {
    const { fixture, receiver, endpoint, first, second } = await openTwo();
    receiver.answer = (_webhook, response) => void setTimeout(() => response.end(), 10);
    const { ids } = await addEvents(fixture.database, [endpoint], 100);
    const running = run(first, endpoint);
    await waitFor(() => receiver.received.length > 0);
    const other = await run(second, endpoint);
    expect(other.ended).toBe('busy');
    expect(other.wait_ms).toBeGreaterThan(0);
    expect(other.wait_ms).toBeLessThanOrEqual(first.deliveries.pace.lease_ms);
    expect(await running).toEqual({ ended: 'done', wait_ms: null });
    expect([...receiver.counts().keys()].toSorted()).toEqual([...ids].toSorted());
    expect(receiver.received).toHaveLength(100);
    // The lease was ended, and has not merely expired.
    expect(await run(second, endpoint)).toEqual({ ended: 'done', wait_ms: null });
    expect((await endpointRow(fixture, endpoint)).leased_until).toBeNull();
  });

  it('start at one moment: one of them delivers', async () => {
    const { fixture, receiver, endpoint, first, second } = await openTwo();
    await addEvents(fixture.database, [endpoint], 40);
    const runs: ReturnType<typeof run>[] = [];
    const { answer } = receiver;
    // The one that delivers is not over before the other has tried.
    receiver.answer = (...webhook) => void Promise.race(runs).then(() => answer(...webhook));
    runs.push(...[first, second].map((deps) => run(deps, endpoint)));
    const both = await Promise.all(runs);
    expect(both.map(({ ended }) => ended).toSorted()).toEqual(['busy', 'done']);
    expect(receiver.received).toHaveLength(40);
    expect(receiver.counts().size).toBe(40);
    await untilAll(fixture, endpoint, 'delivered');
  });

  it('deliver what they claimed when a claim takes longer than the time between polls', async () => {
    const { fixture, receiver, endpoint, first } = await openTwo({ poll_ms: 0.001 });
    await addEvents(fixture.database, [endpoint], 100);
    expect(await run(first, endpoint)).toEqual({ ended: 'done', wait_ms: null });
    expect(receiver.received).toHaveLength(100);
  });

  it('do not: the first renews its lease for as long as it works', async () => {
    const { fixture, receiver, endpoint, first, second } = await openTwo();
    const answers: (() => void)[] = [];
    receiver.answer = (_webhook, response) => void answers.push(() => response.end());
    await addEvents(fixture.database, [endpoint]);
    const running = run(first, endpoint);
    await waitFor(() => answers.length > 0);
    const leasedUntil = async () => (await endpointRow(fixture, endpoint)).leased_until?.valueOf();
    const at_first = await leasedUntil();
    await waitFor(async () => (await leasedUntil()) !== at_first);
    expect(await run(second, endpoint)).toMatchObject({ ended: 'busy' });
    answers[0]!();
    expect((await running).ended).toBe('done');
    expect(receiver.received).toHaveLength(1);
  });

  it('may overlap: the one that lost its lease claims nothing more, and records what it has sent', async () => {
    const { fixture, receiver, endpoint, first } = await openTwo();
    const { db, owner } = fixture.database;
    const answers: (() => void)[] = [];
    receiver.answer = (_webhook, response) => void answers.push(() => response.end());
    await addEvents(fixture.database, [endpoint], 50);
    const running = run(first, endpoint);
    await waitFor(() => receiver.received.length === 4);

    // The process seems to have stood still for longer than its lease.
    const thief = '00000000-0000-4000-8000-000000000001';
    await owner.transaction(async (tx) => {
      await tx.raw('update webhook_leases set leased_until = now() where endpoint_id = ?', [
        endpoint.id,
      ]);
      const { rows } = (await tx.raw('select state from begin_delivery_run(?, ?, 60000)', [
        endpoint.id,
        thief,
      ])) as { rows: { state: string }[] };
      expect(rows).toEqual([{ state: 'begun' }]);
    });
    while (answers.length > 0) answers.pop()!();
    receiver.answer = (_webhook, response) => response.end();
    expect(await running).toEqual({ ended: 'lost', wait_ms: null });
    // It sends what it had claimed before, and no more than that.
    expect(receiver.received.length).toBeLessThanOrEqual(8);
    const sent = receiver.received.length;
    expect(await statusesAt(fixture, endpoint)).toEqual({ delivered: sent, pending: 50 - sent });
    const rows = await deliveriesTo(fixture, endpoint);
    for (const { id, attempts } of rows.filter(({ status }) => status === 'delivered')) {
      expect([attempts, (await attemptsOf(fixture, id)).length]).toEqual([1, 1]);
    }
    // The other's lease is untouched.
    expect((await beginDeliveryRun(db, endpoint.id, thief, 60_000)).state).toBe('begun');
  });
});

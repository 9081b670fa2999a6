import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { beginDeliveryRun } from '../../db/webhooks/webhook-delivery-runs';
import { runDeliveries, type DeliveryRunDependencies } from '../../webhooks/delivery/delivery-run';
import { createWakeup } from '../../webhooks/delivery/wakeup';
import { waitFor } from '../support/wait';
import {
  addEvents,
  expectGenuine,
  startReceiver,
  type TestEndpoint,
  type TestReceiver,
} from '../support/webhooks';
import {
  attemptsOf,
  deliveriesTo,
  deliverySettings,
  endpointRow,
  buildFixture,
  runDependencies,
  startTestDeliveries,
  statusesAt,
  untilAll,
  type TestDeliveryOptions,
  type WebhookFixture,
} from './deliveries';

/** Printed with a failure; the same seed makes the same moments. */
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000_007);
/** Everything must have arrived after each: the next commit would wake what a lost one left. */
const ROUNDS = 12;
const COMMITS = 12;
/** A run that polls as rarely is never saved by a poll. */
const NEVER_MS = 3_600_000;

/** Many at about the time that a delivery run takes to end, some together, a few after a rest. */
const aGap = fc.record({
  // After the commit before.
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

/** Commits at random moments. */
async function commitAtRandom(
  { fixture, receiver, endpoint }: Awaited<ReturnType<typeof open>>,
  seed: number,
): Promise<ReadonlySet<string>> {
  const committed = new Set<string>();
  const gaps = fc.sample(aGap, { numRuns: ROUNDS * COMMITS, seed });
  for (const [number, { wait_ms, count }] of gaps.entries()) {
    await delay(wait_ms);
    for (const id of await addEvents(fixture.database, [endpoint], count)) committed.add(id);
    if ((number + 1) % COMMITS > 0) continue;
    await waitFor(() => receiver.counts().size === committed.size).catch(() => {
      throw new Error(
        `seed ${seed}: ${receiver.counts().size} of ${committed.size} arrived after ${number + 1} commits`,
      );
    });
  }
  return committed;
}

function expectEachOnce(
  receiver: TestReceiver,
  endpoint: TestEndpoint,
  committed: ReadonlySet<string>,
): void {
  expect(new Set(receiver.counts().keys())).toEqual(committed);
  expect([...receiver.counts()].filter(([, times]) => times !== 1)).toEqual([]);
  for (const webhook of receiver.received) expectGenuine(webhook, endpoint.secret);
}

async function open(options: TestDeliveryOptions) {
  const fixture = await buildFixture();
  const receiver = await startReceiver();
  startTestDeliveries(fixture, options);
  return { fixture, receiver, endpoint: await fixture.createEndpoint(receiver.url) };
}

// Each has a database and a worker of its own and mostly waits, so they run side by side.
describe('events that are committed at random moments', () => {
  it.concurrent.each([
    ['where runs end between almost any two commits', { pace: { linger_ms: 5, poll_ms: 20 } }],
    ['by their notifications alone', { pace: { linger_ms: 5, poll_ms: NEVER_MS } }],
    ['without notifications', { is_listening: false, pace: { linger_ms: 5, poll_ms: 20 } }],
  ])('arrive once, without another commit, %s', async (_name, options) => {
    const opened = await open(options);
    const committed = await commitAtRandom(opened, SEED);
    expectEachOnce(opened.receiver, opened.endpoint, committed);
    await untilAll(opened.fixture, opened.endpoint, 'delivered');
  });
});

it('a process whose listener is disconnected during a commit finds what it did not hear', async () => {
  const { fixture, receiver, endpoint } = await open({ pace: { linger_ms: NEVER_MS } });
  await fixture.publish([endpoint]);
  await waitFor(() => receiver.received.length === 1);
  await fixture.database.owner.raw(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'payment-listener'`,
  );
  await fixture.publish([endpoint]);
  await waitFor(() => receiver.received.length === 2);
  expect(receiver.counts().size).toBe(2);
});

it('a pause ends for a delivery that is committed during it, after the last try of all others', async () => {
  const { fixture, receiver, endpoint } = await open({ webhooks: { retry_seconds: [] } });
  receiver.answer = (_webhook, response) =>
    response.writeHead(receiver.received.length === 1 ? 503 : 200).end();
  await fixture.publish([endpoint]);
  await untilAll(fixture, endpoint, 'exhausted');
  await fixture.publish([endpoint]);
  await waitFor(() => receiver.received.length === 2);
});

describe('two processes that would deliver to one endpoint', () => {
  let fixture: WebhookFixture;

  // It has no worker: only the tests begin runs.
  beforeAll(async () => {
    fixture = await buildFixture();
  });

  const run = (deps: DeliveryRunDependencies, { id }: TestEndpoint) =>
    runDeliveries(deps, id, { wakeup: createWakeup(), must_poll: true, is_stopping: false });

  async function openTwo(pace: TestDeliveryOptions['pace'] = {}) {
    const receiver = await startReceiver();
    const endpoint = await fixture.createEndpoint(receiver.url);
    const deliveries = deliverySettings({}, { linger_ms: 50, poll_ms: 100, ...pace });
    const create = () => runDependencies(fixture, deliveries);
    return { receiver, endpoint, first: create(), second: create() };
  }

  it('do so one after the other, and nothing is sent twice', async () => {
    const { receiver, endpoint, first, second } = await openTwo();
    receiver.answer = (_webhook, response) => void setTimeout(() => response.end(), 10);
    const ids = await addEvents(fixture.database, [endpoint], 100);
    const running = run(first, endpoint);
    await waitFor(() => receiver.received.length > 0);
    expect(await run(second, endpoint)).toBe('busy');
    expect(await running).toBe('done');
    expect([...receiver.counts().keys()].toSorted()).toEqual([...ids].toSorted());
    expect(receiver.received).toHaveLength(100);
    // The lease was ended, and has not merely expired.
    expect(await run(second, endpoint)).toBe('done');
    expect((await endpointRow(fixture, endpoint)).leased_until).toBeNull();
  });

  it('deliver what they claimed when a claim takes longer than the time between polls', async () => {
    const { receiver, endpoint, first } = await openTwo({ poll_ms: 0.001 });
    await addEvents(fixture.database, [endpoint], 100);
    expect(await run(first, endpoint)).toBe('done');
    expect(receiver.received).toHaveLength(100);
  });

  it('do not: the first renews its lease for as long as it works', async () => {
    const { receiver, endpoint, first, second } = await openTwo();
    const answers: (() => void)[] = [];
    receiver.answer = (_webhook, response) => void answers.push(() => response.end());
    await addEvents(fixture.database, [endpoint]);
    const running = run(first, endpoint);
    await waitFor(() => answers.length > 0);
    const leasedUntil = async () => (await endpointRow(fixture, endpoint)).leased_until?.valueOf();
    const at_first = await leasedUntil();
    await waitFor(async () => (await leasedUntil()) !== at_first);
    expect(await run(second, endpoint)).toBe('busy');
    answers[0]!();
    expect(await running).toBe('done');
    expect(receiver.received).toHaveLength(1);
  });

  it('may overlap: the one that lost its lease claims nothing more, and records what it has sent', async () => {
    const { receiver, endpoint, first } = await openTwo();
    const { db, owner } = fixture.database;
    const answers: (() => void)[] = [];
    receiver.answer = (_webhook, response) => void answers.push(() => response.end());
    await addEvents(fixture.database, [endpoint], 50);
    const running = run(first, endpoint);
    await waitFor(() => receiver.received.length === 4);

    // The process seems to have stood still for longer than its lease.
    const thief = '00000000-0000-4000-8000-000000000001';
    await owner.transaction(async (tx) => {
      const { id } = endpoint;
      await tx.raw('update webhook_leases set leased_until = now() where endpoint_id = ?', [id]);
      await tx.raw('select from begin_delivery_run(?, ?, 60000)', [id, thief]);
    });
    while (answers.length > 0) answers.pop()!();
    receiver.answer = (_webhook, response) => response.end();
    expect(await running).toBe('lost');
    // It sends what it had claimed before, and no more than that.
    expect(receiver.received.length).toBeLessThanOrEqual(8);
    const sent = receiver.received.length;
    expect(await statusesAt(fixture, endpoint)).toEqual({ delivered: sent, pending: 50 - sent });
    const rows = await deliveriesTo(fixture, endpoint);
    for (const { id, attempts } of rows.filter(({ status }) => status === 'delivered')) {
      expect([attempts, (await attemptsOf(fixture, id)).length]).toEqual([1, 1]);
    }
    // The other's lease is untouched.
    expect(await beginDeliveryRun(db, endpoint.id, thief, 60_000)).toBe('begun');
  });
});

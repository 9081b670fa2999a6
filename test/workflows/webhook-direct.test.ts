import { randomUUID } from 'node:crypto';
import { createMetrics } from '../../telemetry/metrics';
import { createActiveRuns } from '../../activities/webhooks/active-runs';
import { createDirectRuns } from '../../activities/webhooks/direct-runs';
import { createLeases } from '../../activities/webhooks/leases';
import { renewWebhookWorker } from '../../db/webhooks/webhook-delivery-runs';
import { waitFor } from '../support/wait';
import {
  addEvents,
  createTestEndpoint,
  startReceiver,
  testSealer,
  type TestEndpoint,
  type TestReceiver,
} from '../support/webhooks';
import {
  deliveriesTo,
  deliverySettings,
  endpointRow,
  openSender,
  startWebhookService,
  untilAll,
  workflowOf,
  type WebhookFixture,
} from './deliveries';

// An endpoint that responds well and has an event now and then is delivered to by a worker directly. Its
// workflow is started once an hour, and whenever something is not over at once.

async function workersOf({ database: { owner } }: WebhookFixture): Promise<number> {
  const { rows } = await owner.raw(
    'select count(*)::int as count from webhook_workers where heard_until > clock_timestamp()',
  );
  return (rows as [{ count: number }])[0].count;
}

interface Quiet {
  readonly receiver: TestReceiver;
  readonly endpoint: TestEndpoint;
}

/** It got its first event from its workflow, which has ended. */
async function makeQuiet(fixture: WebhookFixture): Promise<Quiet> {
  const { database, merchant, waker } = fixture;
  const receiver = await startReceiver();
  const endpoint = await createTestEndpoint(database, { user_id: merchant.id, url: receiver.url });
  const { wake } = await addEvents(database, [endpoint]);
  expect(wake).toEqual([endpoint.id]);
  waker.wake(wake);
  await waitFor(() => receiver.received.length === 1);
  await workflowOf(fixture, endpoint).result();
  await waitFor(async () => (await workersOf(fixture)) > 0);
  return { receiver, endpoint };
}

describe('a quiet endpoint', () => {
  it('gets its next events by no workflow', async () => {
    const fixture = await startWebhookService();
    const { receiver, endpoint } = await makeQuiet(fixture);
    const before = await workflowOf(fixture, endpoint).describe();
    for (let events = 2; events < 5; events += 1) {
      const { wake } = await addEvents(fixture.database, [endpoint]);
      expect(wake).toEqual([]);
      await waitFor(() => receiver.received.length === events);
      // An event that saw the lease of a run that was ending would wake the workflow.
      await waitFor(async () => (await endpointRow(fixture, endpoint)).leased_until === null);
    }
    await untilAll(fixture, endpoint, 'delivered');
    const after = await workflowOf(fixture, endpoint).describe();
    expect([after.runId, after.status.name]).toEqual([before.runId, 'COMPLETED']);
  });

  it('has its workflow again when an attempt fails, which tries again', async () => {
    const fixture = await startWebhookService({ retry_seconds: Array<number>(20).fill(0.1) });
    const { receiver, endpoint } = await makeQuiet(fixture);
    const before = await workflowOf(fixture, endpoint).describe();
    const { answer } = receiver;
    receiver.answer = (_, response) => {
      response.statusCode = 500;
      response.end();
    };
    expect((await addEvents(fixture.database, [endpoint])).wake).toEqual([]);
    await waitFor(async () => {
      const { runId } = await workflowOf(fixture, endpoint).describe();
      return runId !== before.runId;
    });
    // Each event wakes the workflow while it fails, or is left to the one that runs.
    receiver.answer = answer;
    await waitFor(async () =>
      (await deliveriesTo(fixture, endpoint)).every(({ status }) => status === 'delivered'),
    );
  });

  it('waits for a sweep when the worker that was told is dead', async () => {
    const fixture = await startWebhookService({ sweep_seconds: 1 });
    const { database } = fixture;
    const quiet = await Promise.all(Array.from({ length: 8 }, () => makeQuiet(fixture)));
    // Each endpoint has one of the workers: about half of them have this one, which does not run.
    await renewWebhookWorker(database.db, randomUUID(), true, 600_000);
    const endpoints = quiet.map(({ endpoint }) => endpoint);
    expect((await addEvents(database, endpoints)).wake).toEqual([]);
    await waitFor(() => quiet.every(({ receiver }) => receiver.received.length === 2));
  });

  it('has its workflow when too many others are delivered to directly, or when its run is busy', async () => {
    const fixture = await startWebhookService();
    const { database } = fixture;
    const [one, other] = await Promise.all([makeQuiet(fixture), makeQuiet(fixture)]);
    const woken: string[] = [];
    const settings = deliverySettings();
    const runs = createDirectRuns({
      db: database.db,
      sealer: testSealer,
      clock: { now: () => Date.now() },
      sender: openSender(),
      active_runs: createActiveRuns(() => undefined),
      deliveries: settings,
      metrics: createMetrics(),
      leases: createLeases(database.db, settings.pace.lease_ms),
      wake: (ids) => woken.push(...ids),
      log: () => undefined,
      at_once: 1,
    });
    runs.begin(one.endpoint.id);
    runs.begin(other.endpoint.id);
    expect(woken).toEqual([other.endpoint.id]);
    await runs.flush();
    // Another run has the lease.
    await database.owner.raw(
      `insert into webhook_leases values (?, ?, clock_timestamp() + interval '1 hour')`,
      [one.endpoint.id, randomUUID()],
    );
    runs.begin(one.endpoint.id);
    await runs.flush();
    expect(woken).toEqual([other.endpoint.id, one.endpoint.id]);
  });
});

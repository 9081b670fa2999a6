// A delivery that was sent and cannot be recorded is sent again, but by a later run.

import { createMetrics } from '../../telemetry/metrics';
import { createActiveRuns } from '../../activities/webhooks/active-runs';
import {
  runDeliveries,
  type DeliveryRunDependencies,
} from '../../activities/webhooks/delivery-run';
import { createLeases } from '../../activities/webhooks/leases';
import { addEvents, startReceiver, testSealer } from '../support/webhooks';
import { buildFixture, deliverySettings, openSender, statusesAt } from './deliveries';

it('a delivery run ends when the database refuses to record its attempts, and sends nothing twice', async () => {
  const fixture = await buildFixture();
  const { db, owner } = fixture.database;
  const receiver = await startReceiver();
  const endpoint = await fixture.createEndpoint(receiver.url);
  const deliveries = deliverySettings({}, { run_ms: 60_000, linger_ms: 500, poll_ms: 20 });
  const deps: DeliveryRunDependencies = {
    db,
    deliveries,
    sender: openSender(),
    sealer: testSealer,
    active_runs: createActiveRuns(() => undefined),
    clock: { now: () => Date.now() },
    metrics: createMetrics(),
    leases: createLeases(db, deliveries.pace.lease_ms),
  };
  await addEvents(fixture.database, [endpoint], 20);
  await owner.raw('alter function record_attempts rename to record_attempts_well');
  await owner.raw(`create function record_attempts(endpoint uuid, made jsonb, health jsonb)
    returns text language plpgsql as $$ begin raise exception 'no space in here'; end $$`);
  await owner.raw('grant execute on function record_attempts(uuid, jsonb, jsonb) to public');

  // The first runs of a workflow are short.
  const run = () => runDeliveries(deps, endpoint.id, 5);
  const ended = await run().catch((error: Error) => error.message);
  expect({ ended, sent_twice: [...receiver.counts()].filter(([, times]) => times > 1) }).toEqual({
    ended: expect.stringContaining('no space in here'),
    sent_twice: [],
  });
  expect(receiver.received.length).toBeGreaterThan(0);
  expect(await statusesAt(fixture, endpoint)).toEqual({ pending: 20 });

  await owner.raw('drop function record_attempts');
  await owner.raw('alter function record_attempts_well rename to record_attempts');
  expect((await run()).ended).toBe('done');
  expect(await statusesAt(fixture, endpoint)).toEqual({ delivered: 20 });
});

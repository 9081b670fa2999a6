// Deliveries whose receiver never responds; and those that were sent and cannot be recorded, which a later run sends
// again.

import { runDeliveries } from '../../webhooks/delivery/delivery-run';
import { createWakeup } from '../../webhooks/delivery/wakeup';
import { waitFor } from '../support/wait';
import { addEvents, startReceiver } from '../support/webhooks';
import {
  attemptsOf,
  buildFixture,
  deliveriesTo,
  deliverySettings,
  endpointRow,
  runDependencies,
  startTestDeliveries,
  statusesAt,
} from './deliveries';

it('a worker gives an attempt up after the time of the settings, and pauses its endpoint', async () => {
  const fixture = await buildFixture();
  const receiver = await startReceiver();
  receiver.answer = () => undefined;
  const endpoint = await fixture.createEndpoint(receiver.url);
  startTestDeliveries(fixture, { webhooks: { timeout_ms: 100, retry_seconds: [60] } });
  await fixture.publish([endpoint]);
  await waitFor(async () => (await endpointRow(fixture, endpoint)).paused_seconds !== null);
  const [delivery] = await deliveriesTo(fixture, endpoint);
  expect(delivery).toMatchObject({ status: 'pending', attempts: 1 });
  const [attempt] = await attemptsOf(fixture, delivery!.id);
  expect(attempt).toMatchObject({ outcome: 'timeout', status: null });
  // The usual time of these tests.
  expect(attempt!.duration_ms).toBeLessThan(5_000);
});

it('a delivery run ends when the database refuses to record its attempts, and sends nothing twice', async () => {
  const fixture = await buildFixture();
  const { owner } = fixture.database;
  const receiver = await startReceiver();
  const endpoint = await fixture.createEndpoint(receiver.url);
  const deliveries = deliverySettings({}, { linger_ms: 500, poll_ms: 20 });
  const deps = runDependencies(fixture, deliveries);
  await addEvents(fixture.database, [endpoint], 20);
  await owner.raw('alter function record_attempts rename to record_attempts_well');
  await owner.raw(`create function record_attempts(endpoint uuid, made jsonb, health jsonb)
    returns text language plpgsql as $$ begin raise exception 'no space in here'; end $$`);
  await owner.raw('grant execute on function record_attempts(uuid, jsonb, jsonb) to public');

  const news = { wakeup: createWakeup(), must_poll: true, is_stopping: false };
  const run = () => runDeliveries(deps, endpoint.id, news);
  const ended = await run().catch((error: Error) => error.message);
  expect({ ended, sent_twice: [...receiver.counts()].filter(([, times]) => times > 1) }).toEqual({
    ended: expect.stringContaining('no space in here'),
    sent_twice: [],
  });
  expect(receiver.received.length).toBeGreaterThan(0);
  expect(await statusesAt(fixture, endpoint)).toEqual({ pending: 20 });

  await owner.raw('drop function record_attempts');
  await owner.raw('alter function record_attempts_well rename to record_attempts');
  expect(await run()).toBe('done');
  expect(await statusesAt(fixture, endpoint)).toEqual({ delivered: 20 });
});

import { updateWebhookEndpoint, type EndpointChanges } from '../../db/webhooks/webhook-endpoints';
import { waitFor } from '../support/wait';
import {
  expectGenuine,
  startReceiver,
  type TestEndpoint,
  type TestReceiver,
} from '../support/webhooks';
import {
  attemptsOf,
  deliveriesTo,
  endpointRow,
  buildFixture,
  startTestDeliveries,
  statusesAt,
  untilAll,
  untilNoRun,
  type WebhookFixture,
} from './deliveries';

const DISABLE_AFTER_HOURS = 120;

let fixture: WebhookFixture;

beforeAll(async () => {
  fixture = await buildFixture();
  startTestDeliveries(fixture, {
    webhooks: { disable_after_hours: DISABLE_AFTER_HOURS },
    pace: { poll_ms: 100, linger_ms: 200 },
  });
});

async function change(endpoint: TestEndpoint, changes: EndpointChanges): Promise<void> {
  expect(await updateWebhookEndpoint(fixture.database.db, endpoint.id, changes)).toBe(true);
}

async function open(status = 200): Promise<{ receiver: TestReceiver; endpoint: TestEndpoint }> {
  const receiver = await startReceiver();
  receiver.answer = (_webhook, response) => response.writeHead(status).end();
  return { receiver, endpoint: await fixture.createEndpoint(receiver.url) };
}

function expectAllGenuine({ received }: TestReceiver, { secret }: TestEndpoint): void {
  for (const webhook of received) expectGenuine(webhook, secret);
}

it('an endpoint that answers 410 is disabled at once as gone; what is left is held, and delivered once it is enabled', async () => {
  const { receiver, endpoint } = await open(410);
  const ids = await fixture.publish([endpoint], 20);
  await untilAll(fixture, endpoint, 'held');
  await untilNoRun(fixture, endpoint);
  expect(await endpointRow(fixture, endpoint)).toMatchObject({
    status: 'disabled',
    disabled_reason: 'gone',
    last_failure: { outcome: 'refused', status: 410 },
  });
  // Those that were sent before the first response was recorded: one claim's at most.
  expect(receiver.received.length).toBeLessThanOrEqual(8);

  const refused = receiver.received.length;
  receiver.answer = (_webhook, response) => response.end();
  await change(endpoint, { status: 'enabled' });
  await untilAll(fixture, endpoint, 'delivered');
  expect(new Set(receiver.counts().keys())).toEqual(new Set(ids));
  expect(receiver.received).toHaveLength(refused + ids.length);
  expectAllGenuine(receiver, endpoint);
  expect(await endpointRow(fixture, endpoint)).toMatchObject({
    status: 'enabled',
    disabled_reason: null,
    consecutive_failures: 0,
  });
});

describe('an endpoint that fails for days', () => {
  async function openFailingFor(hours: number): ReturnType<typeof open> {
    const opened = await open(500);
    await fixture.database.owner.raw(
      `update webhook_endpoints set consecutive_failures = 1,
              failing_since = clock_timestamp() - ? * interval '1 hour' where id = ?`,
      [hours, opened.endpoint.id],
    );
    return opened;
  }

  it('is disabled by the next failure as failing, and holds what is left', async () => {
    const { receiver, endpoint } = await openFailingFor(DISABLE_AFTER_HOURS + 0.01);
    await fixture.publish([endpoint], 20);
    await untilAll(fixture, endpoint, 'held');
    await untilNoRun(fixture, endpoint);
    expect(await endpointRow(fixture, endpoint)).toMatchObject({
      status: 'disabled',
      disabled_reason: 'failing',
    });
    // Those that were sent before the first response was recorded: five failures begin a pause.
    expect(receiver.received.length).toBeLessThanOrEqual(5);
    expectAllGenuine(receiver, endpoint);
  });

  it('is not disabled before', async () => {
    const { endpoint } = await openFailingFor(DISABLE_AFTER_HOURS - 0.5);
    await fixture.publish([endpoint]);
    await untilAttempts(endpoint, 1);
    expect(await endpointRow(fixture, endpoint)).toMatchObject({ status: 'enabled' });
  });
});

it('an endpoint that fails sometimes stays enabled and gets everything', async () => {
  const { receiver, endpoint } = await open();
  const arrived: string[] = [];
  receiver.answer = ({ id }, response) => {
    const isRefused = receiver.received.length % 3 === 0;
    if (!isRefused) arrived.push(id);
    response.writeHead(isRefused ? 500 : 200).end();
  };
  const ids = await fixture.publish([endpoint], 60);
  await untilAll(fixture, endpoint, 'delivered');
  expect(arrived.toSorted()).toEqual(ids.toSorted());
  expectAllGenuine(receiver, endpoint);
  expect(await endpointRow(fixture, endpoint)).toMatchObject({
    status: 'enabled',
    disabled_reason: null,
  });
});

describe('an endpoint that its merchant disables', () => {
  it('holds what is added meanwhile, and gets it when it is enabled', async () => {
    const { receiver, endpoint } = await open();
    await change(endpoint, { status: 'disabled' });
    const ids = await fixture.publish([endpoint], 5);
    expect(await statusesAt(fixture, endpoint)).toEqual({ held: 5 });
    expect(receiver.received).toEqual([]);
    await change(endpoint, { status: 'enabled' });
    await untilAll(fixture, endpoint, 'delivered');
    expect([...receiver.counts().keys()].toSorted()).toEqual(ids.toSorted());
    expect(receiver.received).toHaveLength(5);
    expectAllGenuine(receiver, endpoint);
  });
});

describe('an endpoint that gets another URL', () => {
  it('gets at the new URL what failed at the old one', async () => {
    const { endpoint } = await open(500);
    const { receiver: next } = await open();
    const [id] = await fixture.publish([endpoint]);
    await waitFor(async () => (await endpointRow(fixture, endpoint)).consecutive_failures > 0);
    await change(endpoint, { url: next.url });
    await untilAll(fixture, endpoint, 'delivered');
    expect([...next.counts()]).toEqual([[id, 1]]);
    const [delivery] = await deliveriesTo(fixture, endpoint);
    expect((await attemptsOf(fixture, delivery!.id)).at(-1)).toMatchObject({ url: next.url });
  });

  it('is judged by the responses of its new URL only', async () => {
    const { endpoint, receiver } = await open();
    const { receiver: next } = await open();
    const goodbyes: (() => void)[] = [];
    receiver.answer = (_webhook, response) => {
      goodbyes.push(() => response.writeHead(410).end());
    };
    await fixture.publish([endpoint], 2);
    await waitFor(() => goodbyes.length === 2);
    await change(endpoint, { url: next.url });
    goodbyes[0]!();
    await untilAttempts(endpoint, 1);
    // The delivery run knows the new URL once something was sent there.
    const [id] = await fixture.publish([endpoint]);
    await waitFor(() => next.counts().has(id!));
    goodbyes[1]!();
    await untilAll(fixture, endpoint, 'delivered');
    expect(await endpointRow(fixture, endpoint)).toMatchObject({
      status: 'enabled',
      consecutive_failures: 0,
    });
  });
});

async function untilAttempts(endpoint: TestEndpoint, count: number): Promise<void> {
  await waitFor(async () => {
    const rows = await deliveriesTo(fixture, endpoint);
    return rows.reduce((sum, { attempts }) => sum + attempts, 0) >= count;
  });
}

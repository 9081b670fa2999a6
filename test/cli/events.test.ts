import { randomUUID } from 'node:crypto';
import { setUp } from '../support/database';
import { waitFor } from '../support/wait';
import { type Cli } from './support/cli';
import { buildWebhookCli, type CreatedEndpoint } from './support/webhook-cli';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

const setup = setUp(buildWebhookCli);
let cli: Cli;
let endpoint: CreatedEndpoint;

beforeAll(async () => {
  ({ cli } = setup);
  endpoint = await setup.create();
});

const user = (): string[] => ['--user', setup.api.merchant.username];

/** Waits until the event's delivery to an endpoint has had `count` attempts. */
function attempted(event_id: string, endpoint_id: string, count: number) {
  return waitFor(async () => {
    const { deliveries } = await cli.json('events', 'show', event_id);
    type Delivery = { endpoint_id: string; status: string; attempts: { trigger: string }[] };
    const found = (deliveries as Delivery[]).find((one) => one.endpoint_id === endpoint_id);
    return found !== undefined && found.attempts.length >= count && found;
  });
}

it('events list lists the last events in order, or those after a sequence number', async () => {
  const ids = [await setup.pay(), await setup.pay({ amount: 7.5, currency: 'EUR' })];
  const { events } = await cli.json('events', 'list', ...user());
  expect(events.slice(-2).map(({ id }: { id: string }) => id)).toEqual(ids);
  const [before, last] = events.slice(-2);
  expect(last).toEqual({
    id: ids[1],
    username: setup.api.merchant.username,
    environment: 'sandbox',
    sequence: before.sequence + 1,
    type: 'payment.succeeded',
    intent_id: expect.any(String) as string,
    reference: expect.stringMatching(/^TRX-/) as string,
    amount: 7.5,
    currency: 'EUR',
    created_at: expect.stringMatching(ISO) as string,
  });
  const after = ['--after', String(before.sequence)];
  expect((await cli.json('events', 'list', ...user(), ...after)).events).toEqual([last]);
  expect((await cli.json('events', 'list', ...user(), '--limit', '1')).events).toEqual([last]);
  const first = ['--after', '0', '--limit', '1'];
  expect((await cli.json('events', 'list', ...user(), ...first)).events[0].sequence).toBe(1);
  const live = ['--environment', 'live'];
  expect(await cli.json('events', 'list', ...user(), ...live)).toEqual({ events: [] });
  const { stdout } = await cli.run('events', 'list', ...user());
  expect(stdout).toMatch(/^SEQUENCE +CREATED +TYPE +AMOUNT +ENVIRONMENT +ID +PAYMENT INTENT\n/);
  expect(stdout).toContain('7.50 EUR');
});

describe('events show', () => {
  it('shows the bytes that are delivered, the deliveries and every attempt', async () => {
    const id = await setup.pay();
    await attempted(id, endpoint.id, 1);
    const { event, deliveries } = await cli.json('events', 'show', id);
    const [webhook] = (await setup.received(endpoint)).filter((one) => one.id === id);
    expect(event).toMatchObject({ id, body: webhook!.body, type: 'payment.succeeded' });
    expect(deliveries).toEqual([
      {
        id: expect.any(String) as string,
        event_id: id,
        endpoint_id: endpoint.id,
        url: endpoint.url,
        type: 'payment.succeeded',
        status: 'delivered',
        next_attempt_at: null,
        delivered_at: expect.stringMatching(ISO) as string,
        created_at: expect.stringMatching(ISO) as string,
        attempts_made: 1,
        attempts: [
          {
            number: 1,
            trigger: 'automatic',
            url: endpoint.url,
            started_at: expect.stringMatching(ISO) as string,
            duration_ms: expect.any(Number) as number,
            outcome: 'delivered',
            status: 200,
            response_body: 'ok',
            response_truncated: false,
            retry_after_seconds: null,
          },
        ],
      },
    ]);
    const { stdout } = await cli.run('events', 'show', id);
    expect(stdout).toContain(webhook!.body);
    expect(stdout).toContain(`To ${endpoint.url} (endpoint ${endpoint.id}): delivered`);
    expect(stdout).toMatch(/^1 +\S+Z +automatic +\d+ ms +delivered \(200\) +ok$/m);
    // The month in which the attempt was made is dropped.
    const months = `select string_agg(inhrelid::regclass::text, ', ') as months from pg_inherits
                     where inhparent = 'webhook_attempts'::regclass`;
    const { owner } = setup.api.database;
    await owner.raw(`drop table ${(await owner.raw(months)).rows[0].months}`);
    expect(await cli.json('events', 'show', id)).toMatchObject({
      deliveries: [{ attempts_made: 1, attempts: [] }],
    });
    expect((await cli.run('events', 'show', id)).stdout).toContain(
      'Attempts: 1, in a month that is no longer kept.',
    );
  });

  it('refuses an unknown event', async () => {
    for (const id of [randomUUID(), 'nonsense']) {
      expect((await cli.fail('events', 'show', id)).code).toBe('event_not_found');
      expect((await cli.fail('webhooks', 'resend', '--event', id)).code).toBe('event_not_found');
    }
  });
});

it('webhooks resend sends the same bytes again to every endpoint that has the event', async () => {
  const id = await setup.pay();
  await attempted(id, endpoint.id, 1);
  expect(await cli.json('webhooks', 'resend', '--event', id)).toEqual({
    event_id: id,
    queued: 1,
  });
  const { attempts } = await attempted(id, endpoint.id, 2);
  expect(attempts.map(({ trigger }) => trigger)).toEqual(['automatic', 'resend']);
  const [first, second] = (await setup.received(endpoint)).filter((one) => one.id === id);
  expect(second!.body).toBe(first!.body);
});

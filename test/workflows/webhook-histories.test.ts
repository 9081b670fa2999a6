import { updateWebhookEndpoint } from '../../db/webhooks/webhook-endpoints';
import { webhookResendWorkflowId } from '../../domain/ids';
import type { webhookResend } from '../../workflows/webhook-endpoint';
import { waitFor } from '../support/wait';
import { beginTestResend, expectGenuine, startReceiver } from '../support/webhooks';
import {
  attemptsOf,
  deliveriesTo,
  startWebhookService,
  untilAll,
  workflowOf,
  type WebhookFixture,
} from './deliveries';
import { keepHistory } from './saved-histories';

/** A simple case has no more: each event is a write of the Temporal server. */
const MAX_EVENTS = 30;

let fixture: WebhookFixture;

beforeAll(async () => {
  fixture = await startWebhookService({ retry_seconds: [6, 6] });
});

async function open(status = 200) {
  const receiver = await startReceiver();
  receiver.answer = (_webhook, response) => response.writeHead(status).end();
  return { receiver, endpoint: await fixture.createEndpoint(receiver.url) };
}

describe('the history of an endpoint', () => {
  it('is short when everything is delivered at once', async () => {
    const { endpoint } = await open();
    await fixture.publish([endpoint], 10);
    const handle = workflowOf(fixture, endpoint);
    await handle.result();
    const history = await handle.fetchHistory();
    expect(history.events!.length).toBeLessThanOrEqual(MAX_EVENTS);
    keepHistory('webhook-endpoint-delivered', history);
  });

  it('has a timer for a retry', async () => {
    const { receiver, endpoint } = await open(500);
    await fixture.publish([endpoint]);
    await waitFor(() => receiver.received.length === 1);
    receiver.answer = (_webhook, response) => response.end();
    const handle = workflowOf(fixture, endpoint);
    await handle.result();
    await untilAll(fixture, endpoint, 'delivered');
    const history = await handle.fetchHistory();
    expect(history.events!.length).toBeLessThanOrEqual(MAX_EVENTS);
    expect(history.events!.some((event) => event.timerFiredEventAttributes)).toBe(true);
    keepHistory('webhook-endpoint-retried', history);
  });

  it('waits while another delivery run holds the endpoint', async () => {
    const { receiver, endpoint } = await open();
    await fixture.database.owner.raw(
      `insert into webhook_leases (endpoint_id, token, leased_until)
       values (?, gen_random_uuid(), now() + interval '60 seconds')`,
      [endpoint.id],
    );
    await fixture.publish([endpoint]);
    // No workflow is woken: the run that holds the lease is notified, if there is one.
    fixture.waker.wake([endpoint.id]);
    await fixture.waker.flush();
    const handle = workflowOf(fixture, endpoint);
    await waitFor(async () => {
      const { events } = await handle.fetchHistory();
      return events!.some((event) => event.timerStartedEventAttributes);
    });
    expect(receiver.received).toEqual([]);
    await fixture.database.owner.raw(
      'update webhook_leases set leased_until = now() where endpoint_id = ?',
      [endpoint.id],
    );
    fixture.waker.wake([endpoint.id]);
    await handle.result();
    await untilAll(fixture, endpoint, 'delivered');
    const history = await handle.fetchHistory();
    expect(history.events!.length).toBeLessThanOrEqual(MAX_EVENTS);
    keepHistory('webhook-endpoint-busy', history);
  });

  it('ends with its endpoint', async () => {
    const { receiver, endpoint } = await open(500);
    await fixture.publish([endpoint]);
    await waitFor(() => receiver.received.length === 1);
    const { is_there } = await updateWebhookEndpoint(fixture.database.db, endpoint.id, {
      status: 'deleted',
    });
    expect(is_there).toBe(true);
    const handle = workflowOf(fixture, endpoint);
    await handle.result();
    await untilAll(fixture, endpoint, 'discarded');
    keepHistory('webhook-endpoint-closed', await handle.fetchHistory());
  });

  it('contains neither the secret nor the event', async () => {
    const { receiver, endpoint } = await open(500);
    const [event_id] = await fixture.publish([endpoint]);
    await waitFor(() => receiver.received.length === 1);
    receiver.answer = (_webhook, response) => response.end('thanks to a canary');
    const handle = workflowOf(fixture, endpoint);
    await handle.result();
    const history = JSON.stringify(await handle.fetchHistory(), (_name, value: unknown) =>
      isBytes(value) ? Buffer.from(value.data).toString() : value,
    );
    expect(history).toContain(endpoint.id);
    expect(history).not.toContain(event_id);
    expect(history).not.toContain(endpoint.secret);
    expect(history).not.toContain('canary');
    expect(history).not.toContain('é€');
  });
});

function isBytes(value: unknown): value is { readonly data: number[] } {
  return (value as { type?: unknown } | null)?.type === 'Buffer';
}

describe('a range that is sent again', () => {
  it('is queued page by page by a workflow, and all of it arrives once more', async () => {
    const { receiver, endpoint } = await open();
    // A page is 500.
    const ids = await fixture.publish([endpoint], 620);
    await untilAll(fixture, endpoint, 'delivered');
    const [first] = await deliveriesTo(fixture, endpoint);
    const id = await beginTestResend(fixture.database.db, endpoint, ['delivered']);
    // It is started twice, and runs once.
    await Promise.all([fixture.waker.startResend(id), fixture.waker.startResend(id)]);
    const handle = fixture.temporal.workflow.getHandle<typeof webhookResend>(
      webhookResendWorkflowId(id),
    );
    expect(await handle.result()).toEqual({ queued: ids.length });
    await waitFor(() => receiver.received.length === 2 * ids.length);
    expect([...receiver.counts().values()].every((times) => times === 2)).toBe(true);
    await untilAll(fixture, endpoint, 'delivered');
    expect((await attemptsOf(fixture, first!.id)).map(({ trigger }) => trigger)).toEqual([
      'automatic',
      'resend',
    ]);
    for (const webhook of receiver.received) expectGenuine(webhook, endpoint.secret);
    const history = await handle.fetchHistory();
    expect(history.events!.length).toBeLessThanOrEqual(MAX_EVENTS);
    keepHistory('webhook-resend', history);
  });
});

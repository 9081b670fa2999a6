// Webhook endpoints and their deliveries in the dashboard: real receivers, driven by plain HTTP.

import { listDeliveries, type DeliveryView } from '../../db/webhooks/webhook-deliveries';
import { recordAttempts } from '../../db/webhooks/webhook-attempts';
import { waitFor } from '../support/wait';
import {
  addEvents,
  buildAttempt,
  buildHealth,
  createTestEndpoint,
  expectGenuine,
  REFUSED,
  startReceiver,
  type TestReceiver,
} from '../support/webhooks';
import { expectPage } from './visitor';
import { useWorld } from './world';

const w = useWorld({ webhooks: true });
let receiver: TestReceiver;

beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.shut());

async function addEndpoint(name = 'shop', fields: Readonly<Record<string, string>> = {}) {
  const url = `${receiver.url}/${name}`;
  const page = await w.visitor.fill('/webhooks/new', { url, ...fields });
  expect([page.status, page.heading]).toEqual([200, 'Endpoint']);
  const secret = page.document.querySelector('.notice .copyable code')!.textContent;
  return { id: page.path.split('/').at(-1)!, path: page.path, secret };
}

const deliveriesOf = (endpoint_id: string): Promise<DeliveryView[]> =>
  listDeliveries(w.database.db, {
    user_id: w.user.id,
    environment: 'sandbox',
    before: undefined,
    limit: 100,
    filters: { endpoint_id },
  });

describe('an endpoint', () => {
  it('is added with a secret that is shown once and signs the test event that is sent', async () => {
    const { path, secret } = await addEndpoint('shop', { description: 'the shop' });
    expect(secret).toMatch(/^whsec_/);
    expect((await w.visitor.open(path)).html).not.toContain(secret);
    const sent = await w.visitor.submit('/test', { event_type: 'payment.failed' });
    expectPage(sent, 200, 'Delivery', 'The test event is on its way.');
    const webhook = await waitFor(() =>
      receiver.received.find(({ body }) => body.includes('payment.failed')),
    );
    expectGenuine(webhook, secret);
    await waitFor(async () => (await w.visitor.open(sent.path)).text.includes('Arrived'));
    expectPage(w.visitor.page, 200, /Attempt 1[^]*the receiver answered 200[^]*by the schedule/);
    expectPage(w.visitor.page, 200, '"test": true');
    const list = await w.visitor.open('/webhooks');
    expectPage(list, 200, '1 of 1 arrived in the last day', 'the shop');
  });

  it('is edited, disabled, enabled and deleted', async () => {
    const { visitor } = w;
    const { id, path } = await addEndpoint();
    expect((await visitor.open(`${path}/edit`)).value('url')).toBe(`${receiver.url}/shop`);
    const saved = await visitor.submit('/edit', { description: 'renamed', max_per_second: '7' });
    expectPage(saved, 200, /The endpoint is changed\.[^]*renamed[^]*7 a second/);

    const disabled = await visitor.submit(`${id}/status`);
    expectPage(disabled, 200, 'disabled by you');
    expect(disabled.document.querySelector(`form[action$="${id}/test"]`)).toBeNull();
    expectPage(await visitor.submit(`${id}/status`), 200, 'The endpoint is enabled.');

    expectPage(await visitor.open(`${path}/delete`), 200, 'This cannot be undone.');
    expect((await visitor.open(path)).status).toBe(200);
    expectPage(await visitor.fill(`${path}/delete`), 200, 'The endpoint is deleted.');
    expect((await visitor.open(path)).status).toBe(404);
  });

  it('is given faults in the sandbox, which are listed and deleted', async () => {
    const { path } = await addEndpoint();
    const order = { fault: 'late=86400', times: '7' };
    const page = await w.visitor.fill(path, order, '/faults');
    expectPage(page, 200, /is ordered\.[^]*The event is sent a day late \(for 7 attempts\)/);
    const deleted = await w.visitor.submit('/faults/delete');
    expectPage(deleted, 200, 'The faults are deleted.');
    expect(deleted.text).not.toContain('for 7 attempts');
    const refused = await w.visitor.post(`${path}/faults`, { ...order, times: '0' });
    expect(refused.status).toBe(404);
  });

  it('gets a new secret beside the old one, for as long as was chosen', async () => {
    const { path, secret } = await addEndpoint('rotated');
    const form = await w.visitor.open(`${path}/secret`);
    expect(form.value('overlap_seconds')).toBe('86400');
    expectPage(form, 200, 'another secret during the overlap replaces the new one');
    const page = await w.visitor.submit('/secret', { overlap_seconds: '3600' });
    expect(page.document.querySelector('.notice .copyable code')!.textContent).not.toBe(secret);
    expectPage(page, 200, 'The old secret signs until');
    await w.visitor.submit('/test', { event_type: 'payment.succeeded' });
    const webhook = await waitFor(() =>
      receiver.received.find((one) => one.path === '/hooks/rotated'),
    );
    expectGenuine(webhook, secret);
  });
});

/** It is paused: nothing is delivered while the test looks. */
async function endpointWithDeliveries(count: number) {
  const of = { user_id: w.user.id, url: 'https://shop.example/hooks' };
  const endpoint = await createTestEndpoint(w.database, of);
  const pause = `update webhook_endpoints set paused_until = now() + interval '1 hour' where id = ?`;
  await w.sql(pause, [endpoint.id]);
  await addEvents(w.database, [endpoint], count);
  return { endpoint, deliveries: await deliveriesOf(endpoint.id) };
}

describe('deliveries', () => {
  it('are listed newest first, by status and type, page by page', async () => {
    const { endpoint, deliveries } = await endpointWithDeliveries(30);
    const attempt = buildAttempt(deliveries[0]!.id);
    await recordAttempts(w.database.db, endpoint.id, [attempt], null);
    const path = `/webhooks/${endpoint.id}`;
    const rowsAt = async (to: string): Promise<number> =>
      (await w.visitor.open(to)).document.querySelectorAll('[data-live-part=deliveries] tbody tr')
        .length;
    expect(await rowsAt(path)).toBe(25);
    expectPage(w.visitor.page, 200, '29 waiting');
    const older = w.visitor.page.document.querySelector('.pager a')!.getAttribute('href')!;
    expect(await rowsAt(older)).toBe(5);
    expect(await rowsAt(`${path}?status=delivered`)).toBe(1);
    expect(await rowsAt(`${path}?type=payment.failed`)).toBe(0);
    // A filter without meaning is left out, and no fault.
    expect(await rowsAt(`${path}?status=lost&type=x&cursor=y`)).toBe(25);
  });

  it('show every attempt, with the response as text, and what comes next', async () => {
    const { endpoint, deliveries } = await endpointWithDeliveries(1);
    const { id } = deliveries[0]!;
    const html = '<script>alert(1)</script>';
    const refused = { ...REFUSED, response_body: html, response_truncated: true };
    const silent = { outcome: 'timeout', status: null, retry_ms: 60_000 } as const;
    for (const attempt of [
      buildAttempt(id, refused),
      buildAttempt(id, { number: 2, trigger: 'resend', ...silent }),
    ]) {
      await recordAttempts(w.database.db, endpoint.id, [attempt], buildHealth());
    }
    const page = await w.visitor.open(`/deliveries/${id}`);
    expect(page.html).not.toContain(html);
    expectPage(page, 200, html, /Attempt 2[^]*no answer in time[^]*sent again by hand/);
    expectPage(page, 200, /Attempt 1[^]*the receiver answered 500[^]*The rest was cut off/);
    expectPage(page, 200, 'Next attempt');
    const list = await w.visitor.open('/webhooks');
    expectPage(list, 200, 'Last failure: the receiver answered 500');
  });

  it('of a period are sent again, and the page says how far that has come', async () => {
    const { id, path } = await addEndpoint('range');
    const endpoint = { id, user_id: w.user.id, environment: 'sandbox', secret: '' } as const;
    await addEvents(w.database, [endpoint], 3);
    await w.visitor.submit('/test', { event_type: 'payment.succeeded' });
    await waitFor(async () => {
      const all = await deliveriesOf(id);
      return all.length === 4 && all.every(({ status }) => status === 'delivered');
    });
    const page = await w.visitor.fill(`${path}/resend`, {
      statuses: 'delivered',
      types: 'payment.succeeded',
      created_from: '2020-01-01T00:00',
      created_to: '',
    });
    expectPage(page, 200, 'The resend has begun.');
    await waitFor(() => {
      const counts = [...receiver.counts('/hooks/range').values()];
      return counts.length === 4 && counts.every((times) => times === 2);
    });
    await waitFor(async () => (await w.visitor.open(path)).text.includes('done, 4 queued'));
  });
});

// Webhook endpoints and their deliveries in the dashboard: real receivers, driven by plain HTTP.

import { listDeliveries, type DeliveryView } from '../../db/webhooks/webhook-deliveries';
import { recordAttempts } from '../../db/webhooks/webhook-attempts';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startTestService, type TestService } from '../support/service';
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
import { signInOwner, type Member } from './accounts';
import type { VisitedPage, Visitor } from './visitor';

let database: TestDatabase;
let service: TestService;
let receiver: TestReceiver;
let owner: Member;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database, webhooks: true });
  receiver = await startReceiver();
  owner = await signInOwner(service, database);
});

afterAll(() => receiver.shut());

function shownSecret({ document }: VisitedPage): string {
  return document.querySelector('.notice .copyable code')?.textContent ?? '';
}

interface Added {
  readonly id: string;
  readonly secret: string;
}

async function addEndpoint(
  { visitor }: Pick<Member, 'visitor'>,
  fields: Readonly<Record<string, string>> = {},
): Promise<Added> {
  await visitor.open('/webhooks/new');
  const page = await visitor.submit('/webhooks/new', { url: `${receiver.url}/shop`, ...fields });
  expect([page.status, page.heading]).toEqual([200, 'Endpoint']);
  return { id: page.path.split('/').at(-1)!, secret: shownSecret(page) };
}

async function deliveriesOf(endpoint_id: string, user_id = owner.user.id): Promise<DeliveryView[]> {
  return listDeliveries(database.db, {
    user_id,
    environment: 'sandbox',
    before: undefined,
    limit: 100,
    filters: { endpoint_id },
  });
}

/** The form's own hidden fields, sent to another path than its own. */
async function send(
  visitor: Visitor,
  path: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<number> {
  const page = await visitor.open('/');
  const form = page.document.querySelector('form[action$="/environment"]')!;
  const own = form
    .querySelectorAll('input')
    .map((input) => [input.getAttribute('name')!, input.getAttribute('value')!]);
  const response = await visitor.request(`/dashboard${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams([...own, ...Object.entries(fields)]).toString(),
  });
  await response.arrayBuffer();
  return response.status;
}

describe('an endpoint', () => {
  it('is added with a secret that is shown once and signs the test event that is sent', async () => {
    const { visitor } = owner;
    const { id, secret } = await addEndpoint(owner, { description: 'the shop' });
    expect(secret).toMatch(/^whsec_/);
    const again = await visitor.open(`/webhooks/${id}`);
    expect(again.html).not.toContain(secret);
    const sent = await visitor.submit(`/webhooks/${id}/test`, { event_type: 'payment.failed' });
    expect([sent.heading, sent.text]).toEqual([
      'Delivery',
      expect.stringContaining('The test event is on its way.'),
    ]);
    const webhook = await waitFor(() =>
      receiver.received.find(({ body }) => body.includes('payment.failed')),
    );
    expectGenuine(webhook, secret);
    const page = await waitFor(async () => {
      const now = await visitor.open(sent.path);
      return now.text.includes('Attempt 1') && now.text.includes('Arrived') ? now : undefined;
    });
    expect(page.text).toMatch(/the receiver answered 200[^]*by the schedule/);
    expect(page.text).toContain('"test": true');
    const list = await visitor.open('/webhooks');
    expect(list.text).toContain('1 of 1 arrived in the last day');
    expect(list.text).toContain('the shop');
  });

  it.each([
    ['http://shop.example.com/', 'The URL must begin with https://.'],
    ['https://10.0.0.1/', 'an address that is not public'],
  ])('says beside the field why %s is refused, and keeps what was written', async (url, fault) => {
    const { visitor } = owner;
    await visitor.open('/webhooks/new');
    const page = await visitor.submit('/webhooks/new', { url, description: 'kept' });
    expect(page.status).toBe(422);
    expect(page.document.querySelector('#url-fault')?.textContent).toContain(fault);
    expect(page.document.querySelector('#url')?.getAttribute('value')).toBe(url);
    expect(page.document.querySelector('#description')?.getAttribute('value')).toBe('kept');
  });

  it('is edited, disabled, enabled and deleted', async () => {
    const { visitor } = owner;
    const { id } = await addEndpoint(owner);
    const edit = await visitor.open(`/webhooks/${id}/edit`);
    expect(edit.document.querySelector('#url')?.getAttribute('value')).toBe(`${receiver.url}/shop`);
    const saved = await visitor.submit('/edit', { description: 'renamed', max_per_second: '7' });
    expect(saved.text).toMatch(/The endpoint is changed\.[^]*renamed[^]*7 a second/);

    const disabled = await visitor.submit(`/webhooks/${id}/status`);
    expect(disabled.text).toContain('disabled by you');
    expect(disabled.document.querySelector(`form[action$="${id}/test"]`)).toBeNull();
    const enabled = await visitor.submit(`/webhooks/${id}/status`);
    expect(enabled.text).toContain('The endpoint is enabled.');

    const asked = await visitor.open(`/webhooks/${id}/delete`);
    expect(asked.text).toContain('This cannot be undone.');
    expect((await visitor.open(`/webhooks/${id}`)).status).toBe(200);
    await visitor.open(`/webhooks/${id}/delete`);
    const list = await visitor.submit(`/webhooks/${id}/delete`);
    expect(list.text).toContain('The endpoint is deleted.');
    expect((await visitor.open(`/webhooks/${id}`)).status).toBe(404);
  });

  it('is given faults in the sandbox, which are listed and deleted', async () => {
    const { visitor } = owner;
    const { id } = await addEndpoint(owner);
    await visitor.open(`/webhooks/${id}`);
    const order = { fault: 'late=86400', times: '7' };
    const page = await visitor.submit(`/webhooks/${id}/faults`, order);
    expect(page.text).toMatch(
      /The fault is ordered\.[^]*The event is sent a day late \(for 7 attempts\)/,
    );
    const deleted = await visitor.submit(`/webhooks/${id}/faults/delete`);
    expect(deleted.text).toContain('The faults are deleted.');
    expect(deleted.text).not.toContain('for 7 attempts');
    expect(await send(visitor, `/webhooks/${id}/faults`, { ...order, times: '0' })).toBe(404);
  });

  it('gets a new secret beside the old one, for as long as was chosen', async () => {
    const { visitor } = owner;
    const { id, secret } = await addEndpoint(owner, { url: `${receiver.url}/rotated` });
    const form = await visitor.open(`/webhooks/${id}/secret`);
    expect(form.document.querySelector('option[selected]')?.getAttribute('value')).toBe('86400');
    expect(form.text).toContain('another secret during the overlap replaces the new one');
    const page = await visitor.submit(`/webhooks/${id}/secret`, { overlap_seconds: '3600' });
    const next = shownSecret(page);
    expect(next).not.toBe(secret);
    expect(page.text).toContain('The old secret signs until');
    await visitor.submit(`/webhooks/${id}/test`, { event_type: 'payment.succeeded' });
    const [webhook] = await waitFor(() => {
      const all = receiver.received.filter(({ path }) => path === '/hooks/rotated');
      return all.length > 0 ? all : undefined;
    });
    expectGenuine(webhook!, secret);
    expect(await send(visitor, `/webhooks/${id}/secret`, { overlap_seconds: '12' })).toBe(422);
  });
});

function endpointOf(id: string) {
  return { id, user_id: owner.user.id, environment: 'sandbox' as const };
}

/** It is paused: nothing is delivered while the test looks. */
async function endpointWithDeliveries(count: number, user_id = owner.user.id) {
  const url = 'https://shop.example/hooks';
  const endpoint = await createTestEndpoint(database, { user_id, url });
  await database.owner.raw(
    `update webhook_endpoints set paused_until = now() + interval '1 hour' where id = ?`,
    [endpoint.id],
  );
  await addEvents(database, [endpoint], count);
  return { endpoint, deliveries: await deliveriesOf(endpoint.id, user_id) };
}

describe('deliveries', () => {
  it('are listed newest first, by status and type, page by page', async () => {
    const { visitor } = owner;
    const { endpoint, deliveries } = await endpointWithDeliveries(30);
    const attempt = buildAttempt(deliveries[0]!.id);
    await recordAttempts(database.db, endpoint.id, [attempt], null);
    const rows = (page: VisitedPage): number =>
      page.document.querySelectorAll('[data-live-part="deliveries"] tbody tr').length;
    const path = `/webhooks/${endpoint.id}`;
    const first = await visitor.open(path);
    expect([rows(first), first.text]).toEqual([25, expect.stringContaining('29 waiting')]);
    const older = first.document.querySelector('.pager a')!.getAttribute('href')!;
    expect(rows(await visitor.open(older))).toBe(5);
    expect(rows(await visitor.open(`${path}?status=delivered`))).toBe(1);
    expect(rows(await visitor.open(`${path}?type=payment.failed`))).toBe(0);
    // A filter without meaning is left out, and no fault.
    expect(rows(await visitor.open(`${path}?status=lost&type=x&cursor=y`))).toBe(25);
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
      await recordAttempts(database.db, endpoint.id, [attempt], buildHealth());
    }
    const page = await owner.visitor.open(`/deliveries/${id}`);
    expect(page.html).not.toContain(html);
    expect(page.text).toContain(html);
    expect(page.text).toMatch(/Attempt 2[^]*no answer in time[^]*sent again by hand/);
    expect(page.text).toMatch(/Attempt 1[^]*the receiver answered 500[^]*The rest was cut off/);
    expect(page.text).toContain('Next attempt');
    const list = await owner.visitor.open('/webhooks');
    expect(list.text).toContain('Last failure: the receiver answered 500');
  });

  it('of a period are sent again, and the page says how far that has come', async () => {
    const { visitor } = owner;
    const { id } = await addEndpoint(owner, { url: `${receiver.url}/range` });
    await addEvents(database, [{ ...endpointOf(id), secret: '' }], 3);
    await visitor.submit(`/webhooks/${id}/test`, { event_type: 'payment.succeeded' });
    await waitFor(() => receiver.counts('/hooks/range').size === 4);
    await waitFor(async () => (await deliveriesOf(id)).every((one) => one.status === 'delivered'));
    await visitor.open(`/webhooks/${id}/resend`);
    const page = await visitor.submit(`/webhooks/${id}/resend`, {
      statuses: 'delivered',
      types: 'payment.succeeded',
      created_from: '2020-01-01T00:00',
      created_to: '',
    });
    expect(page.text).toContain('The resend has begun.');
    await waitFor(() =>
      [...receiver.counts('/hooks/range').values()].every((times) => times === 2),
    );
    await waitFor(async () =>
      (await visitor.open(`/webhooks/${id}`)).text.includes('done, 4 queued'),
    );
  });
});

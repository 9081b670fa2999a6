// Webhook endpoints and their deliveries in the dashboard: real receivers, driven by plain HTTP.

import { listDeliveries, type DeliveryView } from '../../db/webhook-deliveries';
import { recordAttempts } from '../../db/webhook-attempts';
import { listWebhookEndpoints } from '../../db/webhook-endpoints';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startTestService, type TestService } from '../support/service';
import { buildUser } from '../support/users';
import { waitFor } from '../support/wait';
import {
  beginTestResend,
  addEvents,
  buildAttempt,
  buildHealth,
  createTestEndpoint,
  expectGenuine,
  REFUSED,
  startReceiver,
  type TestReceiver,
} from '../support/webhooks';
import { signInColleague, signInOwner, type Member } from './accounts';
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
}, 60_000);

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
    ...{ user_id, environment: 'sandbox', before: undefined, limit: 100 },
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
    ['https://shop.example.com:8443/', 'This port is not allowed'],
    ['shop', 'Write the complete URL'],
  ])('says beside the field why %s is refused, and keeps what was written', async (url, fault) => {
    const { visitor } = owner;
    await visitor.open('/webhooks/new');
    const page = await visitor.submit('/webhooks/new', { url, description: 'kept' });
    expect(page.status).toBe(422);
    expect(page.document.querySelector('#url-fault')?.textContent).toContain(fault);
    expect(page.document.querySelector('#url')?.getAttribute('value')).toBe(url);
    expect(page.document.querySelector('#description')?.getAttribute('value')).toBe('kept');
  });

  it('says it in French, too', async () => {
    const { visitor } = owner;
    await visitor.open('/webhooks/new?lang=fr');
    const page = await visitor.submit('/webhooks/new', { url: 'http://shop.example.com/' });
    expect(page.text).toContain('L’URL doit commencer par https://.');
    await visitor.open('/webhooks/new?lang=en');
  });

  it.each([
    ['0', '#max_per_second-fault'],
    ['many', '#max_per_second-fault'],
  ])('refuses %s deliveries a second', async (max_per_second, place) => {
    const { visitor } = owner;
    await visitor.open('/webhooks/new');
    const page = await visitor.submit('/webhooks/new', { url: receiver.url, max_per_second });
    expect([page.status, page.document.querySelector(place) !== null]).toEqual([422, true]);
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

  it('wakes what was held when it is enabled', async () => {
    const { visitor } = owner;
    const { id } = await addEndpoint(owner, { url: `${receiver.url}/held` });
    await visitor.submit(`/webhooks/${id}/status`);
    await addEvents(database, [{ ...endpointOf(id), secret: '' }], 2);
    expect((await visitor.open('/webhooks')).text).toContain('2 held until it is enabled');
    await visitor.open(`/webhooks/${id}`);
    await visitor.submit(`/webhooks/${id}/status`);
    await waitFor(() => receiver.counts('/hooks/held').size === 2);
  });

  it('gets a new secret beside the old one, for as long as was chosen', async () => {
    const { visitor } = owner;
    const { id, secret } = await addEndpoint(owner, { url: `${receiver.url}/rotated` });
    const form = await visitor.open(`/webhooks/${id}/secret`);
    expect(form.document.querySelector('option[selected]')?.getAttribute('value')).toBe('86400');
    const page = await visitor.submit(`/webhooks/${id}/secret`, { overlap: '3600' });
    const next = shownSecret(page);
    expect(next).not.toBe(secret);
    expect(page.text).toContain('The old secret signs until');
    await visitor.submit(`/webhooks/${id}/test`, { event_type: 'payment.succeeded' });
    const [webhook] = await waitFor(() => {
      const all = receiver.received.filter(({ path }) => path === '/hooks/rotated');
      return all.length > 0 ? all : undefined;
    });
    expectGenuine(webhook!, secret);
    expect(await send(visitor, `/webhooks/${id}/secret`, { overlap: '12' })).toBe(404);
  });

  it('is one of sixteen at most', async () => {
    const member = await signInOwner(service, database);
    for (let n = 0; n < 16; n += 1) {
      await createTestEndpoint(database, { user_id: member.user.id, url: `${receiver.url}/${n}` });
    }
    const list = await member.visitor.open('/webhooks');
    expect(list.document.querySelector('main a[href$="/new"]')).toBeNull();
    await member.visitor.open('/webhooks/new');
    const page = await member.visitor.submit('/webhooks/new', { url: receiver.url });
    expect([page.status, page.text]).toEqual([422, expect.stringContaining('at most 16')]);
  });
});

function endpointOf(id: string) {
  return { id, user_id: owner.user.id, environment: 'sandbox' as const };
}

/** A receiver that fails: nothing of it is delivered while the test looks. */
async function endpointWithDeliveries(count: number, user_id = owner.user.id) {
  const url = 'https://shop.example/hooks';
  const endpoint = await createTestEndpoint(database, { user_id, url });
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
    // What means nothing is left out, and no fault.
    expect(rows(await visitor.open(`${path}?status=lost&type=x&cursor=y`))).toBe(25);
  });

  it('are counted up to a limit, and the page says so', async () => {
    const { endpoint } = await endpointWithDeliveries(201);
    const page = await owner.visitor.open(`/webhooks/${endpoint.id}`);
    expect(page.text).toContain('200 or more waiting');
    expect(page.text).toContain('0 of the last 200 arrived');
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

  it('say how often they were tried when what was answered is no longer kept', async () => {
    const { deliveries } = await endpointWithDeliveries(2);
    const [{ id }, { id: once }] = deliveries as [DeliveryView, DeliveryView];
    await database.owner.raw(
      'update webhook_deliveries set attempts = case when id = ? then 1 else 7 end where id in (?, ?)',
      [once, id, once],
    );
    expect((await owner.visitor.open(`/deliveries/${id}`)).text).toContain(
      'Tried 7 times. What was answered is no longer kept.',
    );
    expect((await owner.visitor.open(`/deliveries/${once}`)).text).toContain('Tried once. What');
  });

  it('are sent again, one at a time', async () => {
    const { visitor } = owner;
    const { id } = await addEndpoint(owner, { url: `${receiver.url}/again` });
    await visitor.submit(`/webhooks/${id}/test`, { event_type: 'payment.succeeded' });
    await waitFor(() => receiver.counts('/hooks/again').size === 1);
    const [delivery] = await waitFor(async () => {
      const all = await deliveriesOf(id);
      return all[0]?.status === 'delivered' ? all : undefined;
    });
    await visitor.open(`/deliveries/${delivery!.id}`);
    const page = await visitor.submit(`/deliveries/${delivery!.id}/resend`);
    expect(page.text).toContain('The delivery is on its way again.');
    await waitFor(() => [...receiver.counts('/hooks/again').values()][0] === 2);
  });

  it('of a period are sent again, and the page says how far that has come', async () => {
    const { visitor } = owner;
    const { id } = await addEndpoint(owner, { url: `${receiver.url}/range` });
    await addEvents(database, [{ ...endpointOf(id), secret: '' }], 3);
    // Wakes it; nothing did, as no process posted these events.
    await visitor.submit(`/webhooks/${id}/test`, { event_type: 'payment.succeeded' });
    await waitFor(() => receiver.counts('/hooks/range').size === 4);
    await waitFor(async () => (await deliveriesOf(id)).every((one) => one.status === 'delivered'));
    await visitor.open(`/webhooks/${id}/resend`);
    const page = await visitor.submit(`/webhooks/${id}/resend`, {
      ...{ statuses: 'delivered', types: 'payment.succeeded' },
      ...{ created_from: '2020-01-01T00:00', created_to: '' },
    });
    expect(page.text).toContain('The resend has begun.');
    await waitFor(() =>
      [...receiver.counts('/hooks/range').values()].every((times) => times === 2),
    );
    await waitFor(async () =>
      (await visitor.open(`/webhooks/${id}`)).text.includes('done, 4 queued'),
    );
  });

  it('of a period are sent again when the resend before is done', async () => {
    const { visitor } = owner;
    const { endpoint } = await endpointWithDeliveries(1);
    await beginTestResend(database.db, endpoint, ['exhausted']);
    await visitor.open(`/webhooks/${endpoint.id}/resend`);
    const page = await visitor.submit(`/webhooks/${endpoint.id}/resend`, {
      ...{ statuses: 'delivered', types: 'payment.succeeded' },
      ...{ created_from: '', created_to: '' },
    });
    expect(page.text).toContain('A resend is under way. Wait until it is done.');
  });

  it.each([
    [{ created_from: 'yesterday' }, 'Write a date and a time.'],
    [
      { created_from: '2026-01-02T00:00', created_to: '2026-01-01T00:00' },
      'The end must be after the beginning.',
    ],
  ])('of the period %j are not', async (fields, fault) => {
    const { endpoint } = await endpointWithDeliveries(0);
    await owner.visitor.open(`/webhooks/${endpoint.id}/resend`);
    const page = await owner.visitor.submit('/resend', fields);
    expect([page.status, page.text]).toEqual([422, expect.stringContaining(fault)]);
    const none = await send(owner.visitor, `/webhooks/${endpoint.id}/resend`, { statuses: 'x' });
    expect(none).toBe(422);
  });

  it('of a disabled endpoint are not sent again', async () => {
    const { visitor } = owner;
    const { endpoint, deliveries } = await endpointWithDeliveries(1);
    await visitor.open(`/webhooks/${endpoint.id}`);
    await visitor.submit(`/webhooks/${endpoint.id}/status`);
    const page = await visitor.open(`/deliveries/${deliveries[0]!.id}`);
    expect(page.document.querySelector('form[action$="/resend"]')).toBeNull();
    expect(await send(visitor, `/deliveries/${deliveries[0]!.id}/resend`)).toBe(303);
    expect((await visitor.open('/webhooks')).text).toContain('Enable it first.');
    const before = await deliveriesOf(endpoint.id);
    expect(before[0]!.status).toBe('held');
  });
});

const PAGES = ['', '/edit', '/delete', '/secret', '/resend', '/live'];
const FORMS = ['/edit', '/status', '/delete', '/secret', '/test', '/resend'];

describe('who may', () => {
  it('shows nobody the endpoints and deliveries of others, or of the other environment', async () => {
    const other = await buildUser(database.db);
    const foreign = await endpointWithDeliveries(1, other.id);
    const live = await createTestEndpoint(database, {
      ...{ user_id: owner.user.id, url: 'https://shop.example/', environment: 'live' },
    });
    const { visitor } = owner;
    for (const id of [foreign.endpoint.id, live.id, 'not-an-id']) {
      for (const path of PAGES) {
        const page = await visitor.open(`/webhooks/${id}${path}`);
        expect([path, page.status]).toEqual([path, 404]);
      }
      for (const path of FORMS) {
        const fields = {
          status: 'disabled',
          overlap: '0',
          url: receiver.url,
          types: 'payment.failed',
        };
        const more = { event_type: 'payment.failed', statuses: 'pending' };
        const status = await send(visitor, `/webhooks/${id}${path}`, { ...fields, ...more });
        expect([path, status]).toEqual([path, 404]);
      }
    }
    const [delivery] = foreign.deliveries;
    for (const path of ['', '/live']) {
      expect((await visitor.open(`/deliveries/${delivery!.id}${path}`)).status).toBe(404);
    }
    expect(await send(visitor, `/deliveries/${delivery!.id}/resend`)).toBe(404);
    const untouched = await listWebhookEndpoints(database.db, other.id, 'sandbox');
    expect(untouched).toMatchObject([{ status: 'enabled', url: 'https://shop.example/hooks' }]);
  });

  it('lets a viewer look and change nothing', async () => {
    const viewer = await signInColleague(service, database, owner.user, 'viewer');
    const { endpoint, deliveries } = await endpointWithDeliveries(1);
    const page = await viewer.open(`/webhooks/${endpoint.id}`);
    expect(page.status).toBe(200);
    expect(page.document.querySelectorAll('main form[method=post]').length).toBe(0);
    const delivery = await viewer.open(`/deliveries/${deliveries[0]!.id}`);
    expect(delivery.document.querySelectorAll('main form').length).toBe(0);
    for (const path of PAGES.filter((one) => one !== '' && one !== '/live')) {
      expect((await viewer.open(`/webhooks/${endpoint.id}${path}`)).status).toBe(403);
    }
    for (const path of FORMS) {
      expect([path, await send(viewer, `/webhooks/${endpoint.id}${path}`)]).toEqual([path, 403]);
    }
    expect(await send(viewer, `/deliveries/${deliveries[0]!.id}/resend`)).toBe(403);
    expect((await viewer.open('/webhooks/new')).status).toBe(403);
  });
});

// A process's metrics for Prometheus, over its own listener: after real requests, transfers, payments and deliveries.

import { randomUUID } from 'node:crypto';
import { request as ask } from 'undici';
import { startTestApi, type TestApi } from '../support/api';
import { request, type HttpResponse } from '../support/http';
import { pickTestPort } from '../support/ports';
import { actAt } from '../support/sandbox-gateway';
import { connectTestTemporal } from '../support/temporal';
import { waitFor } from '../support/wait';
import { addEvents, createTestEndpoint, startReceiver } from '../support/webhooks';
import { startPostgresProxy } from '../api/support/tcp-proxy';
import { createTestDatabase, setUp } from '../support/database';
import { buildAccount, type Account } from '../api/support/accounts';

const database = setUp(createTestDatabase);
const postgres = setUp(() => startPostgresProxy(database));
let api: TestApi;
let metrics_url: string;
let sender: Account;
let recipient: Account;

beforeAll(async () => {
  const port = await pickTestPort();
  metrics_url = `http://127.0.0.1:${port}/metrics`;
  const metrics = { host: '127.0.0.1', port };
  api = await startTestApi({
    database,
    webhooks: true,
    overrides: { metrics, database_url: postgres.url },
  });
  sender = await buildAccount(database, { live: { XOF: 1_000_000n } });
  recipient = await buildAccount(database);
});

afterEach(() => postgres.restore());

async function scrape(): Promise<string> {
  const response = await fetch(metrics_url);
  expect(response.status).toBe(200);
  return response.text();
}

type Labels = Readonly<Record<string, string>>;

/** The value of one series; undefined when there is none. */
function valueOf(text: string, name: string, labels: Labels = {}): number | undefined {
  for (const line of text.split('\n')) {
    const found = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (found?.[1] !== name) continue;
    const own = Object.fromEntries(
      [...(found[2] ?? '').matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
    );
    if (Object.entries(labels).every(([key, value]) => own[key] === value)) return Number(found[3]);
  }
  return undefined;
}

/** Series of ours by name and labels, without their values. */
function seriesOf(text: string): ReadonlySet<string> {
  const lines = text.split('\n').filter((line) => line.startsWith('payment_api_'));
  return new Set(lines.map((line) => line.slice(0, line.lastIndexOf(' '))));
}

async function shows(name: string, labels: Labels, value: number): Promise<void> {
  await waitFor(async () => valueOf(await scrape(), name, labels) === value);
}

function send(body: Readonly<Record<string, unknown>> = {}): Promise<HttpResponse> {
  return request(api.service, 'POST', '/transfers', {
    key: sender.live,
    body: { to_username: recipient.username, currency: 'XOF', amount: 100, ...body },
  });
}

describe('requests', () => {
  it('are counted by the route of the table, with their durations', async () => {
    const route = '/api/public/v1/transfers/{reference}';
    for (let i = 0; i < 3; i += 1) {
      await request(api.service, 'GET', `/transfers/TRF-${i}`, { key: sender.live });
    }
    const text = await scrape();
    const labels = { method: 'GET', route, status: '404' };
    expect(valueOf(text, 'payment_api_http_request_duration_seconds_count', labels)).toBe(3);
    expect(valueOf(text, 'payment_api_http_request_duration_seconds_sum', labels)).toBeGreaterThan(
      0,
    );
    expect(text).not.toContain('TRF-');
  });

  it('are left out when they fail on order: no alarm is for them', async () => {
    const count = async (): Promise<number> =>
      [...(await scrape()).matchAll(/^payment_api_http_request_duration_seconds_count\S* (\d+)$/gm)]
        .map(([, n]) => Number(n))
        .reduce((sum, n) => sum + n, 0);
    const ask = (path: string, fault?: string): Promise<HttpResponse> =>
      request(api.service, 'GET', path, {
        key: sender.sandbox,
        headers: fault === undefined ? {} : { 'sandbox-fault': fault },
      });
    const before = await count();
    for (const fault of ['unavailable', 'unavailable-after', 'rate-limited', 'slow=1']) {
      expect((await ask('/me', fault)).headers['sandbox-fault-applied']).toBe(fault);
    }
    await expect(ask('/me', 'lost-response')).rejects.toThrow('other side closed');
    await ask('/me', 'no-fault');
    // A request that is refused without a fault, and one that succeeds, counts.
    await ask('/me');
    expect(await count()).toBe(before + 2);
  });

  it('make no series of paths, methods, ids, names and keys that strangers think of', async () => {
    const ask = (n: number) => [
      request(api.service, 'GET', `/nothing-${n}`),
      request(api.service, 'GET', `${api.service.origin}/p/${n}aaaaaaaaa`),
      request(api.service, 'GET', `${api.service.origin}/dashboard/nothing/${n}`),
      request(api.service, 'GET', `/payment-intents/${randomUUID()}`, { key: sender.live }),
      request(api.service, ['PROPFIND', 'SEARCH', 'LOCK'][n % 3]!, '/wallets'),
    ];
    await Promise.all(ask(0));
    await Promise.all(ask(1));
    const before = seriesOf(await scrape());
    for (let n = 2; n < 12; n += 1) await Promise.all(ask(n));
    const added = [...seriesOf(await scrape())].filter((series) => !before.has(series));
    expect(added).toEqual([]);
  });
});

describe('transfers', () => {
  it('are counted once each by what they came to, repeats left out', async () => {
    const count = async (outcome: string): Promise<number> =>
      valueOf(await scrape(), 'payment_api_transfers_total', { environment: 'live', outcome }) ?? 0;
    const before = await count('completed');
    const idempotency_key = randomUUID();
    const body = { to_username: recipient.username, currency: 'XOF', amount: 100 };
    for (let i = 0; i < 3; i += 1) {
      await request(api.service, 'POST', '/transfers', { key: sender.live, idempotency_key, body });
    }
    await send();
    await send({ amount: 9_000_000 });
    expect(await count('completed')).toBe(before + 2);
    expect(await count('insufficient_funds')).toBe(1);
  });
});

describe('payment intents', () => {
  it('are shown by status while they are open, and counted when they end', async () => {
    const { json } = await api.create();
    const open = { environment: 'sandbox', status: 'open' };
    await shows('payment_api_payment_intents', open, 1);
    await actAt(json.checkout_url, 'pay');
    const ended = { environment: 'sandbox', status: 'succeeded' };
    await shows('payment_api_payment_intents_ended_total', ended, 1);
    await shows('payment_api_payment_intents', open, 0);
  });
});

describe('webhooks', () => {
  it('are counted by outcome, and shown while they are pending', async () => {
    const receiver = await startReceiver();
    receiver.answer = (_webhook, response) => response.writeHead(500).end();
    const user_id = recipient.id;
    const endpoint = await createTestEndpoint(database, { user_id, url: receiver.url });
    await addEvents(database, [endpoint], 3);
    await waitFor(() => receiver.received.length > 0);
    await waitFor(async () => {
      const text = await scrape();
      const refused = { outcome: 'refused' };
      return (valueOf(text, 'payment_api_webhook_attempts_total', refused) ?? 0) >= 3;
    });
    await shows('payment_api_webhook_deliveries_pending', {}, 3);
    const age = valueOf(await scrape(), 'payment_api_webhook_oldest_pending_seconds');
    expect(age).toBeGreaterThan(0);
  });
});

describe('Temporal', () => {
  it("shows the SDK's metrics, and counts workflow tasks that fail", async () => {
    const client = await connectTestTemporal();
    const workflow = await client.workflow.start('noSuchWorkflow', {
      taskQueue: api.service.config.task_queue,
      workflowId: `no-such/${randomUUID()}`,
    });
    const text = await waitFor(async () => {
      const found = await scrape();
      const failed = valueOf(found, 'payment_api_workflow_tasks_failed_total');
      return (failed ?? 0) > 0 && found;
    });
    await workflow.terminate();
    expect(valueOf(text, 'temporal_request_total')).toBeGreaterThan(0);
  });
});

describe('the listener', () => {
  it('is no part of the public server, whose port has no metrics', async () => {
    const response = await request(api.service, 'GET', `${api.service.origin}/metrics`);
    expect(response.status).toBe(404);
  });

  it('answers no page of another name that leads to this machine', async () => {
    const statusFor = async (host: string) =>
      (await ask(metrics_url, { headers: { host } })).statusCode;
    expect(await statusFor('rebound.example')).toBe(421);
    expect(await statusFor('localhost')).toBe(200);
  });

  it('answers /ready and /live too, and nothing else', async () => {
    expect((await fetch(metrics_url.replace('/metrics', '/live'))).status).toBe(200);
    const ready = await fetch(metrics_url.replace('/metrics', '/ready'));
    expect(await ready.json()).toMatchObject({ ok: true });
    expect((await fetch(metrics_url.replace('/metrics', '/'))).status).toBe(404);
    expect((await fetch(metrics_url, { method: 'POST' })).status).toBe(405);
  });

  it('shows what it knows while Postgres is away, and no old figure', async () => {
    await shows('payment_api_ready', { check: 'postgres' }, 1);
    expect(valueOf(await scrape(), 'payment_api_webhook_deliveries_pending')).toBeDefined();
    await postgres.cut();
    await shows('payment_api_ready', { check: 'postgres' }, 0);
    const text = await scrape();
    expect(valueOf(text, 'payment_api_ready', { check: 'temporal' })).toBe(1);
    expect(valueOf(text, 'payment_api_webhook_deliveries_pending')).toBeUndefined();
    expect(valueOf(text, 'payment_api_suspense_items')).toBeUndefined();
    expect(text).toContain('payment_api_transfers_total');
    await postgres.restore();
    await waitFor(
      async () => valueOf(await scrape(), 'payment_api_webhook_deliveries_pending') !== undefined,
    );
  });

  it('gives every metric of ours a help text and a unit or a kind at its end', async () => {
    const text = await scrape();
    const types = [...text.matchAll(/^# TYPE (payment_api_\w+) (\w+)$/gm)];
    expect(types.length).toBeGreaterThan(15);
    for (const [, name, type] of types) {
      expect(text).toContain(`# HELP ${name} `);
      if (type === 'counter') expect(name).toMatch(/_total$/);
      if (type === 'histogram') expect(name).toMatch(/_seconds$/);
    }
  });
});

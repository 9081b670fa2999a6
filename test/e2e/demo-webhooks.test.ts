// The demo merchant's webhooks, as `npm start` sets them up: endpoints at the sink, and the sink.

import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { changeEndpoint, deleteEndpoint, sendTestEvent } from '../../use-cases/webhook-endpoints';
import { seedDemoEndpoints } from '../../dev/demo-endpoints';
import { seedDemoUsers } from '../../dev/demo-users';
import type { DevRun } from '../../dev/dev-run';
import { startSink, webhookSettings } from '../../dev/webhooks';
import { webhookPolicy } from '../../bin/webhook-policy';
import { loadConfig } from '../../config/load';
import { listWebhookEndpoints } from '../../db/webhooks/webhook-endpoints';
import { findUserByName } from '../../db/accounts/users';
import { isSealingKey } from '../../secrets/keyring';
import { createSealer } from '../../secrets/seal';
import type { WebhookSink } from '../../dev/simulators/webhook-sink/server';
import { closeAfterFile } from '../support/cleanup';
import { createTestDatabase, setUp } from '../support/database';
import { pickTestPort } from '../support/ports';
import { startTestService } from '../support/service';
import { readStack } from '../support/stack';
import { waitFor } from '../support/wait';

const database = setUp(createTestDatabase);
let run: DevRun;
let settings: ReturnType<typeof webhookSettings>;
let tools: Parameters<typeof seedDemoEndpoints>[0];
let merchant: string;
let user_id: string;

beforeAll(async () => {
  const directory = mkdtempSync(join(readStack().folder, 'demo-'));
  const given = loadConfig({
    DATA_DIRECTORY: directory,
    WEBHOOK_SINK_PORT: String(await pickTestPort()),
  });
  run = { given, directory, logs: directory, closers: [], say: () => undefined };
  settings = webhookSettings(run);
  const [user] = await seedDemoUsers({ db: database.operator, actor: 'demo' }, directory);
  merchant = user!.username;
  user_id = (await findUserByName(database.db, merchant))!.id;
  const sealer = createSealer(settings.secrets_keys);
  tools = { db: database.db, sealer, policy: webhookPolicy({ ...given, ...settings }) };
  closeAfterFile(async () => {
    for (const close of run.closers) await close();
  });
});

async function endpoints() {
  const all = [];
  for (const environment of ['live', 'sandbox'] as const) {
    const owner = { user_id, environment };
    const rows = await listWebhookEndpoints(database.db, user_id, environment);
    all.push(...rows.map(({ id, url }) => ({ ...owner, id, url })));
  }
  return all;
}

it('makes a key for secrets once, for its owner only, and lets this machine be called', () => {
  const file = join(run.directory, 'secrets-key');
  expect(isSealingKey(readFileSync(file, 'utf8'))).toBe(true);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(webhookSettings(run)).toEqual(settings);
  expect(settings.webhooks.allowed_addresses).toEqual(['127.0.0.1']);
  const [given] = settings.secrets_keys;
  const chosen = { ...run.given, secrets_keys: ['of the environment'] };
  expect(webhookSettings({ ...run, given: chosen }).secrets_keys).not.toContain(given);
});

it('registers one endpoint per environment, which a restart keeps and a new port moves', async () => {
  expect(await seedDemoEndpoints(tools, merchant, 'http://127.0.0.1:8091/')).toBe(
    'http://127.0.0.1:8091/hooks/demo',
  );
  const first = await endpoints();
  expect(first.map(({ environment, url }) => [environment, url])).toEqual([
    ['live', 'http://127.0.0.1:8091/hooks/demo'],
    ['sandbox', 'http://127.0.0.1:8091/hooks/demo'],
  ]);
  await seedDemoEndpoints(tools, merchant, 'http://127.0.0.1:8091/');
  expect(await endpoints()).toEqual(first);
  await seedDemoEndpoints(tools, merchant, 'http://127.0.0.1:9123/');
  expect(await endpoints()).toEqual(
    first.map((one) => ({ ...one, url: 'http://127.0.0.1:9123/hooks/demo' })),
  );
});

it('makes anew what was deleted or leads elsewhere, and touches nothing else', async () => {
  const [live, sandbox] = await endpoints();
  await deleteEndpoint(tools, live!, live!.id);
  const elsewhere = { url: 'https://shop.example.com/hooks/demo' };
  await changeEndpoint(tools, sandbox!, sandbox!.id, elsewhere);
  await seedDemoEndpoints(tools, merchant, 'http://127.0.0.1:9123/');
  const now = await endpoints();
  expect(now).toHaveLength(3);
  expect(now).toContainEqual({ ...sandbox, ...elsewhere });
});

it('sees at the sink what the service delivers, verified by both signatures', async () => {
  const service = await startTestService({ database, webhooks: true, overrides: settings });
  const sink: WebhookSink = await startSink(run, settings, database.db, () => undefined);
  await seedDemoEndpoints(tools, merchant, sink.page);
  for (const endpoint of await endpoints()) {
    if (!endpoint.url.startsWith(sink.page)) continue;
    const { pay_url_base } = service.config;
    await sendTestEvent({ db: database.db, pay_url_base }, endpoint, endpoint.id);
  }
  const deliveries = await waitFor(async () => {
    const answer = await fetch(`${sink.page}deliveries.json`);
    const json = (await answer.json()) as { deliveries: Record<string, unknown>[] };
    return json.deliveries.length === 2 && json.deliveries;
  });
  for (const delivery of deliveries) {
    expect(delivery).toMatchObject({
      status: 200,
      path: '/hooks/demo',
      x_service_signature: 'verified',
      standard_webhooks: 'verified',
    });
  }
});

// The logs, the metrics and the traces of a whole journey, with faults on the way: they hold nothing personal and
// no secret, and each error line of a request names the request.

import { randomUUID } from 'node:crypto';
import { PREFIX } from '../../http/prefix';
import { makeApiKey } from '../../secrets/api-key';
import { startTestApi, type TestApi } from '../support/api';
import { request } from '../support/http';
import { pickTestPort } from '../support/ports';
import { actAt, GATEWAY_SECRETS } from '../support/sandbox-gateway';
import { TEST_SECRETS_KEY } from '../support/secrets';
import { buildUser, fund } from '../support/users';
import { waitFor } from '../support/wait';
import { startReceiver } from '../support/webhooks';
import { startCollector, type Collector } from './support/collector';

/** Every field that is filled from outside has one. */
const canary = (what: string): string => `canary-${what}-${randomUUID()}`;
const PERSONAL = {
  idempotency_key: canary('key'),
  description: canary('description'),
  email: `${canary('email').slice(0, 40)}@example.com`,
  phone: '+221771234599',
  metadata: canary('metadata'),
  transfer_description: canary('words'),
  unknown_user: 'canary-nobody',
  path: canary('path'),
  query: canary('query'),
  answer: canary('answer'),
  header: canary('header'),
  body: canary('body'),
  stranger_key: makeApiKey('pay', 'live').key,
};

let api: TestApi;
let collector: Collector;
let reference: string;
let metrics_url: string;
let recipient: string;
let url: string;

beforeAll(async () => {
  const port = await pickTestPort();
  metrics_url = `http://127.0.0.1:${port}/metrics`;
  const metrics = { host: '127.0.0.1', port };
  collector = await startCollector();
  api = await startTestApi({ webhooks: true, overrides: { metrics, traces: true } });
  recipient = (await buildUser(api.database.db)).username;
  await fund(api.database.db, api.merchant.id, 'live', 'XOF', 1_000_000n);
  const receiver = await startReceiver();
  receiver.answer = (_webhook, response) => response.writeHead(500).end(PERSONAL.answer);
  url = `${receiver.url}/${PERSONAL.path}?token=${PERSONAL.query}`;
  await travel();
});

function call(method: string, path: string, options: Parameters<typeof request>[3] = {}) {
  const headers = { 'user-agent': PERSONAL.header, 'x-forwarded-for': PERSONAL.header };
  return request(api.service, method, path, { key: api.live_key, headers, ...options });
}

/** Transfers and payments that succeed and fail, webhooks that fail, strangers, and faults of ours. */
async function travel(): Promise<void> {
  const key = api.test_key;
  const made = await call('POST', '/webhook-endpoints', { key, body: { url } });
  expect(made.status).toBe(201);
  const body = { to_username: recipient, currency: 'XOF', amount: 100 };
  const { idempotency_key } = PERSONAL;
  const described = { ...body, description: PERSONAL.transfer_description };
  const sent = await call('POST', '/transfers', { body: described, idempotency_key });
  expect(sent.status).toBe(200);
  reference = sent.json.reference;
  await call('POST', '/transfers', { body: { ...body, to_username: PERSONAL.unknown_user } });
  await call('POST', '/transfers', { body: `{"amount": "${PERSONAL.body}` });
  await call('GET', `/transactions?limit=${PERSONAL.query}`);
  await call('GET', '/wallets', { key: PERSONAL.stranger_key });
  await call('GET', `/transfers/${PERSONAL.path.slice(0, 30)}`);
  const fields = {
    description: PERSONAL.description,
    customer_email: PERSONAL.email,
    customer_phone: PERSONAL.phone,
    metadata: { note: PERSONAL.metadata },
  };
  const intent = await api.create(fields);
  expect(intent.status).toBe(201);
  await actAt(intent.json.checkout_url, 'pay');
  // Postgres refuses this one, and shows the whole row in its error.
  await api.database.owner.raw(
    'alter table payment_intents add constraint refused check (amount_minor <> 777700) not valid',
  );
  expect((await api.create({ ...fields, amount: 7777 })).status).toBe(500);
  // A table that cannot be read.
  await api.database.owner.raw('alter table transfers rename to transfers_away');
  expect((await call('GET', '/transfers/TRF-00000000000000000000')).status).toBe(500);
  await api.database.owner.raw('alter table transfers_away rename to transfers');
  // The notification has no signature.
  await fetch(api.notification_url, { method: 'POST', body: JSON.stringify({ ...PERSONAL }) });
  await waitFor(async () => {
    const { rows } = await api.database.owner.raw(
      'select count(*)::int as count from webhook_attempts',
    );
    return rows[0].count > 0;
  });
}

function accessLines(): string {
  return JSON.stringify(api.service.access_lines);
}

it('hold no word of what people sent, no key and no secret', async () => {
  const scraped = await (await fetch(metrics_url)).text();
  const logged = `${JSON.stringify(api.service.log)}\n${accessLines()}\n${scraped}`;
  expect(logged.length).toBeGreaterThan(5_000);
  await waitFor(() => collector.spans.some(({ name }) => name === 'POST webhook'));
  const traced = collector.bodies.join('\n');
  expect(traced.length).toBeGreaterThan(10_000);
  const secrets = {
    ...PERSONAL,
    live_key: api.live_key,
    test_key: api.test_key,
    user: api.merchant.username,
    merchants_email: api.merchant.email,
    recipient,
    sealing_key: TEST_SECRETS_KEY,
    gateway_secret: GATEWAY_SECRETS.sandbox[0],
    database_password: new URL(api.database.app_url).password,
  };
  const found = (text: string, words: Readonly<Record<string, string>>) =>
    Object.entries(words).filter(([, word]) => text.includes(word));
  expect(found(logged, secrets)).toEqual([]);
  const not_in_spans = { address: '127.0.0.1', sql: 'select ', path: 'TRF-0', reference };
  expect(found(traced, { ...secrets, ...not_in_spans })).toEqual([]);
});

it('name the request in each error line that one ran into, as its access line does', () => {
  const faults = api.service.log.filter(({ route }) => route !== undefined);
  expect(faults.map(({ route }) => route)).toEqual(
    expect.arrayContaining([`${PREFIX}/transfers/{reference}`]),
  );
  const lines = accessLines();
  for (const { request_id } of faults) {
    expect(String(request_id)).toMatch(/^[A-Za-z0-9._:-]{1,128}$/);
    expect(lines).toContain(`"request_id":"${String(request_id)}"`);
  }
});

it('give every line a kind and a time', () => {
  expect(api.service.log.length).toBeGreaterThan(0);
  for (const line of api.service.log) {
    expect(line).toMatchObject({ log: expect.any(String), at: expect.stringMatching(/Z$/) });
  }
});

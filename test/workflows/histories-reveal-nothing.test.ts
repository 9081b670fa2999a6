// Temporal keeps nothing of a whole run that is hidden elsewhere, and with encrypted payloads nothing at all that can
// be read without the keys.

import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { loadConfig } from '../../config/load';
import { sha256Hex } from '../../secrets/hash';
import { makeSealingKey } from '../../secrets/keyring';
import { startCodecServer } from '../../temporal/codec-server';
import { ENCODING } from '../../temporal/payload-codec';
import { expectBooksHold } from '../support/books';
import { startTestApi, type TestApi } from '../support/api';
import { closeAfterFile } from '../support/cleanup';
import { request } from '../support/http';
import { actAt, GATEWAY_SECRETS } from '../support/sandbox-gateway';
import { TEST_SECRETS_KEY } from '../support/secrets';
import { startTestService } from '../support/service';
import { connectTestTemporal } from '../support/temporal';
import { textOf } from '../support/text-of';
import { buildApiKey, buildUser, fund, type TestUser } from '../support/users';
import { waitFor } from '../support/wait';
import { startReceiver, type TestReceiver } from '../support/webhooks';
import { orderRefund, suspenseOf, testPursuer, untilApplied } from './intents';

/** Every field that is filled from outside has one. */
const canary = (what: string): string => `canary-${what}-${randomUUID()}`;
const CANARIES = {
  key: `${canary('key')} of a customer`,
  safe_key_in_a_batch: canary('batched'),
  reversal_key: `${canary('reversal')} of a customer`,
  reason: canary('reason'),
  description: canary('description'),
  email: `${canary('email')}@example.com`,
  phone: '+221771234567',
  metadata_key: canary('m').slice(0, 40),
  metadata: canary('metadata'),
  transfer_description: canary('words'),
  transfer_metadata_key: canary('t').slice(0, 40),
  transfer_metadata: canary('transfer-metadata'),
  url_path: canary('path'),
  url_query: canary('query'),
  answer: canary('answer'),
  header: canary('header'),
  password: canary('password'),
  payout_key: `${canary('payout')} of a customer`,
  payout_phone: '+221771239876',
  payout_phone_that_fails: '+221771239006',
  payout_name: canary('payee'),
  payout_account: `SN08${randomUUID().replaceAll('-', '').slice(0, 20)}`,
  payout_description: canary('payout-words'),
  paying_phone: '+221771234789',
  paying_key: `${canary('attempt')} of a customer`,
  one_time_code: '90817263',
  intent_key: `${canary('intent')} of a customer`,
  failure_code: canary('code'),
  failure_message: canary('message'),
};

interface Run {
  readonly api: TestApi;
  readonly temporal: Client;
  readonly receiver: TestReceiver;
  readonly customer: TestUser;
  /** Everything that must stay hidden: the canaries, and what the service made. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Everything that Temporal has of the run. */
  readonly histories: Record<string, unknown>[];
  readonly descriptions: unknown[];
  /** Workflow ids; one bears a key that is a plain token. */
  readonly ids: readonly string[];
}

/**
 * Transfers alone and in a batch, refused ones, one given back in part, intents that end in each way, payouts, and
 * failing webhooks.
 */
async function runEverything(encrypt_payloads: boolean): Promise<Run> {
  const receiver = await startReceiver();
  receiver.answer = (_webhook, response) => {
    response.writeHead(500, { 'x-token': CANARIES.header }).end(CANARIES.answer);
  };
  const standard = loadConfig({ WEBHOOK_ALLOWED_ADDRESSES: '127.0.0.1' }).webhooks;
  const webhooks = { ...standard, retry_seconds: [0.1, 0.1, 3_600] };
  const overrides = { encrypt_payloads, webhooks, transfers_in_flight: 1 };
  const api = await startTestApi({ overrides, webhooks: true });
  const temporal = await connectTestTemporal();
  const funds = { live: { XOF: 1_000_000n } };
  const { db } = api.database;
  const { password } = CANARIES;
  const sender = await buildUser(db, { funds, password });
  const customer = await buildUser(db);
  const { key } = await buildApiKey(db, { user: sender, writes_per_minute: 1_000_000 });

  const endpoint = await request(api.service, 'POST', '/webhook-endpoints', {
    key: api.test_key,
    body: { url: `${receiver.url}/${CANARIES.url_path}?token=${CANARIES.url_query}` },
  });
  const send = (idempotency_key: string, amount: number) =>
    request(api.service, 'POST', '/transfers', {
      key,
      idempotency_key,
      headers: { 'x-canary': CANARIES.header },
      body: {
        to_username: customer.username,
        currency: 'XOF',
        amount,
        description: CANARIES.transfer_description,
        metadata: { [CANARIES.transfer_metadata_key]: CANARIES.transfer_metadata },
      },
    });
  expect((await send(CANARIES.key, 10)).status).toBe(200);
  expect((await send(`${CANARIES.key} twice`, 999_999)).status).toBe(402);
  const { key: customer_key } = await buildApiKey(db, { user: customer });
  const sent = await send(randomUUID(), 10);
  const path = `/transfers/${sent.json.reference as string}/reversals`;
  const back = await request(api.service, 'POST', path, {
    key: customer_key,
    idempotency_key: CANARIES.reversal_key,
    body: { amount: 5, reason: CANARIES.reason },
  });
  expect(back.status).toBe(201);
  // One at a time: all but the first share a workflow, whose ID bears no key.
  const batch = Array.from({ length: 8 }, (_, n) => send(`${CANARIES.safe_key_in_a_batch}${n}`, 1));
  for (const { status } of await Promise.all(batch)) expect(status).toBe(200);

  const create = (n: number) =>
    api.create(
      {
        description: CANARIES.description,
        customer_email: CANARIES.email,
        customer_phone: CANARIES.phone,
        metadata: { [CANARIES.metadata_key]: CANARIES.metadata },
      },
      { idempotency_key: `${CANARIES.intent_key} ${n}` },
    );
  const created = await Promise.all([create(0), create(1), create(2)]);
  const [paid, declined, canceled] = created.map(({ json }) => json);
  await actAt(paid.checkout_url, 'pay');
  const failure = { code: CANARIES.failure_code, message: CANARIES.failure_message };
  await api.notify(declined, { type: 'payment.failed', final: true, failure });
  expect((await api.cancel(canceled.id)).status).toBe(200);
  // Late money goes into suspense, by a workflow of its own.
  await api.notify(canceled);
  await untilApplied(api.database, canceled, 1);
  if (!encrypt_payloads) {
    const [item] = await suspenseOf(api.database, canceled);
    await orderRefund(api.database, item!.id);
    // By a client that encrypts nothing.
    await testPursuer(db, temporal, api.service.config.task_queue)('suspense-refund', [item!.id]);
  }
  await payOut(api);
  await payByPhone(api);
  await waitFor(() => receiver.received.length >= 4);

  const { task_queue } = api.service.config;
  const listed = await waitFor(async () => {
    const ids: string[] = [];
    for await (const { workflowId, type } of temporal.workflow.list({
      query: `TaskQueue = '${task_queue}'`,
    })) {
      ids.push(`${type} ${workflowId}`);
    }
    const counts = [
      'transfers ',
      'paymentIntent ',
      'lateNotification ',
      'reversal ',
      'pursue payout/',
      'pursue payment-attempt/',
      ...(encrypt_payloads ? [] : ['pursue suspense-refund/']),
    ].map((type) => ids.filter((id) => id.startsWith(type)).length);
    const [transfers, intents, ...others] = counts;
    return transfers! >= 3 && intents === 4 && others.every((count) => count >= 1) && ids;
  });
  const histories: Record<string, unknown>[] = [];
  const descriptions: unknown[] = [];
  for (const id of listed) {
    const handle = temporal.workflow.getHandle(id.split(' ')[1]!);
    histories.push((await handle.fetchHistory()) as Record<string, unknown>);
    descriptions.push((await handle.describe()).raw);
  }
  const secrets = {
    ...CANARIES,
    api_key: key,
    customer_key,
    test_key: api.test_key,
    webhook_secret: endpoint.json.secret,
    test_key_hash: sha256Hex(api.test_key),
    merchant_email: api.merchant.email,
    gateway_secret: GATEWAY_SECRETS.sandbox[0],
    ...Object.fromEntries(created.map(({ json }, n) => [`short_code_${n}`, json.short_code])),
    // A reader of the address may pay.
    ...Object.fromEntries(
      created.map(({ json }, n) => [`checkout_${n}`, json.checkout_url.split('/').at(-1)]),
    ),
    sender_email: sender.email,
    customer_email: customer.email,
  };
  const ids = listed.map((id) => id.split(' ')[1]!);
  return { api, temporal, receiver, customer, secrets, histories, descriptions, ids };
}

/** To a phone, to one that is not paid, and to a bank account; each to its end. */
async function payOut({ database, service, merchant, test_key: key }: TestApi): Promise<void> {
  await fund(database.db, merchant.id, 'sandbox', 'XOF', 10_000_000n);
  const { payout_phone, payout_phone_that_fails, payout_name: name, payout_account } = CANARIES;
  const destinations = [
    { type: 'mobile_money', phone: payout_phone },
    { type: 'mobile_money', phone: payout_phone_that_fails },
    { type: 'bank', account: payout_account, name },
  ];
  for (const [n, destination] of destinations.entries()) {
    const { json } = await request(service, 'POST', '/payouts', {
      key,
      idempotency_key: `${CANARIES.payout_key} ${n}`,
      body: {
        currency: 'XOF',
        amount: 5000,
        destination,
        name,
        description: CANARIES.payout_description,
        metadata: { [CANARIES.metadata_key]: CANARIES.metadata },
      },
    });
    await waitFor(async () => {
      const shown = await request(service, 'GET', `/payouts/${json.id as string}`, { key });
      return shown.json.conclusive === true;
    });
  }
}

/** With a one-time code, to its end. */
async function payByPhone(api: TestApi): Promise<void> {
  const { service, test_key: key } = api;
  const attempts = `/payment-intents/${(await api.create()).json.id as string}/attempts`;
  const { paying_phone: phone, paying_key: idempotency_key, one_time_code: otp } = CANARIES;
  const body = { operator: 'orange_sn', phone, otp };
  const { json } = await request(service, 'POST', attempts, { key, idempotency_key, body });
  await waitFor(async () => {
    const shown = await request(service, 'GET', `${attempts}/${json.id as string}`, { key });
    return shown.json.status === 'succeeded';
  });
}

/** Bytes as they are: ciphertext is no UTF-8. */
const bytesOf = (value: unknown): string => textOf(value, 'latin1');

/** Returns it as it is, in hex, and in base64 wherever it begins in the text that was encoded. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].flatMap((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    // The first and last characters depend on what stands beside it.
    const inner = encoded.slice(shift === 0 ? 0 : 4, -4);
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return [secret, bytes.toString('hex'), ...base64];
}

function found(text: string, secrets: Readonly<Record<string, string>>): string[] {
  return Object.entries(secrets)
    .filter(([, secret]) => formsOf(secret).some((form) => text.includes(form)))
    .map(([name]) => name);
}

function payloadsIn(value: unknown, seen = new Set<unknown>()): Payload[] {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return [];
  if (seen.has(value)) return [];
  seen.add(value);
  const { metadata, data } = value as Payload;
  if (metadata?.['encoding'] !== undefined) return [{ metadata, data: data ?? null }];
  return Object.entries(value)
    .filter(([name]) => name !== 'searchAttributes')
    .flatMap(([, field]) => payloadsIn(field, seen));
}

const encodingOf = ({ metadata }: Payload): string =>
  Buffer.from(metadata!['encoding']!).toString();

describe('what Temporal keeps, in clear', () => {
  let run: Run;
  beforeAll(async () => {
    run = await runEverything(false);
  });

  it('L1: finds a canary in each form, if it is there', () => {
    const secret = 'canary-of-this-test';
    for (const form of ['utf8', 'hex', 'base64', 'base64url'] as const) {
      const text = Buffer.from(`x${secret} beside something`).toString(form);
      expect(found(text, { secret })).toEqual(['secret']);
    }
    // The transfers of the run are in its histories, and their parties can be read.
    const text = bytesOf(run.histories);
    expect(found(text, { username: run.customer.username })).toEqual(['username']);
    expect(text).toContain('completed');
  });

  it('L1: has no key, no customer, no short code, no URL and no secret in any history', () => {
    expect(found(withoutIds(run, run.histories), run.secrets)).toEqual([]);
  });

  it('L1, B12: nor in what is shown and filtered by, but a plain token in the ID of its workflow', () => {
    expect(found(withoutIds(run, run.descriptions), run.secrets)).toEqual([]);
    const named = run.ids.filter((id) => found(id, run.secrets).length > 0);
    expect(named.every((id) => id.startsWith('transfer/live/'))).toBe(true);
  });

  it('L1: nor in a log', () => {
    const { api, secrets } = run;
    const log = JSON.stringify([api.service.log, api.service.access_lines]);
    expect(log).toContain('/transfers');
    expect(found(log, secrets)).toEqual([]);
  });

  it('L1: and what opens something stands in no table in clear', async () => {
    const { owner } = run.api.database;
    const { rows } = (await owner.raw(
      `select table_name from information_schema.tables
        where table_schema = 'public' and table_type = 'BASE TABLE'`,
    )) as { rows: { table_name: string }[] };
    let dump = '';
    for (const { table_name } of rows) {
      const { rows: lines } = (await owner.raw(
        `select coalesce(string_agg(t::text, E'\\n'), '') as text from ?? t`,
        [table_name],
      )) as { rows: { text: string }[] };
      dump += lines[0]!.text;
    }
    // The customer's data belongs there.
    expect(dump).toContain(CANARIES.email);
    const { api_key, test_key, webhook_secret, password } = run.secrets as Record<string, string>;
    const opening = { api_key, test_key, webhook_secret, password } as Record<string, string>;
    expect(found(dump, opening)).toEqual([]);
    await expectBooksHold(run.api.database.db);
  });
});

describe('what Temporal keeps, with encrypted payloads', () => {
  let run: Run;
  beforeAll(async () => {
    run = await runEverything(true);
  });

  it('L5: is only ciphertext, in every payload of every history', () => {
    const payloads = payloadsIn(run.histories);
    // The SDK's own words about a local activity: its number, its name and its times.
    const clear = payloads.filter((payload) => encodingOf(payload) !== ENCODING);
    for (const payload of clear) expect(bytesOf(payload)).toContain('"activity_type"');
    expect(payloads.length - clear.length).toBeGreaterThan(30);
    const text = payloads.map(bytesOf).join('\n');
    const { customer, secrets } = run;
    expect(found(text, { ...secrets, username: customer.username, word: 'completed' })).toEqual([]);
  });

  it('L5: is readable through the codec server, all of it', async () => {
    const server = await startCodecServer({
      secrets_keys: [makeSealingKey(), TEST_SECRETS_KEY],
      host: '127.0.0.1',
      port: 0,
      origins: [],
      token: undefined,
      log: () => undefined,
    });
    closeAfterFile(() => server.stop());
    const payloads = payloadsIn(run.histories).map(({ metadata, data }) => ({
      metadata: Object.fromEntries(
        Object.entries(metadata!).map(([name, value]) => [
          name,
          Buffer.from(value).toString('base64'),
        ]),
      ),
      data: Buffer.from(data!).toString('base64'),
    }));
    const body = { payloads };
    const { json } = await request({ base_url: '' }, 'POST', `${server.url}/decode`, { body });
    const clear = (json.payloads as { data?: string }[])
      .map(({ data = '' }) => Buffer.from(data, 'base64').toString())
      .join('\n');
    expect(clear).toContain(run.customer.username);
    expect(clear).toContain('"completed"');
    expect(found(clear, run.secrets)).toEqual([]);
  });

  it('goes on after a key was replaced, on a process that encrypts nothing any more', async () => {
    const { api } = run;
    const before = await api.create();
    const { task_queue } = api.service.config;
    await api.service.stop();
    const service = await startTestService({
      database: api.database,
      overrides: {
        task_queue,
        gateway: api.service.config.gateway,
        encrypt_payloads: false,
        secrets_keys: [makeSealingKey(), TEST_SECRETS_KEY],
      },
    });
    const canceled = await request(
      service,
      'POST',
      `/payment-intents/${before.json.id as string}/cancel`,
      { key: api.test_key },
    );
    expect(canceled.json).toMatchObject({ status: 'canceled' });
  });
});

/** The ID of a workflow is in its own history, too. */
function withoutIds({ ids }: Run, value: unknown): string {
  return ids.reduce((text, id) => text.replaceAll(id, ''), bytesOf(value));
}

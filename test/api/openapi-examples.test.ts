// The examples of the OpenAPI document are real: this file calls every operation, holds each answer to the
// document, and keeps it as the example in api/openapi-examples.json. To keep new ones, and those whose
// fields have changed:
//
//   EXAMPLES=keep npx jest test/api/openapi-examples.test.ts

import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FORMATS } from '../../api/schemas';
import addFormats from 'ajv-formats';
import Ajv2020 from 'ajv/dist/2020';
import { buildOpenApi } from '../../api/openapi';
import type { Route } from '../../api/route';
import { ROUTES } from '../../api/routes';
import { EVENT_TYPES } from '../../domain/event';
import { setUp } from '../support/database';
import { startTestApi } from '../support/api';
import { actOnPayout } from '../support/sandbox-payouts';
import { actAt } from '../support/sandbox-gateway';
import { issueFeeInvoices } from '../../db/ledger/fee-invoices';
import { setFees } from '../support/fees';
import { decide, latestCase, removeRules, setRule } from '../support/risk';
import { closeSchema } from '../support/close-schema';
import type { HttpResponse } from '../support/http';
import { limitAccount } from '../support/limits';
import { buildApiKey, buildUser, fund, type TestUser } from '../support/users';
import { waitFor } from '../support/wait';
import { startReceiver } from '../support/webhooks';
import { callApi, untilStatus } from './support/contract';
import { disputePayment } from './support/disputes';
import { payLink } from './support/refunds';

interface Example {
  readonly request?: unknown;
  readonly response?: unknown;
}
type Examples = Readonly<Record<string, Example>>;

const FILE = join(__dirname, '..', '..', 'api', 'openapi-examples.json');

/** Real answers by operation, and delivered events by type. */
const seen = new Map<string, Example>();
const headers_of = new Map<string, readonly string[]>();
const api = setUp(() => startTestApi({ webhooks: true }));
const receiver = setUp(startReceiver);
let merchant: TestUser;
let live: string;
let sandbox: string;

/** Calls with the test key, and keeps the answer as the operation's. */
async function show(
  operation_id: string,
  path: string,
  body?: unknown,
  key = sandbox,
): Promise<HttpResponse['json']> {
  const route = ROUTES.find((one) => one.operation_id === operation_id);
  if (!route) throw new Error(`No operation ${operation_id}`);
  const response = await callApi(api.service, route.method, path, { key, body });
  expect([operation_id, response.status, response.text]).toEqual([
    operation_id,
    route.status,
    expect.any(String),
  ]);
  seen.set(operation_id, {
    ...(body === undefined ? {} : { request: body }),
    response: response.json,
  });
  headers_of.set(operation_id, Object.keys(response.headers));
  return response.json;
}

async function showService(): Promise<void> {
  await show('getHealth', '/health');
  await show('getStatus', '/status');
  await show('getProfile', '/me', undefined, live);
}

async function showMoney(): Promise<void> {
  const customer = await buildUser(api.database.db, { username: 'customer' });
  const body = { to_username: customer.username, currency: 'XOF', amount: 5000 };
  const described = { ...body, description: 'Rent of May', metadata: { contract: 'C-17' } };
  const { reference } = await show('createTransfer', '/transfers', described, live);
  await show('getTransfer', `/transfers/${reference}`, undefined, live);
  const { key } = await buildApiKey(api.database.db, { user: customer });
  const part = { amount: 1000, reason: 'Sent too much' };
  await show('createReversal', `/transfers/${reference}/reversals`, part, key);
  const order = { transfers: [body, { ...body, amount: 7500, idempotency_key: 'wage-17' }] };
  const { id } = await show('createTransferBatch', '/transfer-batches', order, live);
  const batch = `/transfer-batches/${id}`;
  await untilStatus(api.service, batch, live, 'completed');
  await show('getTransferBatch', batch, undefined, live);
  const asked = '/idempotency-keys/wage-17?operation=transfer';
  await show('getIdempotencyKey', asked, undefined, live);
  await show('listTransferBatches', '/transfer-batches', undefined, live);
  await show('listBatchTransfers', `${batch}/transfers`, undefined, live);
  const canceled = await waitFor(async () => {
    const many = { transfers: Array.from({ length: 1_000 }, () => ({ ...body, amount: 1 })) };
    const given = { key: live, body: many };
    const { json } = await callApi(api.service, 'POST', '/transfer-batches', given);
    const path = `/transfer-batches/${json.id}/cancel`;
    const { status } = await callApi(api.service, 'POST', path, { key: live });
    return status === 200 && path;
  });
  await show('cancelTransferBatch', canceled, undefined, live);
  await show('listWallets', '/wallets', undefined, live);
  await limitAccount(api.database, api.merchant, { balance: '90000000', daily_out: '50000000' });
  await show('getLimits', '/limits', undefined, live);
  const { transactions } = await show(
    'listTransactions',
    '/transactions?limit=1&type=transfer',
    undefined,
    live,
  );
  await show('getTransaction', `/transactions/${transactions[0].id}`, undefined, live);
  await showFees();
  const { statements } = await show('listStatements', '/statements?limit=3', undefined, live);
  await show('getStatement', `/statements/EUR/${statements[0].month}`, undefined, live);
}

/** The recipient bears the fee of a transfer; an operator issues the invoice at once. */
async function showFees(): Promise<void> {
  const { database, service } = api;
  await setFees(database.owner, { kinds: ['transfer'], currency: 'EUR', percent: 1 });
  const sender = await buildUser(database.db, { funds: { live: { EUR: 100_000n } } });
  const { key } = await buildApiKey(database.db, { user: sender, environment: 'live' });
  const body = { to_username: merchant.username, currency: 'EUR', amount: 125 };
  expect((await callApi(service, 'POST', '/transfers', { key, body })).status).toBe(200);
  await show('previewFee', '/fees?kind=transfer&currency=EUR&amount=125.00', undefined, live);
  const of = { user_id: merchant.id, environment: 'live' } as const;
  await issueFeeInvoices(database.operator, of, 'pay.example.com', 'test');
  const { fee_invoices } = await show('listFeeInvoices', '/fee-invoices', undefined, live);
  await show('getFeeInvoice', `/fee-invoices/${fee_invoices[0].number}`, undefined, live);
  await setFees(database.owner, { kinds: ['transfer'], currency: 'EUR' });
}

/** Says the endpoint's id. */
async function showEndpoints(): Promise<string> {
  const body = { url: receiver.url, types: [...EVENT_TYPES], description: 'The shop' };
  const { id } = await show('createWebhookEndpoint', '/webhook-endpoints', body);
  await show('changeWebhookEndpoint', `/webhook-endpoints/${id}`, { max_per_second: 50 });
  await show('getWebhookEndpoint', `/webhook-endpoints/${id}`);
  await show('listWebhookEndpoints', '/webhook-endpoints');
  return id;
}

async function showLinks(): Promise<void> {
  const body = {
    amount: 49.9,
    currency: 'EUR',
    country: 'SN',
    description: 'Two books',
    customer_email: 'awa@example.com',
    metadata: { order: 'A-17' },
    return_url: 'https://shop.example/orders/A-17',
    cancel_url: 'https://shop.example/basket',
  };
  const link = await show('createPaymentIntent', '/payment-intents', body);
  const canceled = (await api.create({}, { key: sandbox })).json;
  await show('cancelPaymentIntent', `/payment-intents/${canceled.id}/cancel`);
  await api.create({ expires_in: 3 }, { key: sandbox });
  const failed = (await api.create({}, { key: sandbox })).json;
  const failure = { code: 'declined', message: 'The card was declined.' };
  await api.notify(failed, { type: 'payment.failed', failure });
  await api.notify(link);
  await until(`/payment-intents/${link.id}`, 'succeeded');
  await showRefunds(link);
  await showAttempts();
  await showDisputes();
  await sendBothWays();
  await showPayouts();
  await haveSomeHeld();
  for (const type of EVENT_TYPES) {
    const [body_text] = await waitFor(() => {
      const bodies = receiver.received.map((webhook) => webhook.body);
      const found = bodies.filter((text) => {
        const event = JSON.parse(text);
        // Several payments succeed, and the one of the link has every field.
        return event.type === type && (type !== 'payment.succeeded' || event.data.id === link.id);
      });
      return found.length > 0 && found;
    });
    seen.set(type, { request: JSON.parse(body_text!) });
  }
  await show('getPaymentIntent', `/payment-intents/${link.short_code}`);
  await show('getPaymentIntentTimeline', `/payment-intents/${link.id}/timeline`);
  await show('listPaymentIntents', '/payment-intents?status=succeeded');
}

const until = (path: string, status: string) => untilStatus(api.service, path, sandbox, status);

async function showReusableLinks(): Promise<void> {
  const body = {
    title: 'Café Touba',
    currency: 'XOF',
    amount: 500,
    quantity: { minimum: 1, maximum: 10 },
    collect: [{ key: 'table', label: 'Table', required: true }],
  };
  const { id, code, url } = await show('createPaymentLink', '/payment-links', body);
  await show('getPaymentLink', `/payment-links/${code}`);
  await show('changePaymentLink', `/payment-links/${id}`, { title: 'Café Touba, chaud' });
  await show('listPaymentLinks', '/payment-links?status=active');
  const form = { form_id: randomUUID(), quantity: '2', collect_table: '12' };
  await fetch(url as string, {
    method: 'POST',
    body: new URLSearchParams(form),
    redirect: 'manual',
  });
  await show('listLinkPayments', `/payment-links/${id}/payments`);
}

async function showSandbox(): Promise<void> {
  await show('fundSandboxWallet', '/sandbox/fund', { currency: 'XOF', amount: 50_000 });
  await show('getTestValues', '/sandbox/test-values');
  const fault = { operation: 'POST /transfers', fault: 'lost-response', times: 3 };
  await show('createSandboxFault', '/sandbox/faults', fault);
  await show('listSandboxFaults', '/sandbox/faults');
  await show('deleteSandboxFaults', '/sandbox/faults');
}

async function showAttempts(): Promise<void> {
  const body = { amount: 5000, currency: 'XOF' };
  const { json } = await callApi(api.service, 'POST', '/payment-intents', { key: sandbox, body });
  const attempts = `/payment-intents/${json.id as string}/attempts`;
  const methods = '/payment-methods?currency=XOF&country=SN';
  await waitFor(async () => {
    const { json: listed } = await callApi(api.service, 'GET', methods, { key: sandbox });
    return listed.payment_methods.length > 0;
  });
  await show('listPaymentMethods', methods);
  const order = { operator: 'orange_sn', phone: '+221770000100' };
  const { id } = await show('createPaymentAttempt', attempts, order);
  await show('givePaymentOtp', `${attempts}/${id}/otp`, { otp: '1234' });
  await until(`${attempts}/${id}`, 'succeeded');
  await show('getPaymentAttempt', `${attempts}/${id}`);
  await show('listPaymentAttempts', attempts);
}

/** Each operation, and each event: one that waits, one that is approved, one that fails, one that comes back. */
async function showPayouts(): Promise<void> {
  const { db, owner } = api.database;
  await fund(db, merchant.id, 'sandbox', 'XOF', 10_000_000n);
  const { key: other, id: key_id } = await buildApiKey(db, {
    user: merchant,
    environment: 'sandbox',
  });
  await owner.raw(
    `with l as (insert into logins (email, password_hash) values ('binta@example.com', 'none') returning id),
          m as (insert into memberships (login_id, user_id, role) select id, ?, 'developer' from l)
     update api_keys set login_id = l.id from l where api_keys.id = ?`,
    [merchant.id, key_id],
  );
  const to = (phone: string) => ({ type: 'mobile_money', phone });
  const body = {
    currency: 'XOF',
    amount: 5000,
    destination: to('+221770000100'),
    name: 'Awa Diop',
    description: 'Wages of May',
  };
  const { currency, amount, destination, name } = body;
  const checked = { currency, amount, destination, name };
  await show('checkPayoutDestination', '/payout-destinations/check', checked);
  const { id, reference } = await show('createPayout', '/payouts', body);
  await until(`/payouts/${id}`, 'succeeded');
  await show('getPayout', `/payouts/${reference}`);
  await show('getPayoutTimeline', `/payouts/${id}/timeline`);
  await show('listPayouts', '/payouts?status=succeeded');
  await actOnPayout(api.gateway, 'sandbox', id, { action: 'return' });
  const order = async (fields: object): Promise<string> => {
    const given = { key: sandbox, body: { ...body, ...fields } };
    return (await callApi(api.service, 'POST', '/payouts', given)).json.id;
  };
  await show('confirmPayout', `/payouts/${await order({ confirm: false })}/confirm`);
  await show('cancelPayout', `/payouts/${await order({ confirm: false })}/cancel`);
  await order({ destination: to('+221770000001') });
  await owner.raw(
    `insert into payout_settings (user_id, currency, approval_above_minor) values (?, 'XOF', 0)`,
    [merchant.id],
  );
  const waiting = [await order({}), await order({})];
  const asOne = async (fields: object): Promise<string> => {
    const payouts = [checked, { currency, amount: 7500, destination: to('+221770000200') }];
    const given = { payouts, ...fields };
    return (await show('createPayoutBatch', '/payout-batches', given)).id;
  };
  const untilBatch = (of: string, status: string) => until(`/payout-batches/${of}`, status);
  const batches = [await asOne({ confirm: true }), await asOne({})] as const;
  for (const one of batches) await untilBatch(one, 'requires_approval');
  await owner.raw('delete from payout_settings');
  await show('approvePayout', `/payouts/${waiting[0]}/approve`, undefined, other);
  const reason = { reason: 'Paid last week' };
  await show('rejectPayout', `/payouts/${waiting[1]}/reject`, reason, other);
  await show('approvePayoutBatch', `/payout-batches/${batches[0]}/approve`, undefined, other);
  await show('rejectPayoutBatch', `/payout-batches/${batches[1]}/reject`, reason, other);
  await untilBatch(batches[0], 'completed');
  const canceled = await asOne({});
  await untilBatch(canceled, 'requires_confirmation');
  await show('cancelPayoutBatch', `/payout-batches/${canceled}/cancel`);
  const confirmed = await asOne({});
  await untilBatch(confirmed, 'requires_confirmation');
  const exclude = { exclude: ['no_match', 'unreachable'] };
  await show('confirmPayoutBatch', `/payout-batches/${confirmed}/confirm`, exclude);
  await show('getPayoutBatch', `/payout-batches/${batches[0]}`);
  await show('listPayoutBatches', '/payout-batches');
  await show('listBatchPayouts', `/payout-batches/${batches[0]}/payouts`);
}

/** Makes the events of either direction. */
async function sendBothWays(): Promise<void> {
  const { db } = api.database;
  const funds = { sandbox: { XOF: 1_000_000n } };
  const supplier = await buildUser(db, { username: 'supplier', funds });
  await fund(db, merchant.id, 'sandbox', 'XOF', 1_000_000n);
  const { key } = await buildApiKey(db, { user: supplier, environment: 'sandbox' });
  const body = { currency: 'XOF', amount: 5000, description: 'Rent of May' };
  for (const [from, to] of [
    [key, merchant],
    [sandbox, supplier],
  ] as const) {
    const order = { ...body, to_username: to.username };
    await callApi(api.service, 'POST', '/transfers', { key: from, body: order });
  }
}

/** One of a payment that the gateway knows, and one of a payment that only its notification told of. */
/** A rule holds one of each; a transfer is refused then. */
async function haveSomeHeld(): Promise<void> {
  const { db, operator, owner } = api.database;
  await setRule(operator, { environment: 'sandbox' });
  const { username: to_username } = await buildUser(db);
  const order = { to_username, currency: 'XOF', amount: 1_001 };
  await callApi(api.service, 'POST', '/transfers', { key: sandbox, body: order });
  await decide(operator, (await latestCase(db)).reference, 'refuse');
  const destination = { type: 'mobile_money', phone: '+221770000100' };
  const body = { currency: 'XOF', amount: 1_001, destination };
  await callApi(api.service, 'POST', '/payouts', { key: sandbox, body });
  await api.notify((await api.create({}, { key: sandbox })).json);
  await waitFor(async () => (await latestCase(db)).subject_type === 'payment_intent');
  await removeRules(owner);
}

async function showRefunds(notified: HttpResponse['json']): Promise<void> {
  const { json: paid } = await api.create({}, { key: sandbox });
  await actAt(paid.checkout_url, 'pay');
  await until(`/payment-intents/${paid.id}`, 'succeeded');
  await callApi(api.service, 'POST', `/payment-intents/${notified.id}/refunds`, { key: sandbox });
  const body = { amount: 2000, reason: 'One book was missing', metadata: { ticket: 17 } };
  const { id } = await show('createRefund', `/payment-intents/${paid.id}/refunds`, body);
  await until(`/refunds/${id}`, 'succeeded');
  await show('getRefund', `/refunds/${id}`);
  await show('listRefunds', '/refunds?status=succeeded');
  await show('listPaymentIntentRefunds', `/payment-intents/${paid.short_code}/refunds`);
}

/** One that is won, and one that is lost. */
async function showDisputes(): Promise<void> {
  for (const course of ['won', 'lost'] as const) {
    const { id } = await payLink(api, { key: sandbox });
    await disputePayment(api, id, { key: sandbox });
    await disputePayment(api, id, { key: sandbox, course });
  }
  const { disputes } = await show('listDisputes', '/disputes?status=lost');
  await show('getDispute', `/disputes/${disputes[0].id}`);
}

async function showDeliveries(endpoint_id: string): Promise<void> {
  const paid = seen.get('payment.succeeded')!.request as { readonly id: string };
  const query = `?event_id=${paid.id}&status=delivered`;
  await waitFor(async () => {
    const { json } = await callApi(api.service, 'GET', `/webhook-deliveries${query}`, {
      key: sandbox,
    });
    return json.webhook_deliveries.length === 1;
  });
  const { webhook_deliveries } = await show('listWebhookDeliveries', `/webhook-deliveries${query}`);
  const delivery = `/webhook-deliveries/${webhook_deliveries[0].id}`;
  await show('getWebhookDelivery', delivery);
  await show('listWebhookAttempts', `${delivery}/attempts`);
  await show('listEvents', '/events?limit=1&type=payment.succeeded');
  await show('getEvent', `/events/${paid.id}`);
  await show('resendWebhookDelivery', `${delivery}/resend`);
  await show('resendEvent', `/events/${paid.id}/resend`, { endpoint_id });
  const range = { status: 'delivered', created_from: '2026-01-01' };
  const resend = await show('resendWebhooks', `/webhook-endpoints/${endpoint_id}/resend`, range);
  await show('getWebhookResend', `/webhook-resends/${resend.id}`);
  const test = { type: 'payment.failed' };
  await show('sendTestWebhook', `/webhook-endpoints/${endpoint_id}/test`, test);
  const rotation = { overlap_seconds: 3600 };
  await show('rotateWebhookSecret', `/webhook-endpoints/${endpoint_id}/rotate-secret`, rotation);
  const faults = `/webhook-endpoints/${endpoint_id}/faults`;
  await show('createWebhookFault', faults, { fault: 'bad-signature', times: 100 });
  await show('listWebhookFaults', faults);
  await show('deleteWebhookFaults', faults);
  await show('deleteWebhookEndpoint', `/webhook-endpoints/${endpoint_id}`);
}

async function showClock(): Promise<void> {
  const order = { key: sandbox, body: { currency: 'XOF', amount: 5000 } };
  await callApi(api.service, 'POST', '/payment-intents', order);
  await show('getSandboxClock', '/sandbox/clock');
  await show('advanceSandboxClock', '/sandbox/clock/advance', { seconds: 86_400 });
}

beforeAll(async () => {
  const { db } = api.database;
  merchant = await buildUser(db, { username: 'merchant', funds: { live: { XOF: 100_000_00n } } });
  live = (await buildApiKey(db, { user: merchant })).key;
  sandbox = (await buildApiKey(db, { user: merchant, environment: 'sandbox' })).key;
  await showService();
  await showMoney();
  const endpoint_id = await showEndpoints();
  await showLinks();
  await showReusableLinks();
  await showSandbox();
  await showDeliveries(endpoint_id);
  await showClock();
  await receiver.shut();
  if (process.env['EXAMPLES'] === 'keep') keepExamples();
});

const kept = (): Examples => JSON.parse(readFileSync(FILE, 'utf8')) as Examples;

/** New ones, and those with other fields than before; the rest stay, so that a change shows only itself. */
function keepExamples(): void {
  const before = kept();
  const examples = [...seen].map(([name, example]) => {
    const old = before[name];
    const is_same = old !== undefined && shapeOf(old) === shapeOf(example);
    return [name, is_same ? old : forReaders(example)] as const;
  });
  const sorted = examples.sort(([one], [other]) => (one < other ? -1 : 1));
  writeFileSync(FILE, JSON.stringify(Object.fromEntries(sorted)));
  execFileSync('npx', ['prettier', '--write', FILE]);
}

/** Shows the addresses that a reader expects, and no secrets. */
function forReaders(example: Example): Example {
  const text = JSON.stringify(example)
    .replaceAll(api.service.origin, 'https://pay.example.com')
    .replaceAll(api.gateway.url, 'https://checkout.example.com')
    .replaceAll(receiver.url, 'https://shop.example.com/webhooks')
    .replace(/whsec_[\w+/=]+/g, `whsec_${'0'.repeat(43)}=`);
  return JSON.parse(text) as Example;
}

/** The names of the fields at every depth, of a list those of its first row. */
function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length === 0 ? '' : shapeOf(value[0])}]`;
  if (typeof value !== 'object' || value === null) return '';
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([name, inner]) => `${name}${shapeOf(inner)}`).join()}}`;
}

const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  formats: { 'idn-email': FORMATS['idn-email'].is, 'country-code': FORMATS['country-code'].is },
});
addFormats(ajv);
const document = buildOpenApi('');
ajv.addSchema(document, 'document');
ajv.addSchema(closeSchema(document) as object, 'closed');

/** The faults of a value by the schema at this place of the document; '' when there are none. */
function faultsOf(pointer: readonly string[], value: unknown, which = 'closed'): string {
  const escaped = pointer.map((one) =>
    encodeURIComponent(one.replace(/~/g, '~0').replace(/\//g, '~1')),
  );
  const isValid = ajv.compile({ $ref: `${which}#/${escaped.join('/')}` });
  return isValid(value) ? '' : ajv.errorsText(isValid.errors);
}

const JSON_SCHEMA = ['content', 'application/json', 'schema'];

const requestSchema = ({ path, method }: Route) => [
  'paths',
  path,
  method.toLowerCase(),
  'requestBody',
  ...JSON_SCHEMA,
];
const responseSchema = ({ path, method, status }: Route) => [
  'paths',
  path,
  method.toLowerCase(),
  'responses',
  String(status),
  ...JSON_SCHEMA,
];

describe('the examples of the OpenAPI document', () => {
  it('are there for every operation and every webhook: EXAMPLES=keep npx jest test/api/openapi-examples.test.ts', () => {
    const names = [...ROUTES.map(({ operation_id }) => operation_id), ...EVENT_TYPES].sort();
    expect([...seen.keys()].sort()).toEqual(names);
    expect(Object.keys(kept()).sort()).toEqual(names);
  });

  it.each(ROUTES.map((route) => [route.operation_id, route] as const))(
    'of %s fit its schemas and have the fields of a real answer',
    (name, route) => {
      const { request, response } = kept()[name] ?? {};
      const real = seen.get(name);
      expect(faultsOf(responseSchema(route), response)).toBe('');
      expect(faultsOf(responseSchema(route), real?.response)).toBe('');
      expect(shapeOf(response)).toBe(shapeOf(real?.response));
      if (route.body) expect(faultsOf(requestSchema(route), request)).toBe('');
    },
  );

  it.each(EVENT_TYPES)(
    'of %s fit the schema of events and have the fields of a real delivery',
    (type) => {
      const { request } = kept()[type] ?? {};
      expect(faultsOf(['components', 'schemas', 'Event'], request)).toBe('');
      expect(
        faultsOf(['webhooks', type, 'post', 'requestBody', ...JSON_SCHEMA], request, 'document'),
      ).toBe('');
      expect(shapeOf(request)).toBe(shapeOf(seen.get(type)?.request));
    },
  );
});

describe('the headers of an answer', () => {
  // Every web server sends these.
  const USUAL = new Set([
    'cache-control',
    'connection',
    'content-length',
    'content-type',
    'date',
    'keep-alive',
    'transfer-encoding',
    'vary',
    'x-content-type-options',
  ]);

  it.each(ROUTES.map((route) => [route.operation_id, route] as const))(
    'of %s are in the document',
    (name, { path, method, status }) => {
      const paths = document['paths'] as Record<
        string,
        Record<string, { responses: Record<string, { headers: object }> }>
      >;
      const { headers } = paths[path]![method.toLowerCase()]!.responses[String(status)]!;
      const documented = Object.keys(headers).map((header) => header.toLowerCase());
      const sent = headers_of.get(name)!.filter((header) => !USUAL.has(header));
      expect(sent.filter((header) => !documented.includes(header))).toEqual([]);
    },
  );
});

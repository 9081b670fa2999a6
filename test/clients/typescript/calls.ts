// A program as a merchant writes it with a generated client: openapi-typescript and openapi-fetch, compiled
// under --strict by test/clients/run.sh, and run against the service. It ends with 1 when something differs.

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import createClient from 'openapi-fetch';
import type { components, paths, webhooks } from './schema';

type PaymentIntent = components['schemas']['PaymentIntent'];
type Paid = webhooks['payment.succeeded']['post']['requestBody']['content']['application/json'];

const { BASE_URL: baseUrl = '', KEY: key = '' } = process.env;
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });

/** One type serves an answer, a row of a list and the data of an event. */
const title = ({ reference, status }: PaymentIntent): string => `${reference} ${status}`;
const titleOfEvent = ({ type, data }: Paid): string => `${type} ${title(data)}`;

async function main(): Promise<void> {
  const created = await client.POST('/payment-intents', {
    // No `expires_in`: a default is not a duty.
    body: { amount: 49.9, currency: 'EUR', metadata: { order: 'A-17' } },
    params: { header: { 'Idempotency-Key': `typescript-${Date.now()}` } },
  });
  assert.ok(created.data, JSON.stringify(created.error));
  await payAtSimulator(created.data.checkout_url);
  const paid = await waitUntilPaid(created.data.id);
  console.log(title(paid));
  assert.equal(paid.metadata['order'], 'A-17');
  assert.equal(paid.last_payment_error, null);

  const listed = await client.GET('/payment-intents', {
    params: { query: { status: 'succeeded', limit: 5 } },
  });
  const row = listed.data?.payment_intents.find(({ id }) => id === paid.id);
  assert.ok(row);
  assert.equal(title(row), title(paid));
  const events = await client.GET('/events', { params: { query: { type: 'payment.succeeded' } } });
  // An event of a refund has the refund, one of a transfer the transfer.
  const event = events.data?.events.find(({ data }) => 'short_code' in data && data.id === paid.id);
  assert.ok(event && 'short_code' in event.data);
  console.log(titleOfEvent({ ...event, type: 'payment.succeeded', data: event.data }));

  // It also answers in CSV: a second type of response would take `transactions` from the first.
  const history = await client.GET('/transactions', {
    params: { query: { reference: paid.reference, direction: 'in' } },
  });
  const credited = history.data?.transactions[0];
  assert.equal(credited?.id, paid.transaction_id, JSON.stringify(history.error));

  const refunded = await client.POST('/payment-intents/{id_or_code}/refunds', {
    params: {
      path: { id_or_code: paid.short_code },
      header: { 'Idempotency-Key': `typescript-refund-${Date.now()}` },
    },
    body: { amount: 9.9, reason: 'one book' },
  });
  assert.equal(refunded.data?.payment_intent_id, paid.id, JSON.stringify(refunded.error));

  const sent = await client.POST('/transfers', {
    body: { to_username: 'customer', currency: 'XOF', amount: 5000 },
  });
  assert.equal(sent.data?.status, 'simulated');
  const refused = await client.POST('/transfers', {
    body: { to_username: 'nobody-of-this-name', currency: 'XOF', amount: 5000 },
  });
  assert.ok(refused.error);
  const code: components['schemas']['ErrorCode'] = refused.error.error.code;
  assert.equal(code, 'recipient_not_found');
  assert.equal(refused.error.error.retryable, false);
}

/** What a customer does on the simulator's checkout. */
async function payAtSimulator(checkout_url: string): Promise<void> {
  const response = await fetch(checkout_url, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ action: 'pay' }),
  });
  assert.ok(response.status < 400, `The simulator answers ${response.status}.`);
}

async function waitUntilPaid(id_or_code: string): Promise<PaymentIntent> {
  for (let tries = 0; tries < 600; tries += 1) {
    const { data } = await client.GET('/payment-intents/{id_or_code}', {
      params: { path: { id_or_code } },
    });
    if (data?.status === 'succeeded') return data;
    await pause(100);
  }
  throw new Error('The link was not paid.');
}

void main();

// What must not compile.
export function refusedByTheCompiler(intent: PaymentIntent): void {
  // @ts-expect-error a currency that there is not
  void client.POST('/transfers', { body: { to_username: 'a', currency: 'GBP', amount: 1 } });
  // @ts-expect-error a field that there is not
  void intent.amount_paid;
  // @ts-expect-error a status that there is not
  void (intent.status === 'paid');
}

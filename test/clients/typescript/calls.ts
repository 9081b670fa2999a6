// A program as a merchant writes it with the official client, compiled as strictly as can be by test/clients/run.sh
// and run against the service. It ends with 1 when something differs.

import { ApiError, PaymentsClient, toMinor } from 'payments-client';
import type {
  CreateTransferRequest,
  OutcomeUnknown,
  PaymentIntent,
  WebhookEvent,
} from 'payments-client';

declare const process: { readonly env: Readonly<Record<string, string | undefined>> };
declare function setTimeout(then: () => void, milliseconds: number): unknown;

const { PAYMENTS_URL: baseUrl = '', PAYMENTS_KEY: key = '' } = process.env;
const logged: unknown[] = [];
const client = new PaymentsClient(key, { baseUrl, log: (entry) => logged.push(entry) });

function assert(isSo: boolean, what: unknown): asserts isSo {
  if (!isSo) throw new Error(`Not so: ${JSON.stringify(what)}`);
}

/** One type serves an answer, a row of a list and the data of an event. */
const title = ({ reference, status }: PaymentIntent): string => `${reference} ${status}`;

export async function main(): Promise<void> {
  const created = await client.paymentIntents.create({
    amount: '49.90',
    currency: 'EUR',
    metadata: { order: 'A-17', weight: 1.5 },
  });
  assert(created.amount === '49.90', created);
  await payAtSimulator(created.checkout_url);
  const paid = await waitUntilPaid(created.id);
  assert(paid.metadata['order'] === 'A-17' && paid.metadata['weight'] === 1.5, paid);
  assert(paid.last_payment_error === null && toMinor(paid.amount) === 4990n, paid);

  const listed = client.paymentIntents.list({ status: 'succeeded', limit: 1 });
  assert((await listed).payment_intents.length === 1, await listed);
  const titles: string[] = [];
  for await (const row of listed.autoPaging()) if (titles.push(title(row)) === 3) break;
  assert(titles.includes(title(paid)), titles);
  const history = await client.transactions.list({ reference: paid.reference, direction: 'in' });
  assert(history.transactions[0]?.id === paid.transaction_id, history);

  const refunded = await client.refunds.create(paid.short_code, { amount: '9.90', reason: 'one' });
  assert(refunded.payment_intent_id === paid.id && refunded.amount === '9.90', refunded);

  const idempotencyKey = `typescript/${Date.now()} é`.slice(0, -2);
  const order: CreateTransferRequest = { to_username: 'customer', currency: 'XOF', amount: '5000' };
  const sent = await client.transfers.create(order, { idempotencyKey });
  assert(sent.amount === '5000.00' && sent.status === 'simulated', sent);
  const again = await client.transfers.create(order, { idempotencyKey });
  assert(again.reference === sent.reference, again);
  const { status, headers, requestId } = again.lastResponse;
  assert(status === 200 && headers.get('idempotent-replayed') === 'true', again);
  assert(requestId !== undefined && !JSON.stringify(again).includes(requestId), again);
  const file = new TextDecoder().decode(await client.transactions.listCsv({ direction: 'in' }));
  assert(file.includes(paid.reference), file);
  const month = paid.created_at.slice(0, 7);
  const statement = await client.statements.retrievePdf('EUR', month);
  assert(new TextDecoder().decode(statement.slice(0, 5)) === '%PDF-', statement.length);

  // A service of one's own making, for tests.
  const fake: typeof fetch = () => Promise.resolve(Response.json({ ok: true, wallets: [] }));
  const faked = new PaymentsClient('pay_test_fake', { baseUrl, fetch: fake });
  assert((await faked.wallets.list()).wallets.length === 0, 'the fake service answers');
  const kept = await client.idempotencyKeys.retrieve(idempotencyKey, { operation: 'transfer' });
  assert(kept.reference === sent.reference, kept);

  const refused: unknown = await client.transfers
    .create({ to_username: 'nobody-of-this-name', currency: 'XOF', amount: '5000' })
    .catch((error: unknown) => error);
  assert(refused instanceof ApiError && refused.code === 'recipient_not_found', refused);
  assert(!refused.retryable && refused.requestId !== undefined, refused);
  const text = JSON.stringify([logged, refused, client]);
  assert(logged.length > 10 && !text.includes(key), 'no log shows the key');
}

/** Pays on the simulator's checkout as a customer does. */
async function payAtSimulator(checkout_url: string): Promise<void> {
  const body = new URLSearchParams({ action: 'pay' });
  const { status } = await fetch(checkout_url, { method: 'POST', redirect: 'manual', body });
  assert(status < 400, status);
}

async function waitUntilPaid(id: string): Promise<PaymentIntent> {
  for (let tries = 0; tries < 600; tries += 1) {
    const intent = await client.paymentIntents.retrieve(id);
    if (intent.status === 'succeeded') return intent;
    await new Promise<void>((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('The link was not paid.');
}

/** The type of an event says what its data are. */
export function paidAmount(event: WebhookEvent): string | undefined {
  return event.type === 'payment.succeeded' ? event.data.net_amount : undefined;
}

// These must not compile.
export function refusedByTheCompiler(intent: PaymentIntent, error: OutcomeUnknown): void {
  // @ts-expect-error a currency that there is not
  void client.transfers.create({ to_username: 'a', currency: 'GBP', amount: '1' });
  // @ts-expect-error an amount that is neither text nor a number
  void client.transfers.create({ to_username: 'a', currency: 'EUR', amount: true });
  // @ts-expect-error a field that there is not
  void client.transfers.create({ to_username: 'a', currency: 'EUR', amount: '1', to: 'b' });
  // @ts-expect-error a field that there is not
  void intent.amount_paid;
  // @ts-expect-error an error without a status
  void error.status;
}

// The main job as callers see it, through TLS, over and over while processes die: a transfer, a payment link
// that a customer pays, and the webhook about it.

import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import type { Topology } from '../harness/topology';
import { startReceiver, expectGenuine, type TestReceiver } from '../../support/webhooks';
import { waitFor } from '../../support/wait';
import { buildPerson, openCaller, operate, type Caller, type Person } from './topology';

export interface Company {
  readonly topology: Topology;
  readonly caller: Caller;
  readonly merchant: Person;
  readonly customer: Person;
  readonly receiver: TestReceiver;
  readonly webhook_secret: string;
  /** The merchant has sent so much to the customer so far, and been answered 200. */
  sent: number;
}

const FUNDS = 500_000;
const SETTLE_LIMIT_MS = 180_000;

export async function buildCompany(topology: Topology): Promise<Company> {
  const caller = openCaller(topology);
  const merchant = await buildPerson(topology, 'merchant');
  const customer = await buildPerson(topology, 'customer');
  const receiver = await startReceiver();
  const endpoint = await caller.insist(
    {
      method: 'POST',
      path: '/webhook-endpoints',
      key: merchant.test_key,
      body: { url: receiver.url, types: ['payment.succeeded'] },
    },
    201,
  );
  const { secret: webhook_secret } = endpoint.json as { secret: string };
  return { topology, caller, merchant, customer, receiver, webhook_secret, sent: 0 };
}

/** Returns the transfer's reference. */
export async function transfer(company: Company, amount = 100): Promise<string> {
  const { caller, merchant, customer } = company;
  const order = {
    ...({ method: 'POST', path: '/transfers', key: merchant.live_key } as const),
    idempotency_key: randomUUID(),
    body: { to_username: customer.username, currency: 'XOF', amount },
  };
  const answer = await caller.insist(order, 200);
  company.sent += amount;
  // The same bytes, whichever process answers.
  expect((await caller.insist(order, 200)).text).toBe(answer.text);
  return (answer.json as { reference: string }).reference;
}

/** Resolves when the merchant has received the genuine webhook about the payment. */
export async function payALink({
  caller,
  merchant,
  receiver,
  webhook_secret,
}: Company): Promise<void> {
  const { test_key: key } = merchant;
  const made = await caller.insist(
    {
      method: 'POST',
      path: '/payment-intents',
      key,
      idempotency_key: randomUUID(),
      body: { amount: 49.9, currency: 'EUR', description: 'Two books' },
    },
    201,
  );
  const { id, checkout_url, pay_url } = made.json as Record<string, string>;
  expect((await caller.insist({ method: 'GET', path: pay_url! }, 200)).text).toContain('Two books');
  await caller.insist({ method: 'POST', path: checkout_url!, body: 'action=pay' }, 303);
  await waitFor(async () => {
    const shown = await caller.insist({ method: 'GET', path: `/payment-intents/${id}`, key }, 200);
    return (shown.json as { status: string }).status === 'succeeded';
  }, SETTLE_LIMIT_MS);
  const received = await waitFor(
    () => receiver.received.find(({ body }) => body.includes(id!)),
    SETTLE_LIMIT_MS,
  );
  expectGenuine(received, webhook_secret);
}

/** Every transfer that was answered moved its amount once, and the ledger has no fault. */
export async function expectBooksVerify(company: Company): Promise<void> {
  const { caller, merchant, customer, topology, sent } = company;
  const balanceOf = async ({ live_key: key }: Person): Promise<number> => {
    const { json } = await caller.insist({ method: 'GET', path: '/wallets', key }, 200);
    const { wallets } = json as { wallets: { currency: string; balance: number }[] };
    return wallets.find(({ currency }) => currency === 'XOF')!.balance;
  };
  expect(await balanceOf(merchant)).toBe(FUNDS - sent);
  // XOF transfers of these amounts cost no fee.
  expect(await balanceOf(customer)).toBe(FUNDS + sent);
  expect(await operate(topology, ['ledger', 'verify'])).toEqual({
    ok: true,
    violations: [],
    losses: [],
  });
}

/** Finds the workflow in Temporal's list, by its reference and how it ended. */
export async function expectInTemporal(
  { temporal_address }: Topology,
  reference: string,
): Promise<void> {
  const connection = await Connection.connect({ address: temporal_address });
  try {
    const client = new Client({ connection, namespace: 'payments' });
    const query = `PaymentReferences = "${reference}" and PaymentState = "completed"`;
    await waitFor(async () => (await client.workflow.count(query)).count === 1, SETTLE_LIMIT_MS);
  } finally {
    await connection.close();
  }
}

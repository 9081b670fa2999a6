// The end of an experiment with orders: everything under way finishes, all of it is checked, and what
// no customer paid is cancelled, so that no workflow is left for the next one.

import type { Client } from '@temporalio/client';
import { setTimeout as delay } from 'node:timers/promises';
import { environmentsOf, listPayments } from '../../support/sandbox-gateway';
import { readBooks } from './books';
import type { System } from './cluster';
import type { ExperimentContext } from './experiment';
import { readIntentBooks, type IntentBooks } from './intent-books';
import { countOrders, findOrderFaults } from './order-checks';
import { inParallel } from './parallel';
import { withTemporal } from './recovery';
import { cancelIntent, readCreated } from './run-order';

/** The gateway's own pauses between notifications, the sweep, a slow payment, an expiry: all pass. */
const SETTLE_LIMIT_MS = 60_000;
/** Intents with an `expires_in` have expired by then; those with the default of a day have not. */
const SHORT_SECONDS = 60;
const POLL_MS = 200;
const CANCEL_TRIES = 5;

/** Faults in words. Notes what became of the orders. */
export async function judgeOrders(context: ExperimentContext<System>): Promise<string[]> {
  const { cluster, users, orders, healed_at, expiry_limit_ms } = context;
  const left = await awaitSettled(context);
  const books = await readIntentBooks(cluster, users);
  const { answers } = await readBooks(cluster.db, users);
  for (const [name, count] of Object.entries(countOrders({ orders, books, healed_at }))) {
    context.note(name, count);
  }
  return [
    ...left,
    ...findOrderFaults({ orders, books, answers, healed_at, expiry_limit_ms }),
    ...(await findShownFaults(context, books)),
    ...(await cancelOpen(context, books)),
  ];
}

/** The orders that are still under way when the time is over, in words. */
async function awaitSettled(context: ExperimentContext<System>): Promise<string[]> {
  const limit = Date.now() + SETTLE_LIMIT_MS * context.cluster.slowness;
  const left = await withTemporal(context.cluster, async (temporal) => {
    for (;;) {
      await delay(POLL_MS);
      const found = await findUnsettled(context, temporal);
      if (found.length === 0 || Date.now() > limit) return found;
    }
  });
  context.note('settled_ms', Date.now() - context.healed_at);
  return left;
}

async function findUnsettled(
  { cluster }: ExperimentContext<System>,
  temporal: Client,
): Promise<string[]> {
  const left: string[] = [];
  const say = (count: number, what: string): void => {
    if (count > 0) left.push(`${count} ${what}`);
  };
  for (const environment of environmentsOf(cluster.gateway)) {
    const { payments, undelivered } = await listPayments(cluster.gateway, environment);
    say(undelivered, `notifications that were never taken (${environment})`);
    say(payments.filter(({ status }) => status === 'pending').length, 'payments under way');
  }
  const { rows } = (await cluster.db.raw(
    `select (select count(*) from gateway_notifications where outcome is null)::int as waiting,
            count(*) filter (where status in ('open', 'processing')
              and expires_at < clock_timestamp() + ? * interval '1 second')::int as overdue,
            count(*) filter (where status = 'processing')::int as processing,
            count(*) filter (where status = 'open')::int as open
       from payment_intents`,
    [SHORT_SECONDS],
  )) as { rows: { waiting: number; overdue: number; processing: number; open: number }[] };
  const { waiting, overdue, processing, open } = rows[0]!;
  say(waiting, 'notifications that were stored and not applied');
  say(overdue, 'intents that should have expired');
  say(processing, 'intents in processing');
  const { count: running } = await temporal.workflow.count(
    `WorkflowType = 'paymentIntent' and ExecutionStatus = 'Running'`,
  );
  if (running !== open) left.push(`${running} workflows run for ${open} open intents`);
  return left;
}

interface Shown {
  readonly [field: string]: unknown;
}

/** The merchant sees the same as the response and the stored row. */
async function findShownFaults(
  context: ExperimentContext<System>,
  books: IntentBooks,
): Promise<string[]> {
  const { cluster, client, orders } = context;
  const faults: string[] = [];
  const intents = new Map(books.intents.map((intent) => [intent.id, intent]));
  const answered = orders.flatMap(({ order, final }) => (final ? [{ order, final }] : []));
  await inParallel(answered, async ({ order, final }, turn) => {
    const promised = readCreated(final) as unknown as Shown;
    const id = String(promised['id']);
    const api = cluster.apis[turn % cluster.apis.length]!;
    const reply = await client.send({
      method: 'GET',
      url: `${api.base_url}/payment-intents/${id}`,
      headers: { authorization: `Bearer ${order.merchant.keys[order.environment]}` },
      timeout_ms: 15_000,
    });
    if (reply.status !== 200) {
      faults.push(`GET of ${order.key}: ${reply.status ?? reply.fault}`);
      return;
    }
    const shown = JSON.parse(reply.text) as Shown;
    const expected: Shown = { ...promised, status: intents.get(id)?.status };
    for (const field of LASTING_FIELDS) {
      if (JSON.stringify(shown[field]) === JSON.stringify(expected[field])) continue;
      faults.push(`${order.key} shows ${field} ${JSON.stringify(shown[field])}`);
    }
  });
  return faults;
}

const LASTING_FIELDS = [
  'id',
  'short_code',
  'reference',
  'status',
  'amount',
  'currency',
  'metadata',
  'checkout_url',
  'pay_url',
  'environment',
  'created_at',
  'expires_at',
] as const;

async function cancelOpen(
  { cluster, client, users }: ExperimentContext<System>,
  books: IntentBooks,
): Promise<string[]> {
  const faults: string[] = [];
  const open = books.intents.filter(({ status }) => status === 'open');
  await inParallel(open, async ({ id, user_id, environment, reference }, turn) => {
    const merchant = users.find((user) => user.id === user_id)!;
    for (let tries = 1; ; tries += 1) {
      const api = cluster.apis[(turn + tries) % cluster.apis.length]!;
      const { status } = await cancelIntent(client, api, { merchant, environment }, id);
      if (status === 200) return;
      if (tries < CANCEL_TRIES && (status === 502 || status === 503 || status === 504)) continue;
      faults.push(`${reference} could not be cancelled: ${status}`);
      return;
    }
  });
  return faults;
}

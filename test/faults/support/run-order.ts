// One order from its request to its end: a merchant who retries with one key until there is a link, a
// customer who acts on the gateway's page, a merchant who cancels. Every response is recorded.

import { setTimeout as delay } from 'node:timers/promises';
import type { Action } from '../../../dev/simulators/gateway/courses';
import { promisesNoEffect, type Attempt } from './caller';
import type { Target } from './cluster';
import { postAs } from './http-client';
import type { HttpClient, KeyedRequest, NoReply, Reply } from './http-client';
import { orderBody, type Act, type Moment, type Order } from './orders';

export interface OrderRecord {
  readonly order: Order;
  readonly attempts: Attempt[];
  readonly acts: ActRecord[];
  readonly cancels: Attempt[];
  /** The 201. */
  final: Reply | undefined;
  /** The key with another body. */
  misuse: Attempt | undefined;
  /** Left at a 5xx that said that nothing was changed. */
  is_believed: boolean;
  is_abandoned: boolean;
}

export interface ActRecord {
  readonly action: Action;
  /** The last is a response of the page, the others are none. */
  readonly tries: readonly (Reply | NoReply)[];
}

export interface RunOrderOptions {
  readonly client: HttpClient;
  readonly apis: readonly Target[];
  /** No try begins later than this (epoch, ms). */
  readonly give_up_at: number;
}

/** The fields of a response that the next acts need. */
export interface CreatedIntent {
  readonly id: string;
  readonly checkout_url: string;
  readonly expires_at: string;
}

/** Responses after which a retry may get a final one. */
const AGAIN_STATUSES: readonly (number | undefined)[] = [undefined, 409, 502, 503, 504];
/** Longer than the service takes for any response. */
const TIMEOUT_MS = 20_000;
const PAUSE_MS = 1_000;
const AFTER_BROKEN_CONNECTION_MS = 250;

export function orderRecordOf(order: Order): OrderRecord {
  return {
    order,
    attempts: [],
    acts: [],
    cancels: [],
    final: undefined,
    misuse: undefined,
    is_believed: false,
    is_abandoned: false,
  };
}

export async function runOrder(record: OrderRecord, options: RunOrderOptions): Promise<void> {
  await create(record, options);
  if (!record.final) return;
  const answered_at = Date.now();
  const { order } = record;
  const intent = readCreated(record.final);
  const customer = async (): Promise<void> => {
    for (const act of order.acts) {
      await until(act.at, answered_at, intent);
      await actAs(record, act, intent, options);
    }
  };
  const merchant = async (): Promise<void> => {
    if (order.is_repeated) await create(record, options);
    if (order.is_misused) record.misuse = await askFor(record, options, 1, 1n);
    if (order.cancel_at === undefined) return;
    await until(order.cancel_at, answered_at, intent);
    await cancel(record, intent.id, options);
  };
  await Promise.all([customer(), merchant()]);
}

export function readCreated({ text }: Reply): CreatedIntent {
  return JSON.parse(text) as CreatedIntent;
}

async function create(record: OrderRecord, options: RunOrderOptions): Promise<void> {
  const { order, attempts } = record;
  const first = attempts.length;
  for (let turn = first; Date.now() < options.give_up_at; turn += 1) {
    const attempt = await askFor(record, options, turn);
    attempts.push(attempt);
    if (attempt.status === 201) {
      record.final ??= attempt;
      return;
    }
    // Anything else is a fault, which the checks will name.
    if (!AGAIN_STATUSES.includes(attempt.status)) return;
    if (!order.is_patient && first === 0 && attempt.status !== undefined && attempt.status >= 500) {
      record.is_abandoned = true;
      record.is_believed = promisesNoEffect(attempt);
      return;
    }
    await delay(pauseAfter(attempt));
  }
}

function pauseAfter({ status }: Attempt): number {
  return status === undefined ? AFTER_BROKEN_CONNECTION_MS : PAUSE_MS;
}

function askFor(
  { order }: OrderRecord,
  { client, apis }: RunOrderOptions,
  turn: number,
  more = 0n,
): Promise<Attempt> {
  const api = apis[(order.first_api + turn) % apis.length]!;
  const { key } = order;
  return post(client, api, order, { path: '/payment-intents', key, body: orderBody(order, more) });
}

/** Repeats until the service says that the intent is cancelled, or over in another way. */
async function cancel(record: OrderRecord, id: string, options: RunOrderOptions): Promise<void> {
  const { order, cancels } = record;
  const { apis, client, give_up_at } = options;
  for (let turn = order.first_api; Date.now() < give_up_at; turn += 1) {
    const attempt = await cancelIntent(client, apis[turn % apis.length]!, order, id);
    cancels.push(attempt);
    const { status } = attempt;
    if (status === 409 || !AGAIN_STATUSES.includes(status)) return;
    // An impatient merchant believes what a 503 says, and leaves it at that.
    if (!order.is_patient && promisesNoEffect(attempt)) return;
    await delay(pauseAfter(attempt));
  }
}

export function cancelIntent(
  client: HttpClient,
  api: Target,
  order: Pick<Order, 'merchant' | 'environment'>,
  id: string,
): Promise<Attempt> {
  return post(client, api, order, { path: `/payment-intents/${id}/cancel` });
}

async function post(
  client: HttpClient,
  api: Target,
  { merchant, environment }: Pick<Order, 'merchant' | 'environment'>,
  request: Omit<KeyedRequest, 'user_key'>,
): Promise<Attempt> {
  const at = Date.now();
  const reply = await postAs(client, api, { ...request, user_key: merchant.keys[environment] });
  return { ...reply, api: api.name, at };
}

/** Presses the button until the page responds. */
async function actAs(
  { acts }: OrderRecord,
  { action, delay_ms }: Act,
  { checkout_url }: CreatedIntent,
  { client, give_up_at }: RunOrderOptions,
): Promise<void> {
  const tries: (Reply | NoReply)[] = [];
  acts.push({ action, tries });
  while (Date.now() < give_up_at) {
    const reply = await client.send({
      method: 'POST',
      url: checkout_url,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ action, delay_ms: String(delay_ms) }).toString(),
      timeout_ms: TIMEOUT_MS,
    });
    tries.push(reply);
    if (reply.status !== undefined) return;
    await delay(AFTER_BROKEN_CONNECTION_MS);
  }
}

/** Part of the plan, as the pauses between faults are. */
async function until(
  { from, ms }: Moment,
  answered_at: number,
  { expires_at }: CreatedIntent,
): Promise<void> {
  const start = from === 'answer' ? answered_at : Date.parse(expires_at);
  await delay(Math.max(0, start + ms - Date.now()));
}

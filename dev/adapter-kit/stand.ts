// Where an adapter is checked: its simulator, the proxy before it, a receiver of callbacks, and the adapter's ports
// in the same words for both kinds of orders.

import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import { GatewayError } from '../../domain/gateway-error';
import type { Minor } from '../../domain/money';
import type { ChargeState } from '../../domain/payment-attempt';
import type { PayoutState } from '../../domain/payout';
import type { AdapterModule } from '../../gateway/adapter-module';
import type { PayoutProvider } from '../../gateway/payout-port';
import type { ChargePromises, Gateway, ListWindow } from '../../gateway/port';
import type { AdapterBench, ExampleOrder, Examples, Kind } from './bench';
import { startProxy, type Exchange, type Plan, type Proxy } from './proxy';
import { serve } from './serve';

export interface Order extends ExampleOrder {
  readonly id: string;
}

/** An adapter's answer about an order of either kind. */
export interface Told {
  readonly status: 'under_way' | 'paid' | 'failed';
  readonly provider_payment_id: string | undefined;
  /** The amount that was paid, in minor units; undefined where it is not said. */
  readonly paid: bigint | undefined;
  readonly currency: Currency | undefined;
  readonly failure: string | undefined;
}

/** An adapter's port for one kind of orders. */
export interface Side {
  readonly kind: Kind;
  readonly examples: Examples;
  readonly promises: ChargePromises;
  ask(order: Order): Promise<Told>;
  find(id: string): Promise<Told | 'never_seen'>;
  /** The same adapter with a deadline so short that a check can wait for it. */
  readonly hurried: Pick<Side, 'ask' | 'find'>;
  /** The same adapter at an address where nothing listens. */
  readonly away: Pick<Side, 'ask' | 'find'>;
  /** The adapter of the other environment, if there is one. */
  readonly other?: Pick<Side, 'ask' | 'find'>;
  /** The smallest and the largest amount that the operator of the example takes. */
  bounds(): Promise<Bounds>;
  list(window: ListWindow, cursor?: string): Promise<Listed>;
  /** The id of the order of ours that a callback is about, or why it was not read. */
  read(raw: Buffer, headers: IncomingHttpHeaders, by?: 'checked' | 'other'): string;
  mayBeSigned(headers: IncomingHttpHeaders): boolean;
}

export interface Bounds {
  readonly minimum: bigint;
  readonly maximum: bigint;
}

export interface Listed {
  /** The provider's ids. */
  readonly ids: readonly string[];
  readonly times: readonly string[];
  readonly next: string | null;
}

export interface Stand {
  readonly bench: AdapterBench;
  readonly proxy: Proxy;
  readonly sides: readonly Side[];
  readonly gateway: Gateway | undefined;
  /** The same, with the deadline of a hurried side. */
  readonly hurried: Gateway | undefined;
  /** Calls the adapter. It has to settle, whatever the provider does. */
  call<Result>(work: () => Promise<Result> | Result): Promise<Result>;
  /** A new order, of the example unless the changes say otherwise. */
  order(side: Side, changes?: Partial<Order>): Order;
  /** Has it paid, or failed. */
  settle(side: Side, order: Order): Promise<Told>;
  /** Whether an exchange is the request that orders something of the kind. */
  isOrder(side: Side): Promise<(exchange: Exchange) => boolean>;
  /** Carries out a plan for the requests that order something. Returns the work's result and those requests. */
  duringOrders<Result>(
    side: Side,
    plan: Plan,
    work: () => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly requests: readonly Exchange[] }>;
  /** Callbacks that the simulator sent, newest last. */
  readonly callbacks: readonly { readonly raw: Buffer; readonly headers: IncomingHttpHeaders }[];
  /** Every error of the adapter so far, with its causes. */
  readonly errors: readonly string[];
  /** Hosts that the adapter has connected to, such as `127.0.0.1:8090`. */
  readonly hosts: ReadonlySet<string>;
  stop(): Promise<void>;
}

/** Long enough for good answers on a busy machine. */
const TIMEOUT_MS = 5_000;
/**
 * The deadline of calls whose answer never comes. What was forwarded is done before it, on a busy machine too: a
 * look right after it sees the order.
 */
export const HURRIED_MS = 1_000;
/** A call that has not settled after so long ignores its deadline, which is at most TIMEOUT_MS. */
const PATIENCE_MS = 6_000;
const SETTLES_WITHIN_MS = 10_000;
const POLL_MS = 25;
/** Nothing listens there: no system program has that port any more. */
const AWAY_HOST = '127.0.0.1:1';

export class NeverSettled extends Error {}

export async function openStand(adapter: AdapterModule, bench: AdapterBench): Promise<Stand> {
  const callbacks: { raw: Buffer; headers: IncomingHttpHeaders }[] = [];
  const receiver = await serve(({ text, headers }) => {
    callbacks.push({ raw: Buffer.from(text), headers });
    return { status: 200, body: { ok: true } };
  });
  const server = await bench.start({ callback_url: `${receiver.url}/callbacks` });
  const proxy = await startProxy(server.url);
  const errors: string[] = [];
  const watch = watchConnections();

  const call: Stand['call'] = async (work) => {
    const late = new AbortController();
    const limit = delay(PATIENCE_MS, undefined, { signal: late.signal }).then(() => {
      throw new NeverSettled('the call has not settled');
    });
    try {
      return await Promise.race([limit, watch.within(async () => work())]);
    } catch (error) {
      errors.push(wordsOf(error));
      throw error;
    } finally {
      late.abort();
      limit.catch(() => undefined);
    }
  };
  const options = (environment: Environment, timeout_ms = TIMEOUT_MS, url = proxy.url) => ({
    environment,
    settings: bench.settings(url),
    timeout_ms,
  });
  type Given = Parameters<typeof options>;
  const gateways = (...given: Given) => adapter.createGateway?.(options(...given));
  const payouts = (...given: Given) => adapter.createPayouts?.(options(...given));

  const sides: Side[] = [];
  // An adapter may have live only.
  const hasSandbox = gateways('sandbox') !== undefined || payouts('sandbox') !== undefined;
  const [checked, other] = hasSandbox
    ? (['sandbox', 'live'] as const)
    : (['live', 'sandbox'] as const);
  // Where the adapter has no such port, none of them is there.
  const adaptersOf = <Port>(create: (...given: Given) => Port | undefined): Adapters<Port> => ({
    checked: create(checked)!,
    hurried: create(checked, HURRIED_MS)!,
    away: create(checked, TIMEOUT_MS, `http://${AWAY_HOST}`)!,
    other: create(other),
  });
  const { checked: gateway, hurried, ...others } = adaptersOf(gateways);
  if (gateway?.phones && bench.charge) {
    sides.push(chargeSide(call, bench.charge, { checked: gateway, hurried, ...others }));
  }
  const providers = adaptersOf(payouts);
  if (providers.checked && bench.payout) sides.push(payoutSide(call, bench.payout, providers));

  const order: Stand['order'] = (side, changes) => ({
    ...side.examples.pays,
    id: randomUUID(),
    ...changes,
  });
  const settle: Stand['settle'] = async (side, { id }) => {
    const limit = Date.now() + (side.examples.settles_within_ms ?? SETTLES_WITHIN_MS);
    for (;;) {
      const told = await side.find(id);
      if (told !== 'never_seen' && told.status !== 'under_way') return told;
      if (Date.now() > limit) throw new Error(`the order is still ${JSON.stringify(told)}`);
      await delay(POLL_MS);
    }
  };
  const orders = new Map<Kind, string>();
  const isOrder: Stand['isOrder'] = async (side) => {
    if (!orders.has(side.kind)) {
      const before = proxy.exchanges.length;
      const { id } = order(side);
      await side.ask(order(side, { id })).catch(() => undefined);
      const made = proxy.exchanges.slice(before).filter(({ method }) => method !== 'GET');
      const found = made.find((one) => holds(one, id)) ?? made.at(-1);
      if (found) orders.set(side.kind, shapeOf(found));
    }
    return (exchange) => shapeOf(exchange) === orders.get(side.kind);
  };
  return {
    bench,
    proxy,
    sides,
    gateway,
    hurried,
    call,
    order,
    settle,
    isOrder,
    async duringOrders(side, plan, work) {
      const on = await isOrder(side);
      const before = proxy.exchanges.length;
      const result = await proxy.during({ ...plan, on }, work);
      return { result, requests: proxy.exchanges.slice(before).filter(on) };
    },
    callbacks,
    errors,
    hosts: watch.hosts,
    async stop() {
      watch.stop();
      proxy.stop();
      await server.stop();
      await receiver.stop();
    },
  };
}

type CallAdapter = Stand['call'];

/** The adapter, the same with a short deadline and without a provider, and that of the other environment if there is one. */
interface Adapters<Port> {
  readonly checked: Port;
  readonly hurried: Port;
  readonly away: Port;
  readonly other: Port | undefined;
}

function chargeSide(
  call: CallAdapter,
  examples: Examples,
  { checked: gateway, hurried, away, other }: Adapters<Gateway>,
): Side {
  const of = ({ phones }: Gateway): Pick<Side, 'ask' | 'find'> => ({
    ask: async (order) => chargeTold(await call(() => phones!.charge(chargeOrder(order)))),
    async find(id) {
      const found = await call(() => phones!.findCharge(id));
      return found === 'never_seen' ? found : chargeTold(found);
    },
  });
  return {
    kind: 'charge',
    examples,
    promises: gateway.phones!.promises,
    ...of(gateway),
    hurried: of(hurried),
    away: of(away),
    ...(other ? { other: of(other) } : {}),
    bounds: async () => boundsOf(await call(() => gateway.phones!.methods()), examples.pays),
    async list(window, cursor) {
      const { items, next } = await call(() => gateway.listPayments(window, cursor));
      return {
        ids: items.map((item) => item.provider_payment_id),
        times: items.map((item) => item.occurred_at),
        next,
      };
    },
    read(raw, headers, by = 'checked') {
      const reader = by === 'checked' ? gateway : other;
      const reading = reader?.readNotification(raw, headers);
      if (!reading?.ok) return reading?.fault ?? 'not configured';
      return 'attempt_id' in reading ? reading.attempt_id : JSON.stringify(reading);
    },
    mayBeSigned: (headers) => gateway.mayBeSigned(headers),
  };
}

function payoutSide(
  call: CallAdapter,
  examples: Examples,
  { checked: provider, hurried, away, other }: Adapters<PayoutProvider>,
): Side {
  const of = (one: PayoutProvider): Pick<Side, 'ask' | 'find'> => ({
    ask: async (order) =>
      payoutTold(order.currency, await call(() => one.send(payoutOrder(order)))),
    async find(id) {
      const found = await call(() => one.find(id));
      return found === 'never_seen' ? found : payoutTold(undefined, found);
    },
  });
  return {
    kind: 'payout',
    examples,
    promises: provider.promises,
    ...of(provider),
    hurried: of(hurried),
    away: of(away),
    ...(other ? { other: of(other) } : {}),
    bounds: async () => boundsOf(await call(() => provider.rails()), examples.pays),
    async list(window, cursor) {
      const { items, next } = await call(() => provider.list(window, cursor));
      return {
        ids: items.map((item) => item.provider_payment_id),
        times: items.map((item) => item.created_at),
        next,
      };
    },
    read(raw, headers, by = 'checked') {
      const reader = by === 'checked' ? provider : other;
      const reading = reader?.readNotification(raw, headers);
      return reading?.ok ? reading.payout_id : (reading?.fault ?? 'not configured');
    },
    mayBeSigned: (headers) => provider.mayBeSigned(headers),
  };
}

function chargeOrder({ id, phone, operator, amount, currency, otp }: Order) {
  return {
    id,
    // One of our own for each, so that an intent's payments in a list can be told apart.
    intent_id: randomUUID(),
    reference: `TRX-${randomBytes(8).toString('hex').toUpperCase()}`,
    amount: amount as Minor,
    currency,
    operator,
    phone,
    otp: otp ?? null,
    description: null,
    merchant_name: 'Atelier Awa',
    return_url: 'http://127.0.0.1/p/kit',
  };
}

function chargeTold(state: ChargeState): Told {
  const nothing = { paid: undefined, currency: undefined, failure: undefined };
  switch (state.status) {
    case 'waiting': {
      const { provider_payment_id } = state;
      return { ...nothing, status: 'under_way', provider_payment_id };
    }
    case 'failed': {
      const failure = state.failure.code;
      return { ...nothing, status: 'failed', provider_payment_id: undefined, failure };
    }
    case 'paid': {
      const { provider_payment_id, amount_minor, currency } = state.payment;
      const paid = BigInt(amount_minor);
      return { ...nothing, status: 'paid', provider_payment_id, paid, currency };
    }
  }
}

function payoutOrder({ id, phone, operator, amount, currency }: Order) {
  return {
    id,
    reference: `PYT-${randomBytes(8).toString('hex').toUpperCase()}`,
    amount: amount as Minor,
    currency,
    destination: { type: 'mobile_money', phone, operator },
    name: RECIPIENT,
    description: null,
  } as const;
}

export const RECIPIENT = 'Aminata Kit-Traoré';

function payoutTold(currency: Currency | undefined, state: PayoutState): Told {
  const { status, provider_payment_id, paid, failure } = state;
  const is_open = status === 'queued' || status === 'sent';
  return {
    status: is_open ? 'under_way' : status === 'succeeded' ? 'paid' : 'failed',
    provider_payment_id,
    paid,
    currency,
    failure: failure?.code,
  };
}

function boundsOf(
  operators: readonly (Bounds & {
    readonly operator: string | null;
    readonly currency: Currency;
  })[],
  { operator, currency }: ExampleOrder,
): Bounds {
  const found = operators.find((one) => one.operator === operator && one.currency === currency);
  if (!found) throw new Error(`no operator ${operator} in ${currency} among those it names`);
  return found;
}

/** Whether a request has an id, in whatever place and with or without the dashes. */
export function holds({ path, body, headers }: Exchange, id: string): boolean {
  const text = `${path} ${body} ${JSON.stringify(headers)}`.toLowerCase();
  const sought = id.toLowerCase();
  return text.includes(sought) || text.includes(sought.replaceAll('-', ''));
}

function shapeOf({ method, path }: Exchange): string {
  return `${method} ${path.replace(/\?.*/, '').replace(/[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}/gi, '*')}`;
}

/** The `outcome` of an adapter's error; undefined for an error that is not one of the ports'. */
export function outcomeOf(error: unknown): 'not_done' | 'unknown' | undefined {
  return error instanceof GatewayError ? error.outcome : undefined;
}

/** An error's message, and those of its causes; the code of one without a message, as of a refused connection. */
export function wordsOf(error: unknown): string {
  const words: string[] = [];
  let one = error;
  for (; one instanceof Error; one = one.cause) {
    words.push(one.message || ((one as NodeJS.ErrnoException).code ?? one.name));
  }
  if (typeof one === 'string') words.push(one);
  return words.join(' <- ');
}

/**
 * Every connection of Node's, of http, https and undici alike, is made by this method of sockets. The context tells
 * the adapter's from those of a simulator in the same process.
 */
function watchConnections() {
  const context = new AsyncLocalStorage<true>();
  const hosts = new Set<string>();
  const kept = Object.getOwnPropertyDescriptor(Socket.prototype, 'connect')!;
  const connect = kept.value as (this: Socket, ...given: unknown[]) => Socket;
  Socket.prototype.connect = function watched(this: Socket, ...given: unknown[]): Socket {
    const host = hostIn(given);
    if (context.getStore() && host !== AWAY_HOST) hosts.add(host);
    return connect.apply(this, given);
  } as Socket['connect'];
  return {
    hosts,
    within: <Result>(work: () => Promise<Result>) => context.run(true, work),
    stop() {
      Object.defineProperty(Socket.prototype, 'connect', kept);
    },
  };
}

function hostIn(given: readonly unknown[]): string {
  const [first, second] = Array.isArray(given[0]) ? (given[0] as readonly unknown[]) : given;
  if (typeof first !== 'object' || first === null) return `${String(second)}:${String(first)}`;
  const { host, port, path } = first as { host?: string; port?: string | number; path?: string };
  return port === undefined ? String(path) : `${host ?? 'localhost'}:${port}`;
}

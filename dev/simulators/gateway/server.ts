// The sandbox gateway: takes payments, also by phone, and pays out, and moves no money. A real HTTP server that keeps its own
// state. Payments and payouts of test keys go through it; with `npm start` those of live keys too.

import { once, setMaxListeners } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import type { Environment } from '../../../domain/environment';
import { isLocalHost } from '../../../domain/host';
import { createApiRouter, type ApiParts } from './api';
import { createStore, type Entry } from './store';
import { createCharges } from './charges';
import { createCheckoutRouter } from './checkout';
import { createDisputeRouter } from './disputes';
import { createFaultSwitch, NO_FAULTS, type Faults } from './faults';
import { openJournal } from './journal';
import { createNotifier } from './notifier';
import { createPayments } from './payments';
import { PAYOUT_DURATIONS, type PayoutDurations } from './payout-courses';
import { createPayouts } from './payouts';
import { createPhoneRouter } from './phones';
import { createTimers } from './timers';

export interface SandboxGatewayOptions {
  /** The interface to listen on; by default 127.0.0.1. */
  readonly host?: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** The origin that customers use, by default `http://127.0.0.1:<port>`. No slash at the end. */
  readonly public_url?: string | undefined;
  /** The journal, created when missing. Only one process may use it at a time. */
  readonly file: string;
  /**
   * The secrets of each account: the first signs, all are accepted. An account without secrets does
   * not exist.
   */
  readonly secrets: Readonly<Record<Environment, readonly string[]>>;
  /** The address at which the service receives notifications. */
  readonly notification_url: string;
  /** Faults of both accounts from the start, for tests. */
  readonly faults?: Partial<Faults>;
  /** How long payouts and payments by phone take, for tests. */
  readonly durations?: Partial<PayoutDurations>;
  readonly log?: (entry: Readonly<Record<string, unknown>>) => void;
}

export interface SandboxGateway {
  readonly url: string;
  readonly port: number;
  /** Finishes its responses. Undelivered notifications are sent after the next start. */
  stop(): Promise<void>;
  /** Rejects when the journal cannot be written: from then on nothing is durable. */
  readonly failed: Promise<never>;
}

const LOOPBACK = '127.0.0.1';
/** Requests in flight get this long before their sockets are closed. */
const STOP_WITHIN_MS = 5_000;

/** @throws when the port is taken, the journal is damaged, or both accounts share a secret. */
export async function startSandboxGateway(options: SandboxGatewayOptions): Promise<SandboxGateway> {
  checkSecrets(options.secrets);
  const { failed, fail } = createFailure();
  const stopping = new AbortController();
  // Every call that hangs adds a listener.
  setMaxListeners(0, stopping.signal);

  const store = createStore();
  const journal = await openJournal<Entry>(options.file, (entry) => store.apply(entry), fail);
  const notifier = createNotifier({
    url: options.notification_url,
    secretOf: (environment) => options.secrets[environment][0]!,
    onDelivered(event_id) {
      const entry = { entry: 'delivered', event_id } as const;
      store.apply(entry);
      journal.append(entry);
      // The flush is not waited for: if this entry is lost, the notification is only sent once
      // more.
      journal.flushed().catch(fail);
    },
    log: options.log ?? ignore,
  });
  const timers = createTimers(fail);
  const payments = createPayments({ store, journal, notifier, timers });
  const durations = { ...PAYOUT_DURATIONS, ...options.durations };
  const payouts = createPayouts({ store, journal, notifier, timers, durations });
  const charges = createCharges({ store, journal, notifier, timers, durations });
  const address = { url: '' };
  const handle = createApp(
    options,
    { payments, payouts, charges },
    address,
    stopping.signal,
  ).callback();
  const server = createServer((request, response) => void handle(request, response));
  try {
    await listen(server, options.host ?? LOOPBACK, options.port);
  } catch (error) {
    await journal.close();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  address.url = `http://${LOOPBACK}:${port}`;
  payments.resume();
  payouts.resume();
  charges.resume();

  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    stopping.abort();
    timers.stop();
    await Promise.all([closeServer(server), notifier.stop()]);
    await journal.close();
  };
  return { url: address.url, port, failed, stop: () => (stopped ??= stop()) };
}

function createApp(
  { host = LOOPBACK, secrets, public_url, faults, log = ignore }: SandboxGatewayOptions,
  { payments, payouts, charges }: Pick<ApiParts, 'payments' | 'payouts' | 'charges'>,
  address: { readonly url: string },
  stopping: AbortSignal,
): Koa {
  const app = new Koa();
  app.on('error', (error: unknown) => log({ error: String(error) }));
  app.use(async (ctx, next) => {
    await next();
    // A kept connection would carry a next request that gets no response.
    if (stopping.aborted && ctx.respond !== false) ctx.set('Connection', 'close');
  });
  if (host === LOOPBACK) app.use(requireLocalHost(public_url));
  const initial = { ...NO_FAULTS, ...faults };
  const api = createApiRouter({
    payments,
    payouts,
    charges,
    secrets,
    faults: {
      live: createFaultSwitch(initial, stopping),
      sandbox: createFaultSwitch(initial, stopping),
    },
    origin: () => public_url ?? address.url,
  });
  api.get('/health', (ctx) => {
    ctx.body = { ok: true };
  });
  app.use(api.routes());
  app.use(createCheckoutRouter(payments).routes());
  app.use(createPhoneRouter(charges).routes());
  app.use(createDisputeRouter(payments.disputes).routes());
  return app;
}

/**
 * Refuses other hosts: the checkout's pages need no key, and a site that could load them could pay.
 */
function requireLocalHost(public_url: string | undefined): Koa.Middleware {
  const names = public_url === undefined ? [] : [new URL(public_url).hostname];
  return async (ctx, next) => {
    if (isLocalHost(ctx.headers.host, names)) return next();
    ctx.set('Connection', 'close');
    ctx.status = 421;
    ctx.body = { error: { code: 'misdirected', message: 'This server has no such name.' } };
  };
}

function ignore(): void {}

/** The secret decides the account of a call, so two accounts must not share one. */
function checkSecrets({ live, sandbox }: SandboxGatewayOptions['secrets']): void {
  const all = [...live, ...sandbox];
  if (all.length === 0 || all.includes('')) {
    throw new Error('The sandbox gateway needs secrets, and none of them may be empty.');
  }
  if (live.some((secret) => sandbox.includes(secret))) {
    throw new Error('The live and the sandbox account must not share a secret.');
  }
}

function createFailure(): { failed: Promise<never>; fail: (error: unknown) => void } {
  let fail: (error: unknown) => void = ignore;
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  // The caller may not listen, and an unhandled rejection would end the process.
  failed.catch(ignore);
  return { failed, fail };
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  server.listen({ host, port });
  // Rejects with the server's `error` event, for example when the port is taken.
  await once(server, 'listening');
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const force = setTimeout(() => server.closeAllConnections(), STOP_WITHIN_MS);
  await closed;
  clearTimeout(force);
}

// The sandbox gateway: takes payments, also by phone, and pays out, and moves no money. A real HTTP server that keeps its own
// state. Payments and payouts of test keys go through it; with `npm start` those of live keys too.

import { setMaxListeners } from 'node:events';
import Koa from 'koa';
import type { Environment } from '../../../domain/environment';
import { listen, LOOPBACK, requireLocalHost } from '../local-server';
import { createApiRouter } from './api';
import { DURATIONS, type Durations } from './courses';
import { createDesk } from './desk';
import { createFaultSwitch, NO_FAULTS, type Faults } from './faults';
import { openJournal } from './journal';
import { createNotifier } from './notifier';
import { createPageRouter } from './pages';
import { createStore, type Entry } from './store';

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
  readonly durations?: Partial<Durations>;
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

/** @throws when the port is taken, the journal is damaged, or both accounts share a secret. */
export async function startSandboxGateway(options: SandboxGatewayOptions): Promise<SandboxGateway> {
  const { host = LOOPBACK, port, public_url, file, secrets, notification_url } = options;
  const { log = () => undefined } = options;
  checkSecrets(secrets);
  const { failed, fail } = createFailure();
  const stopping = new AbortController();
  // Every call that hangs adds a listener.
  setMaxListeners(0, stopping.signal);

  const store = createStore();
  const journal = await openJournal<Entry>(file, (entry) => store.apply(entry), fail);
  const notifier = createNotifier({
    url: notification_url,
    secretOf: (environment) => secrets[environment][0]!,
    onDelivered(event_id) {
      desk.enter({ delivered: event_id });
      // The flush is not waited for: if this entry is lost, the notification is only sent once more.
      journal.flushed().catch(fail);
    },
    log,
  });
  const durations = { ...DURATIONS, ...options.durations };
  const desk = createDesk({ store, journal, notifier, durations });

  const app = new Koa();
  app.on('error', (error: unknown) => log({ error: String(error) }));
  app.use(async (ctx, next) => {
    await next();
    // A kept connection would carry a next request that gets no response.
    if (stopping.signal.aborted && ctx.respond !== false) ctx.set('Connection', 'close');
  });
  if (host === LOOPBACK) {
    app.use(requireLocalHost(public_url === undefined ? [] : [new URL(public_url).hostname]));
  }
  const faultSwitch = () => createFaultSwitch({ ...NO_FAULTS, ...options.faults }, stopping.signal);
  const faults = { live: faultSwitch(), sandbox: faultSwitch() };
  const origin = () => public_url ?? server.url;
  const api = createApiRouter({ desk, secrets, faults, origin });
  api.get('/health', (ctx) => {
    ctx.body = { ok: true };
  });
  app.use(api.routes()).use(createPageRouter(desk).routes());
  const server = await listen(app, port, host).catch(async (error: unknown) => {
    await journal.close();
    throw error;
  });
  desk.resume();

  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    stopping.abort();
    desk.stop();
    await Promise.all([server.stop(), notifier.stop()]);
    await journal.close();
  };
  return { url: server.url, port: server.port, failed, stop: () => (stopped ??= stop()) };
}

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
  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  // The caller may not listen, and an unhandled rejection would end the process.
  failed.catch(() => undefined);
  return { failed, fail };
}

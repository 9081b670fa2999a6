// The sandbox gateway: a payment gateway that moves no money, as a real HTTP server with a memory of
// its own. Each test key's payments go through it, and in the embedded default the live ones too.

import { once, setMaxListeners } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import type { Environment } from '../../domain/environment';
import { createApiRouter } from './api';
import { createBook, type Entry } from './book';
import { createCheckoutRouter } from './checkout';
import { createFaultSwitch, NO_FAULTS, type Faults } from './faults';
import { openJournal } from './journal';
import { createNotifier } from './notifier';
import { createTill, type Till } from './till';

export interface SandboxGatewayOptions {
  /** The interface to listen on; 127.0.0.1 when absent. */
  readonly host?: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Where customers reach it, when that is not `http://127.0.0.1:<port>`. No slash at the end. */
  readonly public_url?: string | undefined;
  /** The journal; made when missing. One process at a time. */
  readonly file: string;
  /** Of each account; the first signs, all are accepted. None: the account does not exist. */
  readonly secrets: Readonly<Record<Environment, readonly string[]>>;
  /** Where the service takes notifications. */
  readonly notification_url: string;
  /** For tests: in force from the start, of both accounts. */
  readonly faults?: Partial<Faults>;
  readonly log?: (entry: Readonly<Record<string, unknown>>) => void;
}

export interface SandboxGateway {
  readonly url: string;
  readonly port: number;
  /** Finishes its answers. What nobody took is told after the next start. */
  stop(): Promise<void>;
  /** Rejects when the journal cannot be written: nothing can be promised any more. */
  readonly failed: Promise<never>;
}

const LOOPBACK = '127.0.0.1';
/** Answers under way get this long before their sockets are closed. */
const DRAIN_MS = 5_000;

/** @throws when the port is taken, the journal damaged, or the secrets cannot be told apart. */
export async function startSandboxGateway(options: SandboxGatewayOptions): Promise<SandboxGateway> {
  checkSecrets(options.secrets);
  const { failed, fail } = createFailure();
  const stopping = new AbortController();
  // One for each call that hangs.
  setMaxListeners(0, stopping.signal);

  const book = createBook();
  const journal = await openJournal<Entry>(options.file, (entry) => book.apply(entry), fail);
  const notifier = createNotifier({
    url: options.notification_url,
    secretOf: (environment) => options.secrets[environment][0]!,
    onDelivered(event_id) {
      const entry = { entry: 'delivered', event_id } as const;
      book.apply(entry);
      journal.append(entry);
      // Promised to nobody: should it be lost, the notification comes once more.
      journal.flushed().catch(fail);
    },
    log: options.log ?? ignore,
  });
  const till = createTill({ book, journal, notifier, onError: fail });
  const address = { url: '' };
  const handle = createApp(options, till, address, stopping.signal).callback();
  const server = createServer((request, response) => void handle(request, response));
  try {
    await listen(server, options.host ?? LOOPBACK, options.port);
  } catch (error) {
    await journal.close();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  address.url = `http://${LOOPBACK}:${port}`;
  till.resume();

  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    stopping.abort();
    till.stop();
    await Promise.all([closeServer(server), notifier.stop()]);
    await journal.close();
  };
  return { url: address.url, port, failed, stop: () => (stopped ??= stop()) };
}

function createApp(
  { secrets, public_url, faults, log = ignore }: SandboxGatewayOptions,
  till: Till,
  address: { readonly url: string },
  stopping: AbortSignal,
): Koa {
  const app = new Koa();
  app.on('error', (error: unknown) => log({ error: String(error) }));
  app.use(async (ctx, next) => {
    await next();
    // The connection is not kept for a next request that would not be answered.
    if (stopping.aborted && ctx.respond !== false) ctx.set('Connection', 'close');
  });
  const initial = { ...NO_FAULTS, ...faults };
  const api = createApiRouter({
    till,
    secrets,
    faults: {
      live: createFaultSwitch(initial, stopping),
      sandbox: createFaultSwitch(initial, stopping),
    },
    checkoutUrl: (session_id) => `${public_url ?? address.url}/checkout/${session_id}`,
  });
  api.get('/health', (ctx) => {
    ctx.body = { ok: true };
  });
  app.use(api.routes());
  app.use(createCheckoutRouter(till).routes());
  return app;
}

function ignore(): void {}

/** A secret says whose the call is: shared by both accounts, it would say nothing. */
function checkSecrets({ live, sandbox }: SandboxGatewayOptions['secrets']): void {
  const all = [...live, ...sandbox];
  if (all.length === 0 || all.includes('')) {
    throw new Error('The sandbox gateway needs secrets, and none that is empty.');
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
  // Whoever started us may not be listening.
  failed.catch(ignore);
  return { failed, fail };
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  server.listen({ host, port });
  // Rejects with the server's `error`, such as a port that is taken.
  await once(server, 'listening');
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const force = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearTimeout(force);
}

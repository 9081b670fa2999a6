// The sandbox gateway for tests: in this process or in one that can be killed; what a customer does on its
// pages; and a receiver of its notifications.
//
//   const receiver = await startNotificationReceiver();
//   const gateway = await startTestGateway({ notification_url: receiver.url });
//   const { checkout_url } = await adapterOf(gateway, 'sandbox').openCheckout(checkoutRequest());
//   await actAt(checkout_url, 'pay');
//   await waitFor(() => receiver.accepted.length === 1);

import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ENVIRONMENTS, type Environment } from '../../domain/environment';
import type { Minor } from '../../domain/money';
import type { PaymentState } from '../../domain/payment';
import type { CheckoutRequest, Gateway } from '../../gateway/port';
import type { Action } from '../../dev/simulators/gateway/courses';
import { createSandboxGateway } from '../../gateway/sandbox/adapter';
import { signedText } from '../../gateway/sandbox/call';
import type { Faults } from '../../dev/simulators/gateway/faults';
import type { AnyRecord, Kind, RecordOf } from '../../dev/simulators/gateway/records';
import {
  startSandboxGateway,
  type SandboxGatewayOptions,
} from '../../dev/simulators/gateway/server';
import type { Listing } from '../../dev/simulators/gateway/payments-api';
import type { RefundCourse } from '../../dev/simulators/gateway/courses';
import type { Entry } from '../../dev/simulators/gateway/store';
import { signGatewayBody } from '../../secrets/gateway-signature';
import { closeAfterFile } from './cleanup';
import { pickTestPort } from './ports';
import { readStack } from './stack';
import { waitFor } from './wait';

export const GATEWAY_SECRETS = {
  live: ['the-live-secret-of-the-tests'],
  sandbox: ['the-sandbox-secret-of-the-tests'],
} as const satisfies Record<Environment, readonly string[]>;

/** A running gateway, in this process or in another. */
export interface TestGateway {
  readonly url: string;
  /** The journal. */
  readonly file: string;
  readonly secrets: Readonly<Record<Environment, readonly string[]>>;
}

/** Returns those in which it takes payments: it has secrets for them. */
export function environmentsOf({ secrets }: Pick<TestGateway, 'secrets'>): Environment[] {
  return ENVIRONMENTS.filter((environment) => secrets[environment].length > 0);
}

export interface RunningGateway extends TestGateway {
  /** Its log entries. */
  readonly log: readonly Readonly<Record<string, unknown>>[];
  stop(): Promise<void>;
}

export type TestGatewayOptions = Partial<SandboxGatewayOptions> &
  Pick<SandboxGatewayOptions, 'notification_url'>;

export function newJournalFile(): string {
  return join(readStack().folder, `gateway-${randomBytes(8).toString('hex')}.jsonl`);
}

/** The records of a kind that a journal tells of, as they were at first, in the order in which they were made. */
export function recordsIn<K extends Kind>(file: string, kind: K): RecordOf<K>[] {
  const whole = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  const records = new Map<string, AnyRecord>();
  for (const line of whole) {
    const entry = JSON.parse(line) as Entry;
    for (const one of 'records' in entry ? entry.records : []) {
      if (one.kind === kind && !records.has(one.id)) records.set(one.id, one);
    }
  }
  return [...records.values()] as RecordOf<K>[];
}

/** Starts a gateway in this process, by default with a new journal. */
export async function startTestGateway(options: TestGatewayOptions): Promise<RunningGateway> {
  const log: Readonly<Record<string, unknown>>[] = [];
  const { secrets = GATEWAY_SECRETS, file = newJournalFile() } = options;
  const gateway = await startSandboxGateway({
    port: 0,
    log: (entry) => log.push(entry),
    ...options,
    file,
    secrets,
  });
  const stop = (): Promise<void> => gateway.stop();
  closeAfterFile(stop);
  return { url: gateway.url, file, secrets, log, stop };
}

export interface GatewayProcess extends TestGateway {
  /** Resolves when it is ready. */
  start(): Promise<void>;
  /** Sends SIGKILL, which leaves no time to clean up. */
  kill(): Promise<void>;
  /** Sends SIGTERM; resolves with the exit code. */
  terminate(): Promise<number | null>;
  readonly stderr: () => string;
  readonly exitCode: () => number | null;
}

const ROOT = join(__dirname, '..', '..');

// Compiles TypeScript when it is required, so that the test runs the sources without a build.
const RUN_TYPESCRIPT = `
  const { transformFileSync } = require('@swc/core');
  const react = { runtime: 'automatic', importSource: 'preact' };
  for (const tsx of [false, true]) {
    require.extensions[tsx ? '.tsx' : '.ts'] = (module, file) => {
      const { code } = transformFileSync(file, {
        swcrc: false,
        module: { type: 'commonjs' },
        jsc: { target: 'es2022', parser: { syntax: 'typescript', tsx }, transform: { react } },
      });
      module._compile(code, file);
    };
  }
  require('./bin/sandbox-gateway.ts');
`;

/**
 * `bin/sandbox-gateway` as its own process, always on the same port and journal. `limits` is
 * shell text before it, such as `ulimit -f 8;`.
 */
export async function createGatewayProcess(
  notification_url: string,
  env: Readonly<Record<string, string>> = {},
  limits = '',
): Promise<GatewayProcess> {
  const port = await pickTestPort();
  const file = newJournalFile();
  let child: ChildProcess | undefined;
  let stderr = '';
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return null;
    const exited = once(child, 'exit') as Promise<[number | null]>;
    child.kill(signal);
    return (await exited)[0];
  };
  const kill = async (): Promise<void> => void (await end('SIGKILL'));
  closeAfterFile(kill);
  return {
    url: `http://127.0.0.1:${port}`,
    file,
    secrets: GATEWAY_SECRETS,
    stderr: () => stderr,
    exitCode: () => child?.exitCode ?? null,
    kill,
    terminate: () => end('SIGTERM'),
    async start() {
      const program = [process.execPath, '-e', RUN_TYPESCRIPT];
      const started = spawn('sh', ['-c', `${limits} exec "$@"`, 'sh', ...program], {
        cwd: ROOT,
        env: {
          PATH: process.env['PATH'],
          SANDBOX_GATEWAY_PORT: String(port),
          SANDBOX_GATEWAY_URL: `http://127.0.0.1:${port}`,
          SANDBOX_GATEWAY_FILE: file,
          SANDBOX_GATEWAY_SECRETS: GATEWAY_SECRETS.sandbox.join(','),
          LIVE_SIMULATOR_SECRETS: GATEWAY_SECRETS.live.join(','),
          GATEWAY_NOTIFICATION_URL: notification_url,
          ...env,
        },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      child = started;
      stderr = '';
      started.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
      await waitFor(() => {
        if (started.exitCode !== null) throw new Error(`It ended at once: ${stderr}`);
        return stderr.includes('"log":"ready"');
      });
    },
  };
}

export function adapterOf(
  { url, secrets }: TestGateway,
  environment: Environment,
  timeout_ms = 60_000,
): Gateway {
  return createSandboxGateway({ environment, url, secrets: secrets[environment], timeout_ms });
}

/** A request for a new intent, unless the overrides name one. */
export function checkoutRequest(overrides: Partial<CheckoutRequest> = {}): CheckoutRequest {
  return {
    intent_id: randomUUID(),
    number: 1,
    reference: `TRX-${randomBytes(8).toString('hex').toUpperCase()}`,
    amount: 500_000n as Minor,
    currency: 'XOF',
    description: 'Order 1001',
    customer_email: 'awa@example.com',
    merchant: { name: 'Atelier Awa', country: 'SN', contact: null, logo_url: null },
    pay_url: 'https://pay.example/p/abc',
    return_url: 'https://shop.example.com/back?order=1001',
    cancel_url: 'https://shop.example.com/basket?order=1001',
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    ...overrides,
  };
}

/** Presses a button of the hosted page: 303 on success, 409 when the session can no longer be paid. */
export async function actAt(
  checkout_url: string,
  action: Action,
  { delay_ms, refunds }: { readonly delay_ms?: number; readonly refunds?: RefundCourse } = {},
): Promise<Response> {
  const form = new URLSearchParams({ action });
  if (delay_ms !== undefined) form.set('delay_ms', String(delay_ms));
  if (refunds !== undefined) form.set('refunds', refunds);
  return fetch(checkout_url, { method: 'POST', body: form, redirect: 'manual' });
}

/** Makes a signed call to the gateway's API. A body of text is sent unchanged. */
export async function callGateway(
  { url, secrets }: TestGateway,
  environment: Environment,
  method: string,
  path: string,
  body?: unknown,
): Promise<Response> {
  const isRaw = typeof body === 'string';
  const text = body === undefined ? '' : isRaw ? body : JSON.stringify(body);
  const signature = signGatewayBody(signedText(method, path, text), secrets[environment][0]!);
  return fetch(url + path, {
    method,
    headers: { 'X-Gateway-Signature': signature },
    body: body === undefined ? null : text,
  });
}

/** The payment's state in a session, read without closing the session. */
export async function stateOf(
  gateway: TestGateway,
  environment: Environment,
  session_id: string,
): Promise<PaymentState> {
  const response = await callGateway(gateway, environment, 'GET', `/checkouts/${session_id}`);
  return (await response.json()) as PaymentState;
}

export async function listPayments(
  gateway: TestGateway,
  environment: Environment,
): Promise<Listing> {
  const response = await callGateway(gateway, environment, 'GET', '/payments');
  return (await response.json()) as Listing;
}

/** Switches that are left out are off. */
export async function setFaults(
  gateway: TestGateway,
  environment: Environment,
  faults: Partial<Faults>,
): Promise<void> {
  const response = await callGateway(gateway, environment, 'POST', '/faults', faults);
  if (!response.ok) throw new Error(await response.text());
}

export interface AcceptedNotification {
  readonly raw: Buffer;
  readonly headers: IncomingHttpHeaders;
  /** The parsed body, for assertions that are not about its bytes. */
  readonly json: Readonly<Record<string, unknown>>;
}

export interface NotificationReceiver {
  readonly url: string;
  /** The notifications that got a 2xx response. */
  readonly accepted: readonly AcceptedNotification[];
  /** The number of requests, accepted or not. */
  readonly tries: () => number;
  /** Responds with this status from now on, or after `after` more requests; 0 resets the connection. */
  answerWith(status: number, after?: number): void;
}

/** Receives notifications, as the service does, on its own port. */
export async function startNotificationReceiver(): Promise<NotificationReceiver> {
  const accepted: AcceptedNotification[] = [];
  let status = 200;
  let next = { status, after: 0 };
  let tries = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      tries += 1;
      if (next.after === 0) ({ status } = next);
      next.after -= 1;
      if (status === 0) return void request.socket.resetAndDestroy();
      const raw = Buffer.concat(chunks);
      const json = JSON.parse(raw.toString('utf8')) as Record<string, unknown>;
      if (status < 300) accepted.push({ raw, headers: request.headers, json });
      response.writeHead(status).end();
      return undefined;
    });
  });
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  closeAfterFile(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/internal/gateway/notifications`,
    accepted,
    tries: () => tries,
    answerWith(status_then, after = 0) {
      next = { status: status_then, after };
    },
  };
}

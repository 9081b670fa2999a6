// Merchants' work while a version is being replaced: transfers, reads, payments by link, the webhooks of these
// payments, and cancellations. Callers retry as the documentation says, so each thing must get done.

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { errors } from 'undici';
import { request, type HttpResponse } from '../../support/http';
import { waitFor } from '../../support/wait';
import type { TestReceiver } from '../../support/webhooks';

export interface Merchant {
  readonly live_key: string;
  readonly test_key: string;
  /** The recipient of the transfers. */
  readonly to_username: string;
  readonly receiver: TestReceiver;
}

export interface Load {
  /** Resolves when each kind of work was begun and done so often from now on, or at a fault. */
  untilDone(times: number): Promise<void>;
  /** Resolves when what was begun is done. */
  stop(): Promise<void>;
  /** Stops at once, after a test that failed. */
  abandon(): void;
  /** Responses that no caller should get, and work that was never done; empty when all is well. */
  readonly faults: readonly string[];
  /** How often callers had to repeat a request, by the status that they got, or `broken`. */
  readonly repeats: ReadonlyMap<string, number>;
  /** How much of each kind of work is done. */
  done(): Readonly<Record<Kind, number>>;
}

export interface LoadOptions {
  /** Each kind of work has so many. */
  readonly callers?: number;
  /** Limits one piece of work. */
  readonly limit_ms?: number;
}

/** Responses after which a caller repeats the request, as its documentation says. */
const REPEATED = [409, 503];

const WORK = { transfer, read, payment, cancellation } as const;
type Kind = keyof typeof WORK;

type Target = () => { readonly base_url: string };

const RETRY_MS = 200;
/** The machine may be busy. */
const LIMIT_MS = 60_000;

/** `target` says which process gets the next request. */
export function startLoad(
  merchant: Merchant,
  target: Target,
  { callers = 1, limit_ms = LIMIT_MS }: LoadOptions = {},
): Load {
  const faults: string[] = [];
  const repeats = new Map<string, number>();
  let is_stopped = false;
  let is_over = false;
  const loops = (Object.keys(WORK) as Kind[]).flatMap((kind) =>
    Array.from({ length: callers }, () => ({ kind, done: 0 })),
  );
  const again = (reason: string): undefined => {
    repeats.set(reason, (repeats.get(reason) ?? 0) + 1);
  };

  const wait: Wait = (condition) =>
    waitFor(() => {
      if (is_over) throw new Error('the test is over');
      return condition();
    }, limit_ms);
  const send: Send = async (method, path, options) => {
    const idempotency_key = randomUUID();
    return wait(async () => {
      const response = await request(target(), method, path, {
        idempotency_key,
        ...options,
      }).catch(isBroken);
      if (response === undefined) return again('broken');
      const { status, text } = response;
      // A proxy's own page is no answer of the service.
      if (status < 400 && response.json !== undefined) return response;
      const is_repeated = REPEATED.includes(status);
      if (!is_repeated) faults.push(`${method} ${path}: ${status} ${text}`);
      await delay(RETRY_MS);
      return is_repeated || status < 400 || status >= 500 ? again(String(status)) : response;
    });
  };
  const running = loops.map(async (loop) => {
    while (!is_stopped) {
      await WORK[loop.kind](merchant, send, wait).catch((error: unknown) =>
        faults.push(`${loop.kind}: ${String(error)}`),
      );
      loop.done += 1;
    }
  });
  return {
    faults,
    repeats,
    done() {
      const counts = { transfer: 0, read: 0, payment: 0, cancellation: 0 };
      for (const { kind, done } of loops) counts[kind] += done;
      return counts;
    },
    async untilDone(times) {
      // One more: what is under way was begun before.
      const wanted = loops.map(({ done }) => done + times + 1);
      const isDone = () => loops.every(({ done }, index) => done >= wanted[index]!);
      await waitFor(() => faults.length > 0 || isDone(), 2 * limit_ms);
    },
    async stop() {
      is_stopped = true;
      await Promise.all(running);
    },
    abandon() {
      is_stopped = true;
      is_over = true;
    },
  };
}

/** A process that stops closes connections; who was about to use one repeats the request with its key. */
function isBroken(error: unknown): undefined {
  if (!(error instanceof errors.SocketError)) throw error;
}

type Wait = <T>(
  condition: () => Promise<T | undefined | false> | T | undefined | false,
) => Promise<T>;

type Send = (
  method: string,
  path: string,
  options: {
    readonly key?: string;
    readonly body?: unknown;
    readonly headers?: Readonly<Record<string, string>>;
  },
) => Promise<HttpResponse>;

async function transfer({ live_key: key, to_username }: Merchant, send: Send): Promise<void> {
  const body = { to_username, currency: 'XOF', amount: 1 };
  const { json } = await send('POST', '/transfers', { key, body });
  const shown = await send('GET', `/transfers/${json.reference}`, { key });
  if (shown.json.status !== 'completed') throw new Error(shown.text);
}

async function read({ live_key: key }: Merchant, send: Send): Promise<void> {
  for (const path of ['/me', '/wallets', '/transactions?limit=5']) await send('GET', path, { key });
}

async function payment(
  { test_key: key, receiver }: Merchant,
  send: Send,
  wait: Wait,
): Promise<void> {
  const body = { amount: 5_000, currency: 'XOF' };
  const { json: intent } = await send('POST', '/payment-intents', { key, body });
  await wait(() => pay(intent.checkout_url as string));
  await wait(async () => {
    const { json } = await send('GET', `/payment-intents/${intent.id}`, { key });
    return json.status === 'succeeded';
  });
  await wait(() => receiver.received.some((webhook) => webhook.body.includes(intent.id as string)));
}

/** False while the simulator is being replaced: a customer whose connection ends tries again. */
async function pay(checkout_url: string): Promise<boolean> {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  return request({ base_url: '' }, 'POST', checkout_url, {
    headers: form,
    body: 'action=pay',
  }).then(
    ({ status }) => status < 500,
    () => false,
  );
}

async function cancellation({ test_key: key }: Merchant, send: Send): Promise<void> {
  const body = { amount: 5_000, currency: 'XOF' };
  const { json: intent } = await send('POST', '/payment-intents', { key, body });
  const { json } = await send('POST', `/payment-intents/${intent.id}/cancel`, { key });
  if (json.status !== 'canceled') throw new Error(`cancelled: ${JSON.stringify(json)}`);
}

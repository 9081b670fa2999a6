// What merchants do while a version is being replaced: transfers, reads, payments by link, the webhooks
// of these payments, and cancellations. Callers retry as the documentation says, so each thing must get done.

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { errors } from 'undici';
import { request, type HttpResponse } from '../support/http';
import { actAt } from '../support/sandbox-gateway';
import { waitFor } from '../support/wait';
import type { TestReceiver } from '../support/webhooks';

export interface Merchant {
  readonly live_key: string;
  readonly test_key: string;
  /** Who gets the transfers. */
  readonly to_username: string;
  readonly receiver: TestReceiver;
}

export interface Load {
  /** Resolves when each kind of work was begun and done so often from now on, or at a fault. */
  untilDone(times: number): Promise<void>;
  /** Resolves when what was begun is done. */
  stop(): Promise<void>;
  /** At once, after a test that failed. */
  abandon(): void;
  /** Responses that no caller should get, and work that was never done; empty when all is well. */
  readonly faults: readonly string[];
}

type Target = () => { readonly base_url: string };

const RETRY_MS = 200;
/** For one piece of work, on a busy machine. */
const LIMIT_MS = 60_000;

/** `target` says which process gets the next request. */
export function startLoad(merchant: Merchant, target: Target): Load {
  const faults: string[] = [];
  let is_stopped = false;
  let is_over = false;
  const kinds = [transfer, read, payment, cancellation].map((work) => ({ work, done: 0 }));

  const send: Send = async (method, path, options) => {
    const idempotency_key = randomUUID();
    return waitFor(async () => {
      if (is_over) throw new Error('the test is over');
      const response = await request(target(), method, path, {
        idempotency_key,
        ...options,
      }).catch(isBroken);
      if (response === undefined) return undefined;
      const { status, text } = response;
      if (status < 400) return response;
      if (status !== 503 && status !== 409) faults.push(`${method} ${path}: ${status} ${text}`);
      await delay(RETRY_MS);
      return status < 500 && status !== 409 ? response : undefined;
    }, LIMIT_MS);
  };
  const running = kinds.map(async (kind) => {
    while (!is_stopped) {
      await kind
        .work(merchant, send)
        .catch((error: unknown) => faults.push(`${kind.work.name}: ${String(error)}`));
      kind.done += 1;
    }
  });
  return {
    faults,
    async untilDone(times) {
      // One more: what is under way was begun before.
      const wanted = kinds.map(({ done }) => done + times + 1);
      const isDone = () => kinds.every(({ done }, index) => done >= wanted[index]!);
      await waitFor(() => faults.length > 0 || isDone(), 2 * LIMIT_MS);
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

type Send = (
  method: string,
  path: string,
  options: { readonly key: string; readonly body?: unknown },
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

async function payment({ test_key: key, receiver }: Merchant, send: Send): Promise<void> {
  const body = { amount: 5_000, currency: 'XOF' };
  const { json: intent } = await send('POST', '/payment-intents', { key, body });
  // The simulator is replaced as well: a customer whose connection ends tries again.
  const pay = () => actAt(intent.checkout_url as string, 'pay');
  await waitFor(
    () =>
      pay().then(
        () => true,
        () => false,
      ),
    LIMIT_MS,
  );
  await waitFor(async () => {
    const { json } = await send('GET', `/payment-intents/${intent.id}`, { key });
    return json.status === 'succeeded';
  }, LIMIT_MS);
  await waitFor(
    () => receiver.received.some((webhook) => webhook.body.includes(intent.id as string)),
    LIMIT_MS,
  );
}

async function cancellation({ test_key: key }: Merchant, send: Send): Promise<void> {
  const body = { amount: 5_000, currency: 'XOF' };
  const { json: intent } = await send('POST', '/payment-intents', { key, body });
  const { json } = await send('POST', `/payment-intents/${intent.id}/cancel`, { key });
  if (json.status !== 'canceled') throw new Error(`cancelled: ${JSON.stringify(json)}`);
}

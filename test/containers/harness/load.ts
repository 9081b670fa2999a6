// A merchant's work while containers are replaced, at a steady rate: transfers, reads, and payment links that are paid.
// Callers repeat requests as the documentation says, so each thing must get done, once.

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { closeAfterFile } from '../../support/cleanup';
import { waitFor } from '../../support/wait';
import type { Answer, Call, Company } from './company';

export interface Load {
  /** Resolves when so much of each kind of work was begun and done from now on, or at a fault. */
  untilDone(times: number): Promise<void>;
  /** Resolves when what was begun is done. */
  stop(): Promise<void>;
  /** Responses that no caller should get, and work that was never done; empty when all is well. */
  readonly faults: readonly string[];
  /** How much of each kind of work is done, and how often a request was repeated, by the reason. */
  readonly counts: Readonly<Record<string, number>>;
}

export interface LoadOptions {
  readonly per_second?: number;
  /** Only these kinds of work. */
  readonly kinds?: readonly Kind[];
  /** Connections may end without a response: what restarts has no other beside it. */
  readonly is_alone?: boolean;
}

type Kind = 'transfer' | 'read' | 'payment';
type Ask = (call: Call) => Promise<Answer>;

const CALLERS: Readonly<Record<Kind, number>> = { transfer: 12, read: 4, payment: 4 };
/** A caller's own pause before it repeats a request. */
const PAUSE_MS = 200;
/** Covers Temporal's shards and tasks that were lost with a container. */
const LIMIT_MS = 120_000;

/** Through Caddy, from many callers at once. */
export function startLoad(
  company: Company,
  { per_second = 20, kinds = ['transfer', 'read', 'payment'], is_alone = false }: LoadOptions = {},
): Load {
  const faults: string[] = [];
  const counts: Record<string, number> = {};
  const count = (what: string): void => void (counts[what] = (counts[what] ?? 0) + 1);
  let [is_stopped, is_over] = [false, false];
  // A caller who goes on would not let a test end that has failed.
  closeAfterFile(() => void ([is_stopped, is_over] = [true, true]));
  let next = Date.now();
  /** Each request has its moment; one that is late does not make the others later. */
  const turn = async (): Promise<void> => {
    next = Math.max(next + 1_000 / per_second, Date.now() - 1_000);
    await delay(Math.max(0, next - Date.now()));
  };
  const ask: Ask = (call) =>
    waitFor(async () => {
      if (is_over) throw new Error('the test is over');
      await turn();
      count('requests');
      const answer = await company.send(call).catch((error: { code?: string }) => error.code);
      if (answer === undefined || typeof answer === 'string') {
        count('unanswered');
        if (!is_alone) faults.push(`${call.method} ${call.path}: ${answer}`);
        await delay(PAUSE_MS);
        return false;
      }
      if (answer.status < 400) return answer;
      // The service says that it did nothing, or does not know; a proxy's own page says neither.
      const is_true = [409, 503].includes(answer.status) && answer.json?.ok === false;
      count(String(answer.status));
      if (!is_true && !(is_alone && [502, 503, 504].includes(answer.status)))
        faults.push(`${call.method} ${call.path}: ${answer.status} ${answer.text}`);
      await delay(PAUSE_MS);
      return false;
    }, LIMIT_MS);
  const loops = kinds.flatMap((kind) =>
    Array.from({ length: CALLERS[kind] }, () => ({ kind, done: 0 })),
  );
  const running = loops.map(async (loop) => {
    while (!is_stopped) {
      await WORK[loop.kind](company, ask).then(
        () => count(loop.kind),
        (error: unknown) => faults.push(`${loop.kind}: ${String(error)}`),
      );
      loop.done += 1;
    }
  });
  return {
    faults,
    counts,
    async untilDone(times) {
      // One more: what is under way was begun before.
      const wanted = loops.map(({ done }) => done + times + 1);
      const isDone = () => loops.every(({ done }, index) => done >= wanted[index]!);
      await waitFor(() => faults.length > 0 || isDone(), 2 * LIMIT_MS);
    },
    async stop() {
      is_stopped = true;
      await Promise.all(running);
    },
  };
}

const WORK = { transfer, read, payment } as const;

/** The second answer has the bytes of the first: it was kept, and is the only one. */
async function transfer(company: Company, ask: Ask): Promise<void> {
  const { merchant, customer } = company;
  const order = {
    ...({ method: 'POST', path: '/transfers', key: merchant.live_key } as const),
    idempotency_key: randomUUID(),
    body: { to_username: customer.username, currency: 'XOF', amount: 1 },
  };
  const { text } = await ask(order);
  company.sent += 1;
  const again = await ask(order);
  if (again.text !== text) throw new Error(`answered twice: ${text} and ${again.text}`);
}

async function read({ merchant: { live_key: key } }: Company, ask: Ask): Promise<void> {
  for (const path of ['/me', '/transactions?limit=5']) await ask({ method: 'GET', path, key });
}

async function payment({ merchant: { test_key: key } }: Company, ask: Ask): Promise<void> {
  const body = { amount: 5_000, currency: 'XOF' };
  const order = { method: 'POST', path: '/payment-intents', key, body } as const;
  const { json } = await ask({ ...order, idempotency_key: randomUUID() });
  const { id, checkout_url } = json as { id: string; checkout_url: string };
  await ask({ method: 'POST', path: checkout_url, body: 'action=pay' });
  await waitFor(async () => {
    const { json: intent } = await ask({ method: 'GET', path: `/payment-intents/${id}`, key });
    return (intent as { status: string }).status === 'succeeded';
  }, LIMIT_MS);
}

// Tells the service of payments until it has taken each notification: at least once, in no order.

import type { Environment } from '../../domain/environment';
import { GATEWAY_SIGNATURE_HEADER, signGatewayBody } from '../../secrets/gateway-signature';
import type { Notification } from './book';

export interface NotifierOptions {
  readonly url: string;
  /** The one that signs. */
  readonly secretOf: (environment: Environment) => string;
  /** One copy was answered with 2xx. */
  readonly onDelivered: (event_id: string) => void;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

export interface Notifier {
  /** As many copies as it has, at once. */
  send(notification: Notification): void;
  /** Lets what is on its way arrive, for a moment; the rest stays undelivered. */
  stop(): Promise<void>;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
const TRY_LIMIT_MS = 5_000;
/** A service that was away for long is not drowned when it is back. */
const MAX_AT_ONCE = 50;
const STOP_GRACE_MS = 1_000;

interface Delivery {
  readonly notification: Notification;
  failures: number;
}

export function createNotifier({ url, secretOf, onDelivered, log }: NotifierOptions): Notifier {
  const due: Delivery[] = [];
  const timers = new Set<NodeJS.Timeout>();
  const under_way = new Set<Promise<void>>();
  const tries = new Set<AbortController>();
  let isStopped = false;

  const work = (): void => {
    while (!isStopped && under_way.size < MAX_AT_ONCE && due.length > 0) {
      const delivery = due.shift()!;
      const trying = attempt(delivery).finally(() => {
        under_way.delete(trying);
        work();
      });
      under_way.add(trying);
    }
  };
  const attempt = async (delivery: Delivery): Promise<void> => {
    const { event_id, body, environment } = delivery.notification;
    const limit = new AbortController();
    tries.add(limit);
    const timer = setTimeout(() => limit.abort(new Error('timeout')), TRY_LIMIT_MS);
    const result = await post(url, body, secretOf(environment), limit.signal);
    clearTimeout(timer);
    tries.delete(limit);
    if (result === 'taken') return onDelivered(event_id);
    delivery.failures += 1;
    log({ notification: event_id, failures: delivery.failures, result });
    tryLater(delivery);
  };
  const tryLater = (delivery: Delivery): void => {
    if (isStopped) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      due.push(delivery);
      work();
    }, pauseAfter(delivery.failures));
    timers.add(timer);
  };

  return {
    send(notification) {
      for (let copy = 0; copy < notification.copies; copy += 1) {
        due.push({ notification, failures: 0 });
      }
      work();
    },
    async stop() {
      isStopped = true;
      for (const timer of timers) clearTimeout(timer);
      const grace = setTimeout(() => {
        for (const limit of tries) limit.abort(new Error('stopped'));
      }, STOP_GRACE_MS);
      await Promise.all(under_way);
      clearTimeout(grace);
    },
  };
}

/** 0.5 s, 1 s, 2 s … 30 s. */
export function pauseAfter(failures: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
}

/** `taken`, or what came instead. */
async function post(
  url: string,
  body: string,
  secret: string,
  limit: AbortSignal,
): Promise<string> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        [GATEWAY_SIGNATURE_HEADER]: signGatewayBody(body, secret),
      },
      body,
      redirect: 'manual',
      signal: limit,
    });
    // Read to its end, within the deadline, so that the connection can be used again.
    await response.arrayBuffer();
    return response.ok ? 'taken' : `status ${response.status}`;
  } catch (error) {
    // Undici's message is "fetch failed"; why is in its cause.
    return String(error instanceof Error ? (error.cause ?? error.message) : error);
  }
}

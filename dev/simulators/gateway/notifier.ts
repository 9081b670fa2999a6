// Sends notifications of payments and payouts, and retries until the service accepts them: at least once,
// unordered.

import type { Environment } from '../../../domain/environment';
import { GATEWAY_SIGNATURE_HEADER, signGatewayBody } from '../../../secrets/gateway-signature';
import type { Notification } from './store';

export interface NotifierOptions {
  readonly url: string;
  readonly secretOf: (environment: Environment) => string;
  /** Is called when one copy got a 2xx response. */
  readonly onDelivered: (event_id: string) => void;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

export interface Notifier {
  /** Sends all copies of a notification at once. */
  send(notification: Notification): void;
  /** Sends a body once, signed by this account's secret. Returns `accepted`, or what happened instead. */
  tryOnce(body: string, signed_by: Environment): Promise<string>;
  /** Waits briefly for requests in flight; the rest stays undelivered. */
  stop(): Promise<void>;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
const TRY_LIMIT_MS = 5_000;
/** The limit keeps a service from being flooded when it returns from a long outage. */
const MAX_AT_ONCE = 50;
const STOP_GRACE_MS = 1_000;

export function createNotifier({ url, secretOf, onDelivered, log }: NotifierOptions): Notifier {
  const due: (() => Promise<void>)[] = [];
  const timers = new Set<NodeJS.Timeout>();
  const in_flight = new Set<Promise<void>>();
  const limits = new Set<AbortController>();
  let is_stopped = false;

  const sendDue = (): void => {
    while (!is_stopped && in_flight.size < MAX_AT_ONCE && due.length > 0) {
      const request = due.shift()!().finally(() => {
        in_flight.delete(request);
        sendDue();
      });
      in_flight.add(request);
    }
  };
  const tryOnce = async (body: string, signed_by: Environment): Promise<string> => {
    const limit = new AbortController();
    limits.add(limit);
    const timer = setTimeout(() => limit.abort(new Error('timeout')), TRY_LIMIT_MS);
    const result = await post(url, body, secretOf(signed_by), limit.signal);
    clearTimeout(timer);
    limits.delete(limit);
    return result;
  };
  const deliver = async (notification: Notification, failures: number): Promise<void> => {
    const { event_id, body, environment } = notification;
    const result = await tryOnce(body, environment);
    if (result === 'accepted') return onDelivered(event_id);
    log({ notification: event_id, failures: failures + 1, result });
    if (is_stopped) return;
    const timer = setTimeout(
      () => {
        timers.delete(timer);
        due.push(() => deliver(notification, failures + 1));
        sendDue();
      },
      pauseAfter(failures + 1),
    );
    timers.add(timer);
  };

  return {
    send(notification) {
      for (let copy = 0; copy < notification.copies; copy += 1) {
        due.push(() => deliver(notification, 0));
      }
      sendDue();
    },
    tryOnce,
    async stop() {
      is_stopped = true;
      for (const timer of timers) clearTimeout(timer);
      const grace = setTimeout(() => {
        for (const limit of limits) limit.abort(new Error('stopped'));
      }, STOP_GRACE_MS);
      await Promise.all(in_flight);
      clearTimeout(grace);
    },
  };
}

/** The pauses are 0.5 s, 1 s, 2 s … 30 s. */
export function pauseAfter(failures: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
}

/** Returns `accepted`, or what happened instead. */
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
    // Reading to the end, within the deadline, lets the connection be reused.
    await response.arrayBuffer();
    return response.ok ? 'accepted' : `status ${response.status}`;
  } catch (error) {
    // Undici's message is only "fetch failed"; its cause has the reason.
    return String(error instanceof Error ? (error.cause ?? error.message) : error);
  }
}

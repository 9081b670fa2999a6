// The part of a process that delivers webhooks, and queues what is to be sent again.

import type { Config } from '../config/load';
import { openDatabaseClock } from '../db/clock';
import type { Db } from '../db/connect';
import { listen } from '../db/listen';
import { DELIVERIES_CHANNEL } from '../db/webhooks/webhook-delivery-runs';
import { continueResend } from '../db/webhooks/webhook-resends';
import type { Sealer } from '../secrets/seal';
import type { Metrics } from '../telemetry/metrics';
import { createDeliveryLoop } from '../webhooks/delivery/delivery-loop';
import { createLeases } from '../webhooks/delivery/leases';
import { DELIVERY_PACE, type DeliveryPace } from '../webhooks/delivery/settings';
import { createWebhookSender } from '../webhooks/send';
import type { WebhookUrlPolicy } from '../webhooks/url';
import { repeat } from './repeat';

export interface WebhookWorkerParts {
  readonly config: Config;
  readonly db: Db;
  readonly sealer: Sealer;
  readonly webhook_policy: WebhookUrlPolicy;
  readonly metrics: Pick<Metrics, 'countWebhookAttempt'>;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/**
 * Many merchants have their endpoints at one host, and endpoints that hang must leave room for the
 * others there. How much one endpoint may use is limited by its delivery run; a merchant has up to 32.
 */
const SOCKETS_TO_ONE_HOST = 2_000;
const SOCKETS_OF_ONE_ACCOUNT = 500;

/** Deliveries that a statement queues again. */
const RESENT_AT_ONCE = 500;

export function startWebhookWorker(
  parts: WebhookWorkerParts,
  pace: DeliveryPace = DELIVERY_PACE,
): { stop(): Promise<void> } {
  const { config, db, log } = parts;
  const { webhooks } = config;
  const sender = createWebhookSender({
    policy: parts.webhook_policy,
    max_per_origin: SOCKETS_TO_ONE_HOST,
    max_per_account: SOCKETS_OF_ONE_ACCOUNT,
    deadline_ms: webhooks.timeout_ms,
  });
  const clock = openDatabaseClock({
    db,
    onSkew: (skew_ms) =>
      log({ part: 'clock', skew_ms, error: "this machine's clock differs from Postgres'" }),
  });
  const deliveries = createDeliveryLoop({
    db,
    clock,
    sender,
    log,
    sealer: parts.sealer,
    metrics: parts.metrics,
    leases: createLeases(db, pace.lease_ms),
    deliveries: {
      retry_seconds: webhooks.retry_seconds,
      timeout_ms: webhooks.timeout_ms,
      concurrency: webhooks.concurrency,
      disable_after_seconds: webhooks.disable_after_hours * 3_600,
      pace,
    },
  });
  const logFault = (error: unknown): void =>
    log({ part: 'webhook-delivery', error: String(error) });
  const polling = repeat({
    turn: () => deliveries.poll(),
    pause_ms: pace.poll_ms,
    onError: logFault,
  });
  const resending = repeat({
    async turn(signal) {
      while (!signal.aborted && (await continueResend(db, RESENT_AT_ONCE)));
    },
    pause_ms: pace.poll_ms,
    onError: (error) => log({ part: 'webhook-resend', error: String(error) }),
  });
  const listener = listen({
    url: config.database_url ?? '',
    channels: { [DELIVERIES_CHANNEL]: (endpoint_id) => deliveries.notify(endpoint_id) },
    // Deliveries that were committed meanwhile need not wait for the next turn.
    onConnected: () => void deliveries.poll().catch(logFault),
  });
  return {
    async stop() {
      await Promise.all([listener.close(), polling.stop(), resending.stop()]);
      await deliveries.stop();
      clock.close();
      await sender.close();
    },
  };
}

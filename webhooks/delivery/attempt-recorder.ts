// Records the attempts of a delivery run. It coalesces: attempts that end while a write is under
// way go into the next write together, because a statement costs about as much for twenty as for
// one. It is persistent during an outage, because a delivery whose attempt is not recorded is sent
// again.

import type { Db } from '../../db/connect';
import { isDatabaseUnavailable } from '../../db/errors';
import { recordFaultyAttempts } from '../../db/sandbox/webhook-faults';
import {
  recordAttempts,
  type AttemptRecord,
  type HealthRecord,
} from '../../db/webhooks/webhook-attempts';
import type { ClaimedDelivery, ClaimedEndpoint } from '../../db/webhooks/webhook-delivery-runs';
import { isGone, planRetry, quietSeconds } from '../../domain/webhook';
import type { SendResult } from '../send';
import type { Metrics } from '../../telemetry/metrics';
import type { EndpointHealth } from './endpoint-health';
import type { DeliverySettings } from './settings';

/**
 * How long an outage of the database may last before all that was sent in it has to be sent again.
 */
const RETRY_FOR_MS = 20_000;
const RETRY_PAUSE_MS = 200;

export interface FinishedAttempt {
  readonly delivery: ClaimedDelivery;
  readonly url: string;
  readonly started: number;
  readonly result: SendResult;
  /** The second one of a delivery that was sent twice, to rehearse it. */
  readonly copy?: FinishedAttempt;
}

export interface AttemptRecorder {
  /**
   * No more deliveries may be sent: the endpoint is not enabled any more, or a write has failed.
   */
  readonly is_closed: boolean;
  /**
   * Begins with what the endpoint's row says; called at the first claim, and when the URL was
   * changed.
   */
  reset(endpoint: Pick<ClaimedEndpoint, 'url' | 'consecutive_failures'>): void;
  add(attempt: FinishedAttempt): void;
  fail(error: unknown): void;
  /** Throws what kept it from recording: all that is not recorded is sent again. */
  flush(): Promise<void>;
}

export interface RecorderOptions {
  readonly db: Db;
  readonly deliveries: Pick<DeliverySettings, 'retry_seconds' | 'disable_after_seconds'>;
  readonly endpoint_id: string;
  readonly health: Pick<EndpointHealth, 'pause_ms'>;
  readonly metrics: Pick<Metrics, 'countWebhookAttempt'>;
  /** Called for attempts that could not be recorded, too. */
  readonly onRecorded: (delivery_ids: readonly string[]) => void;
}

export function createAttemptRecorder(options: RecorderOptions): AttemptRecorder {
  const { db, deliveries, endpoint_id, metrics, onRecorded } = options;
  const finished: FinishedAttempt[] = [];
  let writing: Promise<void> | undefined;
  let failure: { readonly error: unknown } | undefined;
  let is_closed = false;
  let row = { url: '', is_failing: false };

  const fail = (error: unknown): void => {
    failure ??= { error };
    is_closed = true;
  };
  const writeBatch = async (batch: readonly FinishedAttempt[]): Promise<void> => {
    const attempts = batch.map((attempt) => recordOf(attempt, deliveries));
    const copies = batch.flatMap(({ copy }) => copy ?? []);
    const health = healthOf([...batch, ...copies], row, options);
    const hasFaults = batch.some(({ delivery }) => delivery.rehearsal?.has_faults);
    const status = await retryWhileUnavailable(() =>
      hasFaults
        ? recordFaultyAttempts(db, endpoint_id, {
            made: attempts,
            copies: copies.map((copy) => recordOf(copy, deliveries, 2)),
            health,
          })
        : recordAttempts(db, endpoint_id, attempts, health),
    );
    if (health) row.is_failing = health.failures > 0 || (row.is_failing && !health.has_arrived);
    if (status !== 'enabled') is_closed = true;
  };
  // One statement at a time.
  const write = async (): Promise<void> => {
    // Attempts that end in the same turn of the event loop go with it.
    await new Promise(setImmediate);
    while (finished.length > 0 && !failure) {
      const batch = finished.splice(0);
      await writeBatch(batch).catch(fail);
      onRecorded(batch.map(({ delivery }) => delivery.id));
    }
    writing = undefined;
  };

  return {
    get is_closed() {
      return is_closed;
    },
    reset({ url, consecutive_failures }) {
      row = { url, is_failing: consecutive_failures > 0 };
    },
    add(attempt) {
      for (const { result } of attempt.copy ? [attempt, attempt.copy] : [attempt]) {
        metrics.countWebhookAttempt(result.outcome, result.duration_ms);
      }
      finished.push(attempt);
      writing ??= write();
    },
    fail,
    async flush() {
      await writing;
      if (failure) throw failure.error;
    },
  };
}

/** Null when nothing changes: all arrived, at an endpoint that was healthy. */
function healthOf(
  batch: readonly FinishedAttempt[],
  row: { readonly url: string; readonly is_failing: boolean },
  { deliveries, health }: RecorderOptions,
): HealthRecord | null {
  // Attempts to an address that the endpoint had before say nothing of this one.
  const attempts = batch.filter(({ url }) => url === row.url);
  const failed = attempts.filter(({ result }) => result.outcome !== 'delivered');
  if (attempts.length === 0 || (failed.length === 0 && !row.is_failing)) return null;
  const last_arrived = attempts.findLastIndex(({ result }) => result.outcome === 'delivered');
  const last = failed.at(-1)?.result;
  return {
    url: row.url,
    has_arrived: last_arrived >= 0,
    failures: attempts.length - (last_arrived + 1),
    pause_ms: health.pause_ms,
    is_gone: failed.some(({ result }) => isGone(result)),
    disable_after_seconds: deliveries.disable_after_seconds,
    quiet_seconds: quietSeconds(deliveries.retry_seconds),
    last_failure: last ? { outcome: last.outcome, status: last.status } : null,
  };
}

function recordOf(
  { delivery, url, started, result }: FinishedAttempt,
  { retry_seconds }: RecorderOptions['deliveries'],
  more = 1,
): AttemptRecord {
  const { id, attempts, is_resend } = delivery;
  const tries = delivery.tries + more;
  const { outcome, status, response_body, response_truncated, retry_after_seconds } = result;
  return {
    delivery_id: id,
    number: attempts + more,
    trigger: is_resend ? 'resend' : 'automatic',
    url,
    age_ms: performance.now() - started,
    duration_ms: Math.round(result.duration_ms),
    outcome,
    status,
    response_body,
    response_truncated,
    retry_after_seconds,
    retry_ms: outcome === 'delivered' ? null : planRetry({ id, tries }, result, retry_seconds),
  };
}

async function retryWhileUnavailable<T>(write: () => Promise<T>): Promise<T> {
  const began = performance.now();
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isDatabaseUnavailable(error) || performance.now() - began > RETRY_FOR_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS));
    }
  }
}

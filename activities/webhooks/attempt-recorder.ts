// Writes what came of attempts: soon, together, and as long as it takes, because what is not written
// is sent again.

import { isDatabaseUnavailable, type Db } from '../../db/connect';
import {
  recordAttempts,
  type ClaimedDelivery,
  type DrainedEndpoint,
  type EndpointHealth,
  type MadeAttempt,
} from '../../db/webhooks';
import { isGone, planRetry, quietSeconds } from '../../domain/webhook';
import type { SendResult } from '../../webhooks/send';
import type { EndpointHealthNow } from './endpoint-health';

/** An outage may last so long before all that was sent meanwhile has to be sent again. */
const INSIST_MS = 20_000;
const RECORD_PAUSE_MS = 200;

export interface EndedAttempt {
  readonly delivery: ClaimedDelivery;
  readonly url: string;
  readonly started: number;
  readonly result: SendResult;
}

export interface RecorderOptions {
  readonly db: Db;
  readonly deliveries: {
    /** Waits between tries. */
    readonly retry_seconds: readonly number[];
    readonly disable_after_seconds: number;
  };
  readonly endpoint_id: string;
  readonly health: EndpointHealthNow;
}

/** Writes what ended together in one statement, one statement at a time. */
export function createAttemptRecorder({ db, deliveries, endpoint_id, health }: RecorderOptions) {
  const ended: EndedAttempt[] = [];
  let writing: Promise<void> | undefined;
  let fault: { readonly error: unknown } | undefined;
  // What the row says.
  let endpoint_url = '';
  let is_row_failing = false;
  const recorder = {
    is_closed: false,
    /** Also when the endpoint gets another address. */
    begin({
      url,
      consecutive_failures,
    }: Pick<DrainedEndpoint, 'url' | 'consecutive_failures'>): void {
      endpoint_url = url;
      is_row_failing = consecutive_failures > 0;
    },
    onRecorded: (_ids: readonly string[]): void => undefined,
    add(one: EndedAttempt): void {
      ended.push(one);
      writing ??= write();
    },
    fail(error: unknown): void {
      fault ??= { error };
      recorder.is_closed = true;
    },
    /** @throws what kept it from recording: all that is not recorded is sent again */
    async flush(): Promise<void> {
      await writing;
      if (fault) throw fault.error;
    },
  };
  const write = async (): Promise<void> => {
    // What else ends in this turn of the event loop goes with it.
    await new Promise(setImmediate);
    while (ended.length > 0 && !fault) {
      const batch = ended.splice(0);
      const about = healthOf(batch);
      try {
        const attempts = batch.map((one) => attemptOf(one, deliveries));
        const status = await insist(() => recordAttempts(db, endpoint_id, attempts, about));
        if (about) is_row_failing = about.failures > 0 || (is_row_failing && !about.has_arrived);
        if (status !== 'enabled') recorder.is_closed = true;
      } catch (error) {
        recorder.fail(error);
      }
      recorder.onRecorded(batch.map(({ delivery }) => delivery.id));
    }
    writing = undefined;
  };
  const healthOf = (all: readonly EndedAttempt[]): EndpointHealth | null => {
    // What went to an address that it had before says nothing of this one.
    const batch = all.filter((one) => one.url === endpoint_url);
    if (batch.length === 0) return null;
    const last_arrived = batch.findLastIndex(({ result }) => result.outcome === 'delivered');
    const failed = batch.slice(last_arrived + 1);
    const failures = batch.filter(({ result }) => result.outcome !== 'delivered');
    if (failures.length === 0 && !is_row_failing) return null;
    const last = failures.at(-1)?.result;
    return {
      url: endpoint_url,
      has_arrived: last_arrived >= 0,
      failures: failed.length,
      pause_ms: health.pause_ms,
      is_gone: failures.some(({ result }) => isGone(result)),
      disable_after_seconds: deliveries.disable_after_seconds,
      quiet_seconds: quietSeconds(deliveries.retry_seconds),
      last_failure: last ? { outcome: last.outcome, status: last.status } : null,
    };
  };
  return recorder;
}

function attemptOf(
  { delivery, url, started, result }: EndedAttempt,
  { retry_seconds }: RecorderOptions['deliveries'],
): MadeAttempt {
  const tries = delivery.tries + 1;
  return {
    delivery_id: delivery.id,
    number: delivery.attempts + 1,
    trigger: delivery.is_resend ? 'resend' : 'automatic',
    url,
    age_ms: performance.now() - started,
    duration_ms: Math.round(result.duration_ms),
    outcome: result.outcome,
    status: result.status,
    response_body: result.response_body,
    response_truncated: result.response_truncated,
    retry_after_seconds: result.retry_after_seconds,
    retry_ms:
      result.outcome === 'delivered'
        ? null
        : planRetry({ id: delivery.id, tries }, result, retry_seconds),
  };
}

async function insist<T>(write: () => Promise<T>): Promise<T> {
  const began = performance.now();
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isDatabaseUnavailable(error) || performance.now() - began > INSIST_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, RECORD_PAUSE_MS));
    }
  }
}

// Counts of a process, in the form that Prometheus reads. Every label takes few values, all of
// them from our own lists: no path, no id, no name of a user.

import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Environment } from '../domain/environment';
import type { TransferResult } from '../domain/transfer';

export interface Metrics {
  readonly registry: Registry;
  countRequest(request: CountedRequest): void;
  /** One that a retry repeats is not counted again. */
  countTransfer(environment: Environment, result: TransferResult): void;
  /** Counts items of bulk transfers, without dry runs. */
  countBatchItems(environment: Environment, outcome: 'completed' | 'failed', items: number): void;
  countIntentEnd(environment: Environment, status: string): void;
  countWebhookAttempt(outcome: string, duration_ms: number): void;
  /** Counts a decision, `silence`, or `paused`: after many silences it is not asked for a while. */
  countProviderAnswer(outcome: string): void;
  /**
   * `queue_full`: they came faster than the collector takes them. `not_sent`: it did not take them.
   */
  countDroppedSpans(reason: 'queue_full' | 'not_sent', spans: number): void;
  /** `part` is written in the code. */
  countLoggedError(part: unknown): void;
  /** Called when nothing was left to seal, or another process was at it. */
  noteLedgerSealed(): void;
}

export interface CountedRequest {
  readonly method: string;
  /** The pattern in the table of routes; undefined before it is known. */
  readonly route: string | undefined;
  readonly status: number;
  readonly duration_ms: number;
}

const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PATCH',
  'PUT',
  'DELETE',
  'OPTIONS',
]);

/**
 * Buckets in seconds: a read takes a millisecond or two, a transfer some ten, and 5 s are the
 * longest that one waits.
 */
const REQUEST_BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** A receiver has 15 s by default, 30 at most. */
const ATTEMPT_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30];

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Histogram({
    name: 'payment_api_http_request_duration_seconds',
    help: 'Time until the response was decided, by route as in the table of routes',
    labelNames: ['method', 'route', 'status'],
    buckets: REQUEST_BUCKETS,
    registers,
  });
  const transfers = new Counter({
    name: 'payment_api_transfers_total',
    help: 'Single transfers by what they came to, counted by the process that posted them',
    labelNames: ['environment', 'outcome'],
    registers,
  });
  const batch_items = new Counter({
    name: 'payment_api_transfer_batch_items_total',
    help: 'Items of bulk transfers by what they came to',
    labelNames: ['environment', 'outcome'],
    registers,
  });
  const intent_ends = new Counter({
    name: 'payment_api_payment_intents_ended_total',
    help: 'Payment intents by the status they ended with, counted by the process that ended them',
    labelNames: ['environment', 'status'],
    registers,
  });
  const attempts = new Counter({
    name: 'payment_api_webhook_attempts_total',
    help: 'Attempts to deliver a webhook by outcome; delivered is a response of 2xx',
    labelNames: ['outcome'],
    registers,
  });
  const attempt_durations = new Histogram({
    name: 'payment_api_webhook_attempt_duration_seconds',
    help: 'Time that attempts to deliver a webhook took',
    buckets: ATTEMPT_BUCKETS,
    registers,
  });
  const provider_answers = new Counter({
    name: 'payment_api_risk_provider_answers_total',
    help: 'Answers of the provider that is asked about the risk of orders; paused is one that was not asked',
    labelNames: ['outcome'],
    registers,
  });
  const dropped_spans = new Counter({
    name: 'payment_api_trace_spans_dropped_total',
    help: 'Spans of traces that the collector did not get',
    labelNames: ['reason'],
    registers,
  });
  const errors = new Counter({
    name: 'payment_api_logged_errors_total',
    help: 'Lines of the error log, by the part of the service that wrote them',
    labelNames: ['part'],
    registers,
  });
  const sealed = new Gauge({
    name: 'payment_api_ledger_sealed_timestamp_seconds',
    help: 'When this process last found the ledger sealed, or another process at it (Unix time)',
    registers,
  });
  // The gauge is not shown before it has happened: 0 would be 1970.
  sealed.remove();
  // Counted from the beginning, so that the first one is an increase.
  attempts.inc({ outcome: 'delivered' }, 0);
  for (const [environment, outcome] of [
    ['live', 'completed'],
    ['sandbox', 'simulated'],
  ] as const) {
    transfers.inc({ environment, outcome }, 0);
    intent_ends.inc({ environment, status: 'succeeded' }, 0);
  }
  return {
    registry,
    countRequest: ({ method, route, status, duration_ms }) =>
      requests.observe(
        { method: METHODS.has(method) ? method : 'other', route: route ?? 'unmatched', status },
        duration_ms / 1_000,
      ),
    countTransfer(environment, { outcome, is_replay }) {
      if (!is_replay && outcome !== 'unasked') transfers.inc({ environment, outcome });
    },
    countBatchItems: (environment, outcome, items) =>
      batch_items.inc({ environment, outcome }, items),
    countIntentEnd: (environment, status) => intent_ends.inc({ environment, status }),
    countWebhookAttempt(outcome, duration_ms) {
      attempts.inc({ outcome });
      attempt_durations.observe(duration_ms / 1_000);
    },
    countProviderAnswer: (outcome) => provider_answers.inc({ outcome }),
    countDroppedSpans: (reason, spans) => dropped_spans.inc({ reason }, spans),
    countLoggedError: (part) => errors.inc({ part: typeof part === 'string' ? part : 'http' }),
    noteLedgerSealed: () => sealed.setToCurrentTime(),
  };
}

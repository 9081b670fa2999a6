// Webhook endpoints and deliveries as JSON for scripts and as text for people.

import type { FailingEndpoint } from '../db/operators/operators';
import type { AttemptView } from '../db/webhooks/webhook-attempts';
import type { DeliveryView } from '../db/webhooks/webhook-deliveries';
import type { OperatorEndpoint } from '../db/webhooks/operator-webhooks';
import type { Backlog } from '../db/webhooks/webhook-backlog';
import { EVENT_TYPES } from '../domain/event';
import type { JsonValue } from '../domain/json';
import type { DeliveryStatus, EndpointFailure } from '../domain/webhook';
import { table } from './table';
import { printable } from './terminal';

/** The fields of an endpoint without its secret, which was shown once. */
export function presentEndpoint(endpoint: OperatorEndpoint): Record<string, JsonValue> {
  const { user_id: _, last_failure, ...rest } = endpoint;
  return { ...rest, last_failure: last_failure && { ...last_failure } };
}

export function listText(endpoints: readonly OperatorEndpoint[]): string {
  return table([
    ['ID', 'ENVIRONMENT', 'STATUS', 'TYPES', 'URL'],
    ...endpoints.map(({ id, environment, status, disabled_reason, types, url }) => [
      id,
      environment,
      disabled_reason === null ? status : `${status} (${disabled_reason})`,
      types.length === EVENT_TYPES.length ? 'all' : types.join(','),
      url,
    ]),
  ]);
}

export function failingText(endpoints: readonly FailingEndpoint[]): string {
  return table([
    ['ID', 'USER', 'ENVIRONMENT', 'STATUS', 'SINCE', 'LAST FAILURE', 'WAITING', 'URL'],
    ...endpoints.map((one) => [
      one.id,
      one.username,
      one.environment,
      one.status,
      one.failing_since,
      failureText(one.last_failure),
      String(one.waiting),
      one.url,
    ]),
  ]);
}

export interface EndpointState {
  readonly endpoint: OperatorEndpoint;
  readonly backlog: Backlog;
  readonly undelivered: Partial<Record<DeliveryStatus, number>>;
}

export function presentState({
  endpoint,
  backlog,
  undelivered,
}: EndpointState): Record<string, JsonValue> {
  const { pending, oldest_pending_at, next_attempt_at } = backlog;
  const { held = 0, exhausted = 0, discarded = 0 } = undelivered;
  return {
    endpoint: presentEndpoint(endpoint),
    backlog: { pending, oldest_pending_at, next_attempt_at, held, exhausted, discarded },
  };
}

export function stateText({ endpoint, backlog, undelivered }: EndpointState): string {
  const { held = 0, exhausted = 0, discarded = 0 } = undelivered;
  const reason = endpoint.disabled_reason === null ? '' : ` (${endpoint.disabled_reason})`;
  const limit = endpoint.max_per_second;
  return [
    `${endpoint.id}: ${endpoint.url} of ${endpoint.username} (${endpoint.environment}), ${endpoint.status}${reason}`,
    table([
      ['types', endpoint.types.join(', ')],
      ...(endpoint.description === null ? [] : [['description', endpoint.description]]),
      ['at most', limit === null ? 'no limit' : `${limit} a second`],
      ['created', endpoint.created_at],
      ['both secrets until', endpoint.previous_secret_until ?? 'no rotation in progress'],
    ]),
    table([
      ['pending', String(backlog.pending)],
      ['oldest', backlog.oldest_pending_at ?? 'none'],
      ['next attempt', backlog.next_attempt_at ?? 'none'],
      ['held', String(held)],
      ['exhausted', String(exhausted)],
      ['discarded', String(discarded)],
      ['last failure', failureText(endpoint.last_failure)],
      ['failures in a row', String(endpoint.consecutive_failures)],
      ['failing since', endpoint.failing_since ?? 'not failing'],
    ]),
  ].join('\n\n');
}

function failureText(failure: EndpointFailure | null): string {
  return failure === null ? 'none' : `${failure.at} ${outcomeText(failure)}`;
}

function outcomeText({ outcome, status }: Pick<EndpointFailure, 'outcome' | 'status'>): string {
  return status === null ? outcome : `${outcome} (${status})`;
}

export interface DeliveryState extends Omit<DeliveryView, 'attempts'> {
  readonly url: string;
  /** The attempts, those of dropped months included, which are not in the list. */
  readonly attempts_made: number;
  /** The attempts that are kept, oldest first. */
  readonly attempts: readonly AttemptView[];
}

export function presentDelivery({
  attempts,
  ...delivery
}: DeliveryState): Record<string, JsonValue> {
  return { ...delivery, attempts: attempts.map((attempt) => ({ ...attempt })) };
}

export function deliveryText(delivery: DeliveryState): string {
  const { endpoint_id, url, status, next_attempt_at, attempts, attempts_made } = delivery;
  const next = next_attempt_at === null ? '' : `, next attempt ${next_attempt_at}`;
  const head = `To ${printable(url)} (endpoint ${endpoint_id}): ${status}${next}`;
  if (attempts.length === 0 && attempts_made > 0) {
    return `${head}\nAttempts: ${attempts_made}, in a month that is no longer kept.`;
  }
  if (attempts.length === 0) return `${head}\nNo attempt yet.`;
  const rows = attempts.map((attempt) => [
    String(attempt.number),
    attempt.started_at,
    attempt.trigger,
    `${attempt.duration_ms} ms`,
    outcomeText(attempt),
    (attempt.response_body ?? '').slice(0, 60),
  ]);
  return `${head}\n${table([['', 'STARTED', 'BY', 'TOOK', 'OUTCOME', 'RESPONSE'], ...rows])}`;
}

// The rules of telling merchants: how often something is tried, when the next try is due, and when an
// endpoint is left alone for a while. Sources: Standard Webhooks 1.0.0 (the schedule, 410, slowing
// down), RFC 9110 (Retry-After).

import type { EventType } from './event';

/** Standard Webhooks' ten tries: the first at once, each of the others so long after the one before. */
export const RETRY_SECONDS: readonly number[] = [
  5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400,
];

/** A receiver may put a try off by as much, not for ever. */
export const MAX_RETRY_AFTER_SECONDS = 86_400;
/** Each wait is this much longer or shorter, so that what failed together does not return together. */
const JITTER = 0.2;
/** Of a pause: endpoints at one host begin to hang in the same moment, and each costs a turn then. */
const PAUSE_JITTER = 0.5;
/** From here on an endpoint is probed: one delivery at a time, after a pause. */
export const PROBE_AFTER_FAILURES = 5;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

export const DELIVERY_STATUSES = [
  'pending',
  'held',
  'delivered',
  'exhausted',
  'discarded',
] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export const ENDPOINT_STATUSES = ['enabled', 'disabled'] as const;
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number];
export type DisabledReason = 'merchant' | 'gone' | 'failing';

export const ATTEMPT_OUTCOMES = [
  'delivered',
  'refused',
  'timeout',
  'dns_failed',
  'connection_failed',
  'tls_failed',
  'invalid_response',
  'blocked',
] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** Why an attempt was made: by the schedule, or because somebody asked for it again. */
export type AttemptTrigger = 'automatic' | 'resend';

/** What came of one attempt, as far as these rules care. */
export interface AttemptResult {
  readonly outcome: AttemptOutcome;
  readonly status: number | null;
  readonly retry_after_seconds: number | null;
}

export interface TriedDelivery {
  readonly id: string;
  /** Failed tries of its schedule, this one included. */
  readonly tries: number;
}

/** In ms; null when the schedule is at its end. The same delivery and try always wait as long. */
export function planRetry(
  { id, tries }: TriedDelivery,
  { retry_after_seconds }: Pick<AttemptResult, 'retry_after_seconds'>,
  schedule: readonly number[] = RETRY_SECONDS,
): number | null {
  const planned = schedule[tries - 1];
  if (planned === undefined) return null;
  const wait = jittered(planned * 1_000, `${id}/${tries}`);
  // Never sooner than planned.
  return Math.max(wait, askedFor(retry_after_seconds));
}

/**
 * A failure that is so long ago says nothing of the time since: neither a schedule nor a receiver puts
 * a try off for longer, so nothing was tried.
 */
export function quietSeconds(schedule: readonly number[]): number {
  return Math.ceil(1.5 * Math.max(MAX_RETRY_AFTER_SECONDS, ...schedule));
}

/** In ms: how long an endpoint is left alone after so many failures in a row. */
export function planPause(endpoint_id: string, failures: number, result: AttemptResult): number {
  // An endpoint that says that it is overloaded is believed at once.
  const steps = isSlowing(result) ? failures - 1 : failures - PROBE_AFTER_FAILURES;
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(steps, 16), LONGEST_PAUSE_MS);
  const planned = steps < 0 ? 0 : jittered(pause, `${endpoint_id}/${failures}`, PAUSE_JITTER);
  return Math.max(planned, pauseAskedFor(result));
}

/** In ms: what the endpoint itself has asked for, with an answer that speaks of it as a whole. */
export function pauseAskedFor(result: AttemptResult): number {
  return isSlowing(result) ? askedFor(result.retry_after_seconds) : 0;
}

/** Says something of the endpoint as a whole, not of this one delivery. */
function isSlowing({ outcome, status }: AttemptResult): boolean {
  return outcome === 'timeout' || (status !== null && [429, 502, 503, 504].includes(status));
}

/** The receiver asks for no more of these, ever. */
export function isGone({ status }: Pick<AttemptResult, 'status'>): boolean {
  return status === 410;
}

function askedFor(retry_after_seconds: number | null): number {
  return Math.min(Math.max(retry_after_seconds ?? 0, 0), MAX_RETRY_AFTER_SECONDS) * 1_000;
}

function jittered(ms: number, seed: string, share = JITTER): number {
  return Math.round(ms * (1 + share * (2 * fractionOf(seed) - 1)));
}

/** FNV-1a, mixed: even enough to spread waits, and the same at each look. 0 ≤ fraction < 1. */
function fractionOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** Per user and environment, because each event is delivered to every endpoint. */
export const MAX_ENDPOINTS = 16;

/** What GET answers of a merchant's endpoint; the secret is shown when it is made, once. */
export interface EndpointView {
  readonly id: string;
  readonly url: string;
  readonly types: readonly EventType[];
  readonly description: string | null;
  readonly max_per_second: number | null;
  readonly status: EndpointStatus;
  readonly disabled_reason: DisabledReason | null;
  readonly consecutive_failures: number;
  readonly failing_since: string | null;
  readonly last_failure: EndpointFailure | null;
  readonly previous_secret_until: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface EndpointFailure {
  readonly at: string;
  readonly outcome: AttemptOutcome;
  readonly status: number | null;
}

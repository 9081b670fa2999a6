// The rules of webhooks: how often a delivery is tried, when the next try is due, and when an
// endpoint is paused. Sources: Standard Webhooks 1.0.0 (the schedule, 410, slowing down), RFC 9110
// (Retry-After).

/** Standard Webhooks' ten tries: the first at once, each other this long after the one before. */
export const RETRY_SECONDS: readonly number[] = [
  5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400,
];

/** A receiver may put the next try off by a day, not for ever. */
export const MAX_RETRY_AFTER_SECONDS = 86_400;
/**
 * Each wait is up to this share longer or shorter, to spread the retries of what failed together.
 */
const JITTER = 0.2;
/**
 * The share for pauses is larger: endpoints at one host begin to hang at the same moment, and each
 * costs a delivery run.
 */
const PAUSE_JITTER = 0.5;
/** After as many failures in a row an endpoint is probed: one delivery at a time, after a pause. */
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

/** The result of one attempt, as far as these rules need it. */
export interface AttemptResult {
  readonly outcome: AttemptOutcome;
  readonly status: number | null;
  readonly retry_after_seconds: number | null;
}

export interface TriedDelivery {
  readonly id: string;
  /** The failed tries since the schedule began, this one included. */
  readonly tries: number;
}

/**
 * Returns the wait in ms; null at the end of the schedule. The same delivery and try always have
 * the same wait.
 */
export function planRetry(
  { id, tries }: TriedDelivery,
  { retry_after_seconds }: Pick<AttemptResult, 'retry_after_seconds'>,
  schedule: readonly number[] = RETRY_SECONDS,
): number | null {
  const planned = schedule[tries - 1];
  if (planned === undefined) return null;
  const wait = jittered(planned * 1_000, `${id}/${tries}`);
  // Retry-After only makes the wait longer.
  return Math.max(wait, askedFor(retry_after_seconds));
}

/**
 * Neither the schedule nor a receiver puts a try off for longer than this. An older failure says
 * nothing of the time since: nothing was tried meanwhile.
 */
export function quietSeconds(schedule: readonly number[]): number {
  return Math.ceil(1.5 * Math.max(MAX_RETRY_AFTER_SECONDS, ...schedule));
}

/** Returns for how many ms an endpoint is paused after so many failures in a row. */
export function planPause(endpoint_id: string, failures: number, result: AttemptResult): number {
  // An overloaded endpoint is paused after its first failure.
  const steps = isOverloaded(result) ? failures - 1 : failures - PROBE_AFTER_FAILURES;
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(steps, 16), LONGEST_PAUSE_MS);
  const planned = steps < 0 ? 0 : jittered(pause, `${endpoint_id}/${failures}`, PAUSE_JITTER);
  return Math.max(planned, pauseAskedFor(result));
}

/**
 * Returns the pause in ms that the endpoint itself asked for, in a response that is about all of
 * it.
 */
export function pauseAskedFor(result: AttemptResult): number {
  return isOverloaded(result) ? askedFor(result.retry_after_seconds) : 0;
}

/** Whether a result is about the endpoint as a whole, not about this one delivery. */
function isOverloaded({ outcome, status }: AttemptResult): boolean {
  return outcome === 'timeout' || (status !== null && [429, 502, 503, 504].includes(status));
}

/** Whether the receiver wants no more webhooks, ever. */
export function isGone({ status }: Pick<AttemptResult, 'status'>): boolean {
  return status === 410;
}

function askedFor(retry_after_seconds: number | null): number {
  return Math.min(Math.max(retry_after_seconds ?? 0, 0), MAX_RETRY_AFTER_SECONDS) * 1_000;
}

function jittered(ms: number, seed: string, share = JITTER): number {
  return Math.round(ms * (1 + share * (2 * fractionOf(seed) - 1)));
}

/**
 * Returns a fraction from 0 to below 1 by FNV-1a, mixed: even enough to spread waits, and the same
 * for the same text.
 */
function fractionOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** The limit of a user and environment: each event is delivered to every endpoint. */
export const MAX_ENDPOINTS = 16;

export interface EndpointFailure {
  readonly at: string;
  readonly outcome: AttemptOutcome;
  readonly status: number | null;
}

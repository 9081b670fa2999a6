// Webhooks that arrived at the sink: verified as a careful receiver would, and the last ones kept.

import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isServiceSignature, signWebhook } from '../../../secrets/webhook-secret';

/** A person reads fewer; together with MAX_BODY_BYTES it bounds the memory. */
export const KEPT = 200;
/** Our largest event is far smaller. */
export const MAX_BODY_BYTES = 256 * 1024;
/** The tolerance of Standard Webhooks' libraries: an older request may be a replay. */
const MAX_AGE_SECONDS = 300;

/** An endpoint that a webhook may have come from. */
export interface SinkEndpoint {
  readonly id: string;
  readonly environment: string;
  /** The current secret, and during a rotation the one before it. */
  readonly secrets: readonly string[];
}

export type Verdict = 'verified' | 'wrong' | 'missing';

export interface Arrival {
  /** The number of the arrival, from 1 since the start. */
  readonly number: number;
  readonly at: string;
  readonly path: string;
  /** The sink's response. */
  readonly status: 200 | 401 | 500;
  readonly x_service_signature: Verdict;
  readonly standard_webhooks: Verdict;
  /** The endpoint whose secret signed it; null when no endpoint at this URL did. */
  readonly endpoint_id: string | null;
  /** Fields of the body; null where it has none. */
  readonly event: {
    readonly id: string | null;
    readonly type: string | null;
    readonly sequence: number | null;
    readonly environment: string | null;
    readonly amount: number | null;
    readonly currency: string | null;
  };
  /** The request's headers that concern webhooks. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ArrivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The bytes as received: after parsing and serialising again the signature would not match. */
  readonly raw: Buffer;
}

export interface Arrivals {
  /** True: what would be answered with 200 gets 500. */
  is_failing: boolean;
  add(request: ArrivedRequest, endpoints: readonly SinkEndpoint[]): Arrival;
  /** The arrivals, newest first. */
  list(): readonly Arrival[];
  find(number: number): Arrival | undefined;
}

export function createArrivals(now: () => number = Date.now): Arrivals {
  let kept: readonly Arrival[] = [];
  let count = 0;
  return {
    is_failing: false,
    add(request, endpoints) {
      count += 1;
      const verified = verify(request, endpoints, now());
      const isFailed = this.is_failing && verified.status === 200;
      const status = isFailed ? 500 : verified.status;
      const arrival: Arrival = { number: count, ...verified, status };
      kept = [arrival, ...kept.slice(0, KEPT - 1)];
      return arrival;
    },
    list: () => kept,
    find: (number) => kept.find((arrival) => arrival.number === number),
  };
}

function verify(
  { path, headers, raw }: ArrivedRequest,
  endpoints: readonly SinkEndpoint[],
  now_ms: number,
): Omit<Arrival, 'number'> {
  const signed_by = endpoints.find(({ secrets }) =>
    secrets.some((secret) => isServiceSignature(raw, headers['x-service-signature'], secret)),
  );
  const candidates = signed_by ? [signed_by] : endpoints;
  const is_standard = candidates.some(({ secrets }) =>
    secrets.some((secret) => isStandardSignature(raw, headers, secret, now_ms)),
  );
  return {
    at: new Date(now_ms).toISOString(),
    path,
    // Only the specification's own signature decides the response.
    status: signed_by ? 200 : 401,
    x_service_signature: verdict(headers['x-service-signature'], signed_by !== undefined),
    standard_webhooks: verdict(headers['webhook-signature'], is_standard),
    endpoint_id: signed_by?.id ?? null,
    event: readEvent(raw),
    headers: readHeaders(headers),
    body: raw.toString('utf8'),
  };
}

/**
 * Verifies as Standard Webhooks' libraries do: one of the signatures must match, and the time be
 * recent.
 */
function isStandardSignature(
  raw: Buffer,
  headers: IncomingHttpHeaders,
  secret: string,
  now_ms: number,
): boolean {
  const [id, timestamp, signatures] = [
    headers['webhook-id'],
    headers['webhook-timestamp'],
    headers['webhook-signature'],
  ].map((value) => (typeof value === 'string' ? value : ''));
  if (!id || !/^[0-9]{1,12}$/.test(timestamp!)) return false;
  if (Math.abs(now_ms / 1_000 - Number(timestamp)) > MAX_AGE_SECONDS) return false;
  const expected = signWebhook({
    id,
    timestamp: Number(timestamp),
    secret,
    previous_secret: null,
    body: raw.toString('utf8'),
  });
  const wanted = Buffer.from(expected['webhook-signature'] ?? '');
  return signatures!.split(' ').some((one) => {
    const given = Buffer.from(one);
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
}

function verdict(header: unknown, is_verified: boolean): Verdict {
  if (header === undefined) return 'missing';
  return is_verified ? 'verified' : 'wrong';
}

/** Reads the fields of a body, which may be anything: those of an unexpected type become null. */
function readEvent(raw: Buffer): Arrival['event'] {
  const body = recordOf(parse(raw));
  const data = recordOf(body['data']);
  return {
    id: textOf(body['id']),
    type: textOf(body['type']),
    sequence: numberOf(body['sequence']),
    environment: textOf(body['environment']),
    amount: numberOf(data['amount']),
    currency: textOf(data['currency']),
  };
}

function parse(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString('utf8'));
  } catch {
    // A body that is not JSON is shown as bytes only.
    return null;
  }
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

const SHOWN_HEADERS = /^(x-service-|webhook-|content-type$|user-agent$)/;

function readHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      SHOWN_HEADERS.test(name) ? [[name, String(value)]] : [],
    ),
  );
}

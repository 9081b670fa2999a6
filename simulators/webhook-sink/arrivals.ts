// What arrived at the sink: judged as a careful receiver judges it, and the last ones kept.

import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isServiceSignature, signWebhook } from '../../secrets/webhook-secret';

/** More than anybody looks at; with MAX_BODY_BYTES a bound on the memory. */
export const KEPT = 200;
/** Far above our largest event. */
export const MAX_BODY_BYTES = 256 * 1024;
/** What Standard Webhooks' libraries tolerate: an older one may be somebody's copy. */
const MAX_AGE_SECONDS = 300;

/** An endpoint that a webhook may have come from. */
export interface SinkEndpoint {
  readonly id: string;
  readonly environment: string;
  /** The current one, and during a rotation the one before it. */
  readonly secrets: readonly string[];
}

export type Verdict = 'verified' | 'wrong' | 'missing';

export interface Arrival {
  /** Counted since the start. */
  readonly number: number;
  readonly at: string;
  readonly path: string;
  /** What the sink answered. */
  readonly status: 200 | 401;
  readonly x_service_signature: Verdict;
  readonly standard_webhooks: Verdict;
  /** The one whose secret signed it; null when none of this address did. */
  readonly endpoint_id: string | null;
  /** As the body says them; null where it does not. */
  readonly event: {
    readonly id: string | null;
    readonly type: string | null;
    readonly sequence: number | null;
    readonly environment: string | null;
    readonly amount: number | null;
    readonly currency: string | null;
  };
  /** Of the request, as far as they are about webhooks. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ArrivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The bytes as they came: parsed and written again, they would verify no more. */
  readonly raw: Buffer;
}

export interface Arrivals {
  keep(request: ArrivedRequest, endpoints: readonly SinkEndpoint[]): Arrival;
  /** Newest first. */
  list(): readonly Arrival[];
  find(number: number): Arrival | undefined;
}

export function createArrivals(now: () => number = Date.now): Arrivals {
  let kept: readonly Arrival[] = [];
  let count = 0;
  return {
    keep(request, endpoints) {
      count += 1;
      const arrival = { number: count, ...judge(request, endpoints, now()) };
      kept = [arrival, ...kept.slice(0, KEPT - 1)];
      return arrival;
    },
    list: () => kept,
    find: (number) => kept.find((arrival) => arrival.number === number),
  };
}

function judge(
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
    // The specification's own signature decides; the other is beside it.
    status: signed_by ? 200 : 401,
    x_service_signature: verdict(headers['x-service-signature'], signed_by !== undefined),
    standard_webhooks: verdict(headers['webhook-signature'], is_standard),
    endpoint_id: signed_by?.id ?? null,
    event: readEvent(raw),
    headers: readHeaders(headers),
    body: raw.toString('utf8'),
  };
}

/** As Standard Webhooks' libraries verify: one of the signatures, and not too old. */
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
    ...{ id, timestamp: Number(timestamp), secret, previous_secret: null },
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

/** Anybody may send anything here: what is not as it should be is not told. */
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
    // No JSON at all: there is nothing to tell but its bytes.
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

const TOLD_HEADERS = /^(x-service-|webhook-|content-type$|user-agent$)/;

function readHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      TOLD_HEADERS.test(name) ? [[name, String(value)]] : [],
    ),
  );
}

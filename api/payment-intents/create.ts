// Makes a payment link: the row first, then the workflow that opens its checkout.

import { setTimeout as delay } from 'node:timers/promises';
import type { Caller } from '../../db/api-keys';
import { createIntentBefore, type NewIntent } from '../../db/intents';
import type { Metadata } from '../../domain/intent';
import { formatAmount, type Minor } from '../../domain/money';
import { ACCEPT_WITHIN_MS } from '../../domain/transfer';
import { isReturnAddress } from '../../domain/return-address';
import type { Gateway } from '../../gateway/port';
import { fingerprintFields, uuidOf } from '../../secrets/hash';
import { makeIntentReference, makeShortCode } from '../../secrets/random';
import { invalidAmount, readAmount } from '../amounts';
import { ApiError, invalidRequest } from '../api-error';
import type { ApiDependencies, ApiRequest, ApiResponse, Handler } from '../context';
import { inProgress, notBegun, nothingChanged, orUnknown } from '../failures';
import { refuseOtherBody, storedResponse } from '../idempotent-response';
import { findOpened, MAY_BE_CREATED, openIntent, OPEN_WITHIN_MS } from './open';
import type { CreateIntentBody } from './schema';

/** What an API key, or a person who is signed in, orders: a request as far as the creation reads it. */
export interface IntentOrder extends Pick<
  ApiRequest<unknown, CreateIntentBody>,
  'body' | 'numbers' | 'request_id' | 'idempotency_key' | 'has_own_key'
> {
  readonly caller: Pick<Caller, 'user_id' | 'username' | 'environment' | 'now' | 'stored'>;
}

export const createPaymentIntent: Handler<unknown, CreateIntentBody> = (dependencies, request) =>
  createLink(dependencies, request);

/** The response that is stored for the key. @throws ApiError */
export async function createLink(
  dependencies: ApiDependencies,
  request: IntentOrder,
): Promise<ApiResponse> {
  const { db, breakers } = dependencies;
  const { caller } = request;
  const gateway = dependencies.gateways[caller.environment];
  const intent = readIntent(dependencies, request, gateway);
  // A key that has its response needs no gateway, so it comes before the check for one.
  if (caller.stored) return storedResponse(caller.stored, intent.fingerprint, { replayed: true });
  if (!gateway) throw new ApiError('gateway_not_configured');
  if (!breakers[caller.environment].allowsRequests()) throw notBegun(request.has_own_key);
  const deadline = Date.now() + OPEN_WITHIN_MS;
  // From the database's clock, which will also judge it.
  const accept_before = new Date(Date.parse(caller.now) + ACCEPT_WITHIN_MS).toISOString();
  for (;;) {
    const created = await orUnknown(MAY_BE_CREATED, () =>
      createIntentBefore(db, intent, accept_before),
    );
    if (!created) throw nothingChanged();
    // First, so that nothing is awaited or started for another body.
    refuseOtherBody(created.fingerprint, intent.fingerprint);
    if (created.status !== 'creating') {
      // Another request with this key was faster.
      const stored = await findOpened(db, intent);
      if (!stored) throw inProgress();
      return storedResponse(stored, intent.fingerprint, { replayed: true });
    }
    const { reference, short_code, expires_at, is_new } = created;
    const opened = await openIntent(dependencies, {
      intent: { ...intent, reference, short_code },
      expires_at,
      username: caller.username,
      deadline,
    });
    if (opened !== 'abandoned') {
      return storedResponse(opened, intent.fingerprint, { replayed: !is_new });
    }
    // Its workflow closes in a moment.
    await delay(ABANDONED_PAUSE_MS);
  }
}

const ABANDONED_PAUSE_MS = 50;
const LIVE_MINIMUM_SECONDS = 900;

function readIntent(
  { config }: ApiDependencies,
  { body, numbers, caller, request_id, idempotency_key }: IntentOrder,
  gateway: Gateway | undefined,
): NewIntent {
  const { currency, expires_in } = body;
  const maximum = config.max_payment[currency];
  const amount = readAmount(numbers.get('/amount') ?? '', currency, maximum);
  if (gateway) requireWithinBounds(gateway, amount, currency);
  if (caller.environment === 'live' && expires_in < LIVE_MINIMUM_SECONDS) {
    throw invalidRequest(
      'expires_in',
      `expires_in must be at least ${LIVE_MINIMUM_SECONDS} with a live key.`,
    );
  }
  for (const name of ['return_url', 'cancel_url'] as const) {
    requireReturnAddress(name, body[name], !config.production);
  }
  const metadata = readMetadata(body.metadata ?? {}, numbers);
  const fields = {
    amount_minor: amount.toString(),
    currency,
    country: body.country ?? null,
    description: body.description ?? null,
    customer_email: body.customer_email ?? null,
    customer_phone: body.customer_phone ?? null,
    metadata,
    return_url: body.return_url ?? null,
    cancel_url: body.cancel_url ?? null,
    expires_in_seconds: expires_in,
  };
  const { user_id, environment } = caller;
  // One key is one intent, one workflow and one checkout.
  const id = uuidOf(`${environment}/${user_id}/payment_intent/${idempotency_key}`);
  return {
    ...fields,
    id,
    environment,
    user_id,
    short_code: makeShortCode(),
    reference: makeIntentReference(),
    gateway: gateway?.name ?? '',
    idempotency_key: idempotency_key!,
    fingerprint: fingerprintOf(fields),
    request_id,
  };
}

function requireWithinBounds(
  { bounds }: Gateway,
  amount: Minor,
  currency: NewIntent['currency'],
): void {
  if (!bounds.currencies.includes(currency)) {
    throw invalidRequest(
      'currency',
      `currency must be one of ${bounds.currencies.join(', ')}: the gateway supports no other.`,
    );
  }
  const minimum = bounds.minimum[currency];
  if (minimum !== undefined && amount < minimum) {
    throw invalidAmount(`amount must be at least ${formatAmount(minimum)} ${currency}.`);
  }
}

function requireReturnAddress(
  name: 'return_url' | 'cancel_url',
  address: string | undefined,
  allows_local: boolean,
): void {
  if (address === undefined || isReturnAddress(address, allows_local)) return;
  const local = allows_local ? ' (or http://localhost, while you develop)' : '';
  throw invalidRequest(
    name,
    `${name} must be an https address without user name and password${local}, such as https://shop.example/orders/1042.`,
  );
}

// Beyond 15 digits JSON.parse may read another number than the caller wrote.
const FAITHFUL_NUMBER = /^-?(?=(?:\D*\d){1,15}\D*$)\d+(\.\d+)?$/;

/** @throws ApiError invalid_request */
export function readMetadata(metadata: Metadata, numbers: ReadonlyMap<string, string>): Metadata {
  for (const [name, value] of Object.entries(metadata)) {
    if (typeof value !== 'number') continue;
    const pointer = `/metadata/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (FAITHFUL_NUMBER.test(numbers.get(pointer) ?? '')) continue;
    throw invalidRequest(
      `metadata/${name}`,
      'A number in metadata has at most 15 digits and no exponent; write it as text.',
    );
  }
  return metadata;
}

/** The same for the same names and values, in whatever order. */
export function sortedText(metadata: Metadata): string {
  return JSON.stringify(Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function fingerprintOf(
  fields: Pick<
    NewIntent,
    | 'amount_minor'
    | 'currency'
    | 'country'
    | 'description'
    | 'customer_email'
    | 'customer_phone'
    | 'metadata'
    | 'return_url'
    | 'cancel_url'
    | 'expires_in_seconds'
  >,
): NewIntent['fingerprint'] {
  const { amount_minor, metadata, expires_in_seconds, return_url, cancel_url, ...texts } = fields;
  const named = Object.entries(texts).map(([name, value]) => [name, JSON.stringify(value)]);
  return fingerprintFields({
    ...(Object.fromEntries(named) as Record<string, string>),
    amount: amount_minor,
    metadata: sortedText(metadata),
    expires_in: String(expires_in_seconds),
    // Left out when they are not given: a request from before there were these fields is the same.
    ...(return_url === null ? {} : { return_url }),
    ...(cancel_url === null ? {} : { cancel_url }),
  });
}

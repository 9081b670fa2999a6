// Makes a payment link: the row first, then the workflow that opens its checkout.

import { setTimeout as delay } from 'node:timers/promises';
import { createIntentBefore, type NewIntent } from '../../db/payment-intents/intents';
import type { Collected, Metadata } from '../../domain/intent';
import type { Currency } from '../../domain/currency';
import { formatAmount, type Minor } from '../../domain/money';
import { readEmail } from '../../domain/email';
import { AS_DECIMAL_MESSAGE, cleanPhone, isDecimal } from '../../domain/phone';
import { isLinkRefusal, LinkTakesNoPayment } from '../../domain/payment-link';
import { readReturnAddress } from '../../domain/return-address';
import type { Gateway } from '../../gateway/port';
import { makeIntentReference, makeShortCode } from '../../secrets/random';
import { limitExceeded } from '../requests/account-limit';
import { invalidAmount, readAmount } from '../requests/amounts';
import { Refusal, invalidRequest } from '../../domain/refusal';
import type { OrderDependencies } from '../requests/dependencies';
import { inProgress, notBegun, nothingChanged, orUnknown } from '../requests/failures';
import { readMetadata, sortedText } from '../requests/metadata';
import {
  answerOnce,
  keyedRow,
  refuseOtherBody,
  type Answered,
  type NamedOrder,
  type OrderResponse,
} from '../requests/orders';
import { findOpened, MAY_BE_CREATED, openIntent, OPEN_WITHIN_MS } from './open';

/** Validated by the schema of `POST /payment-intents`. */
export interface IntentFields {
  readonly currency: Currency;
  readonly country?: string | undefined;
  readonly description?: string | undefined;
  readonly customer_email?: string | undefined;
  readonly customer_phone?: string | undefined;
  readonly metadata?: Metadata | undefined;
  readonly return_url?: string | undefined;
  readonly cancel_url?: string | undefined;
  /** Seconds. */
  readonly expires_in: number;
}

export interface IntentOrder extends NamedOrder {
  readonly body: IntentFields;
  /** Source text of the body's numbers, the amount among them, by JSON pointer. */
  readonly numbers: ReadonlyMap<string, string>;
  /** The reusable link by which a customer orders it. */
  readonly by_link?: ByLink | undefined;
}

/** The metadata are the link's own. */
export interface ByLink {
  readonly id: string;
  readonly quantity: number;
  readonly collected: Collected;
}

/** The response that is stored for the key. @throws Refusal, LinkTakesNoPayment */
export async function createLink(
  dependencies: OrderDependencies,
  order: IntentOrder,
): Promise<OrderResponse> {
  const [gateway] = dependencies.gateways[order.caller.environment];
  const { intent, accept_before } = readIntent(dependencies, order, gateway);
  return answerOnce(order, intent, async () => {
    if (!gateway) throw new Refusal('gateway_not_configured');
    return open(dependencies, intent, { ...order, accept_before });
  });
}

async function open(
  dependencies: OrderDependencies,
  intent: NewIntent,
  { caller, has_own_key, accept_before }: NamedOrder & { readonly accept_before: string },
): Promise<Answered> {
  const { db, breakers } = dependencies;
  if (!breakers[caller.environment].allowsRequests()) throw notBegun(has_own_key);
  const deadline = Date.now() + OPEN_WITHIN_MS;
  for (;;) {
    const created = await orUnknown(MAY_BE_CREATED, () =>
      createIntentBefore(db, intent, accept_before),
    );
    if (!created) throw nothingChanged();
    if (typeof created === 'string') {
      throw isLinkRefusal(created) ? new LinkTakesNoPayment(created) : new Refusal(created);
    }
    if ('over' in created) throw limitExceeded(created.over, intent.currency);
    // First, so that nothing is awaited or started for another body.
    refuseOtherBody(created.fingerprint, intent.fingerprint);
    if (created.status !== 'creating') {
      // Another request with this key was faster.
      const response = await findOpened(db, intent);
      if (!response) throw inProgress();
      return { response, is_replay: true };
    }
    const { reference, short_code, due_at, is_new } = created;
    const response = await openIntent(dependencies, {
      intent: { ...intent, reference, short_code },
      expires_at: due_at,
      username: caller.username,
      deadline,
    });
    if (response !== 'abandoned') return { response, is_replay: !is_new };
    // The intent's workflow closes in a moment.
    await delay(ABANDONED_PAUSE_MS);
  }
}

const ABANDONED_PAUSE_MS = 50;
const LIVE_MINIMUM_SECONDS = 900;

/** No money goes there, but messages do. @throws Refusal invalid_request */
function readContactPhone(text: string): string {
  if (!isDecimal(text)) return cleanPhone(text);
  throw invalidRequest('customer_phone', `customer_phone ${AS_DECIMAL_MESSAGE}.`);
}

function readIntent(
  { config }: OrderDependencies,
  order: IntentOrder,
  gateway: Gateway | undefined,
): { readonly intent: NewIntent; readonly accept_before: string } {
  const { body, numbers, caller, by_link } = order;
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
  const return_url = returnAddress('return_url', body.return_url, !config.production);
  const cancel_url = returnAddress('cancel_url', body.cancel_url, !config.production);
  // Those of a link were looked at when it was made.
  const metadata = by_link ? body.metadata! : readMetadata(body.metadata ?? {}, numbers);
  const fields = {
    amount_minor: amount.toString(),
    currency,
    country: body.country ?? null,
    description: body.description ?? null,
    customer_email: readEmail(body.customer_email ?? '') ?? null,
    customer_phone:
      body.customer_phone === undefined ? null : readContactPhone(body.customer_phone),
    metadata,
    return_url,
    cancel_url,
    expires_in_seconds: expires_in,
  };
  const {
    accept_before,
    limited_key: _,
    ...keyed
  } = keyedRow('payment_intent', order, fingerprinted(fields, by_link));
  const intent = {
    ...keyed,
    ...fields,
    short_code: makeShortCode(),
    reference: makeIntentReference(),
    gateway: gateway?.name ?? '',
    payment_link_id: by_link?.id ?? null,
    quantity: by_link?.quantity ?? null,
    collected: by_link?.collected ?? null,
  };
  return { intent, accept_before };
}

/** @throws Refusal invalid_request */
export function requireWithinBounds(
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

/** @throws Refusal invalid_request */
export function returnAddress(
  name: 'return_url' | 'cancel_url',
  given: string | undefined,
  allows_local: boolean,
): string | null {
  if (given === undefined) return null;
  const address = readReturnAddress(given, allows_local);
  if (address !== undefined) return address;
  const local = allows_local ? ' (or http://localhost, while you develop)' : '';
  throw invalidRequest(
    name,
    `${name} must be an https address without user name and password${local}, such as https://shop.example/orders/1042.`,
  );
}

function fingerprinted(
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
  by_link: ByLink | undefined,
): Readonly<Record<string, string>> {
  const { amount_minor, metadata, expires_in_seconds, ...texts } = fields;
  const named = Object.entries(texts).map(([name, value]) => [name, JSON.stringify(value)]);
  return {
    ...(Object.fromEntries(named) as Record<string, string>),
    amount: amount_minor,
    metadata: sortedText(metadata),
    expires_in: String(expires_in_seconds),
    ...(by_link && fingerprintedLink(by_link)),
  };
}

function fingerprintedLink({ id, quantity, collected }: ByLink): Readonly<Record<string, string>> {
  return {
    payment_link_id: id,
    quantity: String(quantity),
    collected: sortedText(collected),
  };
}

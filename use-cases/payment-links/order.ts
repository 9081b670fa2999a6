// Makes and changes a payment link that any number of customers may pay.

import { randomUUID } from 'node:crypto';
import type { Caller } from '../../db/keys/api-keys';
import {
  createPaymentLink,
  findPaymentLink,
  updatePaymentLink,
  type PaymentLinkName,
  type PaymentLinkFields,
  type PaymentLinkView,
} from '../../db/payment-links/payment-links';
import type { Currency } from '../../domain/currency';
import { isShortCode, isUuid } from '../../domain/ids';
import { parseInstant } from '../../domain/instant';
import type { Metadata } from '../../domain/intent';
import { formatAmount, MAX_MINOR, timesQuantity, type Minor } from '../../domain/money';
import type { CollectedField, PaymentLinkChanges } from '../../domain/payment-link';
import { invalidRequest, Refusal } from '../../domain/refusal';
import type { Gateway } from '../../gateway/port';
import { makeShortCode } from '../../secrets/random';
import { requireWithinBounds, returnAddress } from '../payment-intents/create';
import { readAmount } from '../requests/amounts';
import type { OrderDependencies } from '../requests/dependencies';
import { orUnknown } from '../requests/failures';
import { readMetadata, sortedText } from '../requests/metadata';
import {
  answerOnce,
  keyedRow,
  placeOrder,
  type Order,
  type OrderResponse,
} from '../requests/orders';

const NOUN = {
  unknown: 'The payment link may yet be created. Repeat with the same Idempotency-Key.',
  refusals: {},
};
const MAY_BE_CHANGED = 'The payment link may have been changed. Repeat the request.';

/** Validated by the schema of `POST /payment-links`; the amounts are read from `numbers`. */
export interface LinkBody {
  readonly title: string;
  readonly currency: Currency;
  readonly amount?: unknown;
  readonly open_amount?:
    | {
        readonly minimum?: unknown;
        readonly maximum?: unknown;
        readonly suggestions?: readonly unknown[] | undefined;
      }
    | undefined;
  readonly quantity?: { readonly minimum: number; readonly maximum: number } | undefined;
  readonly max_payments?: number | undefined;
  readonly active_until?: string | undefined;
  readonly collect?:
    | readonly {
        readonly key: string;
        readonly label: string;
        readonly required?: boolean | undefined;
      }[]
    | undefined;
  readonly description?: string | undefined;
  readonly return_url?: string | undefined;
  readonly metadata?: Metadata | undefined;
}

export interface LinkOrder extends Order {
  readonly body: LinkBody;
  /** Source text of the body's numbers, by JSON pointer. */
  readonly numbers: ReadonlyMap<string, string>;
}

type LinkDependencies = Pick<OrderDependencies, 'db' | 'config' | 'gateways'>;

/** The response that is stored for the key. @throws Refusal */
export async function orderPaymentLink(
  dependencies: OrderDependencies,
  order: LinkOrder,
): Promise<OrderResponse> {
  const { db, config } = dependencies;
  const fields = readLink(dependencies, order);
  const keyed = keyedRow('payment_link', order, fingerprinted(fields));
  const link = { ...keyed, ...fields, id: randomUUID(), code: makeShortCode() };
  return answerOnce(order, link, async () => {
    requireLater(fields.active_until, order.caller.now);
    return placeOrder(dependencies, NOUN, link, () =>
      createPaymentLink(db, link, config.pay_url_base),
    );
  });
}

function readLink(
  { config, gateways }: LinkDependencies,
  { caller, body, numbers }: Pick<LinkOrder, 'caller' | 'body' | 'numbers'>,
): PaymentLinkFields {
  const { currency, quantity } = body;
  const maximum = config.max_payment[currency];
  const [gateway] = gateways[caller.environment];
  const amount = readPrice(body, numbers, maximum);
  const open = amount === null ? readOpenAmount(body, numbers, maximum) : NO_OPEN_AMOUNT;
  if (gateway) requireGatewayTakes(gateway, body, amount);
  if (quantity) requireRange(body, amount, maximum);
  return {
    title: body.title,
    currency,
    amount_minor: amount === null ? null : amount.toString(),
    ...open,
    quantity_minimum: quantity?.minimum ?? null,
    quantity_maximum: quantity?.maximum ?? null,
    max_payments: body.max_payments ?? null,
    active_until: readUntil(body.active_until),
    collect: readCollect(body.collect ?? []),
    description: body.description ?? null,
    return_url: returnAddress('return_url', body.return_url, !config.production),
    metadata: readMetadata(body.metadata ?? {}, numbers),
  };
}

function readPrice(
  { currency, amount, open_amount }: LinkBody,
  numbers: LinkOrder['numbers'],
  maximum: Minor,
): Minor | null {
  if ((amount === undefined) === (open_amount === undefined)) {
    throw invalidRequest('amount', 'Send either amount or open_amount, and not both.');
  }
  if (amount === undefined) return null;
  return readAmount(numbers.get('/amount') ?? '', currency, maximum);
}

const NO_OPEN_AMOUNT = { minimum_minor: null, maximum_minor: null, suggestions_minor: [] } as const;

function readOpenAmount(
  { currency, open_amount = {} }: LinkBody,
  numbers: LinkOrder['numbers'],
  maximum: Minor,
): Pick<PaymentLinkFields, keyof typeof NO_OPEN_AMOUNT> {
  const read = (name: string): Minor => {
    try {
      return readAmount(numbers.get(`/open_amount/${name}`) ?? '', currency, maximum);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      // It names the amount.
      throw invalidRequest(
        `open_amount/${name}`,
        `open_amount/${name}${error.message.slice('amount'.length)}`,
      );
    }
  };
  const least = open_amount.minimum === undefined ? null : read('minimum');
  const most = open_amount.maximum === undefined ? null : read('maximum');
  if (least !== null && most !== null && least > most) {
    throw invalidRequest(
      'open_amount/maximum',
      'open_amount/maximum must be at least open_amount/minimum.',
    );
  }
  const suggestions = (open_amount.suggestions ?? []).map((_, index) => {
    const name = `suggestions/${index}`;
    const one = read(name);
    if (one >= (least ?? one) && one <= (most ?? one)) return one.toString();
    throw invalidRequest(
      `open_amount/${name}`,
      `open_amount/${name} must lie between the minimum and the maximum.`,
    );
  });
  return {
    minimum_minor: least === null ? null : least.toString(),
    maximum_minor: most === null ? null : most.toString(),
    suggestions_minor: suggestions,
  };
}

/** An amount that a customer chooses is judged when it is known. */
function requireGatewayTakes(
  gateway: Gateway,
  { currency, quantity }: LinkBody,
  amount: Minor | null,
): void {
  const least =
    amount === null
      ? gateway.bounds.minimum[currency]
      : timesQuantity(amount, quantity?.minimum ?? 1);
  requireWithinBounds(gateway, least ?? MAX_MINOR, currency);
}

function requireRange(
  { currency, quantity }: LinkBody,
  amount: Minor | null,
  maximum: Minor,
): void {
  const { minimum, maximum: most } = quantity!;
  if (amount === null) {
    throw invalidRequest(
      'quantity',
      'quantity is for a link with a price: leave it out, or send amount.',
    );
  }
  if (most < minimum) {
    throw invalidRequest('quantity/maximum', 'quantity/maximum must be at least quantity/minimum.');
  }
  if (timesQuantity(amount, most) > maximum) {
    throw invalidRequest(
      'quantity/maximum',
      `quantity/maximum times amount must be at most ${formatAmount(maximum)} ${currency}.`,
    );
  }
}

function readUntil(text: string | undefined): string | null {
  if (text === undefined) return null;
  const instant = parseInstant(text);
  if (instant !== undefined) return instant;
  throw invalidRequest('active_until', 'active_until must be an ISO 8601 instant.');
}

function requireLater(active_until: string | null | undefined, now: string): void {
  if (active_until === undefined || active_until === null) return;
  if (Date.parse(active_until) > Date.parse(now)) return;
  throw invalidRequest('active_until', 'active_until must be later than now.');
}

function readCollect(fields: NonNullable<LinkBody['collect']>): readonly CollectedField[] {
  const seen = new Set<string>();
  return fields.map(({ key, label, required = false }, index) => {
    if (seen.has(key)) {
      throw invalidRequest(`collect/${index}/key`, `collect/${index}/key is there twice.`);
    }
    seen.add(key);
    return { key, label, required };
  });
}

function fingerprinted(fields: PaymentLinkFields): Readonly<Record<string, string>> {
  const { metadata, ...rest } = fields;
  const named = Object.entries(rest).map(([name, value]) => [
    name.replace(/_minor$/, ''),
    JSON.stringify(value),
  ]);
  return {
    ...(Object.fromEntries(named) as Record<string, string>),
    metadata: sortedText(metadata),
  };
}

type LinkOwner = Pick<Caller, 'user_id' | 'environment'>;

/** Finds a link by id or code; undefined: not one of this account and environment. */
export async function findOwnLink(
  { db, config: { pay_url_base } }: Pick<LinkDependencies, 'db' | 'config'>,
  { user_id, environment }: LinkOwner,
  name: string,
): Promise<PaymentLinkView | undefined> {
  const scope = { user_id, environment, pay_url_base };
  const named: PaymentLinkName | undefined = isUuid(name)
    ? { id: name }
    : isShortCode(name)
      ? { code: name }
      : undefined;
  return named && findPaymentLink(db, scope, named);
}

/** Validated by the schema of `PATCH /payment-links/{id_or_code}`. */
export type LinkChangeBody = Omit<PaymentLinkChanges, 'is_active'> & {
  readonly active?: boolean | undefined;
};

export interface LinkChange {
  readonly owner: LinkOwner;
  readonly link: PaymentLinkView;
  readonly body: LinkChangeBody;
  readonly numbers: ReadonlyMap<string, string>;
  /** The database's clock. */
  readonly now: string;
}

/** Changes a link and returns it as it is then. @throws Refusal */
export async function changePaymentLink(
  dependencies: Pick<LinkDependencies, 'db' | 'config'>,
  { owner, link, body, numbers, now }: LinkChange,
): Promise<PaymentLinkView> {
  const { db, config } = dependencies;
  const { active: is_active, metadata, ...same } = body;
  const active_until = body.active_until && readUntil(body.active_until);
  requireLater(active_until, now);
  const changes: PaymentLinkChanges = {
    ...same,
    is_active,
    active_until,
    return_url: body.return_url && returnAddress('return_url', body.return_url, !config.production),
    metadata: metadata && readMetadata(metadata, numbers),
  };
  return orUnknown(MAY_BE_CHANGED, async () => {
    await updatePaymentLink(db, link.id, changes);
    const changed = await findOwnLink(dependencies, owner, link.id);
    return changed!;
  });
}

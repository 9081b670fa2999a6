// An order that is carried out once for its idempotency key, whatever is ordered and through whichever door it comes. Its
// noun says what makes two orders with one key the same, which function of the database carries it out, and how a refusal
// is worded.

import type { Caller } from '../../db/keys/api-keys';
import type { Ordered, StoredOrder, Unwritten } from '../../db/requests/orders';
import type { ErrorCode } from '../../domain/errors';
import {
  differingFields,
  type Fingerprint,
  type IdempotentOperation,
  type KeyedOrder,
} from '../../domain/idempotency';
import type { PursuitKind } from '../../domain/pursuit';
import { Refusal } from '../../domain/refusal';
import { ACCEPT_WITHIN_MS } from '../../domain/transfer';
import { fingerprintFields, uuidOf } from '../../secrets/hash';
import { pursueOrder } from '../pursuits';
import type { OrderDependencies } from './dependencies';
import { nothingChanged, orUnknown } from './failures';
import { keyLimitExceeded } from './key-limit';

export interface Order {
  /**
   * The account, with the database's clock and the response that the key has already: of an API key, of a person who is
   * signed in, or of the link that a customer pays.
   */
  readonly caller: Pick<Caller, 'user_id' | 'environment' | 'now' | 'stored'> &
    Partial<Pick<Caller, 'limited_key'>>;
  /** The idempotency key. */
  readonly key: string;
  /** The key may have been sent before. */
  readonly has_own_key: boolean;
  readonly request_id: string;
  /** The address from which it comes. */
  readonly ip?: string;
}

/** An order whose workflow shows the name of the account, or that is refused by it. */
export interface NamedOrder extends Order {
  readonly caller: Order['caller'] & Pick<Caller, 'username'>;
}

/** The API key that ordered it, or the person who is signed in. */
export interface OrderedBy {
  readonly by: { readonly key_id: string } | { readonly ordered_by: string };
}

/** The response that is stored for the key. */
export interface OrderResponse {
  /** The HTTP status. */
  readonly status: number;
  /** Rendered JSON, as it was stored. */
  readonly body: string;
  /** An earlier request with this key had this response. */
  readonly is_replay: boolean;
}

/** The response that is stored for the key, and whether an earlier request had it. */
export type Answered = Pick<StoredOrder<string>, 'response' | 'is_replay'>;

/** The part of an order's row that is the same for all nouns; `fields` are what its fingerprint is made of. */
export function keyedRow(
  operation: IdempotentOperation,
  { caller: { user_id, environment, limited_key, now }, key, request_id, ip }: Order,
  fields: Readonly<Record<string, string>>,
  accept_within_ms = ACCEPT_WITHIN_MS,
): KeyedOrder & { readonly id: string; readonly accept_before: string } {
  return {
    id: keyedId(operation, { environment, user_id, idempotency_key: key }),
    environment,
    user_id,
    idempotency_key: key,
    fingerprint: fingerprintFields(fields),
    request_id,
    limited_key,
    ip,
    // The moment is of the database's clock, which will also judge it.
    accept_before: new Date(Date.parse(now) + accept_within_ms).toISOString(),
  };
}

/** One key is one row, one workflow and, at a third party, one payment. */
export function keyedId(
  operation: IdempotentOperation,
  row: Pick<KeyedOrder, 'environment' | 'user_id' | 'idempotency_key'>,
): string {
  return uuidOf(`${row.environment}/${row.user_id}/${operation}/${row.idempotency_key}`);
}

/**
 * The response that the key has, byte for byte, or the one that is stored for it now. A key that has one needs no
 * provider, no gateway and no room for another: whatever else refuses the order stands in `answer`.
 * @throws Refusal idempotency_key_reuse when the key was first used with another body
 */
export async function answerOnce(
  { caller: { stored } }: Pick<Order, 'caller'>,
  { fingerprint }: { readonly fingerprint: Fingerprint },
  answer: () => Promise<Answered>,
): Promise<OrderResponse> {
  const { response, is_replay } = stored ? { response: stored, is_replay: true } : await answer();
  refuseOtherBody(response.fingerprint, fingerprint);
  const { status, body } = response;
  return { status, body, is_replay };
}

/** @throws Refusal idempotency_key_reuse */
export function refuseOtherBody(first: Fingerprint, second: Fingerprint): void {
  const fields = differingFields(first, second);
  if (fields.length === 0) return;
  throw new Refusal('idempotency_key_reuse', {
    message: `This Idempotency-Key was used with another body: ${fields.join(', ')} differ${fields.length === 1 ? 's' : ''}. Use a new key for a new request.`,
    param: fields[0]!,
    details: fields.map((param) => ({ param, message: 'differs from the first request' })),
  });
}

interface Outcome {
  readonly outcome: string;
}
type Worded<Refused extends Outcome, Code extends string, Row> = (
  refused: Extract<Refused, { readonly outcome: Code }>,
  row: Row,
) => Refusal;

/** How refusals of a noun are worded: one that is no code of an error has to be. */
export type Refusals<Refused extends Outcome, Row> = {
  readonly [Code in Exclude<Refused['outcome'], ErrorCode>]: Worded<Refused, Code, Row>;
} & {
  readonly [Code in Extract<Refused['outcome'], ErrorCode>]?: Worded<Refused, Code, Row>;
};

/** What a noun says of its orders. */
export interface Noun<Refused extends Outcome, Row> {
  /** Said when it is not known whether the order was carried out. */
  readonly unknown: string;
  readonly refusals: Refusals<Refused, Row>;
  /** The workflow that is started for what was made. */
  readonly pursuit?: PursuitKind;
}

/** Carries out an order whose response is stored with what it does. @throws Refusal */
export async function placeOrder<
  Stored extends string,
  Refused extends Outcome,
  Row extends Pick<KeyedOrder, 'environment' | 'request_id'> & { readonly id: string },
>(
  dependencies: Pick<OrderDependencies, 'breakers' | 'pursue' | 'log'>,
  { unknown, refusals, pursuit }: Noun<Refused, Row>,
  row: Row,
  place: () => Promise<Ordered<Stored, Refused>>,
): Promise<StoredOrder<Stored>> {
  const ordered = await orUnknown(unknown, place);
  if (!('response' in ordered)) throw refusalOf(refusals, row, ordered);
  const { outcome, is_replay } = ordered;
  if (pursuit && outcome === 'created' && !is_replay) await pursueOrder(dependencies, pursuit, row);
  return ordered;
}

export function refusalOf<Refused extends Outcome, Row>(
  refusals: Refusals<Refused, Row>,
  row: Row,
  refused: Refused | Unwritten,
): Refusal {
  if (isUnwritten(refused)) {
    return refused.outcome === 'lapsed' ? nothingChanged() : keyLimitExceeded(refused.limit);
  }
  const worded = refusals as Partial<Record<string, (refused: Refused, row: Row) => Refusal>>;
  const { outcome } = refused;
  return worded[outcome]?.(refused, row) ?? new Refusal(outcome as ErrorCode);
}

const isUnwritten = (refused: Outcome): refused is Unwritten =>
  refused.outcome === 'lapsed' || refused.outcome === 'key_limit';

// A batch's vocabulary: what is ordered, what can be wrong with it before it is stored, and how the
// batch and its items are shown.

import type { Currency } from './currency';
import type { Environment } from './environment';
import { ERRORS, type ErrorCode } from './errors';
import { IDEMPOTENCY_KEY_PATTERN } from './ids';
import { Decimal, type JsonValue } from './json';
import { formatAmount, type AmountFault, type Minor } from './money';
import type { FinalOutcome, UnstoredOutcome } from './transfer';
import { normalUsername } from './username';

export const BATCH_MODES = ['independent', 'atomic'] as const;
export type BatchMode = (typeof BATCH_MODES)[number];

export const BATCH_STATUSES = ['processing', 'completed', 'failed', 'canceled'] as const;
export type BatchStatus = (typeof BATCH_STATUSES)[number];

/** `held`: its transfer waits for an operator. */
export const ITEM_STATUSES = ['pending', 'completed', 'failed', 'held'] as const;
export type ItemStatus = (typeof ITEM_STATUSES)[number];

/** The part of an item that is stored when it is ordered. */
export interface BatchItem {
  readonly to_username: string;
  readonly currency: Currency;
  /** Minor units as decimal text. */
  readonly amount_minor: string;
  readonly idempotency_key: string | null;
  /** The field is left out when there is none. */
  readonly description?: string;
}

/** An item as it was sent, or stands in a file. */
export interface GivenItem {
  readonly to_username: string;
  readonly currency: Currency;
  /** The amount in the caller's writing. */
  readonly amount_text: string;
  readonly idempotency_key?: string | undefined;
  /** The description, whose length is checked before. */
  readonly description?: string | undefined;
}

export type ItemFault<Amount = AmountFault> =
  | { readonly field: 'amount'; readonly fault: Amount | 'above_maximum' }
  | { readonly field: 'to_username'; readonly fault: 'yourself' }
  /** `index` is that of the item that has the key already. */
  | { readonly field: 'idempotency_key'; readonly fault: 'repeated'; readonly index: number }
  | { readonly field: 'idempotency_key'; readonly fault: 'characters' };

export type ReadItem<Amount = AmountFault> =
  { readonly ok: true; readonly item: BatchItem } | ({ readonly ok: false } & ItemFault<Amount>);

/** Reads the items of one batch, each once and in their order. */
export type ItemReader<Amount = AmountFault> = (given: GivenItem) => ReadItem<Amount>;

/** Programs and people write amounts in different ways: `readAmount` knows how these are written. */
export function createItemReader<Amount>(
  sender_username: string,
  max_transfer: Readonly<Record<Currency, Minor>>,
  readAmount: (
    text: string,
    currency: Currency,
  ) =>
    { readonly ok: true; readonly amount: Minor } | { readonly ok: false; readonly fault: Amount },
): ItemReader<Amount> {
  const indexes = new Map<string, number>();
  let index = -1;
  return ({ currency, amount_text, idempotency_key, description, ...given }) => {
    index += 1;
    const parsed = readAmount(amount_text, currency);
    if (!parsed.ok) return { ok: false, field: 'amount', fault: parsed.fault };
    if (parsed.amount > max_transfer[currency]) {
      return { ok: false, field: 'amount', fault: 'above_maximum' };
    }
    // Usernames are stored in lower case.
    const to_username = normalUsername(given.to_username);
    if (to_username === sender_username) {
      return { ok: false, field: 'to_username', fault: 'yourself' };
    }
    if (idempotency_key !== undefined) {
      if (!IDEMPOTENCY_KEY_PATTERN.test(idempotency_key)) {
        return { ok: false, field: 'idempotency_key', fault: 'characters' };
      }
      const before = indexes.get(idempotency_key);
      if (before !== undefined) {
        return { ok: false, field: 'idempotency_key', fault: 'repeated', index: before };
      }
      indexes.set(idempotency_key, index);
    }
    const amount_minor = parsed.amount.toString();
    const item = { to_username, currency, amount_minor, idempotency_key: idempotency_key ?? null };
    return { ok: true, item: description === undefined ? item : { ...item, description } };
  };
}

/** Why an item failed. The last three are no outcomes of a transfer. */
export type ItemRefusal =
  | Exclude<FinalOutcome | UnstoredOutcome, 'completed' | 'simulated' | 'held' | 'unasked'>
  /** It would be held, and its batch is atomic. */
  | 'risk_held'
  /** The key was used with other values. */
  | 'idempotency_key_reuse'
  /** Another item of an atomic batch was refused. */
  | 'batch_refused';

export interface ItemError {
  readonly code: ErrorCode;
  readonly message: string;
}

/** Returns the error with which POST /transfers answers the same outcome. */
export function itemError(refusal: ItemRefusal | null): ItemError | null {
  switch (refusal) {
    case null:
      return null;
    case 'insufficient_funds':
    case 'recipient_not_found':
    case 'account_frozen':
    case 'kyc_required':
    case 'idempotency_key_reuse':
    case 'batch_refused':
    case 'limit_exceeded':
    case 'risk_held':
    case 'risk_refused':
      return { code: refusal, message: ERRORS[refusal].message };
    case 'self_transfer':
      return { code: 'invalid_request', message: ERRORS.invalid_request.message };
    case 'lapsed':
    case 'not_posted':
      return { code: 'internal_error', message: ERRORS.internal_error.message };
  }
}

/** An item's row. */
interface Item extends Omit<Required<BatchItem>, 'amount_minor' | 'description'> {
  readonly index: number;
  readonly amount_minor: bigint;
  readonly description: string | null;
  readonly status: ItemStatus;
  readonly reference: string | null;
  readonly refusal: ItemRefusal | null;
  readonly is_replay: boolean;
}

export function presentItem(
  item: Item,
  environment: Environment,
): Readonly<Record<string, JsonValue>> {
  const error = itemError(item.refusal);
  return {
    index: item.index,
    to_username: item.to_username,
    currency: item.currency,
    amount: new Decimal(formatAmount(item.amount_minor)),
    status: item.status,
    reference: item.reference,
    error: error && { ...error },
    idempotency_key: item.idempotency_key,
    description: item.description,
    simulated: environment === 'sandbox',
    replayed: item.is_replay,
  };
}

// Idempotency keys: what they belong to, what is kept under them, and how two requests with one key
// are told apart.

import type { Environment } from './environment';

/** The operations that take an Idempotency-Key. */
export const IDEMPOTENT_OPERATIONS = [
  'transfer',
  'payment_intent',
  'payment_attempt',
  'payment_link',
  'transfer_batch',
  'refund',
  'reversal',
  'payout',
  'payout_batch',
  'sandbox_fund',
] as const;
export type IdempotentOperation = (typeof IDEMPOTENT_OPERATIONS)[number];

/** A key is unique within it: two users, or two operations of one user, never share a key. */
export interface IdempotencyScope {
  readonly user_id: string;
  readonly environment: Environment;
  readonly operation: IdempotentOperation;
  readonly key: string;
}

/** A short hash of each field of the body names the fields that differ, and cannot be read. */
export type Fingerprint = Readonly<Record<string, string>>;

/** The first final response to a key, kept for ever and replayed byte for byte. */
export interface StoredResponse {
  readonly status: number;
  readonly body: string;
  readonly fingerprint: Fingerprint;
}

/** The part of an order's row that is the same for all operations. */
export interface KeyedOrder {
  readonly environment: Environment;
  readonly user_id: string;
  readonly idempotency_key: string;
  readonly fingerprint: Fingerprint;
  readonly request_id: string;
  /** The API key by whose daily limit it is counted, if there is one. */
  readonly limited_key?: string | null | undefined;
  /** The caller's address, which rules may count by. */
  readonly ip?: string | undefined;
  /** ISO 8601. Nothing is written after it, by the database's clock. Operators' orders have none. */
  readonly accept_before?: string;
}

/** Returns the fields in which two bodies with one key differ, in alphabetical order. */
export function differingFields(first: Fingerprint, second: Fingerprint): string[] {
  const fields = new Set([...Object.keys(first), ...Object.keys(second)]);
  return [...fields].filter((field) => first[field] !== second[field]).sort();
}

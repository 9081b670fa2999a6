// Reversal requests as the API makes them, with every field open to the test.

import { randomUUID } from 'node:crypto';
import type { Db } from '../../db/connect';
import { postReversal, type PostedReversal } from '../../db/transfers/reversals';
import type { ReversalRequest } from '../../domain/reversal';
import { fingerprintFields } from '../../secrets/hash';
import { makeReversalReference } from '../../secrets/random';
import { ERROR_DOCS } from './postings';
import type { TestUser } from './users';

export interface ReversalRequestOptions extends Partial<
  Omit<ReversalRequest, 'user_id' | 'username' | 'amount_minor'>
> {
  /** The transfer's recipient. */
  readonly by: TestUser;
  readonly transfer_reference: string;
  /** All that is left when left out. */
  readonly amount?: bigint | null;
}

/** Live XOF, a fresh key and a minute to accept it, unless the options say otherwise. */
export function buildReversalRequest({
  by,
  amount = null,
  ...fields
}: ReversalRequestOptions): ReversalRequest {
  const { transfer_reference } = fields;
  const amount_minor = amount?.toString() ?? null;
  return {
    reference: makeReversalReference(),
    environment: 'live',
    user_id: by.id,
    username: by.username,
    currency: 'XOF',
    amount_minor,
    reason: null,
    key: randomUUID(),
    fingerprint: fingerprintFields({ transfer: transfer_reference, amount: String(amount_minor) }),
    request_id: randomUUID(),
    accept_before: new Date(Date.now() + 60_000).toISOString(),
    ...fields,
  };
}

export function reverse(db: Db, request: ReversalRequest): Promise<PostedReversal> {
  return postReversal(db, request, ERROR_DOCS);
}

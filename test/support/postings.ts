// Postings as the transfer activity makes them, with every field open to the test.

import { randomUUID } from 'node:crypto';
import type { Db } from '../../db/connect';
import { postTransfers, type Posting } from '../../db/transfers';
import type { Currency } from '../../domain/currency';
import {
  renderTransferResponses,
  type TransferOutcome,
  type TransferRequest,
} from '../../domain/transfer';
import { fingerprintFields } from '../../secrets/hash';
import { makeTransferReference } from '../../secrets/random';
import type { TestUser } from './people';

export const ERROR_DOCS = 'https://pay.example.com/docs/errors';

export interface PostingOptions extends Partial<Omit<TransferRequest, 'sender_id'>> {
  readonly from: TestUser;
  /** Or `to_username`. */
  readonly to?: TestUser;
  readonly amount: bigint;
  readonly currency?: Currency;
}

/** Live XOF, a fresh key and a minute to accept it, unless the options say otherwise. */
export function makeRequest({ from, to, amount, ...fields }: PostingOptions): TransferRequest {
  const { currency = 'XOF', to_username = to?.username ?? '' } = fields;
  const amount_minor = amount.toString();
  return {
    attempt: makeTransferReference(),
    environment: 'live',
    sender_id: from.id,
    key: randomUUID(),
    fingerprint: fingerprintFields({ to_username, currency, amount: amount_minor }),
    request_id: randomUUID(),
    accept_before: new Date(Date.now() + 60_000).toISOString(),
    to_username,
    currency,
    amount_minor,
    ...fields,
  };
}

export function makePosting(options: PostingOptions): Posting {
  const request = makeRequest(options);
  return { request, answers: renderTransferResponses(request, ERROR_DOCS) };
}

export async function post(db: Db, options: PostingOptions): Promise<TransferOutcome> {
  const [outcome] = await postTransfers(db, [makePosting(options)]);
  return outcome!;
}

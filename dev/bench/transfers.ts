// Transfers as the activity posts them.

import { randomUUID } from 'node:crypto';
import type { TransferRequest } from '../../domain/transfer';
import { fingerprintFields } from '../../secrets/hash';
import { makeTransferReference } from '../../secrets/random';

export const DOCS = 'https://pay.example.com/docs/errors';

export interface User {
  readonly id: string;
  readonly username: string;
  readonly limited_key?: string;
}

/** A euro. */
export function buildTransfer(from: User, to: User): TransferRequest {
  const [currency, amount_minor] = ['EUR', '100'] as const;
  const fields = { to_username: to.username, currency, amount: amount_minor };
  const { limited_key } = from;
  return {
    reference: makeTransferReference(),
    environment: 'live',
    sender_id: from.id,
    sender_username: from.username,
    key: randomUUID(),
    fingerprint: fingerprintFields(fields),
    request_id: randomUUID(),
    accept_before: new Date(Date.now() + 600_000).toISOString(),
    to_username: to.username,
    currency,
    amount_minor,
    ...(limited_key !== undefined && { limited_key }),
  };
}

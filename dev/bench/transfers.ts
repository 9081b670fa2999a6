// Transfers as the activity posts them, and the processor time of the connection that does.

import { randomUUID } from 'node:crypto';
import type { Currency } from '../../domain/currency';
import type { TransferRequest } from '../../domain/transfer';
import { fingerprintFields } from '../../secrets/hash';
import { makeTransferReference } from '../../secrets/random';

export const DOCS = 'https://pay.example.com/docs/errors';

export interface User {
  readonly id: string;
  readonly username: string;
  readonly limited_key?: string;
}

/** A hundred francs, or a euro. */
export function buildTransfer(from: User, to: User, currency: Currency = 'XOF'): TransferRequest {
  const amount_minor = currency === 'XOF' ? '10000' : '100';
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

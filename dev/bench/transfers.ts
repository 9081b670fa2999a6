// Transfers as the activity posts them.

import { randomUUID } from 'node:crypto';
import type { Db } from '../../db/connect';
import { postTransfers } from '../../db/transfers/transfers';
import type { TransferRequest } from '../../domain/transfer';
import { fingerprintFields } from '../../secrets/hash';
import { makeTransferReference } from '../../secrets/random';

export const DOCS = 'https://pay.example.com/docs/errors';

export interface User {
  readonly id: string;
  readonly username: string;
  readonly limited_key?: string;
}

/** A hundred francs. */
export function buildTransfer(from: User, to: User): TransferRequest {
  const [currency, amount_minor] = ['XOF', '10000'] as const;
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

/** Throws when one of them is refused. */
export async function postSurely(db: Db, requests: readonly TransferRequest[]): Promise<void> {
  const results = await postTransfers(db, requests, DOCS);
  const refused = results.find(({ outcome }) => outcome !== 'completed');
  if (refused) throw new Error(`a transfer was ${refused.outcome}`);
}

/** One of those from a place on. */
export function draw(users: readonly User[], from: number): User {
  return users[from + Math.floor(Math.random() * (users.length - from))]!;
}

export function drawTwo(users: readonly User[]): readonly [User, User] {
  const one = draw(users, 0);
  for (;;) {
    const other = draw(users, 0);
    if (other !== one) return [one, other];
  }
}

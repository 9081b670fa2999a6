// Posting transfers and reading them back.

import type { Currency } from '../domain/currency';
import type { Environment } from '../domain/environment';
import {
  isFinal,
  type TransferResponses,
  type TransferOutcome,
  type TransferRequest,
} from '../domain/transfer';
import { ask, run, type Db } from './connect';

const POST = {
  name: 'post_transfers',
  text: `select outcome, status, body, fingerprint, reference, replayed
           from post_transfers($1::jsonb)`,
};

export interface Posting {
  readonly request: TransferRequest;
  /** The bytes to answer, and to keep, for whichever outcome comes true. */
  readonly answers: TransferResponses;
}

/**
 * Posts each transfer exactly once per (sender, environment, key), all in one transaction and one
 * round trip; the outcomes come in the order of the postings. Throws only when Postgres cannot be
 * asked: whether anything was posted is then unknown, and asking again is safe.
 */
export async function postTransfers(
  db: Db,
  postings: readonly Posting[],
): Promise<TransferOutcome[]> {
  const requests = postings.map(({ request, answers }) => ({ ...request, answers }));
  const rows = await run<TransferOutcome>(db, POST, [JSON.stringify(requests)]);
  // The columns of what is stored are null for what is not: they are left out, as the type says.
  return rows.map((row) => (isFinal(row.outcome) ? row : { outcome: row.outcome }));
}

export interface TransferRow {
  readonly reference: string;
  readonly environment: Environment;
  readonly status: string;
  readonly simulated: boolean;
  readonly direction: 'in' | 'out';
  readonly from_username: string;
  readonly to_username: string;
  readonly currency: Currency;
  readonly amount_minor: bigint;
  readonly fee_minor: bigint;
  readonly created_at: string;
}

const FIND = {
  name: 'find_transfer',
  text: `select t.reference, t.environment, t.status, t.simulated,
                case when t.sender_id = $1 then 'out' else 'in' end as direction,
                s.username as from_username, r.username as to_username,
                t.currency, t.amount_minor, t.fee_minor, t.created_at
           from transfers t
           join users s on s.id = t.sender_id
           join users r on r.id = t.recipient_id
          where t.reference = $3 and t.environment = $2 and $1 in (t.sender_id, t.recipient_id)`,
};

/** Visible to both sides; anyone else's reference is as unknown as one that never was. */
export async function findTransfer(
  db: Db,
  user_id: string,
  environment: Environment,
  reference: string,
): Promise<TransferRow | undefined> {
  const rows = await ask<TransferRow>(db, FIND, [user_id, environment, reference]);
  return rows[0];
}

// Reversals of transfers: posted, and read with their transfer.

import {
  reversalRefusals,
  type ReversalOutcome,
  type ReversalRequest,
} from '../../domain/reversal';
import { columns, type RowOf } from '../columns';
import { call, lookUp, type Db } from '../connect';

export interface PostedReversal {
  readonly outcome: ReversalOutcome;
  readonly left_minor: bigint | null;
}

/**
 * Posts the reversal exactly once per (account, environment, key). Throws only when Postgres is
 * unreachable: whether anything was posted is then unknown, and a retry is safe.
 */
export async function postReversal(
  db: Db,
  request: ReversalRequest,
  error_docs_url: string,
): Promise<PostedReversal> {
  const refusals = reversalRefusals(error_docs_url);
  const values = [JSON.stringify({ ...request, refusals })];
  return (await call<PostedReversal>(db, 'post_reversal', values))[0]!;
}

const SHOWN = columns('reversals v: reference currency amount_minor reason created_at');
export type ReversalRow = RowOf<typeof SHOWN>;

const LIST = {
  name: 'list_reversals_of_transfer',
  text: `select ${SHOWN} from reversals v
          where v.transfer_reference = $1 order by v.created_at limit $2`,
};

/** Oldest first. Of a transfer that the caller may see. */
export async function listReversals(
  db: Db,
  transfer_reference: string,
  limit: number,
): Promise<ReversalRow[]> {
  return lookUp<ReversalRow>(db, LIST, [transfer_reference, limit]);
}

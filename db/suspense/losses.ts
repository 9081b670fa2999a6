// Losses: what gateways gave back beyond the books. Operators settle them (db/suspense/losses.sql).

import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import { callValue, execute, type Db } from '../connect';

export interface Loss {
  /** The reference of the refund, or of the item of suspense. */
  readonly reference: string;
  /** Null: an item of no account. */
  readonly username: string | null;
  readonly environment: Environment;
  readonly currency: Currency;
  /** Negative: it was settled, and the gateway has taken it back since. */
  readonly amount_minor: bigint;
}

/** More than an operator settles in a day. */
const MAX_LISTED = 1_000;

/** Those that wait, live money first; of one reference, when it is given. */
export async function listLosses(db: Db, reference?: string): Promise<Loss[]> {
  const text = `select l.reference, u.username, l.environment, l.currency, l.amount_minor
      from unsettled_losses() l left join users u on u.id = l.user_id
     where $1::text is null or l.reference = $1
     order by l.environment, l.reference limit ${MAX_LISTED}`;
  return execute(db, { name: 'list_losses', text }, [reference ?? null]);
}

/** False when it is not as the operator has seen it, and nothing was done. Needs the operators' role. */
export async function settleLoss(
  db: Db,
  { reference, amount_minor }: Loss,
  reason: string,
  actor: string,
): Promise<boolean> {
  const values = [reference, amount_minor, reason, actor];
  return callValue(db, 'settle_loss', values);
}

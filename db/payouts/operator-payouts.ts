// Payouts as operators see them: of every account, with what only they see; and what operators decide about them.

import type { Environment } from '../../domain/environment';
import type { PayoutStatus } from '../../domain/payout';
import { columns, type RowOf } from '../columns';
import { callValue, execute, type Db, type Statement } from '../connect';
import { readableOfAll } from '../readable';
import { PAYOUT_VIEW, type PayoutView } from './payouts';

const ONLY = columns('payouts p: detail asks asked_at idempotency_key request_id');
const COLUMNS = `${PAYOUT_VIEW}, ${ONLY}, u.username, is_payout_in_doubt(p) as is_in_doubt,
    p.lost_minor - p.loss_minor as unsettled_minor`;

export interface OperatorPayout extends PayoutView, RowOf<typeof ONLY> {
  readonly username: string;
  readonly is_in_doubt: boolean;
  /** How much the provider has paid although it was given back, and no operator has settled. */
  readonly unsettled_minor: bigint;
}

export const { list: listOperatorPayouts, find: findOperatorPayout } = readableOfAll<
  OperatorPayout,
  { user_id: string; environment: Environment; status: PayoutStatus; phone: string }
>({
  rows: 'payouts',
  row: 'p',
  view: COLUMNS,
  joins: 'join users u on u.id = p.user_id',
  filters: {
    user_id: 'p.user_id = ?',
    environment: 'p.environment = ?',
    status: 'p.status = ?',
    phone: 'p.phone = ?',
  },
});

/**
 * Payouts in doubt (is_payout_in_doubt in SQL); and payouts that the provider has paid after their money was given
 * back, until an operator has settled them.
 */
export const PAYOUTS_TO_SETTLE = `
  select p.id, p.created_at from payouts p where p.status = 'pending' and is_payout_in_doubt(p)
   union all
  select p.id, p.created_at from payouts p
   where p.contradicted_at is not null and p.lost_minor <> p.loss_minor`;

const IN_DOUBT: Statement = {
  name: 'list_payouts_in_doubt',
  text: `select shown.* from (${PAYOUTS_TO_SETTLE}) d
          cross join lateral (select ${COLUMNS} from payouts p join users u on u.id = p.user_id
                               where p.id = d.id) shown
          order by shown.created_at limit $1`,
};

/** Oldest first. */
export async function listPayoutsInDoubt(db: Db, limit: number): Promise<OperatorPayout[]> {
  return execute(db, IN_DOUBT, [limit]);
}

/** An operator's word about a payout: also kept while it waits for a second operator. */
export interface DecidedPayout {
  readonly payout: string;
  readonly is_paid: boolean;
  /** The provider's id of it, where the provider has one. */
  readonly provider_payment: string | null;
  readonly reason: string;
}

export type DecidedPayoutOutcome =
  | 'done'
  /** It had ended, or was never sent. */
  | Exclude<PayoutStatus, 'pending'>
  /** Nothing was asked of the provider. */
  | 'not_asked'
  /** The provider has it, and it was not named. */
  | 'at_provider';

/**
 * Ends a payout whose provider does not say what became of it. Needs the operators' role.
 * @throws when it needs a second operator, and a violation of `wallet_has_room` or `gateway_is_asked`
 */
export async function decidePayout(
  db: Db,
  deciding: DecidedPayout,
  actor: string,
): Promise<DecidedPayoutOutcome> {
  return callValue(db, 'decide_payout', [JSON.stringify(deciding), actor]);
}

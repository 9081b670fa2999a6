// Payouts as operators see them: of every account, with what only they see; and what operators decide about them.

import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import { isUuid } from '../../domain/ids';
import type { PayoutStatus, PayoutView } from '../../domain/payout';
import { execute, type BoundStatement, type Db, type Statement } from '../connect';
import { filterSql } from '../list-filters';
import type { Waking } from '../webhooks/events';
import { PAYOUT_VIEW } from './payouts';

export interface OperatorPayout extends PayoutView {
  readonly username: string;
  /** What went wrong when the provider was last asked. */
  readonly detail: string | null;
  readonly asks: number;
  readonly asked_at: string | null;
  readonly is_in_doubt: boolean;
  /** How much the provider has paid although it was given back, and no operator has settled. */
  readonly unsettled_minor: bigint;
  readonly idempotency_key: string;
  readonly request_id: string;
}

const COLUMNS = `${PAYOUT_VIEW}, u.username, p.detail, p.asks, p.asked_at,
    is_payout_in_doubt(p) as is_in_doubt, p.lost_minor - p.loss_minor as unsettled_minor,
    p.idempotency_key, p.request_id`;

export interface OperatorPayoutQuery {
  readonly user_id?: string | undefined;
  readonly environment?: Environment | undefined;
  readonly status?: PayoutStatus | undefined;
  readonly phone?: string | undefined;
}

const FILTERS = {
  user_id: 'p.user_id = ?',
  environment: 'p.environment = ?',
  status: 'p.status = ?',
  phone: 'p.phone = ?',
} as const;

/** Newest first. */
export async function listOperatorPayouts(
  db: Db,
  filters: OperatorPayoutQuery,
  limit: number,
): Promise<OperatorPayout[]> {
  const { statement, values } = operatorPayoutsStatement(filters, limit);
  return execute(db, statement, values);
}

function operatorPayoutsStatement(filters: OperatorPayoutQuery, limit: number): BoundStatement {
  const values: unknown[] = [limit];
  const { given, conditions } = filterSql(FILTERS, filters, values);
  const text = `select ${COLUMNS} from payouts p join users u on u.id = p.user_id
                 where true${conditions} order by p.created_at desc, p.id limit $1`;
  return { statement: { name: `list_operator_payouts_${given}`, text }, values };
}

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

/** It is found by its id or its reference: their forms do not overlap. */
export async function findOperatorPayout(
  db: Db,
  name: string,
): Promise<OperatorPayout | undefined> {
  return (await execute<OperatorPayout>(db, operatorPayoutStatement(name), [name]))[0];
}

function operatorPayoutStatement(name: string): Statement {
  const column = isUuid(name) ? 'id' : 'reference';
  const text = `select ${COLUMNS} from payouts p join users u on u.id = p.user_id where p.${column} = $1`;
  return { name: `find_operator_payout_by_${column}`, text };
}

/** What an operator says of a payout: also kept while it waits for a second operator. */
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

const DECIDE = {
  name: 'decide_payout',
  text: 'select outcome, wake from decide_payout($1::jsonb, $2)',
};

/**
 * Ends a payout whose provider does not say what became of it. Needs the operators' role.
 * @throws when it needs a second operator, and a violation of `wallet_has_room` or `gateway_is_asked`
 */
export async function decidePayout(
  db: Db,
  deciding: DecidedPayout,
  actor: string,
): Promise<Waking & { readonly outcome: DecidedPayoutOutcome }> {
  type Row = Waking & { readonly outcome: DecidedPayoutOutcome };
  return (await execute<Row>(db, DECIDE, [JSON.stringify(deciding), actor]))[0]!;
}

/** Null: no limit. */
export interface PayoutLimits {
  readonly single_minor: bigint | null;
  readonly daily_minor: bigint | null;
  readonly monthly_minor: bigint | null;
}

/** The fields of `payout_settings` that operators set: minor units as decimal text, null for no limit. */
export type NewPayoutLimits = {
  readonly [field in `most_${keyof PayoutLimits}`]?: string | null;
};

const SET_LIMITS = {
  name: 'set_payout_limits',
  text: 'select single_minor, daily_minor, monthly_minor from set_payout_limits($1, $2, $3::jsonb, $4)',
};

/** Sets the limits that are given; returns all as they are then. Needs the operators' role. */
export async function setPayoutLimits(
  db: Db,
  { user_id, currency }: { readonly user_id: string; readonly currency: Currency },
  most: NewPayoutLimits,
  actor: string,
): Promise<PayoutLimits> {
  const values = [user_id, currency, JSON.stringify(most), actor];
  return (await execute<PayoutLimits>(db, SET_LIMITS, values))[0]!;
}

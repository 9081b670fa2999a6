// Refunds as operators see them: of every account, with what only they see.

import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import { isUuid } from '../../domain/ids';
import type { RefundFailure, RefundStatus, RefundView } from '../../domain/refund';
import { execute, type Db, type BoundStatement, type Statement } from '../connect';
import { filterSql } from '../list-filters';

export interface OperatorRefund extends RefundView {
  readonly username: string;
  readonly payment_reference: string;
  readonly currency: Currency;
  readonly environment: Environment;
  readonly status: RefundStatus;
  readonly failure: RefundFailure | null;
  readonly gateway: string;
  readonly provider_payment_id: string;
  /** The gateway's. */
  readonly gateway_refund_id: string | null;
  readonly gateway_status: RefundStatus | null;
  /** What the gateway waits for, or why it could not be asked. */
  readonly detail: string | null;
  readonly asks: number;
  readonly asked_at: string | null;
  readonly idempotency_key: string;
  readonly request_id: string;
}

const COLUMNS = `r.id, r.environment, r.reference, r.intent_id, r.status, r.amount_minor, r.currency,
    r.reason, r.metadata, r.failure, r.created_at, r.updated_at, u.username,
    i.reference as payment_reference, r.gateway, r.provider_payment_id, r.gateway_refund_id,
    r.gateway_status, r.detail, r.asks, r.asked_at, r.idempotency_key, r.request_id,
    (select s.body::text from refunds y cross join lateral refund_json(y) s where y.id = r.id) as json`;

/** `refunds` is the table, or some rows of it. */
const select = (refunds: string): string => `select ${COLUMNS}
  from ${refunds} r join users u on u.id = r.user_id join payment_intents i on i.id = r.intent_id`;

export interface OperatorRefundQuery {
  readonly user_id?: string | undefined;
  readonly environment?: Environment | undefined;
  readonly status?: RefundStatus | undefined;
  readonly intent_id?: string | undefined;
}

const FILTERS = {
  user_id: 'r.user_id = ?',
  environment: 'r.environment = ?',
  status: 'r.status = ?',
  intent_id: 'r.intent_id = ?',
} as const;

/** Newest first. */
export async function listOperatorRefunds(
  db: Db,
  filters: OperatorRefundQuery,
  limit: number,
): Promise<OperatorRefund[]> {
  const { statement, values } = operatorRefundsStatement(filters, limit);
  return execute(db, statement, values);
}

/** The page is chosen before anything is joined: else the accounts and payments of all refunds are looked up. */
export function operatorRefundsStatement(
  filters: OperatorRefundQuery,
  limit: number,
): BoundStatement {
  const values: unknown[] = [limit];
  const { given, conditions } = filterSql(FILTERS, filters, values);
  const page = `(select * from refunds r where true${conditions}
                  order by r.created_at desc, r.id limit $1)`;
  const text = `${select(page)} order by r.created_at desc, r.id`;
  return { statement: { name: `list_operator_refunds_${given}`, text }, values };
}

/** Finds a refund by its id or its reference: their forms do not overlap. */
export async function findOperatorRefund(
  db: Db,
  name: string,
): Promise<OperatorRefund | undefined> {
  return (await execute<OperatorRefund>(db, operatorRefundStatement(name), [name]))[0];
}

export function operatorRefundStatement(name: string): Statement {
  const column = isUuid(name) ? 'id' : 'reference';
  const text = `${select('refunds')} where r.${column} = $1`;
  return { name: `find_operator_refund_by_${column}`, text };
}

// The outcome of requests with an idempotency key, for callers who ask by the key.

import type { IdempotencyScope, IdempotentOperation } from '../../domain/idempotency';
import { lookUp, type Db, type Statement } from '../connect';

export interface KeyRow {
  /** The response's status; null while there is none. */
  readonly status: number | null;
  readonly body: string | null;
  /** The reference of what the request made. */
  readonly reference: string | null;
  /** The first request's. */
  readonly request_id: string;
  readonly created_at: string;
}

const KEPT = {
  name: 'find_kept_key',
  text: `select clock_timestamp() as now, k.status, k.body, k.reference, k.request_id, k.created_at
           from (values (1)) one
           left join idempotency_keys k
             on k.user_id = $1 and k.environment = $2 and k.operation = $3 and k.key = $4`,
};

export interface KeptKey {
  /** The database's clock. */
  readonly now: string;
  /** Undefined while the key has no response. */
  readonly row: KeyRow | undefined;
}

export async function findKeptKey(db: Db, scope: IdempotencyScope): Promise<KeptKey> {
  const { user_id, environment, operation, key } = scope;
  type Row = { readonly now: string } & KeyRow;
  const [found] = await lookUp<Row>(db, KEPT, [user_id, environment, operation, key]);
  const { now, ...row } = found!;
  return { now, row: row.body === null ? undefined : row };
}

/**
 * What each operation writes before the response, and what says that there will be one. Null: the
 * response is written with the effect. $1 is the user, $2 the environment, $3 the key.
 */
const BEGUN: Readonly<Record<IdempotentOperation, Statement | null>> = {
  // An item of a batch that waits for its turn has the key of a single transfer.
  transfer: {
    name: 'find_waiting_item',
    text: `select b.request_id, b.created_at from transfer_batches b
            where b.user_id = $1 and b.environment = $2 and b.status = 'processing' and not b.dry_run
              and exists (select from transfer_batch_items i
                           where i.batch_id = b.id and i.idempotency_key = $3
                             and i.index >= b.completed + b.failed)
            order by b.created_at limit 1`,
  },
  // Its checkout is being opened at the gateway.
  payment_intent: {
    name: 'find_creating_intent',
    text: `select i.request_id, i.created_at from payment_intents i
            where i.user_id = $1 and i.environment = $2 and i.status = 'creating'
              and i.idempotency_key = $3
            order by i.created_at limit 1`,
  },
  // Its gateway is being asked.
  payment_attempt: {
    name: 'find_begun_attempt',
    text: `select a.request_id, a.created_at from payment_attempts a
            where a.user_id = $1 and a.environment = $2 and a.status = 'waiting' and a.idempotency_key = $3
            order by a.created_at limit 1`,
  },
  payment_link: null,
  transfer_batch: null,
  reversal: null,
  payout: null,
  payout_batch: null,
  sandbox_fund: null,
  // An operator's, which waits for a second operator.
  refund: {
    name: 'find_requested_refund',
    text: `select a.arguments ->> 'request_id' as request_id, a.requested_at as created_at
             from approvals a
            where a.status = 'waiting' and a.action = 'refunds.create' and a.environment = $2
              and a.expires_at > clock_timestamp() and a.arguments ->> 'user_id' = $1::uuid::text
              and a.arguments ->> 'idempotency_key' = $3
            order by a.requested_at limit 1`,
  },
};

export type BegunRequest = Pick<KeyRow, 'request_id' | 'created_at'>;

/** A request that is recorded, and whose response is yet to come. */
export async function findBegun(
  db: Db,
  { operation, ...scope }: IdempotencyScope,
): Promise<BegunRequest | undefined> {
  const statement = BEGUN[operation];
  if (!statement) return undefined;
  const values = [scope.user_id, scope.environment, scope.key];
  return (await lookUp<BegunRequest>(db, statement, values))[0];
}

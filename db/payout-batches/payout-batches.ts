// Payouts ordered together: the row of a batch decides what is still to be done.

import type { Currency } from '../../domain/currency';
import type { KeyedOrder } from '../../domain/idempotency';
import type { PayoutFailure, PayoutStatus } from '../../domain/payout';
import type { BatchCheck, PayoutItemRefusal } from '../../domain/payout-batch';
import type { WalletHold } from '../../domain/wallet-hold';
import { batches, type ItemQuery, type OrderedBatch } from '../batches/batches';
import { columns, type RowOf } from '../columns';
import { call, callValue, calls, execute, lookUp, type Db, type Statement } from '../connect';
import type { DecidedBy, NewPayout, PayoutView } from '../payouts/payouts';
import { order } from '../requests/orders';
import { requireRow } from '../unknown-row';

export interface NewPayoutBatch extends KeyedOrder {
  readonly id: string;
  readonly confirm: boolean;
  readonly dry_run: boolean;
  /** The key by which it was ordered, or the person who is signed in. */
  readonly key_id?: string;
  readonly ordered_by?: string;
}

/** The batch, its items and the response of its key. `items`: JSON of PayoutBatchItem[]. */
export const createPayoutBatch = (
  db: Db,
  batch: NewPayoutBatch,
  items: string,
  max_waiting: number,
): Promise<OrderedBatch> => order(db, 'create_payout_batch', batch, items, max_waiting);

const SHOWN = columns(`payout_batches b:
  id user_id environment status step next_index confirm dry_run total completed failed approvals_needed
  ordered_by reject_reason request_id ip created_at finished_at`);

/** A batch as it is shown, and as its workflow sees it. */
export interface PayoutBatchRow extends RowOf<typeof SHOWN> {
  readonly checks: Readonly<Record<BatchCheck, number>>;
  readonly approvals_given: number;
  readonly expires_at: string | null;
  /** The JSON text of what GET /payout-batches/{id} returns (payout_batch_json in SQL). */
  readonly json: string;
}

const COLUMNS = `${SHOWN}, shown_due(b.expires_at, b.clock_seconds) as expires_at,
  jsonb_build_object('match', b.matched, 'close', b.close, 'no_match', b.not_matched,
    'unavailable', b.unavailable, 'unreachable', b.unreachable) as checks,
  (select count(*)::integer from payout_batch_approvals a where a.batch_id = b.id) as approvals_given,
  (select s.body::text from payout_batch_json(b) s) as json`;

const called = (call: string): Statement => ({
  name: call.slice(0, call.indexOf('(')),
  text: `select ${COLUMNS} from ${call} b`,
});

const BEGIN = called('begin_payout_batch($1)');
const ADVANCE = called('advance_payout_batch($1, $2, $3, $4)');

/** Cancels it when it has waited for people for too long. @throws UnknownRowError */
export function beginPayoutBatch(db: Db, id: string): Promise<PayoutBatchRow> {
  return requireRow(db, 'payout_batch', id, async () => {
    return (await execute<PayoutBatchRow>(db, BEGIN, [id]))[0]!;
  });
}

/** So many items, from the batch's next one on, have had its step. Returns the batch as it is then. */
export async function advancePayoutBatch(
  db: Db,
  { id, step, next_index }: Pick<PayoutBatchRow, 'id' | 'step' | 'next_index'>,
  items: number,
): Promise<PayoutBatchRow> {
  const values = [id, step, next_index, next_index + items];
  return (await execute<PayoutBatchRow>(db, ADVANCE, values))[0]!;
}

const SHOWN_ITEM = columns(`payout_batch_items i:
  index phone operator bank_code description name_found name_match found currency amount_minor status
  refusal payout_id`);
const ITEM = `${SHOWN_ITEM}, right(i.account, 4) as account_end, coalesce(i.name, i.holder) as name,
  coalesce(p.fee_minor, payout_fee((select b.user_id from payout_batches b where b.id = i.batch_id), i.currency,
    i.amount_minor, i.account, i.operator)) as fee_minor, p.reference,
  p.status as payout_status, p.failure`;

/** An item as it is shown. */
export interface PayoutItemView
  extends RowOf<typeof SHOWN_ITEM>, Pick<PayoutView, 'account_end' | 'name'> {
  readonly fee_minor: bigint;
  readonly reference: string | null;
  readonly payout_status: PayoutStatus | null;
  readonly failure: PayoutFailure | null;
}

const ITEMS = {
  name: 'list_payout_batch_items',
  text: `select ${ITEM} from payout_batch_items i left join payouts p on p.id = i.payout_id
          where i.batch_id = $1 and i.index > $2 and ($3::text is null or i.status = $3)
          order by i.index limit $4`,
};

/** The items come in the order given. */
export function listPayoutItems(
  db: Db,
  { batch_id, status, after, limit }: ItemQuery<PayoutItemView['status']>,
): Promise<PayoutItemView[]> {
  return execute<PayoutItemView>(db, ITEMS, [batch_id, after, status ?? null, limit]);
}

const STORED_ITEM = columns(`payout_batch_items i:
  index destination_type phone operator account bank_code holder name description name_found name_match
  currency amount_minor`);

/** An item as it is looked at, and ordered. */
export interface StoredPayoutItem extends RowOf<typeof STORED_ITEM> {
  /** Nothing is to be done with it. */
  readonly is_over: boolean;
}

const STORED = {
  name: 'list_stored_payout_batch_items',
  text: `select ${STORED_ITEM}, i.status <> 'pending' as is_over
           from payout_batch_items i where i.batch_id = $1 and i.index >= $2 order by i.index limit $3`,
};

/** The batch's next items. */
export function listNextPayoutItems(
  db: Db,
  { id, next_index }: Pick<PayoutBatchRow, 'id' | 'next_index'>,
  limit: number,
): Promise<StoredPayoutItem[]> {
  return lookUp<StoredPayoutItem>(db, STORED, [id, next_index, limit]);
}

export interface FoundDestination extends Pick<
  NewPayout,
  'name_found' | 'name_match' | 'operator'
> {
  readonly found: BatchCheck;
}

export async function recordPayoutBatchCheck(
  db: Db,
  batch_id: string,
  index: number,
  { found, name_found, name_match, operator }: FoundDestination,
): Promise<void> {
  await call(db, 'record_payout_batch_check', [
    batch_id,
    index,
    found,
    name_found,
    name_match,
    operator,
  ]);
}

/** It becomes no payout. */
export async function failPayoutItem(
  db: Db,
  batch_id: string,
  index: number,
  refusal: PayoutItemRefusal,
): Promise<void> {
  await call(db, 'fail_payout_batch_item', [batch_id, index, refusal]);
}

/** Its payout, made now or before; undefined when it becomes none; `unasked` when others are to be asked first. */
export async function sendPayoutItem(
  db: Db,
  batch_id: string,
  index: number,
  payout: Omit<NewPayout, 'fingerprint'>,
): Promise<string | undefined> {
  const values = [batch_id, index, JSON.stringify(payout)];
  return (await callValue<string | null>(db, 'send_payout_batch_item', values)) ?? undefined;
}

/** How many of its payouts wait for their provider's first answer. */
export const countInFlight = calls<(id: string) => number>('payout_batch_in_flight');

/** The outcome is `done` also when it was done before. */
const decide =
  <Refused extends string>(name: string) =>
  (db: Db, ...values: unknown[]): Promise<'done' | Refused> =>
    callValue(db, name, values);

const approve = decide<'approval_by_creator' | 'forbidden' | 'payout_batch_not_approvable'>(
  'approve_payout_batch',
);
const reject = decide<'forbidden' | 'payout_batch_not_approvable'>('reject_payout_batch');
const confirm = decide<WalletHold | 'payout_batch_not_confirmable'>('confirm_payout_batch');
const cancel = decide<'payout_batch_not_cancelable'>('cancel_payout_batch');

/** `login_id` is the person of the caller's key, or the one who is signed in. */
export const approvePayoutBatch = (db: Db, id: string, login_id: string) =>
  approve(db, id, login_id);

export const rejectPayoutBatch = (db: Db, id: string, login_id: string, reason: string | null) =>
  reject(db, id, login_id, reason);

export const confirmPayoutBatch = (
  db: Db,
  id: string,
  exclude: readonly BatchCheck[],
  by: DecidedBy,
) => confirm(db, id, exclude, by);

export const cancelPayoutBatch = (db: Db, id: string, by: DecidedBy) => cancel(db, id, by);

export interface PayoutItemSum {
  readonly status: PayoutItemView['status'];
  readonly found: BatchCheck | null;
  readonly currency: Currency;
  readonly count: number;
  readonly amount_minor: bigint;
  readonly fee_minor: bigint;
  /** The wallet's, now. */
  readonly balance_minor: bigint;
}

const SUMS = {
  name: 'sum_payout_batch_items',
  text: `select i.status, i.found, i.currency, count(*)::integer as count,
                sum(i.amount_minor)::bigint as amount_minor,
                sum(coalesce(p.fee_minor, payout_fee((select b.user_id from payout_batches b where b.id = $1), i.currency,
                      i.amount_minor, i.account, i.operator)))::bigint as fee_minor,
                (select a.balance_minor from payout_batches b
                   join ledger_accounts a on a.user_id = b.user_id and a.environment = b.environment
                    and a.currency = i.currency and a.kind = 'wallet'
                  where b.id = $1) as balance_minor
           from payout_batch_items i left join payouts p on p.id = i.payout_id where i.batch_id = $1
          group by i.status, i.found, i.currency order by i.currency, i.status, i.found`,
};

export function sumPayoutItems(db: Db, batch_id: string): Promise<PayoutItemSum[]> {
  return execute<PayoutItemSum>(db, SUMS, [batch_id]);
}

/** A phone or bank account that several items go to. */
export interface RepeatedDestination {
  /** The phone, or the last four of the account. */
  readonly destination: string;
  readonly times: number;
}

const REPEATED = {
  name: 'list_repeated_destinations',
  text: `select coalesce(i.phone, '…' || right(i.account, 4)) as destination, count(*)::integer as times
           from payout_batch_items i where i.batch_id = $1 and i.status = 'pending'
          group by i.phone, i.account, i.bank_code having count(*) > 1
          order by count(*) desc, min(i.index) limit $2`,
};

/** Lists destinations that are not paid yet, the most repeated first. */
export function listRepeatedDestinations(
  db: Db,
  batch_id: string,
  limit: number,
): Promise<RepeatedDestination[]> {
  return execute<RepeatedDestination>(db, REPEATED, [batch_id, limit]);
}

/** Payouts of a batch whose like was ordered a few days ago, with the latest of those others. */
export interface SameBefore {
  readonly count: number;
  readonly at: string;
  readonly batch_id: string | null;
  readonly reference: string | null;
}

// A list that is paid every week is not the same one by mistake.
const SAME_BEFORE = {
  name: 'find_same_before',
  text: `with others as (
           select p.batch_id, p.reference, p.phone, p.account, p.bank_code, p.currency, p.amount_minor, p.created_at
             from payouts p
            where p.user_id = $2 and p.environment = $3 and p.created_at > clock_timestamp() - interval '5 days'
              and p.status not in ('failed', 'canceled') and p.batch_id is distinct from $1
           union all
           select b.id, null, i.phone, i.account, i.bank_code, i.currency, i.amount_minor, b.created_at
             from payout_batches b join payout_batch_items i on i.batch_id = b.id
            where b.user_id = $2 and b.environment = $3 and b.finished_at is null and b.id <> $1
              and not b.dry_run and i.status = 'pending' and i.payout_id is null),
         same as (
           select i.index, o.* from payout_batch_items i
             join others o on coalesce(o.phone, o.account) = coalesce(i.phone, i.account)
              and o.bank_code is not distinct from i.bank_code
              and o.currency = i.currency and o.amount_minor = i.amount_minor
            where i.batch_id = $1 and i.status = 'pending')
         select (select count(distinct s.index)::integer from same s) as count, s.created_at as at, s.batch_id,
                s.reference
           from same s order by s.created_at desc limit 1`,
};

export async function findSameBefore(
  db: Db,
  { id, user_id, environment }: Pick<PayoutBatchRow, 'id' | 'user_id' | 'environment'>,
): Promise<SameBefore | undefined> {
  return (await execute<SameBefore>(db, SAME_BEFORE, [id, user_id, environment]))[0];
}

/** Its workflow is started with this and shows it. */
export interface PayoutBatchToRun extends Pick<
  PayoutBatchRow,
  'id' | 'environment' | 'status' | 'total' | 'request_id'
> {
  readonly username: string;
}

const TO_RUN = 'b.id, b.environment, b.status, b.total, b.request_id, u.username';

export const {
  list: listPayoutBatches,
  find: findPayoutBatch,
  get: getPayoutBatch,
  next: findNextPayoutBatch,
} = batches<PayoutBatchRow, PayoutBatchToRun>({
  table: 'payout_batches',
  columns: COLUMNS,
  to_run: TO_RUN,
  due: 'b.step is not null',
});

export async function listPayoutBatchesToRun(
  db: Db,
  ids: readonly string[],
): Promise<PayoutBatchToRun[]> {
  const text = `select ${TO_RUN} from payout_batches b join users u on u.id = b.user_id where b.id = any ($1)`;
  return execute(db, { name: 'list_payout_batches_to_run', text }, [ids]);
}

const STALLED = {
  name: 'list_stalled_payout_batches',
  text: `select ${TO_RUN}
           from (select * from (
                   select distinct on (x.user_id, x.environment) x.* from payout_batches x
                    where x.step is not null order by x.user_id, x.environment, x.created_at) first
                  where first.progressed_at < clock_timestamp() - $1 * interval '1 millisecond'
                 union all
                 select x.* from payout_batches x where x.expires_at < clock_timestamp()) b
           join users u on u.id = b.user_id
          order by b.progressed_at limit $2`,
};

/** The first of each account that has stood still for so long, and those whose wait for people is over. */
export function listStalledPayoutBatches(
  db: Db,
  after_ms: number,
  limit: number,
): Promise<PayoutBatchToRun[]> {
  return execute<PayoutBatchToRun>(db, STALLED, [after_ms, limit]);
}

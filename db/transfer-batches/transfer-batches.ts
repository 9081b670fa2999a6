// Bulk transfers: an order of many, carried out step by step. The row of a batch decides what is
// still to be done.

import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import type { KeyedOrder } from '../../domain/idempotency';
import type { BatchMode, BatchStatus, ItemRefusal, ItemStatus } from '../../domain/transfer-batch';
import { PUBLIC_NAME } from '../accounts/public-profiles';
import { batches, type ItemQuery, type OrderedBatch } from '../batches/batches';
import { columns, type RowOf } from '../columns';
import type { Heard } from '../../domain/risk';
import { call, execute, lookUp, type Db, type Statement, type Tx } from '../connect';
import { order } from '../requests/orders';
import { requireRow } from '../unknown-row';

export interface NewBatch extends KeyedOrder {
  readonly id: string;
  readonly mode: BatchMode;
  readonly dry_run: boolean;
}

/** The batch, its items and the response of its key, in one transaction. `items`: JSON of BatchItem[]. */
export const createBatch = (
  db: Db,
  batch: NewBatch,
  items: string,
  max_waiting: number,
): Promise<OrderedBatch> => order(db, 'create_transfer_batch', batch, items, max_waiting);

/**
 * Creates a batch as createBatch does, by an operator.
 * @throws AP001 (isApprovalRequired) for more money than one operator may decide about
 */
export const orderBatch = (
  db: Db,
  batch: NewBatch,
  items: string,
  { max_waiting, actor }: { readonly max_waiting: number; readonly actor: string },
): Promise<OrderedBatch> => order(db, 'order_transfer_batch', batch, items, max_waiting, actor);

const SHOWN = columns(`transfer_batches b:
  id user_id environment status mode dry_run total completed failed held idempotency_key request_id ip created_at
  finished_at`);

/** A batch as it is shown, and as its steps see it. */
export interface BatchRow extends RowOf<typeof SHOWN> {
  /** Others are asked about its items before they are posted. */
  readonly is_asked: boolean;
  /** The JSON text of what GET /transfer-batches/{id} returns (batch_json in SQL). */
  readonly json: string;
}

const COLUMNS = `${SHOWN},
  exists (select from currencies c where 'ask/transfer/' || b.environment = any (c.watched)) as is_asked,
  (select s.body::text from batch_json(b) s) as json`;

const of = (name: string, call: string): Statement => ({
  name,
  text: `select ${COLUMNS} from ${call} b`,
});

const ADVANCE = of('advance_transfer_batch', 'advance_transfer_batch($1, $2, $3::jsonb)');
const CHECK = of('check_transfer_batch', 'check_transfer_batch($1)');
const FAIL = of('fail_batch_items', 'fail_batch_items($1, $2, $3)');
const CANCEL = of('cancel_transfer_batch', 'cancel_transfer_batch($1, $2, $3)');
const STOP = of('stop_transfer_batch', 'stop_transfer_batch($1, $2)');

async function one(db: Db | Tx, statement: Statement, values: unknown[]): Promise<BatchRow> {
  return (await execute<BatchRow>(db, statement, values))[0]!;
}

/** Posts the next items, as many as there are references, in one transaction; all of an atomic batch or none. */
export function postBatchStep(
  db: Db,
  id: string,
  references: readonly string[],
  refusals: string,
): Promise<BatchRow> {
  return one(db, ADVANCE, [id, references, refusals]);
}

const UNHEARD_ITEM = columns('transfer_batch_items i: index to_username currency amount_minor');

const UNHEARD = {
  name: 'list_unheard_batch_items',
  text: `select ${UNHEARD_ITEM}
           from transfer_batch_items i join transfer_batches b on b.id = i.batch_id
          where i.batch_id = $1 and i.index >= $2 and i.status = 'pending' and i.heard is null
            and not exists (select from idempotency_keys k
                             where k.user_id = b.user_id and k.environment = b.environment
                               and k.operation = 'transfer' and k.key = i.idempotency_key)
          order by i.index limit $3`,
};

/** The next items about which others were not asked, but for those whose key has an answer. */
export function listUnheardItems(
  db: Db,
  { id, completed, failed, held }: BatchRow,
  limit: number,
): Promise<RowOf<typeof UNHEARD_ITEM>[]> {
  return lookUp(db, UNHEARD, [id, completed + failed + held, limit]);
}

/** Keeps it until they are posted: a process that dies asks nothing twice. */
export async function noteHeardItems(
  db: Db,
  id: string,
  indexes: readonly number[],
  heard: readonly Heard[],
): Promise<void> {
  const texts = heard.map((one) => JSON.stringify(one));
  await call(db, 'note_heard_items', [id, indexes, texts]);
}

/** Carries out a dry run. */
export function checkBatch(db: Db, id: string): Promise<BatchRow> {
  return one(db, CHECK, [id]);
}

/**
 * Postgres refuses this item, or the atomic batch from its first item on, whenever it is posted. Nothing changes when
 * another attempt has got further meanwhile.
 */
export function failBatchItems(db: Db, id: string, index: number): Promise<BatchRow> {
  return one(db, FAIL, [id, index, 'not_posted' satisfies ItemRefusal]);
}

/** Returns the batch as it is after that; undefined: not one of this account and environment. */
export async function cancelBatch(
  db: Db,
  user_id: string,
  environment: Environment,
  id: string,
): Promise<BatchRow | undefined> {
  return (await execute<BatchRow>(db, CANCEL, [id, user_id, environment]))[0];
}

const ITEM = columns(`transfer_batch_items i:
  index to_username currency amount_minor idempotency_key description status reference refusal is_replay`);
export type ItemView = RowOf<typeof ITEM>;

const ITEMS = {
  name: 'list_batch_items',
  text: `select ${ITEM}
           from transfer_batch_items i
          where i.batch_id = $1 and i.index > $2 and ($3::text is null or i.status = $3)
          order by i.index limit $4`,
};

/** Lists items in the order given. */
export function listItems(
  db: Db,
  { batch_id, status, after, limit }: ItemQuery<ItemStatus>,
): Promise<ItemView[]> {
  // The pool takes it: a file of 10,000 is no short look-up.
  return execute<ItemView>(db, ITEMS, [batch_id, after, status ?? null, limit]);
}

/** Cancels as an operator. Returns the batch as it is after that. @throws UnknownRowError */
export function stopBatch(db: Db, id: string, actor: string): Promise<BatchRow> {
  return requireRow(db, 'batch', id, () => one(db, STOP, [id, actor]));
}

export interface OperatorBatch extends BatchRow {
  readonly username: string;
}

/** Finds a batch of any account. */
export async function findOperatorBatch(db: Db, id: string): Promise<OperatorBatch | undefined> {
  const text = `select ${COLUMNS}, u.username from transfer_batches b
    join users u on u.id = b.user_id where b.id = $1`;
  return (await execute<OperatorBatch>(db, { name: 'find_operator_batch', text }, [id]))[0];
}

export interface OperatorBatchQuery {
  readonly user_id: string | undefined;
  readonly environment: Environment | undefined;
  readonly status: BatchStatus | undefined;
  readonly limit: number;
}

/** Newest first. */
export function listOperatorBatches(
  db: Db,
  { user_id, environment, status, limit }: OperatorBatchQuery,
): Promise<OperatorBatch[]> {
  const text = `select ${COLUMNS}, u.username from transfer_batches b
    join users u on u.id = b.user_id
   where ($1::uuid is null or b.user_id = $1) and ($2::text is null or b.environment = $2)
     and ($3::text is null or b.status = $3)
   order by b.created_at desc, b.id limit $4`;
  const values = [user_id ?? null, environment ?? null, status ?? null, limit];
  return execute<OperatorBatch>(db, { name: 'list_operator_batches', text }, values);
}

export interface NamedItem extends ItemView {
  /** The recipient's name; null: no user has the username. */
  readonly name: string | null;
}

const NAMED = {
  name: 'list_named_batch_items',
  text: `select ${ITEM},
                case when u.id is not null then ${PUBLIC_NAME} end as name
           from transfer_batch_items i left join users u on u.username = i.to_username
          where i.batch_id = $1 and i.index > $2 order by i.index limit $3`,
};

/** Lists items in the order given, with the names of the recipients. */
export function listNamedItems(
  db: Db,
  { batch_id, after, limit }: Omit<ItemQuery<ItemStatus>, 'status'>,
): Promise<NamedItem[]> {
  return execute<NamedItem>(db, NAMED, [batch_id, after, limit]);
}

export interface ItemSum {
  readonly status: ItemStatus;
  readonly currency: Currency;
  readonly count: bigint;
  readonly amount_minor: bigint;
  /** The number of recipients of all that are carried out, or would be. */
  readonly recipients: number;
}

const SUMS = {
  name: 'sum_batch_items',
  text: `select i.status, i.currency, count(*) as count, sum(i.amount_minor)::bigint as amount_minor,
                (select count(distinct c.to_username)::integer from transfer_batch_items c
                  where c.batch_id = $1 and c.status = 'completed') as recipients
           from transfer_batch_items i where i.batch_id = $1
          group by i.status, i.currency order by i.status, i.currency`,
};

export function sumItems(db: Db, batch_id: string): Promise<ItemSum[]> {
  return execute<ItemSum>(db, SUMS, [batch_id]);
}

/** A user to whom several items of a dry run would go. */
export interface RepeatedRecipient {
  readonly to_username: string;
  readonly times: number;
}

const REPEATED = {
  name: 'list_repeated_recipients',
  text: `select i.to_username, count(*)::integer as times
           from transfer_batch_items i where i.batch_id = $1 and i.status = 'completed'
          group by i.to_username having count(*) > 1
          order by count(*) desc, min(i.index) limit $2`,
};

/** Lists recipients of what would be carried out, the most repeated first. */
export function listRepeatedRecipients(
  db: Db,
  batch_id: string,
  limit: number,
): Promise<RepeatedRecipient[]> {
  return execute<RepeatedRecipient>(db, REPEATED, [batch_id, limit]);
}

/** Transfers of a batch whose like is in another of a few days ago, with that one. */
export interface SameBefore {
  readonly count: number;
  readonly at: string;
  readonly id: string;
}

// The latest others only, because lists may be long; one that is sent every week is not the same one by mistake.
const SAME_BEFORE = {
  name: 'find_same_batch',
  text: `select b.id, b.created_at as at, count(distinct i.index)::integer as count
           from (select x.id, x.created_at from transfer_batches x
                  where x.user_id = $2 and x.environment = $3 and x.id <> $1 and not x.dry_run
                    and x.created_at > clock_timestamp() - interval '5 days'
                  order by x.created_at desc limit 20) b
           join transfer_batch_items o on o.batch_id = b.id and o.status <> 'failed'
           join transfer_batch_items i on i.batch_id = $1 and i.status = 'completed'
                and (i.to_username, i.currency, i.amount_minor) = (o.to_username, o.currency, o.amount_minor)
          group by b.id, b.created_at order by b.created_at desc limit 1`,
};

export async function findSameBefore(
  db: Db,
  { id, user_id, environment }: Pick<BatchRow, 'id' | 'user_id' | 'environment'>,
): Promise<SameBefore | undefined> {
  return (await execute<SameBefore>(db, SAME_BEFORE, [id, user_id, environment]))[0];
}

/** Its workflow is started with this and shows it. */
export interface BatchToRun extends Pick<
  BatchRow,
  'id' | 'environment' | 'mode' | 'dry_run' | 'total' | 'request_id'
> {
  readonly username: string;
}

const TO_RUN = `b.id, b.environment, b.mode, b.dry_run, b.total, b.request_id, u.username`;

export const {
  list: listBatches,
  find: findBatch,
  get: getBatch,
  next: findNextBatch,
} = batches<BatchRow, BatchToRun>({
  table: 'transfer_batches',
  columns: COLUMNS,
  to_run: TO_RUN,
  due: `b.status = 'processing'`,
});

const STALLED = {
  name: 'list_stalled_transfer_batches',
  text: `select ${TO_RUN}
           from (select distinct on (b.user_id, b.environment) b.*
                   from transfer_batches b where b.status = 'processing'
                  order by b.user_id, b.environment, b.created_at) b
           join users u on u.id = b.user_id
          where b.progressed_at < clock_timestamp() - $1 * interval '1 millisecond'
          order by b.progressed_at limit $2`,
};

/** The first of each account that has stood still for so long: its workflow may be lost. */
export function listStalledBatches(db: Db, after_ms: number, limit: number): Promise<BatchToRun[]> {
  return execute<BatchToRun>(db, STALLED, [after_ms, limit]);
}

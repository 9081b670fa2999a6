// Bulk transfers: ordered, listed, shown with their transfers, and cancelled.

import {
  cancelBatch,
  findBatch,
  listBatches,
  listItems,
  type BatchRow,
} from '../../db/transfer-batches';
import { isUuid } from '../../domain/ids';
import { presentBatch, presentItem } from '../../domain/transfer-batch';
import { ApiError } from '../api-error';
import type { ApiDependencies, ApiRequest, Handler } from '../context';
import { orUnknown } from '../failures';
import { readPage } from '../paging';
import { success } from '../success';
import { exportItems } from './export';
import { readItems } from './items';
import { orderBatch } from './order';
import type { CreateBatchBody, ListBatchesQuery, ListItemsQuery } from './schema';

export const createTransferBatch: Handler<unknown, CreateBatchBody> = async (
  dependencies,
  request,
) => {
  const { body, caller, request_id, idempotency_key } = request;
  const items = await readItems(request, dependencies.config.max_transfer);
  const { mode, dry_run } = body;
  // The API makes a key when the caller sends none: nothing is deduplicated then, but a retry is safe.
  const order = { items, mode, dry_run, idempotency_key: idempotency_key!, request_id };
  return orderBatch(dependencies, { sender: caller, ...order });
};

export const listTransferBatches: Handler<ListBatchesQuery> = async ({ db }, request) => {
  const { rows, ...end } = await readPage(request, (query) => listBatches(db, query));
  return success({ transfer_batches: rows.map(presentBatch), ...end });
};

export const getTransferBatch: Handler = async (dependencies, request) => {
  return success(presentBatch(await findNamed(dependencies, request)));
};

async function findNamed(
  { db }: Pick<ApiDependencies, 'db'>,
  { caller, params }: ApiRequest,
): Promise<BatchRow> {
  const id = params['id'] ?? '';
  const batch = isUuid(id)
    ? await findBatch(db, caller.user_id, caller.environment, id)
    : undefined;
  if (!batch) throw new ApiError('transfer_batch_not_found');
  return batch;
}

export const listBatchTransfers: Handler<ListItemsQuery> = async (dependencies, request) => {
  const { status, limit, cursor = -1 } = request.query;
  const { id, environment } = await findNamed(dependencies, request);
  const { db, log } = dependencies;
  const query = { batch_id: id, status, after: cursor };
  if (request.accepts_csv) {
    const file = exportItems(db, query, (error) =>
      log({ part: 'batches', request_id: request.request_id, error: String(error) }),
    );
    return { status: 200, type: 'text/csv; charset=utf-8', body: file };
  }
  const found = await listItems(db, { ...query, limit: limit + 1 });
  const rows = found.slice(0, limit);
  const has_more = found.length > limit;
  return success({
    transfers: rows.map((row) => presentItem(row, environment)),
    next_cursor: has_more ? String(rows.at(-1)!.index) : null,
    has_more,
  });
};

const MAY_BE_CANCELED = 'The batch may yet be cancelled. Repeat the request.';

export const cancelTransferBatch: Handler = async (dependencies, request) => {
  const { caller, params } = request;
  const batch = await cancel(dependencies, caller, params['id'] ?? '');
  return success(presentBatch(batch));
};

/** The batch after that. @throws ApiError */
export async function cancel(
  { db, wakeBatches, log }: Pick<ApiDependencies, 'db' | 'wakeBatches' | 'log'>,
  { user_id, environment }: Pick<ApiRequest['caller'], 'user_id' | 'environment'>,
  id: string,
): Promise<BatchRow> {
  const batch = isUuid(id)
    ? await orUnknown(MAY_BE_CANCELED, () => cancelBatch(db, user_id, environment, id))
    : undefined;
  if (!batch) throw new ApiError('transfer_batch_not_found');
  if (batch.status !== 'canceled') {
    throw new ApiError('batch_not_cancelable', {
      message: `This transfer batch is ${batch.status} and cannot be cancelled any more.`,
    });
  }
  // The next one need not wait until this one's workflow has noticed.
  void wakeBatches(batch).catch((error: unknown) =>
    log({ part: 'batches', batch_id: id, error: String(error) }),
  );
  return batch;
}

// Bulk transfers: ordered, listed, shown with their transfers, and cancelled.

import {
  type BatchRow,
  findBatch,
  listBatches,
  listItems,
} from '../../db/transfer-batches/transfer-batches';
import { MAX_BATCH_BYTES, MAX_STEP_ITEMS } from '../../domain/batch-limits';
import { Refusal, invalidRequest } from '../../domain/refusal';
import { presentItem } from '../../domain/transfer-batch';
import { cancelBatch } from '../../use-cases/transfer-batches/cancel';
import { exportItems } from '../../use-cases/transfer-batches/export';
import { orderBatch } from '../../use-cases/transfer-batches/order';
import { showItems } from '../batches/show';
import type { ApiDependencies, ApiRequest } from '../context';
import { orderOf, orderResponse } from '../order';
import { readPage } from '../paging';
import { routesOf } from '../route';
import { shown, shownList, success } from '../success';
import { readItems } from './items';
import {
  batch,
  batchesResponse,
  createBatchBody,
  createBatchEnvelope,
  itemsResponse,
  listBatchesQuery,
  listItemsQuery,
} from './schema';

async function findNamed(
  { db }: Pick<ApiDependencies, 'db'>,
  { caller, params }: ApiRequest,
): Promise<BatchRow> {
  const batch = await findBatch(db, caller, params['id'] ?? '');
  if (!batch) throw new Refusal('transfer_batch_not_found');
  return batch;
}

const on = routesOf('Transfer batches');

export const transferBatchRoutes = [
  on.post('/transfer-batches', {
    scope: 'transfers:write',
    summary: 'Order up to 10,000 transfers; simulated with a test key',
    description:
      'The order is stored, and carried out in the order given while you read its progress. A fault of a single transfer refuses all of them, and `param` names it (`transfers/17/amount`). With `atomic` all, at most 500, are carried out or none; with `dry_run` none is, and each tells what would become of it. Each completed transfer is one like any other. Batches of an account follow one another. The body may have 4 MiB. More usernames that nobody has than an account may name are 429 `rate_limited`; `details` names some of them.',
    idempotent: 'transfer_batch',
    body: createBatchEnvelope,
    documented_body: createBatchBody,
    max_body_bytes: MAX_BATCH_BYTES,
    status: 202,
    response: batch,
    errors: ['batch_limit', 'kyc_required'],
    handler: async function createTransferBatch(dependencies, request) {
      const { mode, dry_run, transfers } = request.body;
      if (mode === 'atomic' && transfers.length > MAX_STEP_ITEMS) {
        throw invalidRequest(
          'transfers',
          `transfers must have at most ${MAX_STEP_ITEMS} items in the mode atomic.`,
        );
      }
      const items = await readItems(request, dependencies.config.max_transfer);
      const order = { ...orderOf(request), items, mode, dry_run };
      return orderResponse(await orderBatch(dependencies, order));
    },
  }),
  on.get('/transfer-batches', {
    summary: 'Transfer batches, newest first',
    description: 'Those of the environment of the key.',
    query: listBatchesQuery,
    response: batchesResponse,
    handler: async function listTransferBatches({ db }, request) {
      const { rows, ...end } = await readPage(request, (query) => listBatches(db, query));
      return success({ transfer_batches: shownList(rows), ...end });
    },
  }),
  on.get('/transfer-batches/{id}', {
    path_parameters: { id: 'The id that the order returned.' },
    summary: 'One transfer batch: how far it has come',
    description: 'Ask again while `status` is `processing`.',
    response: batch,
    errors: ['transfer_batch_not_found'],
    handler: async function getTransferBatch(dependencies, request) {
      return shown(await findNamed(dependencies, request));
    },
  }),
  on.get('/transfer-batches/{id}/transfers', {
    path_parameters: { id: "The batch's id." },
    summary: 'The transfers of a batch, in the order given; all of them as CSV',
    description:
      'With `Accept: text/csv` all of them come as a file: index, to_username, currency, amount, status, reference, error_code, error_message. `error` is what a single transfer would have been answered. In an atomic batch that was refused, those that were not the reason have the code `batch_refused`.',
    query: listItemsQuery,
    response: itemsResponse,
    also: ['csv'],
    errors: ['transfer_batch_not_found'],
    handler: async function listBatchTransfers(dependencies, request) {
      const { id, environment } = await findNamed(dependencies, request);
      return showItems(dependencies, request, id, {
        name: 'transfers',
        list: listItems,
        present: (item) => presentItem(item, environment),
        file: exportItems,
      });
    },
  }),
  on.post('/transfer-batches/{id}/cancel', {
    scope: 'transfers:write',
    path_parameters: { id: "The batch's id." },
    summary: 'Stop what is not posted yet; cancelling again changes nothing',
    description: 'What has been completed stays so; what was not begun stays pending.',
    response: batch,
    errors: ['transfer_batch_not_found', 'batch_not_cancelable'],
    handler: async function cancelTransferBatch(dependencies, request) {
      const { caller, params } = request;
      const batch = await cancelBatch(dependencies, caller, params['id'] ?? '');
      return shown(batch);
    },
  }),
];

// Many transfers in one order.

import { MAX_BATCH_BYTES } from '../../domain/batch-limits';
import { route } from '../route';
import {
  cancelTransferBatch,
  createTransferBatch,
  getTransferBatch,
  listBatchTransfers,
  listTransferBatches,
} from './handlers';
import {
  batch,
  batchesResponse,
  createBatchBody,
  createBatchEnvelope,
  itemsResponse,
  listBatchesQuery,
  listItemsQuery,
} from './schema';

export const transferBatchRoutes = [
  route({
    method: 'POST',
    path: '/transfer-batches',
    tag: 'Transfer batches',
    summary: 'Order up to 10,000 transfers; simulated with a test key',
    description:
      'The order is stored, and carried out in the order given while you read its progress. A fault of a single transfer refuses all of them, and `param` names it (`transfers/17/amount`). With `atomic` all are carried out or none; with `dry_run` none is, and each tells what would become of it. Each completed transfer is one like any other. Batches of an account follow one another. The body may have 4 MiB.',
    rate: 'write',
    idempotent: 'transfer_batch',
    body: createBatchEnvelope,
    documented_body: createBatchBody,
    max_body_bytes: MAX_BATCH_BYTES,
    status: 202,
    response: batch,
    errors: ['batch_limit'],
    handler: createTransferBatch,
  }),
  route({
    method: 'GET',
    path: '/transfer-batches',
    tag: 'Transfer batches',
    summary: 'Transfer batches, newest first',
    description: 'Those of the environment of the key.',
    rate: 'read',
    query: listBatchesQuery,
    response: batchesResponse,
    handler: listTransferBatches,
  }),
  route({
    method: 'GET',
    path: '/transfer-batches/{id}',
    path_parameters: { id: 'The id that the order returned.' },
    tag: 'Transfer batches',
    summary: 'One transfer batch: how far it has come',
    description: 'Ask again while `status` is `processing`.',
    rate: 'read',
    response: batch,
    errors: ['transfer_batch_not_found'],
    handler: getTransferBatch,
  }),
  route({
    method: 'GET',
    path: '/transfer-batches/{id}/transfers',
    path_parameters: { id: "The batch's id." },
    tag: 'Transfer batches',
    summary: 'The transfers of a batch, in the order given; all of them as CSV',
    description:
      'With `Accept: text/csv` all of them come as a file: index, to_username, currency, amount, status, reference, error_code, error_message. `error` is what a single transfer would have been answered. In an atomic batch that was refused, those that were not the reason have the code `batch_refused`.',
    rate: 'read',
    query: listItemsQuery,
    response: itemsResponse,
    is_also_csv: true,
    errors: ['transfer_batch_not_found'],
    handler: listBatchTransfers,
  }),
  route({
    method: 'POST',
    path: '/transfer-batches/{id}/cancel',
    path_parameters: { id: "The batch's id." },
    tag: 'Transfer batches',
    summary: 'Stop what is not posted yet; cancelling again changes nothing',
    description: 'What has been completed stays so; what was not begun stays pending.',
    rate: 'write',
    response: batch,
    errors: ['transfer_batch_not_found', 'batch_not_cancelable'],
    handler: cancelTransferBatch,
  }),
];

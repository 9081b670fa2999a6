// Sending many transfers by a file.

import { MAX_BATCH_BYTES } from '../../domain/batch-limits';
import { draftForm, draftPage, pageRoute } from '../context';
import { BATCH_LIST, downloadBatch, showBatch } from './batch';
import { SEND_ROUTES } from './send';
import { checkFile, downloadModel, showUpload } from './upload';

export const BATCH_ROUTES = [
  draftPage('transfer_batch', '/batches/new', 'money', showUpload),
  pageRoute('/batches/model.csv', 'money', downloadModel),
  ...BATCH_LIST,
  draftForm('transfer_batch', '/batches', 'money', 'batches.check', checkFile, {
    max_file_bytes: MAX_BATCH_BYTES,
  }),
  pageRoute('/batches/:id', 'read', showBatch),
  pageRoute('/batches/:id/transfers.csv', 'export', downloadBatch),
  ...SEND_ROUTES,
];

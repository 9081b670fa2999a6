// Sending many transfers by a file.

import { MAX_BATCH_BYTES } from '../../domain/batch-limits';
import { fileRoute, formRoute, pageRoute } from '../context';
import { downloadBatch, showBatch, showBatches, watchBatch } from './batch';
import { cancelBatch, sendChecked } from './send';
import { checkFile, downloadModel, showUpload } from './upload';

export const BATCH_ROUTES = [
  pageRoute('/batches/new', 'money', showUpload),
  pageRoute('/batches/model.csv', 'money', downloadModel),
  pageRoute('/batches', 'read', showBatches),
  fileRoute('/batches', 'money', 'batches.check', checkFile, MAX_BATCH_BYTES),
  pageRoute('/batches/:id', 'read', showBatch),
  pageRoute('/batches/:id/live', 'read', watchBatch),
  pageRoute('/batches/:id/transfers.csv', 'export', downloadBatch),
  formRoute('/batches/:id/send', 'money', 'batches.send', sendChecked, 'in_live'),
  formRoute('/batches/:id/cancel', 'cancel', 'batches.cancel', cancelBatch),
];

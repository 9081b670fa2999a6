// Paying many phones and bank accounts by a file.

import { MAX_BATCH_BYTES } from '../../domain/batch-limits';
import { fileRoute, formRoute, pageRoute } from '../context';
import { approveBatch, cancelBatch, confirmBatch, rejectBatch } from './act';
import { downloadBatch, showBatch, showBatches, watchBatch } from './batch';
import { checkFile, downloadModel, showUpload } from './upload';

export const PAYOUT_BATCH_ROUTES = [
  pageRoute('/payout-batches/new', 'money', showUpload),
  pageRoute('/payout-batches/model.csv', 'money', downloadModel),
  pageRoute('/payout-batches', 'read', showBatches),
  fileRoute('/payout-batches', 'money', 'payout_batches.check', checkFile, MAX_BATCH_BYTES),
  pageRoute('/payout-batches/:id', 'read', showBatch),
  pageRoute('/payout-batches/:id/live', 'read', watchBatch),
  pageRoute('/payout-batches/:id/payouts.csv', 'export', downloadBatch),
  formRoute(
    '/payout-batches/:id/confirm',
    'money',
    'payout_batches.confirm',
    confirmBatch,
    'in_live',
  ),
  formRoute(
    '/payout-batches/:id/approve',
    'money',
    'payout_batches.approve',
    approveBatch,
    'in_live',
  ),
  formRoute('/payout-batches/:id/reject', 'cancel', 'payout_batches.reject', rejectBatch),
  formRoute('/payout-batches/:id/cancel', 'cancel', 'payout_batches.cancel', cancelBatch),
];

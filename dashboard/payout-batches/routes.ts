// Paying many phones and bank accounts by a file.

import { MAX_BATCH_BYTES } from '../../domain/batch-limits';
import { draftForm, draftPage, pageRoute } from '../context';
import { DECISION_ROUTES } from './act';
import { downloadBatch, PAYOUT_BATCH_LIST, showBatch } from './batch';
import { checkFile, downloadModel, showUpload } from './upload';

export const PAYOUT_BATCH_ROUTES = [
  draftPage('payout_batch', '/payout-batches/new', 'money', showUpload),
  pageRoute('/payout-batches/model.csv', 'money', downloadModel),
  ...PAYOUT_BATCH_LIST,
  draftForm('payout_batch', '/payout-batches', 'money', 'payout_batches.check', checkFile, {
    max_file_bytes: MAX_BATCH_BYTES,
  }),
  pageRoute('/payout-batches/:id', 'read', showBatch),
  pageRoute('/payout-batches/:id/payouts.csv', 'export', downloadBatch),
  ...DECISION_ROUTES,
];

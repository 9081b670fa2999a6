// Paying many phones and bank accounts by a file.

import { DECISION_ROUTES } from './act';
import { BATCH_FILE, BATCH_PAGE, PAYOUT_BATCH_LIST } from './batch';
import { UPLOAD_ROUTES } from './upload';

export const PAYOUT_BATCH_ROUTES = [
  ...UPLOAD_ROUTES,
  ...PAYOUT_BATCH_LIST,
  BATCH_PAGE,
  BATCH_FILE,
  ...DECISION_ROUTES,
];

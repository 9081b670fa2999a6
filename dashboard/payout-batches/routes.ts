// Paying many phones by a list that is typed or pasted, and many phones and bank accounts by a file.

import { DECISION_ROUTES } from './act';
import { BATCH_FILE, BATCH_PAGE, PAYOUT_BATCH_LIST } from './batch';
import { TYPED_ROUTES } from './typed';
import { UPLOAD_ROUTES } from './upload';

export const PAYOUT_BATCH_ROUTES = [
  ...TYPED_ROUTES,
  ...UPLOAD_ROUTES,
  ...PAYOUT_BATCH_LIST,
  BATCH_PAGE,
  BATCH_FILE,
  ...DECISION_ROUTES,
];

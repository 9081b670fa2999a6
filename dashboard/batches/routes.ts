// Sending many transfers by a file.

import { BATCH_FILE, BATCH_LIST, BATCH_PAGE } from './batch';
import { SEND_ROUTES } from './send';
import { UPLOAD_ROUTES } from './upload';

export const BATCH_ROUTES = [
  ...UPLOAD_ROUTES,
  ...BATCH_LIST,
  BATCH_PAGE,
  BATCH_FILE,
  ...SEND_ROUTES,
];

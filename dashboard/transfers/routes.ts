// Sending money, a transfer, and giving one back.

import { pageRoute, seeOther } from '../context';
import { REVERSAL_ROUTES } from './reversal';
import { SEND_ROUTES } from './send';
import { TRANSFER_PAGE } from './transfer';

export const TRANSFER_ROUTES = [
  ...SEND_ROUTES,
  // The switch of environments returns to the path of an answered form.
  pageRoute('/transfers', 'money', () => seeOther('/transfers/new')),
  TRANSFER_PAGE,
  ...REVERSAL_ROUTES,
];

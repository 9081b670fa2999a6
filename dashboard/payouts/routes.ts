// Money that leaves for a phone or a bank account: a list, a form, what the operator says of it, and the payout.

import { DECISION_ROUTES } from './decide';
import { PAYOUT_PAGE } from './payout';
import { PAYOUT_LIST } from './payouts';
import { SEND_ROUTES } from './send';
import { SETTINGS_ROUTES } from './settings';

export const PAYOUT_ROUTES = [
  ...PAYOUT_LIST,
  ...SEND_ROUTES,
  ...SETTINGS_ROUTES,
  PAYOUT_PAGE,
  ...DECISION_ROUTES,
];

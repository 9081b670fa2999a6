// The pages about links that any number of customers may pay.

import { REUSABLE_FORM_ROUTES } from './form';
import { PAYMENTS_FILE, REUSABLE_LIST, REUSABLE_LINK_PAGE } from './links';

export const REUSABLE_LINK_ROUTES = [
  ...REUSABLE_LIST,
  ...REUSABLE_FORM_ROUTES,
  REUSABLE_LINK_PAGE,
  PAYMENTS_FILE,
];

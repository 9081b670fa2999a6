// The pages about links that any number of customers may pay.

import { pageRoute } from '../context';
import { REUSABLE_FORM_ROUTES } from './form';
import { downloadPayments, REUSABLE_LIST, showReusable } from './links';

export const REUSABLE_LINK_ROUTES = [
  ...REUSABLE_LIST,
  ...REUSABLE_FORM_ROUTES,
  pageRoute('/reusable-links/:id', 'read', showReusable),
  pageRoute('/reusable-links/:id/payments.csv', 'export', downloadPayments),
];

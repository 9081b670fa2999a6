// The pages about payment links.

import { CANCEL_ROUTES, LINK_PAGE } from './links';
import { LINK_LIST } from './list';
import { NEW_LINK_ROUTES } from './new-link';
import { REFUND_ROUTES } from './refund';

export const LINK_ROUTES = [
  ...LINK_LIST,
  ...NEW_LINK_ROUTES,
  LINK_PAGE,
  ...CANCEL_ROUTES,
  ...REFUND_ROUTES,
];

// The pages about payment links.

import { FROM_TEST_ROUTES } from './from-test';
import { CANCEL_ROUTES, LINK_PAGE } from './links';
import { LINK_LIST } from './list';
import { NEW_LINK_ROUTES } from './new-link';
import { REFUND_ROUTES } from './refund';

export const LINK_ROUTES = [
  ...LINK_LIST,
  ...FROM_TEST_ROUTES,
  ...NEW_LINK_ROUTES,
  LINK_PAGE,
  ...CANCEL_ROUTES,
  ...REFUND_ROUTES,
];

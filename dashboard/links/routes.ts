// The pages about payment links.

import { pageRoute } from '../context';
import { CANCEL_ROUTES, showLink } from './links';
import { LINK_LIST } from './list';
import { NEW_LINK_ROUTES } from './new-link';
import { REFUND_ROUTES } from './refund';

export const LINK_ROUTES = [
  ...LINK_LIST,
  ...NEW_LINK_ROUTES,
  pageRoute('/links/:id', 'read', showLink),
  ...CANCEL_ROUTES,
  ...REFUND_ROUTES,
];

// The pages about payment links.

import { formRoute, pageRoute } from '../context';
import { askToCancel, cancel, showLink, showLinks } from './links';
import { watchLink, watchLinks } from './live';
import { NEW_LINK_ROUTES } from './new-link';
import { REFUND_ROUTES } from './refund';

export const LINK_ROUTES = [
  pageRoute('/links', 'read', showLinks),
  pageRoute('/links/live', 'read', watchLinks),
  ...NEW_LINK_ROUTES,
  pageRoute('/links/:id', 'read', showLink),
  pageRoute('/links/:id/live', 'read', watchLink),
  pageRoute('/links/:id/cancel', 'cancel', askToCancel),
  formRoute('/links/:id/cancel', 'cancel', 'links.cancel', cancel),
  ...REFUND_ROUTES,
];

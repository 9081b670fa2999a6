// The pages about links that any number of customers may pay.

import { formRoute, pageRoute } from '../context';
import { change, create, showChange, showNew } from './form';
import { downloadPayments, showReusable, showReusables } from './links';
import { watchReusable, watchReusables } from './live';

export const REUSABLE_LINK_ROUTES = [
  pageRoute('/reusable-links', 'read', showReusables),
  formRoute('/reusable-links', 'links', 'reusable_links.create', create),
  pageRoute('/reusable-links/live', 'read', watchReusables),
  pageRoute('/reusable-links/new', 'links', showNew),
  pageRoute('/reusable-links/:id', 'read', showReusable),
  pageRoute('/reusable-links/:id/live', 'read', watchReusable),
  pageRoute('/reusable-links/:id/payments.csv', 'export', downloadPayments),
  pageRoute('/reusable-links/:id/change', 'links', showChange),
  formRoute('/reusable-links/:id/change', 'links', 'reusable_links.change', change),
];

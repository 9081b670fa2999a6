// The pages about webhooks. Every member reads them; changes need the permission.

import { pageRoute, seeOther, type DashboardRoute } from '../context';
import { CHANGE_ROUTES, NEW_ENDPOINT_ROUTES } from './change';
import { RESENT_ROUTE, DELIVERY_PAGE } from './delivery';
import { ENDPOINT_PAGE } from './endpoint';
import { ENDPOINTS_PAGE } from './endpoints';
import { FAULT_ROUTES } from './faults';
import { RESEND_ROUTES } from './resend';

export const WEBHOOK_ROUTES: readonly DashboardRoute[] = [
  ENDPOINTS_PAGE,
  ...NEW_ENDPOINT_ROUTES,
  ENDPOINT_PAGE,
  ...CHANGE_ROUTES,
  ...FAULT_ROUTES,
  ...RESEND_ROUTES,
  // The switch of environments leads here from a delivery.
  pageRoute('/deliveries', 'webhooks', () => seeOther('/webhooks')),
  DELIVERY_PAGE,
  RESENT_ROUTE,
];

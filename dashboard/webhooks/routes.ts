// The pages about webhooks. Every member reads them; changes need the permission.

import { pageRoute, seeOther, type DashboardRoute } from '../context';
import { CHANGE_ROUTES, NEW_ENDPOINT_ROUTES } from './change';
import { RESENT_ROUTE, showDelivery } from './delivery';
import { showEndpoint } from './endpoint';
import { showEndpoints } from './endpoints';
import { FAULT_ROUTES } from './faults';
import { RESEND_ROUTES } from './resend';

export const WEBHOOK_ROUTES: readonly DashboardRoute[] = [
  pageRoute('/webhooks', 'read', showEndpoints),
  ...NEW_ENDPOINT_ROUTES,
  pageRoute('/webhooks/:id', 'read', showEndpoint),
  ...CHANGE_ROUTES,
  ...FAULT_ROUTES,
  ...RESEND_ROUTES,
  // The switch of environments leads here from a delivery.
  pageRoute('/deliveries', 'read', () => seeOther('/webhooks')),
  pageRoute('/deliveries/:id', 'read', showDelivery),
  RESENT_ROUTE,
];

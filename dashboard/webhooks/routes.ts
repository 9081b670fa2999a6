// The pages about webhooks. Every member reads them; changes need the permission.

import { formRoute, pageRoute, seeOther, type DashboardRoute } from '../context';
import {
  confirmDelete,
  showEdit,
  showRotate,
  submitDelete,
  submitEdit,
  submitRotate,
  submitStatus,
  submitTest,
} from './change';
import { showDelivery, submitResend } from './delivery';
import { showEndpoint } from './endpoint';
import { submitDeleteFaults, submitFault } from './faults';
import { showEndpoints, showNewEndpoint, submitNewEndpoint } from './endpoints';
import { watchDelivery, watchEndpoint } from './live';
import { showResend, submitResendRange } from './resend';

export const WEBHOOK_ROUTES: readonly DashboardRoute[] = [
  pageRoute('/webhooks', 'read', showEndpoints),
  pageRoute('/webhooks/new', 'webhooks', showNewEndpoint),
  formRoute('/webhooks/new', 'webhooks', 'webhooks.create', submitNewEndpoint, 'in_live'),
  pageRoute('/webhooks/:id', 'read', showEndpoint),
  pageRoute('/webhooks/:id/live', 'read', watchEndpoint),
  pageRoute('/webhooks/:id/edit', 'webhooks', showEdit),
  formRoute('/webhooks/:id/edit', 'webhooks', 'webhooks.change', submitEdit, 'in_live'),
  formRoute('/webhooks/:id/status', 'webhooks', 'webhooks.status', submitStatus, 'in_live'),
  pageRoute('/webhooks/:id/delete', 'webhooks', confirmDelete),
  formRoute('/webhooks/:id/delete', 'webhooks', 'webhooks.delete', submitDelete, 'in_live'),
  pageRoute('/webhooks/:id/secret', 'webhooks', showRotate),
  formRoute('/webhooks/:id/secret', 'webhooks', 'webhooks.rotate_secret', submitRotate, 'in_live'),
  formRoute('/webhooks/:id/test', 'webhooks', 'webhooks.test', submitTest),
  formRoute('/webhooks/:id/faults', 'webhooks', 'webhooks.order_fault', submitFault),
  formRoute(
    '/webhooks/:id/faults/delete',
    'webhooks',
    'webhooks.delete_faults',
    submitDeleteFaults,
  ),
  pageRoute('/webhooks/:id/resend', 'webhooks', showResend),
  formRoute('/webhooks/:id/resend', 'webhooks', 'webhooks.resend_range', submitResendRange),
  // The switch of environments leads here from a delivery.
  pageRoute('/deliveries', 'read', () => seeOther('/webhooks')),
  pageRoute('/deliveries/:id', 'read', showDelivery),
  pageRoute('/deliveries/:id/live', 'read', watchDelivery),
  formRoute('/deliveries/:id/resend', 'webhooks', 'webhooks.resend', submitResend),
];

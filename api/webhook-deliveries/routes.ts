// Deliveries and their attempts.

import { route } from '../route';
import { pathName } from '../schemas';
import {
  getWebhookDelivery,
  listWebhookAttempts,
  listWebhookDeliveries,
  resendWebhookDelivery,
} from './handlers';
import {
  attemptsResponse,
  deliveriesResponse,
  deliveryResponse,
  listAttemptsQuery,
  listDeliveriesQuery,
} from './schema';

export const webhookDeliveryRoutes = [
  route({
    operation_id: 'listWebhookDeliveries',
    method: 'GET',
    path: '/webhook-deliveries',
    summary: 'Deliveries, newest first',
    rate: 'read',
    query: listDeliveriesQuery,
    response: { status: 200, schema: deliveriesResponse },
    errors: [],
    handler: listWebhookDeliveries,
  }),
  route({
    operation_id: 'getWebhookDelivery',
    method: 'GET',
    path: '/webhook-deliveries/{id}',
    summary: 'One delivery',
    rate: 'read',
    params: { id: pathName },
    response: { status: 200, schema: deliveryResponse },
    errors: ['webhook_delivery_not_found'],
    handler: getWebhookDelivery,
  }),
  route({
    operation_id: 'listWebhookAttempts',
    method: 'GET',
    path: '/webhook-deliveries/{id}/attempts',
    summary: 'Every attempt at a delivery with what was answered, newest first',
    rate: 'read',
    params: { id: pathName },
    query: listAttemptsQuery,
    response: { status: 200, schema: attemptsResponse },
    errors: ['webhook_delivery_not_found'],
    handler: listWebhookAttempts,
  }),
  route({
    operation_id: 'resendWebhookDelivery',
    method: 'POST',
    path: '/webhook-deliveries/{id}/resend',
    summary: 'Send one delivery again, whether it arrived or not',
    rate: 'write',
    params: { id: pathName },
    response: { status: 202, schema: deliveryResponse },
    errors: [
      'webhook_delivery_not_found',
      'webhook_endpoint_not_found',
      'webhook_endpoint_disabled',
    ],
    handler: resendWebhookDelivery,
  }),
];

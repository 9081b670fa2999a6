// Deliveries and their attempts.

import { route } from '../route';
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
    method: 'GET',
    path: '/webhook-deliveries',
    summary: 'Deliveries, newest first',
    rate: 'read',
    query: listDeliveriesQuery,
    response: deliveriesResponse,
    handler: listWebhookDeliveries,
  }),
  route({
    method: 'GET',
    path: '/webhook-deliveries/{id}',
    summary: 'One delivery',
    rate: 'read',
    response: deliveryResponse,
    errors: ['webhook_delivery_not_found'],
    handler: getWebhookDelivery,
  }),
  route({
    method: 'GET',
    path: '/webhook-deliveries/{id}/attempts',
    summary: 'Every attempt at a delivery with what was answered, newest first',
    rate: 'read',
    query: listAttemptsQuery,
    response: attemptsResponse,
    errors: ['webhook_delivery_not_found'],
    handler: listWebhookAttempts,
  }),
  route({
    method: 'POST',
    path: '/webhook-deliveries/{id}/resend',
    summary: 'Send one delivery again, whether it arrived or not',
    rate: 'write',
    status: 202,
    response: deliveryResponse,
    errors: [
      'webhook_delivery_not_found',
      'webhook_endpoint_not_found',
      'webhook_endpoint_disabled',
    ],
    handler: resendWebhookDelivery,
  }),
];

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
  webhookDelivery,
  listAttemptsQuery,
  listDeliveriesQuery,
} from './schema';

export const webhookDeliveryRoutes = [
  route({
    method: 'GET',
    path: '/webhook-deliveries',
    tag: 'Webhook deliveries',
    summary: 'Deliveries, newest first',
    description:
      'One delivery is one event to one endpoint. Pass `next_cursor` as `cursor` to get the next page.',
    rate: 'read',
    query: listDeliveriesQuery,
    response: deliveriesResponse,
    handler: listWebhookDeliveries,
  }),
  route({
    method: 'GET',
    path: '/webhook-deliveries/{id}',
    path_parameters: { id: "The delivery's id." },
    tag: 'Webhook deliveries',
    summary: 'One delivery',
    description: 'Its status, how often it was tried, and when it is tried next.',
    rate: 'read',
    response: webhookDelivery,
    errors: ['webhook_delivery_not_found'],
    handler: getWebhookDelivery,
  }),
  route({
    method: 'GET',
    path: '/webhook-deliveries/{id}/attempts',
    path_parameters: { id: "The delivery's id." },
    tag: 'Webhook deliveries',
    summary: 'Every attempt at a delivery with what was answered, newest first',
    description:
      'With the status and the first 16 KiB of what the receiver responded. Attempts of months long past may ' +
      'no longer be kept: the delivery still counts them.',
    rate: 'read',
    query: listAttemptsQuery,
    response: attemptsResponse,
    errors: ['webhook_delivery_not_found'],
    handler: listWebhookAttempts,
  }),
  route({
    method: 'POST',
    path: '/webhook-deliveries/{id}/resend',
    path_parameters: { id: "The delivery's id." },
    tag: 'Webhook deliveries',
    summary: 'Send one delivery again, whether it arrived or not',
    description: 'As soon as possible, beside the schedule of retries.',
    rate: 'write',
    status: 202,
    response: webhookDelivery,
    errors: [
      'webhook_delivery_not_found',
      'webhook_endpoint_not_found',
      'webhook_endpoint_disabled',
    ],
    handler: resendWebhookDelivery,
  }),
];

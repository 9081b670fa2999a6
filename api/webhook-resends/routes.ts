// Ranges of deliveries, sent again.

import { route } from '../route';
import { getWebhookResend, resendWebhooks } from './handlers';
import { resendResponse, resendWebhooksBody } from './schema';

export const webhookResendRoutes = [
  route({
    method: 'POST',
    path: '/webhook-endpoints/{id}/resend',
    path_parameters: { id: "The endpoint's id." },
    tag: 'Webhook deliveries',
    summary: 'Send again what this endpoint was sent in a stretch of time',
    description:
      'For what a receiver has lost: deliveries created in a period, by status and type, are sent again in the background, one resend of an endpoint at a time. The response names the resend, whose progress can be read.',
    rate: 'write',
    body: resendWebhooksBody,
    may_omit_body: true,
    status: 202,
    response: resendResponse,
    errors: ['webhook_endpoint_not_found', 'webhook_endpoint_disabled', 'webhook_resend_running'],
    handler: resendWebhooks,
  }),
  route({
    method: 'GET',
    path: '/webhook-resends/{id}',
    path_parameters: { id: "The resend's id." },
    tag: 'Webhook deliveries',
    summary: 'How far such a resend has come',
    description:
      '`queued` grows until the status is `completed`; the deliveries themselves say whether they arrived.',
    rate: 'read',
    response: resendResponse,
    errors: ['webhook_resend_not_found'],
    handler: getWebhookResend,
  }),
];

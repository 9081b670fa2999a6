// Ranges of deliveries, sent again.

import { route } from '../route';
import { getWebhookResend, resendWebhooks } from './handlers';
import { resendResponse, resendWebhooksBody } from './schema';

export const webhookResendRoutes = [
  route({
    method: 'POST',
    path: '/webhook-endpoints/{id}/resend',
    summary: 'Send again what this endpoint was sent in a stretch of time',
    rate: 'write',
    body: resendWebhooksBody,
    may_omit_body: true,
    status: 202,
    response: resendResponse,
    errors: ['webhook_endpoint_not_found', 'webhook_endpoint_disabled'],
    handler: resendWebhooks,
  }),
  route({
    method: 'GET',
    path: '/webhook-resends/{id}',
    summary: 'How far such a resend has come',
    rate: 'read',
    response: resendResponse,
    errors: ['webhook_resend_not_found'],
    handler: getWebhookResend,
  }),
];

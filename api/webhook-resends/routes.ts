// Ranges of deliveries, sent again.

import { route } from '../route';
import { pathName } from '../schemas';
import { getWebhookResend, resendWebhooks } from './handlers';
import { resendResponse, resendWebhooksBody } from './schema';

export const webhookResendRoutes = [
  route({
    operation_id: 'resendWebhooks',
    method: 'POST',
    path: '/webhook-endpoints/{id}/resend',
    summary: 'Send again what this endpoint was sent in a stretch of time',
    rate: 'write',
    params: { id: pathName },
    body: resendWebhooksBody,
    may_omit_body: true,
    response: { status: 202, schema: resendResponse },
    errors: ['webhook_endpoint_not_found', 'webhook_endpoint_disabled'],
    handler: resendWebhooks,
  }),
  route({
    operation_id: 'getWebhookResend',
    method: 'GET',
    path: '/webhook-resends/{id}',
    summary: 'How far such a resend has come',
    rate: 'read',
    params: { id: pathName },
    response: { status: 200, schema: resendResponse },
    errors: ['webhook_resend_not_found'],
    handler: getWebhookResend,
  }),
];

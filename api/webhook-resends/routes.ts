// Resends an endpoint's deliveries of a period; a workflow queues them page by page.

import { type Resend, findResend } from '../../db/webhooks/webhook-resends';
import { ERRORS } from '../../domain/errors';
import { renderJson } from '../../domain/json';
import { Refusal } from '../../domain/refusal';
import { orUnknown } from '../../use-cases/requests/failures';
import { resendRange } from '../../use-cases/webhook-deliveries';
import type { ApiResponse } from '../context';
import { readInstant } from '../paging';
import { readId } from '../path-id';
import { routesOf } from '../route';
import { refusedResend } from '../webhook-deliveries/routes';
import { resendResponse, resendWebhooksBody } from './schema';

const MAY_BE_STARTED = 'The resend may have been started. A retry may send everything twice.';

function waitsFor({ id }: Resend): Refusal {
  const message = `${ERRORS.webhook_resend_running.message} It is ${id}.`;
  return new Refusal('webhook_resend_running', { message });
}

function show(status: number, resend: Resend): ApiResponse {
  return { status, body: renderJson({ ok: true, ...resend }) };
}

const on = routesOf('Webhook deliveries');

export const webhookResendRoutes = [
  on.post('/webhook-endpoints/{id}/resend', {
    scope: 'webhooks:write',
    path_parameters: { id: "The endpoint's id." },
    summary: 'Send again what this endpoint was sent in a stretch of time',
    description:
      'For what a receiver has lost: deliveries created in a period, by status and type, are sent again in the background, one resend of an endpoint at a time. The response names the resend, whose progress can be read.',
    body: resendWebhooksBody,
    may_omit_body: true,
    status: 202,
    response: resendResponse,
    errors: ['webhook_endpoint_not_found', 'webhook_endpoint_disabled', 'webhook_resend_running'],
    handler: async function resendWebhooks(dependencies, request) {
      const { user_id, environment } = request.caller;
      const id = readId(request, 'webhook_endpoint_not_found');
      const { status, type, created_from, created_to } = request.body;
      const range = {
        statuses: typeof status === 'string' ? [status] : status,
        types: type && [type],
        created_from: readInstant('created_from', created_from),
        created_to: readInstant('created_to', created_to),
      };
      const begun = await orUnknown(MAY_BE_STARTED, () =>
        resendRange(dependencies.db, { user_id, environment }, id, range),
      );
      if (!begun.ok) {
        throw begun.error === 'running' ? waitsFor(begun.resend) : refusedResend(begun);
      }
      return show(202, begun.resend);
    },
  }),
  on.get('/webhook-resends/{id}', {
    path_parameters: { id: "The resend's id." },
    summary: 'How far such a resend has come',
    description:
      '`queued` grows until the status is `completed`; the deliveries themselves say whether they arrived.',
    response: resendResponse,
    errors: ['webhook_resend_not_found'],
    handler: async function getWebhookResend({ db }, request) {
      const { user_id, environment } = request.caller;
      const id = readId(request, 'webhook_resend_not_found');
      const resend = await findResend(db, user_id, environment, id);
      if (!resend) throw new Refusal('webhook_resend_not_found');
      return show(200, resend);
    },
  }),
];

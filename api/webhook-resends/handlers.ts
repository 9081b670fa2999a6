// Resends an endpoint's deliveries of a period; a workflow queues them page by page.

import { findResend, type Resend } from '../../db/webhook-resends';
import { ERRORS } from '../../domain/errors';
import { renderJson } from '../../domain/json';
import { ApiError } from '../api-error';
import type { ApiResponse, Handler } from '../context';
import { orUnknown } from '../failures';
import { readInstant } from '../paging';
import { readId } from '../path-id';
import { resendRange } from '../../use-cases/webhook-deliveries';
import { refusedResend } from '../webhook-deliveries/handlers';
import type { ResendWebhooksBody } from './schema';

const MAY_BE_STARTED = 'The resend may have been started. A retry may send everything twice.';

export const resendWebhooks: Handler<unknown, ResendWebhooksBody> = async (
  dependencies,
  request,
) => {
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
    resendRange(dependencies, { user_id, environment }, id, range),
  );
  if (!begun.ok) {
    throw begun.error === 'running' ? waitsFor(begun.resend) : refusedResend(begun);
  }
  return show(202, begun.resend);
};

export const getWebhookResend: Handler = async ({ db }, request) => {
  const { user_id, environment } = request.caller;
  const id = readId(request, 'webhook_resend_not_found');
  const resend = await findResend(db, user_id, environment, id);
  if (!resend) throw new ApiError('webhook_resend_not_found');
  return show(200, resend);
};

function waitsFor({ id }: Resend): ApiError {
  const message = `${ERRORS.webhook_resend_running.message} It is ${id}.`;
  return new ApiError('webhook_resend_running', { message });
}

function show(status: number, resend: Resend): ApiResponse {
  return { status, body: renderJson({ ok: true, ...resend }) };
}

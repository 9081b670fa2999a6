// Resends an endpoint's deliveries of a period; a workflow queues them page by page.

import { findWebhookEndpoint } from '../../db/webhook-endpoints';
import { beginResend, findResend, type Resend } from '../../db/webhook-resends';
import { EVENT_TYPES } from '../../domain/event';
import { renderJson } from '../../domain/json';
import { ApiError } from '../api-error';
import type { ApiResponse, Handler } from '../context';
import { orUnknown } from '../failures';
import { readInstant } from '../paging';
import { readId } from '../path-id';
import { UNDELIVERED, type ResendWebhooksBody } from './schema';

const MAY_BE_STARTED = 'The resend may have been started. A retry may send everything twice.';
// The earliest and the latest instant that a request can name.
const FIRST = '0001-01-01T00:00:00.000000Z';
const LAST = '9999-12-31T23:59:59.999999Z';

export const resendWebhooks: Handler<unknown, ResendWebhooksBody> = async (
  dependencies,
  request,
) => {
  const { db, waker, log } = dependencies;
  const { user_id, environment } = request.caller;
  const id = readId(request, 'webhook_endpoint_not_found');
  const endpoint = await findWebhookEndpoint(db, user_id, environment, id);
  if (!endpoint) throw new ApiError('webhook_endpoint_not_found');
  if (endpoint.status === 'disabled') throw new ApiError('webhook_endpoint_disabled');
  const { status = UNDELIVERED, type, created_from, created_to } = request.body;
  const range = {
    user_id,
    environment,
    endpoint_id: endpoint.id,
    statuses: typeof status === 'string' ? [status] : status,
    types: type ? [type] : EVENT_TYPES,
    created_from: readInstant('created_from', created_from) ?? FIRST,
    created_to: readInstant('created_to', created_to) ?? LAST,
  };
  const resend = await orUnknown(MAY_BE_STARTED, async () => {
    const resend_id = await beginResend(db, range);
    // Not awaited: the row is committed, and the sweeper starts its workflow if this start fails.
    void waker
      .startResend(resend_id)
      .catch((error: unknown) => log({ part: 'webhook-resend', resend_id, error: String(error) }));
    return findResend(db, user_id, environment, resend_id);
  });
  return show(202, resend!);
};

export const getWebhookResend: Handler = async ({ db }, request) => {
  const { user_id, environment } = request.caller;
  const id = readId(request, 'webhook_resend_not_found');
  const resend = await findResend(db, user_id, environment, id);
  if (!resend) throw new ApiError('webhook_resend_not_found');
  return show(200, resend);
};

function show(status: number, resend: Resend): ApiResponse {
  return { status, body: renderJson({ ok: true, ...resend }) };
}

// Lists deliveries, shows one with every attempt, and sends one again.

import { listAttempts } from '../../db/webhook-attempts';
import { findDelivery, listDeliveries, type DeliveryView } from '../../db/webhook-deliveries';
import { renderJson } from '../../domain/json';
import { ApiError } from '../api-error';
import type { ApiDependencies, ApiRequest, ApiResponse, Handler } from '../context';
import { success } from '../success';
import { orUnknown } from '../failures';
import { readPage } from '../paging';
import { readId } from '../path-id';
import { resendDelivery, type RefusedResend } from '../../use-cases/webhook-deliveries';
import type { ListAttemptsQuery, ListDeliveriesQuery } from './schema';

export const listWebhookDeliveries: Handler<ListDeliveriesQuery> = async ({ db }, request) => {
  const { rows, ...end } = await readPage(request, (query) => listDeliveries(db, query));
  return success({ webhook_deliveries: rows.map((row) => ({ ...row })), ...end });
};

export const getWebhookDelivery: Handler = async (dependencies, request) => {
  return show(200, await findDeliveryOf(dependencies, request));
};

export const listWebhookAttempts: Handler<ListAttemptsQuery> = async (dependencies, request) => {
  const { limit, cursor } = request.query;
  const { id } = await findDeliveryOf(dependencies, request);
  const before = cursor === undefined ? undefined : Number(cursor);
  const found = await listAttempts(dependencies.db, { delivery_id: id, before, limit: limit + 1 });
  const attempts = found.slice(0, limit).map((row) => ({ ...row }));
  const has_more = found.length > limit;
  const next_cursor = has_more ? String(attempts.at(-1)!.number) : null;
  return success({ attempts, next_cursor, has_more });
};

const MAY_BE_QUEUED = 'The delivery may have been queued. Retry the request.';

export const resendWebhookDelivery: Handler = async (dependencies, request) => {
  const { user_id, environment } = request.caller;
  const id = readId(request, 'webhook_delivery_not_found');
  const resent = await orUnknown(MAY_BE_QUEUED, () =>
    resendDelivery(dependencies, { user_id, environment }, id),
  );
  if (!resent.ok) throw refusedResend(resent);
  return show(202, resent.delivery);
};

export function refusedResend({ error }: RefusedResend): ApiError {
  switch (error) {
    case 'not_found':
      return new ApiError('webhook_delivery_not_found');
    case 'endpoint_not_found':
      return new ApiError('webhook_endpoint_not_found');
    case 'disabled':
      return new ApiError('webhook_endpoint_disabled');
  }
}

async function findDeliveryOf(
  { db }: ApiDependencies,
  request: Pick<ApiRequest, 'caller' | 'params'>,
): Promise<DeliveryView> {
  const { user_id, environment } = request.caller;
  const id = readId(request, 'webhook_delivery_not_found');
  const view = await findDelivery(db, user_id, environment, id);
  if (!view) throw new ApiError('webhook_delivery_not_found');
  return view;
}

function show(status: number, view: DeliveryView): ApiResponse {
  return { status, body: renderJson({ ok: true, ...view }) };
}

// Lists deliveries, shows one with every attempt, and sends one again.

import { listAttempts } from '../../db/webhook-attempts';
import {
  findDelivery,
  listDeliveries,
  resendDeliveries,
  type DeliveryView,
} from '../../db/webhook-deliveries';
import { findWebhookEndpoint } from '../../db/webhook-endpoints';
import { renderJson } from '../../domain/json';
import { ApiError } from '../api-error';
import type { ApiDependencies, ApiRequest, ApiResponse, Handler } from '../context';
import { success } from '../success';
import { orUnknown } from '../failures';
import { readPage } from '../paging';
import { readId } from '../path-id';
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
  const { db, waker } = dependencies;
  const { user_id, environment } = request.caller;
  const { id, endpoint_id } = await findDeliveryOf(dependencies, request);
  const endpoint = await findWebhookEndpoint(db, user_id, environment, endpoint_id);
  if (!endpoint) throw new ApiError('webhook_endpoint_not_found');
  if (endpoint.status === 'disabled') throw new ApiError('webhook_endpoint_disabled');
  const delivery = await orUnknown(MAY_BE_QUEUED, async () => {
    const { wake } = await resendDeliveries(db, [id]);
    waker.wake(wake);
    return findDeliveryOf(dependencies, request);
  });
  return show(202, delivery);
};

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

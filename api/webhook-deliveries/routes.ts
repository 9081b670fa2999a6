// Lists deliveries, shows one with every attempt, and sends one again.

import { listAttempts } from '../../db/webhooks/webhook-attempts';
import {
  type DeliveryView,
  findDelivery,
  listDeliveries,
} from '../../db/webhooks/webhook-deliveries';
import { renderJson } from '../../domain/json';
import { Refusal } from '../../domain/refusal';
import { pageOf } from '../../domain/page';
import { orUnknown } from '../../use-cases/requests/failures';
import { type RefusedResend, resendDelivery } from '../../use-cases/webhook-deliveries';
import type { ApiDependencies, ApiRequest, ApiResponse } from '../context';
import { readPage } from '../paging';
import { readId } from '../path-id';
import { routesOf } from '../route';
import { success } from '../success';
import {
  attemptsResponse,
  deliveriesResponse,
  listAttemptsQuery,
  listDeliveriesQuery,
  webhookDelivery,
} from './schema';

const MAY_BE_QUEUED = 'The delivery may have been queued. Retry the request.';

export function refusedResend({ error }: RefusedResend): Refusal {
  switch (error) {
    case 'not_found':
      return new Refusal('webhook_delivery_not_found');
    case 'endpoint_not_found':
      return new Refusal('webhook_endpoint_not_found');
    case 'disabled':
      return new Refusal('webhook_endpoint_disabled');
  }
}

async function findDeliveryOf(
  { db }: ApiDependencies,
  request: Pick<ApiRequest, 'caller' | 'params'>,
): Promise<DeliveryView> {
  const { user_id, environment } = request.caller;
  const id = readId(request, 'webhook_delivery_not_found');
  const view = await findDelivery(db, user_id, environment, id);
  if (!view) throw new Refusal('webhook_delivery_not_found');
  return view;
}

function show(status: number, view: DeliveryView): ApiResponse {
  return { status, body: renderJson({ ok: true, ...view }) };
}

const on = routesOf('Webhook deliveries');

export const webhookDeliveryRoutes = [
  on.get('/webhook-deliveries', {
    summary: 'Deliveries, newest first',
    description:
      'One delivery is one event to one endpoint. Pass `next_cursor` as `cursor` to get the next page.',
    query: listDeliveriesQuery,
    response: deliveriesResponse,
    handler: async function listWebhookDeliveries({ db }, request) {
      const { rows, ...end } = await readPage(request, (query) => listDeliveries(db, query));
      return success({ webhook_deliveries: rows.map((row) => ({ ...row })), ...end });
    },
  }),
  on.get('/webhook-deliveries/{id}', {
    path_parameters: { id: "The delivery's id." },
    summary: 'One delivery',
    description: 'Its status, how often it was tried, and when it is tried next.',
    response: webhookDelivery,
    errors: ['webhook_delivery_not_found'],
    handler: async function getWebhookDelivery(dependencies, request) {
      return show(200, await findDeliveryOf(dependencies, request));
    },
  }),
  on.get('/webhook-deliveries/{id}/attempts', {
    path_parameters: { id: "The delivery's id." },
    summary: 'Every attempt at a delivery with what was answered, newest first',
    description:
      'With the status and the first 16 KiB of what the receiver responded. Attempts of months long past may ' +
      'no longer be kept: the delivery still counts them.',
    query: listAttemptsQuery,
    response: attemptsResponse,
    errors: ['webhook_delivery_not_found'],
    handler: async function listWebhookAttempts(dependencies, request) {
      const { limit, cursor } = request.query;
      const { id } = await findDeliveryOf(dependencies, request);
      const before = cursor === undefined ? undefined : Number(cursor);
      const found = await listAttempts(dependencies.db, {
        delivery_id: id,
        before,
        limit: limit + 1,
      });
      const { rows, next_cursor, has_more } = pageOf(found, limit, ({ number }) => String(number));
      return success({ attempts: rows.map((row) => ({ ...row })), next_cursor, has_more });
    },
  }),
  on.post('/webhook-deliveries/{id}/resend', {
    scope: 'webhooks:write',
    path_parameters: { id: "The delivery's id." },
    summary: 'Send one delivery again, whether it arrived or not',
    description: 'As soon as possible, beside the schedule of retries.',
    status: 202,
    response: webhookDelivery,
    errors: [
      'webhook_delivery_not_found',
      'webhook_endpoint_not_found',
      'webhook_endpoint_disabled',
    ],
    handler: async function resendWebhookDelivery(dependencies, request) {
      const { user_id, environment } = request.caller;
      const id = readId(request, 'webhook_delivery_not_found');
      const resent = await orUnknown(MAY_BE_QUEUED, () =>
        resendDelivery(dependencies.db, { user_id, environment }, id),
      );
      if (!resent.ok) throw refusedResend(resent);
      return show(202, resent.delivery);
    },
  }),
];

// Lists events as they were delivered, shows one with its deliveries, and sends one again.

import { findEvent, listEvents as readEvents, type StoredEvent } from '../../db/events';
import { listLastAttempts } from '../../db/webhook-attempts';
import {
  addDelivery,
  deliveriesOfEvent,
  listDeliveries,
  resendDeliveries,
  type DeliveryView,
} from '../../db/webhook-deliveries';
import { findWebhookEndpoint, listWebhookEndpoints } from '../../db/webhook-endpoints';
import { renderJson } from '../../domain/json';
import { ApiError } from '../api-error';
import type { ApiDependencies, ApiRequest, Handler } from '../context';
import { success } from '../success';
import { orUnknown } from '../failures';
import { readId } from '../path-id';
import {
  MAX_EVENT_DELIVERIES,
  MAX_LAST_ATTEMPTS,
  type ListEventsQuery,
  type ResendEventBody,
} from './schema';

export const listEvents: Handler<ListEventsQuery> = async ({ db }, { caller, query }) => {
  const { limit, after, type } = query;
  const found = await readEvents(db, {
    user_id: caller.user_id,
    environment: caller.environment,
    after: BigInt(after),
    types: type && [type],
    limit: limit + 1,
  });
  const page = found.slice(0, limit);
  const has_more = found.length > limit;
  const next_cursor = has_more ? page.at(-1)!.sequence.toString() : null;
  // The bytes that were signed and sent, not rendered again.
  const events = page.map(({ body }) => body).join(',');
  const end = renderJson({ next_cursor, has_more });
  return { status: 200, body: `{"ok":true,"events":[${events}],${end.slice(1)}` };
};

export const getEvent: Handler = async (dependencies, request) => {
  const { db } = dependencies;
  const event = await findEventOf(dependencies, request);
  const deliveries = await deliveriesOfEvent(db, event.id, MAX_EVENT_DELIVERIES);
  const ids = deliveries.map(({ id }) => id);
  const attempts = await listLastAttempts(db, ids, MAX_LAST_ATTEMPTS);
  const shown = deliveries.map((delivery) => ({
    ...delivery,
    last_attempts: attempts
      .filter(({ delivery_id }) => delivery_id === delivery.id)
      .map((attempt) => ({ ...attempt, delivery_id: undefined })),
  }));
  const rest = renderJson({ deliveries: shown });
  return { status: 200, body: `{"ok":true,${event.body.slice(1, -1)},${rest.slice(1)}` };
};

const MAY_BE_QUEUED = 'The event may have been queued. Retry the request.';

export const resendEvent: Handler<unknown, ResendEventBody> = async (dependencies, request) => {
  const { id } = await findEventOf(dependencies, request);
  const { endpoint_id } = request.body;
  const deliveries = await orUnknown(MAY_BE_QUEUED, () =>
    endpoint_id === undefined
      ? resendToAll(dependencies, request, id)
      : resendToOne(dependencies, request, id, endpoint_id),
  );
  const shown = deliveries.map((delivery) => ({ ...delivery }));
  return success({ deliveries: shown }, 202);
};

type NamedEvent = Pick<ApiRequest, 'caller' | 'params'>;

/** To each enabled endpoint that has a delivery of this event. */
async function resendToAll(
  { db, waker }: ApiDependencies,
  { caller }: NamedEvent,
  event_id: string,
): Promise<DeliveryView[]> {
  const endpoints = await listWebhookEndpoints(db, caller.user_id, caller.environment);
  const enabled = new Set(
    endpoints.filter(({ status }) => status === 'enabled').map(({ id }) => id),
  );
  const findSent = async (): Promise<DeliveryView[]> => {
    const deliveries = await deliveriesOfEvent(db, event_id, MAX_EVENT_DELIVERIES);
    return deliveries.filter(({ endpoint_id }) => enabled.has(endpoint_id));
  };
  const sent = await findSent();
  if (sent.length === 0) return [];
  const { wake } = await resendDeliveries(
    db,
    sent.map(({ id }) => id),
  );
  waker.wake(wake);
  return findSent();
}

/** Even to one that never got the event, because it is newer or has not subscribed to the type. */
async function resendToOne(
  { db, waker }: ApiDependencies,
  { caller }: NamedEvent,
  event_id: string,
  endpoint_id: string,
): Promise<DeliveryView[]> {
  const { user_id, environment } = caller;
  const endpoint = await findWebhookEndpoint(db, user_id, environment, endpoint_id);
  if (!endpoint) throw new ApiError('webhook_endpoint_not_found');
  if (endpoint.status === 'disabled') throw new ApiError('webhook_endpoint_disabled');
  const filters = { event_id, endpoint_id: endpoint.id };
  const findSent = (): Promise<DeliveryView[]> =>
    listDeliveries(db, { user_id, environment, before: undefined, limit: 1, filters });
  const [sent] = await findSent();
  const wake = sent
    ? (await resendDeliveries(db, [sent.id])).wake
    : await addDelivery(db, event_id, endpoint.id);
  waker.wake(wake);
  return findSent();
}

async function findEventOf({ db }: ApiDependencies, request: NamedEvent): Promise<StoredEvent> {
  const { user_id, environment } = request.caller;
  const id = readId(request, 'event_not_found');
  const event = await findEvent(db, user_id, environment, id);
  if (!event) throw new ApiError('event_not_found');
  return event;
}

// Lists events as they were delivered, shows one with its deliveries, and sends one again.

import {
  type StoredEvent,
  findEvent,
  lastSequence,
  listEvents as readEvents,
} from '../../db/webhooks/events';
import { listLastAttempts } from '../../db/webhooks/webhook-attempts';
import {
  type DeliveryView,
  addDelivery,
  deliveriesOfEvent,
  listDeliveries,
  resendDeliveries,
} from '../../db/webhooks/webhook-deliveries';
import { findWebhookEndpoint, listWebhookEndpoints } from '../../db/webhooks/webhook-endpoints';
import { renderJson } from '../../domain/json';
import { Refusal } from '../../domain/refusal';
import { pageOf } from '../../domain/page';
import { orUnknown } from '../../use-cases/requests/failures';
import type { ApiDependencies, ApiRequest } from '../context';
import { readId } from '../path-id';
import { routesOf } from '../route';
import { success } from '../success';
import {
  MAX_EVENT_DELIVERIES,
  MAX_LAST_ATTEMPTS,
  eventResponse,
  eventsResponse,
  listEventsQuery,
  resendEventBody,
  resentEventResponse,
} from './schema';

const MAY_BE_QUEUED = 'The event may have been queued. Retry the request.';

type NamedEvent = Pick<ApiRequest, 'caller' | 'params'>;

/** Sends again to each enabled endpoint that has a delivery of this event. */
async function resendToAll(
  { db }: ApiDependencies,
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
  await resendDeliveries(
    db,
    sent.map(({ id }) => id),
  );
  return findSent();
}

/**
 * Sends even to an endpoint that never got the event, because it is newer or has not subscribed to
 * the type.
 */
async function resendToOne(
  { db }: ApiDependencies,
  { caller }: NamedEvent,
  event_id: string,
  endpoint_id: string,
): Promise<DeliveryView[]> {
  const { user_id, environment } = caller;
  const endpoint = await findWebhookEndpoint(db, user_id, environment, endpoint_id);
  if (!endpoint) throw new Refusal('webhook_endpoint_not_found');
  if (endpoint.status === 'disabled') throw new Refusal('webhook_endpoint_disabled');
  const filters = { event_id, endpoint_id: endpoint.id };
  const findSent = (): Promise<DeliveryView[]> =>
    listDeliveries(db, { user_id, environment, before: undefined, limit: 1, filters });
  const [sent] = await findSent();
  if (sent) await resendDeliveries(db, [sent.id]);
  else await addDelivery(db, event_id, endpoint.id);
  return findSent();
}

async function findEventOf({ db }: ApiDependencies, request: NamedEvent): Promise<StoredEvent> {
  const { user_id, environment } = request.caller;
  const id = readId(request, 'event_not_found');
  const event = await findEvent(db, user_id, environment, id);
  if (!event) throw new Refusal('event_not_found');
  return event;
}

const onEvents = routesOf('Events');
const onWebhookDeliveries = routesOf('Webhook deliveries');

export const eventRoutes = [
  onEvents.get('/events', {
    summary: 'Events as they were delivered, in the order in which they happened',
    description:
      'From the oldest on: remember the last `sequence` and ask for what comes `after` it. Test events are in no list.',
    query: listEventsQuery,
    response: eventsResponse,
    handler: async function listEvents({ db }, { caller, query }) {
      const { limit, after, type } = query;
      const found = await readEvents(db, {
        user_id: caller.user_id,
        environment: caller.environment,
        after:
          after === 'latest'
            ? (await lastSequence(db, caller.user_id, caller.environment)) - 1n
            : BigInt(after),
        types: type && [type],
        limit: limit + 1,
      });
      const { rows, next_cursor, has_more } = pageOf(found, limit, ({ sequence }) =>
        String(sequence),
      );
      // The bytes that were signed and sent, not rendered again.
      const events = rows.map(({ body }) => body).join(',');
      const end = renderJson({ next_cursor, has_more });
      return { status: 200, body: `{"ok":true,"events":[${events}],${end.slice(1)}` };
    },
  }),
  onEvents.get('/events/{id}', {
    path_parameters: { id: "The event's id." },
    summary: 'One event with its deliveries and their last attempts',
    description: 'With the bytes that were signed, and how each endpoint responded.',
    response: eventResponse,
    errors: ['event_not_found'],
    handler: async function getEvent(dependencies, request) {
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
    },
  }),
  onWebhookDeliveries.post('/events/{id}/resend', {
    scope: 'webhooks:write',
    path_parameters: { id: "The event's id." },
    summary: 'Send an event again, to all endpoints that have it or to the one that is named',
    description:
      'It has the same `id` as before, so that a receiver which has it already can tell.',
    body: resendEventBody,
    may_omit_body: true,
    status: 202,
    response: resentEventResponse,
    errors: ['event_not_found', 'webhook_endpoint_not_found', 'webhook_endpoint_disabled'],
    handler: async function resendEvent(dependencies, request) {
      const { id } = await findEventOf(dependencies, request);
      const { endpoint_id } = request.body;
      const deliveries = await orUnknown(MAY_BE_QUEUED, () =>
        endpoint_id === undefined
          ? resendToAll(dependencies, request, id)
          : resendToOne(dependencies, request, id, endpoint_id),
      );
      const shown = deliveries.map((delivery) => ({ ...delivery }));
      return success({ deliveries: shown }, 202);
    },
  }),
];

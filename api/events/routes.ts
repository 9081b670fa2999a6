// What happened, as it was delivered.

import { route } from '../route';
import { getEvent, listEvents, resendEvent } from './handlers';
import {
  eventResponse,
  eventsResponse,
  listEventsQuery,
  resendEventBody,
  resentEventResponse,
} from './schema';

export const eventRoutes = [
  route({
    method: 'GET',
    path: '/events',
    tag: 'Events',
    summary: 'Events as they were delivered, in the order in which they happened',
    description:
      'From the oldest on: remember the last `sequence` and ask for what comes `after` it. Test events are in no list.',
    rate: 'read',
    query: listEventsQuery,
    response: eventsResponse,
    handler: listEvents,
  }),
  route({
    method: 'GET',
    path: '/events/{id}',
    path_parameters: { id: "The event's id." },
    tag: 'Events',
    summary: 'One event with its deliveries and their last attempts',
    description: 'With the bytes that were signed, and how each endpoint responded.',
    rate: 'read',
    response: eventResponse,
    errors: ['event_not_found'],
    handler: getEvent,
  }),
  route({
    method: 'POST',
    path: '/events/{id}/resend',
    path_parameters: { id: "The event's id." },
    tag: 'Webhook deliveries',
    summary: 'Send an event again, to all endpoints that have it or to the one that is named',
    description:
      'It has the same `id` as before, so that a receiver which has it already can tell.',
    rate: 'write',
    body: resendEventBody,
    may_omit_body: true,
    status: 202,
    response: resentEventResponse,
    errors: ['event_not_found', 'webhook_endpoint_not_found', 'webhook_endpoint_disabled'],
    handler: resendEvent,
  }),
];

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
    summary: 'Events as they were delivered, in the order in which they happened',
    rate: 'read',
    query: listEventsQuery,
    response: eventsResponse,
    handler: listEvents,
  }),
  route({
    method: 'GET',
    path: '/events/{id}',
    summary: 'One event with its deliveries and their last attempts',
    rate: 'read',
    response: eventResponse,
    errors: ['event_not_found'],
    handler: getEvent,
  }),
  route({
    method: 'POST',
    path: '/events/{id}/resend',
    summary: 'Send an event again, to all endpoints that have it or to the one that is named',
    rate: 'write',
    body: resendEventBody,
    may_omit_body: true,
    status: 202,
    response: resentEventResponse,
    errors: ['event_not_found', 'webhook_endpoint_not_found', 'webhook_endpoint_disabled'],
    handler: resendEvent,
  }),
];

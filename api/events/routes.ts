// What happened, as it was delivered.

import { route } from '../route';
import { pathName } from '../schemas';
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
    operation_id: 'listEvents',
    method: 'GET',
    path: '/events',
    summary: 'Events as they were delivered, in the order in which they happened',
    rate: 'read',
    query: listEventsQuery,
    response: { status: 200, schema: eventsResponse },
    errors: [],
    handler: listEvents,
  }),
  route({
    operation_id: 'getEvent',
    method: 'GET',
    path: '/events/{id}',
    summary: 'One event with its deliveries and their last attempts',
    rate: 'read',
    params: { id: pathName },
    response: { status: 200, schema: eventResponse },
    errors: ['event_not_found'],
    handler: getEvent,
  }),
  route({
    operation_id: 'resendEvent',
    method: 'POST',
    path: '/events/{id}/resend',
    summary: 'Send an event again, to all endpoints that have it or to the one that is named',
    rate: 'write',
    params: { id: pathName },
    body: resendEventBody,
    may_omit_body: true,
    response: { status: 202, schema: resentEventResponse },
    errors: ['event_not_found', 'webhook_endpoint_not_found', 'webhook_endpoint_disabled'],
    handler: resendEvent,
  }),
];

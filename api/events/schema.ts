// Events, in the order in which they happened.

import type { FromSchema } from 'json-schema-to-ts';
import { intent } from '../payment-intents/schema';
import { environment, eventType, ok, paging, timestamp, uuid } from '../schemas';
import { attemptSummary, delivery } from '../webhook-deliveries/schema';

/** 15 digits last a user 30,000 years at a thousand events a second. */
const SEQUENCE_PATTERN = '^[0-9]{1,15}$';

export const listEventsQuery = {
  type: 'object',
  required: [],
  additionalProperties: false,
  properties: {
    limit: paging.limit,
    after: {
      type: 'string',
      pattern: SEQUENCE_PATTERN,
      default: '0',
      description: 'A sequence, as next_cursor gives it; events after it are listed.',
      examples: ['0'],
    },
    type: eventType,
  },
} as const;
export type ListEventsQuery = FromSchema<typeof listEventsQuery>;

const event = {
  required: ['id', 'type', 'api_version', 'created_at', 'environment', 'sequence', 'data'],
  properties: {
    id: uuid,
    type: eventType,
    api_version: { type: 'string', const: 'v1' },
    created_at: timestamp,
    environment,
    sequence: {
      type: 'integer',
      minimum: 0,
      description: 'Without gaps per account and environment; 0 for a test event.',
    },
    test: { type: 'boolean', const: true, description: 'On test events only.' },
    data: {
      type: 'object',
      additionalProperties: false,
      ...intent,
      description: 'The payment intent at that moment.',
    },
  },
} as const;

export const eventsResponse = {
  type: 'object',
  required: ['ok', 'events', 'next_cursor', 'has_more'],
  additionalProperties: false,
  properties: {
    ok,
    events: {
      type: 'array',
      maxItems: 100,
      items: { type: 'object', additionalProperties: false, ...event },
    },
    next_cursor: { type: ['string', 'null'], pattern: SEQUENCE_PATTERN },
    has_more: { type: 'boolean' },
  },
} as const;

/** More endpoints than one event ever goes to; the list of deliveries has them all. */
export const MAX_EVENT_DELIVERIES = 100;
/** The ten of the retry schedule, and as many again. */
export const MAX_LAST_ATTEMPTS = 20;

export const eventResponse = {
  type: 'object',
  required: ['ok', ...event.required, 'deliveries'],
  additionalProperties: false,
  properties: {
    ok,
    ...event.properties,
    deliveries: {
      type: 'array',
      maxItems: MAX_EVENT_DELIVERIES,
      items: {
        type: 'object',
        required: [...delivery.required, 'last_attempts'],
        additionalProperties: false,
        properties: {
          ...delivery.properties,
          last_attempts: {
            type: 'array',
            maxItems: MAX_LAST_ATTEMPTS,
            items: { type: 'object', additionalProperties: false, ...attemptSummary },
            description: 'Newest first, without what the receiver answered.',
          },
        },
      },
    },
  },
} as const;

export const resendEventBody = {
  type: 'object',
  required: [],
  additionalProperties: false,
  properties: {
    endpoint_id: {
      ...uuid,
      description:
        'To this endpoint alone, also when it never had the event. Otherwise to all that have it and are enabled.',
    },
  },
} as const;
export type ResendEventBody = FromSchema<typeof resendEventBody>;

export const resentEventResponse = {
  type: 'object',
  required: ['ok', 'deliveries'],
  additionalProperties: false,
  properties: {
    ok,
    deliveries: {
      type: 'array',
      maxItems: MAX_EVENT_DELIVERIES,
      items: { type: 'object', additionalProperties: false, ...delivery },
    },
  },
} as const;

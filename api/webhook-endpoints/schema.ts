// Webhook endpoints: the addresses that a merchant's events are delivered to.

import { EVENT_TYPES } from '../../domain/event';
import { ENDPOINT_STATUSES } from '../../domain/webhook';
import {
  eventType,
  nullable,
  nullableTime,
  optionalFields,
  page,
  part,
  resource,
  response,
  timestamp,
  uuid,
} from '../schemas';
import { attemptOutcome } from '../webhook-deliveries/schema';
import { DEFAULT_OVERLAP_SECONDS, MAX_OVERLAP_SECONDS } from '../../use-cases/webhook-endpoints';

const status = {
  title: 'WebhookEndpointStatus',
  type: 'string',
  enum: ENDPOINT_STATUSES,
} as const;

const fields = {
  url: {
    type: 'string',
    minLength: 1,
    maxLength: 2048,
    description: 'Begins with https:// and leads to a public address.',
    examples: ['https://shop.example.com/webhooks'],
  },
  types: {
    type: 'array',
    minItems: 1,
    maxItems: EVENT_TYPES.length,
    uniqueItems: true,
    items: eventType,
    description: 'The event types it receives; those of payments when left out.',
  },
  description: { type: ['string', 'null'], maxLength: 500 },
  max_per_second: {
    type: ['integer', 'null'],
    minimum: 1,
    maximum: 10_000,
    description: 'Deliveries a second; no limit when null.',
  },
} as const;

export const createEndpointBody = {
  type: 'object',
  required: ['url'],
  additionalProperties: false,
  properties: fields,
} as const;

export const changeEndpointBody = {
  type: 'object',
  required: [],
  additionalProperties: false,
  minProperties: 1,
  properties: {
    ...fields,
    status: {
      ...status,
      description: 'Enabling sends what was held while it was disabled.',
    },
  },
} as const;

export const rotateSecretBody = optionalFields({
  overlap_seconds: {
    type: 'integer',
    minimum: 0,
    maximum: MAX_OVERLAP_SECONDS,
    default: DEFAULT_OVERLAP_SECONDS,
    description:
      'How long x-service-signature stays with the old secret, with the new one in x-service-signature-next. webhook-signature has both.',
  },
});

export const sendTestBody = optionalFields({
  type: { ...eventType, default: 'payment.succeeded' },
});

const count = { type: 'integer', minimum: 0 } as const;

const endpointFields = {
  id: uuid,
  ...fields,
  status,
  disabled_reason: nullable({
    title: 'WebhookDisabledReason',
    type: 'string',
    enum: ['merchant', 'gone', 'failing'],
    description: 'gone: it answered 410. failing: nothing arrived for days.',
  }),
  consecutive_failures: count,
  failing_since: nullableTime,
  last_failure: nullable(
    part('WebhookFailure', {
      at: timestamp,
      outcome: attemptOutcome,
      status: { type: ['integer', 'null'], description: "Of the receiver's response." },
    }),
  ),
  previous_secret_until: {
    ...nullableTime,
    description: 'During a rotation: until then the old secret signs too.',
  },
  created_at: timestamp,
  updated_at: timestamp,
} as const;

const secret = {
  type: 'string',
  pattern: '^whsec_',
  maxLength: 128,
  description: 'Shown this once.',
} as const;

export const createdEndpointResponse = response('CreatedWebhookEndpoint', {
  ...endpointFields,
  secret,
});
export const webhookEndpoint = resource('WebhookEndpoint', endpointFields);

/** All on one page: there are never many. */
export const endpointsResponse = page('webhook_endpoints', webhookEndpoint, { type: 'null' });

export const deletedEndpointResponse = response('DeletedWebhookEndpoint', {
  id: uuid,
  deleted: { type: 'boolean', const: true },
});

const { previous_secret_until } = endpointFields;
export const rotatedSecretResponse = response('RotatedWebhookSecret', {
  id: uuid,
  secret,
  previous_secret_until,
});

export const sentTestResponse = response('SentTestEvent', { event_id: uuid, delivery_id: uuid });

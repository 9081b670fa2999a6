// Deliveries of events to endpoints, and every attempt at them.

import { ATTEMPT_OUTCOMES, DELIVERY_STATUSES } from '../../domain/webhook';
import {
  eventType,
  nullableTime,
  optionalFields,
  page,
  paging,
  part,
  period,
  resource,
  timestamp,
  uuid,
} from '../schemas';

const status = {
  title: 'WebhookDeliveryStatus',
  type: 'string',
  enum: DELIVERY_STATUSES,
  description:
    'pending: will be tried. held: its endpoint is disabled. exhausted: was tried in vain for days. discarded: its endpoint was deleted.',
} as const;

export const listDeliveriesQuery = optionalFields({
  ...paging,
  endpoint_id: { ...uuid, description: 'Deliveries to this endpoint only.' },
  event_id: { ...uuid, description: 'Deliveries of this event only.' },
  status: { ...status, description: 'Deliveries with this status only.' },
  type: { ...eventType, description: 'Deliveries of this type of event only.' },
  ...period,
});

export const deliveryFields = {
  id: uuid,
  event_id: uuid,
  endpoint_id: uuid,
  type: eventType,
  status,
  attempts: { type: 'integer', minimum: 0, description: 'How many were made.' },
  next_attempt_at: nullableTime,
  delivered_at: nullableTime,
  created_at: timestamp,
} as const;

export const webhookDelivery = resource('WebhookDelivery', deliveryFields);
export const deliveriesResponse = page('webhook_deliveries', webhookDelivery);

export const attemptOutcome = {
  title: 'WebhookAttemptOutcome',
  type: 'string',
  enum: ATTEMPT_OUTCOMES,
  description: 'refused: it answered, and not with 2xx. blocked: its address is not allowed.',
} as const;

const NUMBER_PATTERN = '^[0-9]{1,9}$';

export const listAttemptsQuery = optionalFields({
  limit: paging.limit,
  cursor: {
    type: 'string',
    pattern: NUMBER_PATTERN,
    description: "An attempt's number, as next_cursor gives it; those before it are listed.",
  },
});

const attemptFields = {
  number: { type: 'integer', minimum: 1 },
  trigger: { title: 'WebhookAttemptTrigger', type: 'string', enum: ['automatic', 'resend'] },
  url: { type: 'string', maxLength: 2048, description: 'As it was then.' },
  started_at: timestamp,
  duration_ms: { type: 'integer', minimum: 0 },
  outcome: attemptOutcome,
  status: { type: ['integer', 'null'], description: 'Of its response.' },
  retry_after_seconds: { type: ['integer', 'null'], minimum: 0 },
} as const;

export const attemptSummary = part('WebhookAttemptSummary', attemptFields);

export const attemptsResponse = page(
  'attempts',
  part('WebhookAttempt', {
    ...attemptFields,
    response_body: { type: ['string', 'null'], maxLength: 16_384 },
    response_truncated: { type: 'boolean' },
  }),
  { type: ['string', 'null'], pattern: NUMBER_PATTERN },
);

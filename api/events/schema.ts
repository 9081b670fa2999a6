// Events, in the order in which they happened.

import { paymentIntent } from '../payment-intents/schema';
import { dispute } from '../disputes/schema';
import { payout } from '../payouts/schema';
import { refund } from '../refunds/schema';
import { transfer } from '../transfers/schema';
import {
  AFTER_PATTERN,
  SEQUENCE_PATTERN,
  environment,
  eventType,
  optionalFields,
  page,
  paging,
  part,
  response,
  timestamp,
  uuid,
} from '../schemas';
import { attemptSummary, deliveryFields, webhookDelivery } from '../webhook-deliveries/schema';

export const listEventsQuery = optionalFields({
  limit: paging.limit,
  after: {
    type: 'string',
    pattern: AFTER_PATTERN,
    default: '0',
    description:
      'A sequence, as next_cursor gives it; events after it are listed. `latest` lists the newest one, to go on from there.',
    examples: ['0'],
  },
  type: { ...eventType, description: 'Events of this type only.' },
});

const eventFields = {
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
    anyOf: [paymentIntent, refund, dispute, transfer, payout],
    description:
      'The payment intent of `payment.…`, the refund of `refund.…`, the dispute of `dispute.…`, the transfer of `transfer.…`, the payout of `payout.…`, as GET answered it at that moment.',
  },
} as const;
const OPTIONAL = ['test'];

/** An event as it is delivered, and as a row of GET /events. */
export const event = part('Event', eventFields, OPTIONAL);

export const eventsResponse = page('events', event, {
  type: ['string', 'null'],
  pattern: SEQUENCE_PATTERN,
});

/** The bound is more endpoints than one event ever goes to; the list of deliveries has them all. */
export const MAX_EVENT_DELIVERIES = 100;
/** The ten of the retry schedule, and as many again. */
export const MAX_LAST_ATTEMPTS = 20;

const deliveriesOf = (items: object) =>
  ({ type: 'array', maxItems: MAX_EVENT_DELIVERIES, items }) as const;

export const eventResponse = response(
  'EventWithDeliveries',
  {
    ...eventFields,
    deliveries: deliveriesOf(
      part('WebhookDeliveryWithAttempts', {
        ...deliveryFields,
        last_attempts: {
          type: 'array',
          maxItems: MAX_LAST_ATTEMPTS,
          items: attemptSummary,
          description: 'Newest first, without the body of the response.',
        },
      }),
    ),
  },
  OPTIONAL,
);

export const resendEventBody = optionalFields({
  endpoint_id: {
    ...uuid,
    description:
      'To this endpoint alone, also when it never had the event. Otherwise to all that have it and are enabled.',
  },
});

export const resentEventResponse = response('ResentEvent', {
  deliveries: deliveriesOf(webhookDelivery),
});

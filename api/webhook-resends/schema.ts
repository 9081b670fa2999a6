// Resends of an endpoint's deliveries of a period.

import { RESENT_STATUSES } from '../../use-cases/webhook-deliveries';
import {
  eventType,
  instant,
  nullableTime,
  optionalFields,
  response,
  timestamp,
  uuid,
} from '../schemas';

const status = { title: 'ResentStatus', type: 'string', enum: RESENT_STATUSES } as const;

export const resendWebhooksBody = optionalFields({
  status: {
    anyOf: [
      status,
      {
        type: 'array',
        minItems: 1,
        maxItems: RESENT_STATUSES.length,
        uniqueItems: true,
        items: status,
      },
    ],
    description: 'One or several; all but delivered when left out.',
  },
  type: { ...eventType, description: 'Deliveries of this type of event; all when left out.' },
  created_from: {
    ...instant,
    description: 'An ISO 8601 instant or date; deliveries created at it or later.',
  },
  created_to: {
    ...instant,
    description: 'An ISO 8601 instant or date; deliveries created before it, and before now.',
  },
});

export const resendResponse = response('WebhookResend', {
  id: uuid,
  endpoint_id: uuid,
  status: { title: 'WebhookResendStatus', type: 'string', enum: ['running', 'completed'] },
  queued: { type: 'integer', minimum: 0, description: 'Deliveries, so far.' },
  created_at: timestamp,
  completed_at: nullableTime,
});

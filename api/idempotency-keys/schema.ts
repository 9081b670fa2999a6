// GET /idempotency-keys/{key}.

import { IDEMPOTENT_OPERATIONS } from '../../domain/idempotency';
import { response, timestamp } from '../schemas';

const operation = {
  title: 'IdempotentOperation',
  type: 'string',
  enum: IDEMPOTENT_OPERATIONS,
} as const;

export const keyQuery = {
  type: 'object',
  required: ['operation'],
  additionalProperties: false,
  properties: {
    operation: { ...operation, description: 'What the request was to do: each has its own keys.' },
  },
} as const;

export const keyResponse = response('IdempotencyKey', {
  key: { type: 'string', minLength: 1, maxLength: 255 },
  operation,
  state: {
    title: 'IdempotencyKeyState',
    type: 'string',
    enum: ['in_progress', 'completed'],
    description:
      'completed: the key has its response, which every repetition gets. in_progress: a request with it may still have an effect.',
  },
  http_status: {
    type: ['integer', 'null'],
    minimum: 200,
    maximum: 499,
    description: 'Of the response.',
  },
  response: {
    type: ['object', 'null'],
    description: 'The response, as a repetition of the request would get it.',
  },
  reference: {
    type: ['string', 'null'],
    maxLength: 64,
    description: 'Of what the request made: a reference, or the id of a batch.',
  },
  request_id: { type: 'string', maxLength: 128, description: "The first request's." },
  created_at: timestamp,
});

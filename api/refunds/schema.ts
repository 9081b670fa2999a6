// Refunds of payments.

import { REFUND_FAILURES, REFUND_STATUSES } from '../../domain/refund';
import { createIntentBody } from '../payment-intents/schema';
import {
  amount,
  currency,
  environment,
  nullable,
  nullableText,
  optionalFields,
  page,
  part,
  paging,
  period,
  requestAmount,
  resource,
  timestamp,
  uuid,
} from '../schemas';

const { metadata } = createIntentBody.properties;

const status = {
  title: 'RefundStatus',
  type: 'string',
  enum: REFUND_STATUSES,
  description:
    'pending: the gateway has not finished it. One that succeeded may fail weeks later, when the bank of the customer sends the money back.',
} as const;

export const createRefundBody = optionalFields({
  amount: {
    ...requestAmount,
    description: `${requestAmount.description} All that is left of the payment when left out.`,
  },
  reason: {
    type: 'string',
    minLength: 1,
    maxLength: 500,
    description: 'For your own records: shown in your history, and not to the customer.',
  },
  metadata,
});

export const listRefundsQuery = optionalFields({
  ...paging,
  status,
  currency: { ...currency, description: 'Refunds in this currency only.' },
  payment_intent_id: { ...uuid, description: 'Of this payment link only.' },
  ...period,
});

export const listIntentRefundsQuery = optionalFields({
  ...paging,
  status,
});

export const refund = resource('Refund', {
  id: uuid,
  reference: {
    type: 'string',
    pattern: '^RFD-',
    maxLength: 64,
    description: 'Of its rows in GET /transactions.',
  },
  payment_intent_id: uuid,
  amount,
  currency,
  status,
  environment,
  reason: nullableText,
  metadata: { ...metadata, title: 'Metadata', description: 'What was given on creation.' },
  failure: nullable({
    ...part('RefundFailure', {
      code: {
        type: 'string',
        enum: REFUND_FAILURES,
        description:
          'refund_refused: the gateway made no refund. refund_failed: it made one, and that failed.',
      },
      message: {
        type: 'string',
        maxLength: 1000,
        description: 'In the words of the gateway, or of the operator who has ended it.',
      },
    }),
    description: 'Why it failed; the money is in the wallet again.',
  }),
  created_at: timestamp,
  updated_at: timestamp,
});

export const refundsResponse = page('refunds', refund);

// POST /transfers and GET /transfers/{reference} (specification, section 4).

import { MAX_TRANSFER_DESCRIPTION } from '../../domain/transfer';
import { createIntentBody } from '../payment-intents/schema';
import {
  amount,
  currency,
  direction,
  environment,
  hold,
  nullable,
  nullableText,
  optionalFields,
  requestAmount,
  resource,
  response,
  taxAmount,
  timestamp,
  username,
  uuid,
} from '../schemas';

export const createTransferBody = {
  type: 'object',
  required: ['to_username', 'currency', 'amount'],
  additionalProperties: false,
  properties: {
    to_username: { ...username, description: "The recipient's username; capitals do not matter." },
    currency,
    amount: requestAmount,
    description: {
      type: 'string',
      maxLength: MAX_TRANSFER_DESCRIPTION,
      description: 'For both of you: the recipient sees it too.',
      examples: ['Invoice 2026-118'],
    },
    metadata: {
      ...createIntentBody.properties.metadata,
      description: `For you alone. ${createIntentBody.properties.metadata.description}`,
    },
  },
} as const;

const transferFields = {
  reference: { type: 'string', pattern: '^TRF-', maxLength: 64 },
  status: {
    title: 'TransferStatus',
    type: 'string',
    enum: ['completed', 'reversed', 'simulated', 'held', 'refused'],
    description:
      'held: it waits for a check by the operator of the service, and the recipient has nothing yet. refused: after it, and the money is back.',
  },
  environment,
  to_username: username,
  currency,
  amount,
  simulated: { type: 'boolean', description: 'With a test key: nothing was moved.' },
} as const;

const description = {
  type: ['string', 'null'],
  maxLength: MAX_TRANSFER_DESCRIPTION,
  description: 'What its sender wrote for both of them.',
} as const;

export const createTransferResponse = response(
  'CreatedTransfer',
  {
    ...transferFields,
    description,
    metadata: { ...createIntentBody.properties.metadata, description: 'What was given.' },
    hold: { ...hold, description: 'With 202 only: the transfer waits for a check.' },
  },
  ['hold'],
);

/** A transfer, which events show too, without `ok`. */
export const transfer = resource('Transfer', {
  ...transferFields,
  direction,
  from_username: username,
  fee: amount,
  tax: taxAmount,
  total: {
    ...amount,
    description:
      'The amount that left the sender; a recipient sees it without a fee that the sender bore.',
  },
  fee_bearer: {
    type: 'string',
    enum: ['recipient', 'payer'],
    title: 'FeeBearer',
    description:
      '`recipient`: the fee is taken from the amount. `payer`: the sender pays it on top of the amount, and the recipient has no fee.',
  },
  net_amount: amount,
  reversed_amount: {
    ...amount,
    description: 'What the recipient has given back; all of it when `status` is `reversed`.',
  },
  description,
  metadata: {
    anyOf: [createIntentBody.properties.metadata, { type: 'null' }],
    description: "Its sender's own; null for its recipient.",
  },
  batch_id: {
    ...uuid,
    type: ['string', 'null'],
    description: 'Of the batch in which its sender ordered it.',
  },
  hold: nullable(hold),
  created_at: timestamp,
});

export const createReversalBody = optionalFields({
  amount: {
    ...requestAmount,
    description: `${requestAmount.description} All that is left of the transfer when left out.`,
  },
  reason: {
    type: 'string',
    minLength: 1,
    maxLength: 500,
    description: 'Shown in the history of both sides.',
  },
});

export const reversalResponse = response('Reversal', {
  reference: {
    type: 'string',
    pattern: '^RVL-',
    maxLength: 64,
    description: 'Of its rows in GET /transactions, on both sides.',
  },
  transfer_reference: transferFields.reference,
  amount,
  currency,
  reason: nullableText,
  environment,
  simulated: transferFields.simulated,
  created_at: timestamp,
});

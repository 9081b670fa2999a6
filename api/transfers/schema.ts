// POST /transfers and GET /transfers/{reference} (specification, section 4).

import type { FromSchema } from 'json-schema-to-ts';
import {
  amount,
  currency,
  direction,
  environment,
  requestAmount,
  response,
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
  },
} as const;
export type CreateTransferBody = FromSchema<typeof createTransferBody>;

const transferFields = {
  reference: { type: 'string', pattern: '^TRF-', maxLength: 64 },
  status: {
    title: 'TransferStatus',
    type: 'string',
    enum: ['completed', 'reversed', 'simulated'],
  },
  environment,
  to_username: username,
  currency,
  amount,
  simulated: { type: 'boolean', description: 'With a test key: nothing was moved.' },
} as const;

export const createTransferResponse = response('CreatedTransfer', transferFields);

export const transferResponse = response('Transfer', {
  ...transferFields,
  direction,
  from_username: username,
  fee: amount,
  net_amount: amount,
  batch_id: {
    ...uuid,
    type: ['string', 'null'],
    description: 'Of the batch in which its sender ordered it.',
  },
  created_at: timestamp,
});

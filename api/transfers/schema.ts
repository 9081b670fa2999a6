// POST /transfers and GET /transfers/{reference} (specification, section 4).

import type { FromSchema } from 'json-schema-to-ts';
import {
  amount,
  currency,
  environment,
  requestAmount,
  response,
  timestamp,
  username,
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
  status: { type: 'string', enum: ['completed', 'reversed', 'simulated'] },
  environment,
  to_username: username,
  currency,
  amount,
  simulated: { type: 'boolean' },
} as const;

export const createTransferResponse = response(transferFields);

export const transferResponse = response({
  ...transferFields,
  direction: { type: 'string', enum: ['in', 'out'] },
  from_username: username,
  fee: amount,
  net_amount: amount,
  created_at: timestamp,
});

// POST /transfers and GET /transfers/{reference} (specification, section 4).

import type { FromSchema } from 'json-schema-to-ts';
import { amount, currency, environment, ok, requestAmount, timestamp, username } from '../schemas';

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
  ok,
  reference: { type: 'string', pattern: '^TRF-', maxLength: 64 },
  status: { type: 'string', enum: ['completed', 'reversed', 'simulated'] },
  environment,
  to_username: username,
  currency,
  amount,
  simulated: { type: 'boolean' },
} as const;

export const createTransferResponse = {
  type: 'object',
  required: [
    'ok',
    'reference',
    'status',
    'environment',
    'to_username',
    'currency',
    'amount',
    'simulated',
  ],
  additionalProperties: false,
  properties: transferFields,
} as const;

export const transferResponse = {
  type: 'object',
  required: [
    ...createTransferResponse.required,
    'direction',
    'from_username',
    'fee',
    'net_amount',
    'created_at',
  ],
  additionalProperties: false,
  properties: {
    ...transferFields,
    direction: { type: 'string', enum: ['in', 'out'] },
    from_username: username,
    fee: amount,
    net_amount: amount,
    created_at: timestamp,
  },
} as const;

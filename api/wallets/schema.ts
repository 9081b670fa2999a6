// GET /wallets (specification, section 4).

import { amount, currency, environment, ok, uuid } from '../schemas';

export const walletsResponse = {
  type: 'object',
  required: ['ok', 'environment', 'wallets'],
  additionalProperties: false,
  properties: {
    ok,
    environment,
    wallets: {
      type: 'array',
      maxItems: 3,
      items: {
        type: 'object',
        required: ['id', 'currency', 'balance'],
        additionalProperties: false,
        properties: { id: uuid, currency, balance: amount },
      },
    },
  },
} as const;

// GET /me (specification, sections 2 and 4).

import { environment, ok, username, uuid } from '../schemas';

const text = { type: 'string', maxLength: 254 } as const;

export const profileResponse = {
  type: 'object',
  required: ['ok', 'environment', 'profile'],
  additionalProperties: false,
  properties: {
    ok,
    environment,
    profile: {
      type: 'object',
      required: ['id', 'username', 'email', 'first_name', 'last_name', 'country', 'kyc_status'],
      additionalProperties: false,
      properties: {
        id: uuid,
        username,
        email: text,
        first_name: text,
        last_name: text,
        country: { type: 'string', pattern: '^[A-Z]{2}$', maxLength: 2 },
        kyc_status: {
          type: 'string',
          enum: ['not_started', 'pending', 'approved', 'rejected', 'expired'],
        },
      },
    },
  },
} as const;

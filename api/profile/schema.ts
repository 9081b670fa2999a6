// GET /me (specification, sections 2 and 4).

import { environment, resource, response, username, uuid } from '../schemas';

const text = { type: 'string', maxLength: 254 } as const;

export const profileResponse = response({
  environment,
  profile: resource({
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
  }),
});

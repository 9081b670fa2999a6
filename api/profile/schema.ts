// GET /me (specification, sections 2 and 4).

import { environment, part, response, username, uuid } from '../schemas';

const text = { type: 'string', maxLength: 254 } as const;

export const profileResponse = response('KeyOwner', {
  environment,
  profile: part('Profile', {
    id: uuid,
    username,
    email: text,
    first_name: text,
    last_name: text,
    country: { type: 'string', pattern: '^[A-Z]{2}$', maxLength: 2 },
    kyc_status: {
      title: 'KycStatus',
      type: 'string',
      enum: ['not_started', 'pending', 'approved', 'rejected', 'expired'],
      description: 'The identity check: live keys work once it is approved.',
    },
  }),
});

// GET /me (specification, sections 2 and 4).

import { environment, nullableText, part, response, username, uuid } from '../schemas';

const text = { type: 'string', maxLength: 254 } as const;

export const profileResponse = response('KeyOwner', {
  environment,
  profile: part('Profile', {
    id: uuid,
    username,
    email: text,
    first_name: text,
    last_name: text,
    display_name: { ...nullableText, description: 'What customers see; null: the name above.' },
    contact: { ...nullableText, description: 'How customers reach the merchant.' },
    country: { type: 'string', pattern: '^[A-Z]{2}$', maxLength: 2 },
    kyc_status: {
      title: 'KycStatus',
      type: 'string',
      enum: ['not_started', 'pending', 'approved', 'rejected', 'expired'],
      description: 'The identity check: live keys work once it is approved.',
    },
  }),
});

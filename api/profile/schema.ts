// GET /me (specification, sections 2 and 4).

import { CURRENCIES, type Currency } from '../../domain/currency';
import { SCOPES } from '../../domain/scopes';
import {
  amount,
  environment,
  nullable,
  nullableText,
  nullableTime,
  part,
  response,
  username,
  uuid,
} from '../schemas';

const text = { type: 'string', maxLength: 254 } as const;

const dailyLimit = part(
  'DailyLimit',
  { XOF: amount, EUR: amount, USD: amount } satisfies Record<Currency, typeof amount>,
  CURRENCIES,
);

export const profileResponse = response('KeyOwner', {
  environment,
  key: part('ApiKey', {
    id: uuid,
    name: text,
    scopes: {
      type: 'array',
      minItems: 1,
      maxItems: SCOPES.length,
      items: { title: 'Scope', type: 'string', enum: SCOPES },
      description: 'What the key may do; each operation names the one that it needs.',
    },
    expires_at: { ...nullableTime, description: 'From then on it is refused; null: never.' },
    daily_limit: {
      ...nullable(dailyLimit),
      description:
        'What may leave the account by this key in 24 hours. Nothing may leave of a currency that is left out; null: there is no limit.',
    },
  }),
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

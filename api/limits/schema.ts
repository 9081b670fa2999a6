// GET /limits.

import { CURRENCIES } from '../../domain/currency';
import { LIMITS, TIERS } from '../../domain/limits';
import { amount, currency, environment, part, response, timestamp } from '../schemas';

export const limitsResponse = response('Limits', {
  environment,
  tier: {
    title: 'Tier',
    enum: TIERS,
    description: 'Which limits hold, where the account has none of its own.',
  },
  limits: {
    type: 'array',
    maxItems: CURRENCIES.length * LIMITS.length,
    description: 'Those that hold now. What is not named here has no limit.',
    items: part('Limit', {
      currency,
      limit: {
        title: 'LimitName',
        enum: LIMITS,
        description:
          '`single_…`: of one movement; `daily_…`, `monthly_…`: of a day, a month (UTC); `…_in`: of what arrives; `…_out`: of what leaves; `balance`: of what the wallet holds.',
      },
      maximum: amount,
      used: {
        ...amount,
        description: 'It is what the wallet holds for `balance`, and 0.00 for `single_…`.',
      },
      remaining: amount,
      resets_at: {
        ...timestamp,
        type: ['string', 'null'],
        description: 'When a limit of a day or a month begins anew; null of the others.',
      },
    }),
  },
});

// The limits of the caller's account, and what is left of them.

import { readLimits } from '../../db/limits/limits';
import { limitJson } from '../../domain/limits';
import { routesOf } from '../route';
import { success } from '../success';
import { limitsResponse } from './schema';

const on = routesOf('Account');

export const limitRoutes = [
  on.get('/limits', {
    summary: 'Limits of the account, and what is left of them',
    description:
      'What may come in and go out, and what each wallet may hold, in the environment of the key. Above one of them an order is refused with `limit_exceeded`; a payment waits for the operator of this service.',
    response: limitsResponse,
    handler: async function getLimits({ db }, { caller }) {
      const { user_id, environment } = caller;
      const { tier, limits } = await readLimits(db, user_id, environment);
      return success({
        environment,
        tier,
        limits: limits.map(limitJson),
      });
    },
  }),
];

// Shows the user that the key belongs to.

import { findUser } from '../../db/accounts/users';
import { findOwnKey, type DailyLimit } from '../../db/keys/api-keys';
import { CURRENCIES } from '../../domain/currency';
import type { Decimal } from '../../domain/json';
import { amountJson } from '../../domain/money';
import { HttpError } from '../../http/http-error';
import { routesOf } from '../route';
import { success } from '../success';
import { profileResponse } from './schema';

function limitJson(limit: DailyLimit): Readonly<Record<string, Decimal>> {
  return Object.fromEntries(
    CURRENCIES.flatMap((currency) => {
      const most = limit[currency];
      return most === undefined ? [] : [[currency, amountJson(BigInt(most))]];
    }),
  );
}

const on = routesOf('Account');

export const profileRoutes = [
  on.get('/me', {
    scope: null,
    summary: "The key's owner and environment, and what it may do",
    description:
      'Use it to see whose key this is, whether it is a test key or a live one, its scopes and when it expires. Any key may ask.',
    response: profileResponse,
    handler: async function getProfile({ db }, { caller }) {
      const { user_id, environment, key_id } = caller;
      const [user, key] = await Promise.all([
        findUser(db, user_id),
        findOwnKey(db, user_id, environment, key_id),
      ]);
      if (!user || !key)
        throw new HttpError('unauthorized', { headers: { 'WWW-Authenticate': 'Bearer' } });
      const { created_at: _, frozen_at: __, frozen_reason: ___, ...profile } = user;
      const { id, name, scopes, expires_at } = key;
      const daily_limit = key.daily_limit && limitJson(key.daily_limit);
      return success({
        environment,
        key: { id, name, scopes, expires_at, daily_limit },
        profile: { ...profile },
      });
    },
  }),
];

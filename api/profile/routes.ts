// Shows the user that the key belongs to.

import { findUser } from '../../db/accounts/users';
import { HttpError } from '../../http/http-error';
import type { Handler } from '../context';
import { route } from '../route';
import { success } from '../success';
import { profileResponse } from './schema';

const getProfile: Handler = async ({ db }, { caller }) => {
  const user = await findUser(db, caller.user_id);
  if (!user) throw new HttpError('unauthorized', { headers: { 'WWW-Authenticate': 'Bearer' } });
  const { created_at: _, frozen_at: __, frozen_reason: ___, ...profile } = user;
  return success({ environment: caller.environment, profile: { ...profile } });
};

export const profileRoutes = [
  route({
    method: 'GET',
    path: '/me',
    tag: 'Account',
    summary: "The key's owner and environment",
    description: 'Use it to see whose key this is, and whether it is a test key or a live one.',
    rate: 'read',
    response: profileResponse,
    handler: getProfile,
  }),
];

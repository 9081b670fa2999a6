// Shows the user that the key belongs to.

import { findUser } from '../../db/users';
import { ApiError } from '../api-error';
import type { Handler } from '../context';
import { success } from '../success';

export const getProfile: Handler = async ({ db }, { caller }) => {
  const user = await findUser(db, caller.user_id);
  if (!user) throw new ApiError('unauthorized', { headers: { 'WWW-Authenticate': 'Bearer' } });
  const { created_at: _, frozen_at: __, frozen_reason: ___, ...profile } = user;
  return success({ environment: caller.environment, profile: { ...profile } });
};

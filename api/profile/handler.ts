// Shows the user that the key belongs to.

import { findUser } from '../../db/users';
import { renderJson } from '../../domain/json';
import { ApiError } from '../api-error';
import type { ApiResponse, ApiDependencies, ApiRequest } from '../context';

export async function getProfile(
  { db }: ApiDependencies,
  { caller }: ApiRequest,
): Promise<ApiResponse> {
  const user = await findUser(db, caller.user_id);
  if (!user) throw new ApiError('unauthorized', { headers: { 'WWW-Authenticate': 'Bearer' } });
  const { created_at: _, ...profile } = user;
  return {
    status: 200,
    body: renderJson({ ok: true, environment: caller.environment, profile: { ...profile } }),
  };
}

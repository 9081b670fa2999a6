// The key's owner.

import { route } from '../route';
import { getProfile } from './handler';
import { profileResponse } from './schema';

export const profileRoutes = [
  route({
    operation_id: 'getProfile',
    method: 'GET',
    path: '/me',
    summary: "The key's owner and environment",
    rate: 'read',
    response: { status: 200, schema: profileResponse },
    errors: [],
    handler: getProfile,
  }),
];

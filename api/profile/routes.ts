// The key's owner.

import { route } from '../route';
import { getProfile } from './handler';
import { profileResponse } from './schema';

export const profileRoutes = [
  route({
    method: 'GET',
    path: '/me',
    summary: "The key's owner and environment",
    rate: 'read',
    response: profileResponse,
    handler: getProfile,
  }),
];

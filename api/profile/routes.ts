// The key's owner.

import { route } from '../route';
import { getProfile } from './handler';
import { profileResponse } from './schema';

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

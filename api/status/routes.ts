// Whether the service is up, and whether its parts work.

import { route } from '../route';
import { getHealth, getStatus } from './handlers';
import { healthResponse, statusResponse } from './schema';

export const statusRoutes = [
  route({
    method: 'GET',
    path: '/health',
    summary: 'Whether the service is up',
    rate: null,
    // Monitors ask often.
    anonymous: 'health',
    response: healthResponse,
    handler: getHealth,
  }),
  route({
    method: 'GET',
    path: '/status',
    summary: 'Whether its parts work: operational or degraded',
    rate: 'read',
    response: statusResponse,
    handler: getStatus,
  }),
];

// Whether the service is up, and whether its parts work.

import { route } from '../route';
import { getHealth, getStatus } from './handlers';
import { healthResponse, statusResponse } from './schema';

export const statusRoutes = [
  route({
    method: 'GET',
    path: '/health',
    tag: 'Service',
    summary: 'Whether the service is up',
    description:
      'Needs no key and asks neither the database nor Temporal: for load balancers and monitors.',
    rate: null,
    // Monitors ask often.
    anonymous: 'health',
    response: healthResponse,
    handler: getHealth,
  }),
  route({
    method: 'GET',
    path: '/status',
    tag: 'Service',
    summary: 'Whether its parts work: operational or degraded',
    description:
      '`degraded` when Postgres or Temporal does not work just now. Money is safe meanwhile; writing calls may answer 503.',
    rate: 'read',
    response: statusResponse,
    handler: getStatus,
  }),
];

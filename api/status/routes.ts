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
      '`degraded` when Postgres or Temporal does not work just now. Money is safe meanwhile; writing calls may answer 503. ' +
      'While Postgres cannot be reached at all, this answers 503 as every call with a key does: the key cannot be checked. ' +
      '`GET /ready`, beside this API and without a key, tells which part it is.',
    rate: 'read',
    response: statusResponse,
    handler: getStatus,
  }),
];

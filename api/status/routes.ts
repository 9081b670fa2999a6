// Whether the service is up, and whether its parts work.

import { route } from '../route';
import { getHealth, getStatus } from './handlers';
import { healthResponse, statusResponse } from './schema';

export const statusRoutes = [
  route({
    operation_id: 'getHealth',
    method: 'GET',
    path: '/health',
    summary: 'Whether the service is up',
    rate: null,
    response: { status: 200, schema: healthResponse },
    errors: [],
    handler: getHealth,
  }),
  route({
    operation_id: 'getStatus',
    method: 'GET',
    path: '/status',
    summary: 'Whether its parts work: operational or degraded',
    rate: 'read',
    response: { status: 200, schema: statusResponse },
    errors: [],
    handler: getStatus,
  }),
];

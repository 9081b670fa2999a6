// Tells whether the service is up, and whether its parts really work.

import { doesPostgresWork, hasPostgresRoom } from '../../db/health/health';
import type { ApiDependencies, ApiResponse } from '../context';
import { routesOf } from '../route';
import { success } from '../success';
import { healthResponse, statusResponse } from './schema';

/** Queries nothing: the response says that this process is up, and no more. */
function getHealth(): ApiResponse {
  const time = new Date().toISOString();
  return success({ service: 'payment-api', version: 'v1', time });
}

/**
 * `degraded` while Temporal does no work: reads are served then and writes answer 503. While
 * Postgres is away no request comes here, because no key can be checked.
 */
async function getStatus({ db, probeTemporal }: ApiDependencies): Promise<ApiResponse> {
  const [postgres, has_room, temporal] = await Promise.all([
    // Which fault it is does not matter here: requests that run into it log it.
    doesPostgresWork(db).catch(() => false),
    hasPostgresRoom(db),
    probeTemporal(),
  ]);
  const state = (works: boolean) => (works ? 'operational' : 'degraded');
  return success({
    status: state(postgres && has_room && temporal),
    components: { postgres: state(postgres && has_room), temporal: state(temporal) },
  });
}

const on = routesOf('Service');

export const statusRoutes = [
  on.get('/health', {
    summary: 'Whether the service is up',
    description:
      'Needs no key and asks neither the database nor Temporal: for load balancers and monitors.',
    // Monitors ask often.
    anonymous: 'health',
    response: healthResponse,
    handler: getHealth,
  }),
  on.get('/status', {
    summary: 'Whether its parts work: operational or degraded',
    description:
      '`degraded` when Postgres or Temporal does not work just now. Money is safe meanwhile; writing calls may answer 503. ' +
      'While Postgres cannot be reached at all, this answers 503 as every call with a key does: the key cannot be checked. ' +
      '`GET /ready`, beside this API and without a key, tells which part it is.',
    response: statusResponse,
    handler: getStatus,
  }),
];

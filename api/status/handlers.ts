// Tells whether the service is up, and whether its parts really work.

import { doesPostgresWork, hasPostgresRoom } from '../../db/health';
import type { ApiDependencies, ApiResponse } from '../context';
import { success } from '../success';

/** Queries nothing: the response says that this process is up, and no more. */
export function getHealth(): ApiResponse {
  const time = new Date().toISOString();
  return success({ service: 'payment-api', version: 'v1', time });
}

/**
 * `degraded` while Temporal does no work: reads are served then and writes answer 503. While Postgres is away
 * nobody comes here, because no key can be checked.
 */
export async function getStatus({ db, probeTemporal }: ApiDependencies): Promise<ApiResponse> {
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

// Tells operators of a fault that a request ran into.

import { isDatabaseUnavailable } from '../db/errors';
import type { HttpContext, HttpDependencies } from './context';

/** Returns whether the database is away. Never throws: the caller still gets a response of ours. */
export function logFault(
  log: HttpDependencies['log'],
  { state }: HttpContext,
  thrown: unknown,
): boolean {
  const unavailable = isDatabaseUnavailable(thrown);
  try {
    log({
      request_id: state.request_id,
      route: state.route,
      unavailable,
      error: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown),
    });
  } catch {
    // Standard error is closed or full.
  }
  return unavailable;
}

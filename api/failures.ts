// Errors that several handlers return.

import { isDatabaseUnavailable } from '../db/errors';
import { ApiError } from './api-error';

/** How long a caller waits before it retries after 503 or 409. */
const RETRY_AFTER_SECONDS = 1;

export function unavailable(message?: string): ApiError {
  return new ApiError('unavailable', {
    ...(message === undefined ? {} : { message }),
    headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
  });
}

/**
 * For a read that follows a change. When the database is away, the change may still have happened, so
 * the 503 carries this message instead of "Nothing was changed".
 */
export async function orUnknown<T>(message: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw isDatabaseUnavailable(error) ? unavailable(message) : error;
  }
}

export function inProgress(): ApiError {
  return new ApiError('idempotency_in_progress', {
    headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
  });
}

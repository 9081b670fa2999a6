// Errors that several handlers return.

import { isDatabaseUnavailable } from '../../db/errors';
import { Refusal } from '../../domain/refusal';

/** How long a caller waits before it retries after 503 or 409. */
const RETRY_AFTER_SECONDS = 1;

const CANNOT = 'The service cannot do this right now.';

/** This request has changed nothing and cannot change anything any more, whatever came before it. */
export function nothingChanged(): Refusal {
  return unavailable(`${CANNOT} Nothing was changed; try again.`);
}

/**
 * Nothing was begun for this request, which takes an idempotency key. With a key of the caller's
 * own an earlier request may have been begun, whose connection was lost: it may still be carried
 * out, and it was not looked up.
 */
export function notBegun(has_own_key: boolean, reason = CANNOT): Refusal {
  return unavailable(
    `${reason} ${has_own_key ? EARLIER_MAY_HAPPEN : 'Nothing was changed; try again.'}`,
  );
}

const EARLIER_MAY_HAPPEN =
  'This request was not begun, but an earlier request with this Idempotency-Key may still be carried out: repeat it with the same key.';

/** The request was begun, and what became of it cannot be looked up. */
export function outcomeUnknown(): Refusal {
  return unavailable(
    'The outcome is not known yet. Repeat the request with the same Idempotency-Key.',
  );
}

export function unavailable(message?: string): Refusal {
  return new Refusal('unavailable', {
    ...(message === undefined ? {} : { message }),
    retry_after_seconds: RETRY_AFTER_SECONDS,
  });
}

/**
 * Runs a change, or a read that follows it. When the database is away, the change may still have
 * happened, and the 503 says so with this message.
 */
export async function orUnknown<T>(message: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw isDatabaseUnavailable(error) ? unavailable(message) : error;
  }
}

export function inProgress(): Refusal {
  return new Refusal('idempotency_in_progress', {
    retry_after_seconds: RETRY_AFTER_SECONDS,
  });
}

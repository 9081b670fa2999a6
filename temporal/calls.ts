// Every call to Temporal has a deadline, because a caller waits for its result.

import { isGrpcServiceError, ServiceError, type Client } from '@temporalio/client';

/**
 * Calls Temporal. Undefined when no response came before `deadline` (ms since the epoch): whether
 * the server acted on the call is then unknown.
 *
 * It takes two limits. The connection's deadline ends each attempt of a call, but the native client
 * goes on trying for ten seconds and more when the connection is refused; `within` ends the wait.
 */
export function callTemporal<T>(
  { connection }: Pick<Client, 'connection'>,
  deadline: number,
  call: () => Promise<T>,
): Promise<T | undefined> {
  return within(deadline - Date.now(), connection.withDeadline(deadline, call));
}

/** Undefined when the time is over first; the promise itself goes on. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const elapsed = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, ms), undefined);
  });
  try {
    return await Promise.race([promise, elapsed]);
  } finally {
    clearTimeout(timer);
  }
}

/** The gRPC status codes that mean something to us (grpc/grpc, doc/statuscodes.md). */
export const GRPC_CODES = {
  invalid_argument: 3,
  not_found: 5,
  already_exists: 6,
  permission_denied: 7,
  failed_precondition: 9,
  unimplemented: 12,
} as const;

/**
 * True when the server responded with this code, whether or not the client has wrapped the error.
 */
export function hasGrpcCode(error: unknown, code: keyof typeof GRPC_CODES): boolean {
  // A worker's native connection throws a ServiceError that has the code itself.
  const wrapped = error instanceof ServiceError && !isGrpcServiceError(error);
  const cause = wrapped ? error.cause : error;
  return isGrpcServiceError(cause) && Number(cause.code) === GRPC_CODES[code];
}

/**
 * True when Temporal will never take this request. Not while it does not know our search
 * attributes, as after the loss of its data, which has the same code: the processes register them
 * again (bin/jobs.ts).
 */
export function isRefusedForGood(error: unknown): boolean {
  return hasGrpcCode(error, 'invalid_argument') && !/search attribute/i.test(describeError(error));
}

/** The error with its cause: the server's own words stand under the client's. */
export function describeError(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error ? `${String(error)}: ${cause.message}` : String(error);
}

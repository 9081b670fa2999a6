// Asks the database for the outcome of a request whose result did not arrive, until it is certain.

import { setTimeout as delay } from 'node:timers/promises';
import { resolveOutcome } from '../../db/requests/orders';
import type { IdempotencyScope, StoredResponse } from '../../domain/idempotency';
import { within } from '../../temporal/calls';
import { Refusal } from '../../domain/refusal';
import type { OrderDependencies } from './dependencies';
import { nothingChanged, outcomeUnknown } from './failures';

/** How long to keep querying after the deadline; an unreachable database may have recovered. */
const RESOLVE_WITHIN_MS = 2_500;
const RESOLVE_PAUSE_MS = 200;

export interface Unresolved {
  readonly scope: IdempotencyScope;
  readonly request_id: string;
  /** ISO 8601, by the database's clock. */
  readonly accept_before: string;
  /** The caller waits so long: ms since the epoch, by this process' clock. */
  readonly deadline: number;
}

/**
 * The query waits for a posting that is being committed, and gives the request up when there is none: a workflow that
 * comes to it later posts nothing. Only then is "it did not happen" true.
 * @throws Refusal
 */
export async function resolveRequest(
  { db, log }: Pick<OrderDependencies, 'db' | 'log'>,
  { scope, request_id, accept_before, deadline }: Unresolved,
): Promise<StoredResponse> {
  await delay(Math.max(0, deadline - Date.now()));
  while (Date.now() < deadline + RESOLVE_WITHIN_MS) {
    try {
      const resolving = resolveOutcome(db, scope, accept_before);
      const resolved = await within(deadline + RESOLVE_WITHIN_MS - Date.now(), resolving);
      if (!resolved) break;
      if (resolved.state === 'answered') return resolved.response;
      if (resolved.state === 'lapsed') throw nothingChanged();
    } catch (error) {
      if (error instanceof Refusal) throw error;
      log({ request_id, unavailable: true, error: String(error) });
    }
    await delay(RESOLVE_PAUSE_MS);
  }
  throw outcomeUnknown();
}

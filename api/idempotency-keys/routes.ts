// The outcome of a request, by its idempotency key. "Not found" is said only when no request that came before can still
// have an effect (docs/decisions/repeats.md).

import { setTimeout as delay } from 'node:timers/promises';
import { resolveOutcome } from '../../db/requests/orders';
import { type KeyRow, findBegun, findKeptKey } from '../../db/requests/idempotency-keys';
import type { IdempotencyScope, IdempotentOperation } from '../../domain/idempotency';
import { IDEMPOTENCY_KEY_PATTERN } from '../../domain/ids';
import { Refusal } from '../../domain/refusal';
import { SCOPE_OF_OPERATION } from '../../domain/scopes';
import { ACCEPT_WITHIN_MS, CARRY_OUT_WITHIN_MS } from '../../domain/transfer';
import { unavailable } from '../../use-cases/requests/failures';
import { acceptBatchWithinMs } from '../../use-cases/batches/order';
import type { ApiDependencies, ApiResponse } from '../context';
import { outOfScope } from '../middleware/authenticate';
import { routesOf } from '../route';
import { keyQuery, keyResponse } from './schema';

/**
 * A key that nothing is known of is looked at so many times, while its request may be under way.
 */
const LOOKS = 20;

/** Undefined when nothing is known of the key. */
async function look(
  { db }: Pick<ApiDependencies, 'db'>,
  scope: IdempotencyScope,
): Promise<ApiResponse | undefined> {
  const kept = await findKeptKey(db, scope);
  if (kept.row) return present(scope, kept.row);
  const begun = await findBegun(db, scope);
  return begun && present(scope, { ...begun, status: null, body: null, reference: null });
}

/**
 * Waits until no request that came before this one can have an effect any more. Each has a moment
 * past which nothing of it is written, at most so long after it came, and writes under the lock of
 * its key; what a workflow could still write then is given up.
 */
async function waitFor(
  dependencies: Pick<ApiDependencies, 'config' | 'db'>,
  scope: IdempotencyScope,
): Promise<ApiResponse> {
  const { config, db } = dependencies;
  const within_ms =
    scope.operation === 'transfer_batch' || scope.operation === 'payout_batch'
      ? acceptBatchWithinMs(config)
      : ACCEPT_WITHIN_MS;
  const { now } = await findKeptKey(db, scope);
  const after = (ms: number): string => new Date(Date.parse(now) + ms).toISOString();
  const over_at = after(within_ms);
  const deadline = Date.now() + 2 * within_ms;
  let isOver = false;
  while (!isOver && Date.now() < deadline) {
    await delay(within_ms / LOOKS);
    const found = await look(dependencies, scope);
    if (found) return found;
    isOver = (await findKeptKey(db, scope)).now > over_at;
  }
  // A workflow could still carry it out: it is given up.
  const last_at = mayOutlive(scope.operation) ? after(CARRY_OUT_WITHIN_MS) : over_at;
  const { state } = await resolveOutcome(db, scope, last_at);
  // The database's clock was set back meanwhile.
  if (state === 'pending') throw unavailable();
  const found = await look(dependencies, scope);
  if (found) return found;
  throw new Refusal('idempotency_key_not_found');
}

/** Its workflow may carry it out after its request has ended. */
const mayOutlive = (operation: IdempotentOperation): boolean =>
  operation === 'transfer' || operation === 'reversal';

/** The response is JSON text already. */
function present({ key, operation }: IdempotencyScope, row: KeyRow): ApiResponse {
  const { status, body, reference, request_id, created_at } = row;
  const state = body === null ? 'in_progress' : 'completed';
  const before = JSON.stringify({ ok: true, key, operation, state, http_status: status });
  const after = JSON.stringify({ reference, request_id, created_at });
  return {
    status: 200,
    body: `${before.slice(0, -1)},"response":${body ?? 'null'},${after.slice(1)}`,
  };
}

const on = routesOf('Service');

export const idempotencyKeyRoutes = [
  on.get('/idempotency-keys/{key}', {
    scope: null,
    path_parameters: { key: 'The Idempotency-Key of the request, percent-encoded.' },
    summary: 'What became of a request whose response was lost',
    description:
      'Asks without repeating the request. A key without the scope `read` asks about the operations that it may carry out. 404 says that no request with the key has had an effect, and that none that came before this one still can: it takes five seconds, until the last of them would be over or is given up, and for `transfer_batch` half a minute, because a batch may be long in uploading. A request that comes later is a new one.',
    query: keyQuery,
    response: keyResponse,
    errors: ['idempotency_key_not_found', 'forbidden'],
    handler: async function getIdempotencyKey(dependencies, request) {
      const { caller, params, query } = request;
      const key = params['key'] ?? '';
      // A program that only writes learns what became of its own orders, and not what other programs have sent to whom.
      const scope_of = SCOPE_OF_OPERATION[query.operation];
      if (!caller.scopes.includes('read') && !caller.scopes.includes(scope_of)) {
        throw outOfScope(scope_of);
      }
      // No request has ever had it.
      if (!IDEMPOTENCY_KEY_PATTERN.test(key)) throw new Refusal('idempotency_key_not_found');
      const { user_id, environment } = caller;
      const scope = { user_id, environment, operation: query.operation, key };
      return (await look(dependencies, scope)) ?? waitFor(dependencies, scope);
    },
  }),
];

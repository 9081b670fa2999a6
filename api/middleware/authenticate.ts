// Who is calling, and may they call now: one statement tells both, before the body is read.

import { performance } from 'node:perf_hooks';
import {
  authenticate as countAndIdentify,
  identify,
  type Caller,
  type OperationKey,
} from '../../db/api-keys';
import { hashApiKey, isWellFormedApiKey } from '../../secrets/api-key';
import { ApiError } from '../api-error';
import type { ApiContext, ApiDependencies, ApiMiddleware } from '../context';
import { rateLimited, setRateLimitHeaders } from '../rate-limits/headers';
import { findIdempotencyKey } from './idempotency';

const BEARER = /^Bearer +([^\s]+)$/i;

type Dependencies = Pick<ApiDependencies, 'db' | 'config' | 'reservations'>;

export function authenticate(
  dependencies: Dependencies,
  rate: 'read' | 'write',
  /** The operation whose idempotency keys this route takes. */
  operation?: OperationKey['operation'],
): ApiMiddleware {
  return async (ctx, next) => {
    const api_key = readApiKey(ctx, dependencies.config.key_prefixes);
    if (api_key === undefined) throw unauthorized(ctx);
    const caller = await findCaller(dependencies, {
      hash: hashApiKey(api_key),
      is_write: rate === 'write',
      operation_key: operation && operationKey(ctx, operation),
    });
    if (!caller) throw unauthorized(ctx);
    ctx.state.caller = caller;
    setRateLimitHeaders(ctx, caller, rate);
    if (!caller.allowed) throw rateLimited(caller);
    return next();
  };
}

// Only this header, and only once: a key in a URL ends up in logs, and of two headers a proxy may have
// checked the other one.
function readApiKey(ctx: ApiContext, prefixes: readonly string[]): string | undefined {
  const { authorization = [] } = ctx.req.headersDistinct;
  const key = authorization.length === 1 ? BEARER.exec(authorization[0]!)?.[1] : undefined;
  return key !== undefined && isWellFormedApiKey(key, prefixes) ? key : undefined;
}

// Missing, malformed, unknown and revoked keys get the same bytes and headers, so that a stranger
// learns nothing. A generated Idempotency-Key would differ each time.
function unauthorized(ctx: ApiContext): ApiError {
  ctx.remove('Idempotency-Key');
  return new ApiError('unauthorized', { headers: { 'WWW-Authenticate': 'Bearer' } });
}

function operationKey(
  ctx: ApiContext,
  operation: OperationKey['operation'],
): OperationKey | undefined {
  const key = findIdempotencyKey(ctx);
  return key === undefined ? undefined : { operation, key };
}

interface Call {
  readonly hash: Buffer;
  readonly is_write: boolean;
  readonly operation_key: OperationKey | undefined;
}

/** Undefined when the key is unknown or revoked. */
async function findCaller(dependencies: Dependencies, call: Call): Promise<Caller | undefined> {
  const { db, reservations } = dependencies;
  const { hash, is_write, operation_key } = call;
  const reserved = reservations.spend(hash.toString('base64'), is_write);
  if (!reserved) return countCall(dependencies, call);
  // A reserved call is still identified: a revoked key is refused at once.
  const identity = await identify(db, hash, operation_key);
  return identity && { ...reserved, ...identity };
}

async function countCall(
  { db, reservations }: Dependencies,
  { hash, is_write, operation_key }: Call,
): Promise<Caller | undefined> {
  const key = hash.toString('base64');
  const may_reserve = reservations.beginReserving(key);
  try {
    const requested_at = performance.now();
    const options = { operation_key, may_reserve };
    const counted = await countAndIdentify(db, hash, is_write, options);
    if (counted?.allowed) reservations.add(key, counted, requested_at);
    return counted;
  } finally {
    if (may_reserve) reservations.endReserving(key);
  }
}

// Who is calling, and may they call now: one statement answers both, before the body is read.

import { performance } from 'node:perf_hooks';
import {
  authenticate as countAndIdentify,
  identify,
  type Caller,
  type RepeatableKey,
} from '../../db/api-keys';
import { hashApiKey, isWellFormedApiKey } from '../../secrets/api-key';
import { ApiError } from '../api-error';
import type { ApiContext, ApiDependencies, ApiMiddleware } from '../context';
import { findIdempotencyKey } from './idempotency';
import { setRateLimitHeaders, rateLimited } from './rate-limit';

const BEARER = /^Bearer +([^\s]+)$/i;

type Dependencies = Pick<ApiDependencies, 'db' | 'config' | 'leases'>;

export function authenticate(
  dependencies: Dependencies,
  rate: 'read' | 'write',
  /** The operation whose idempotency keys this route takes. */
  operation?: RepeatableKey['operation'],
): ApiMiddleware {
  return async (ctx, next) => {
    const key = readKey(ctx, dependencies.config.key_prefixes);
    const idempotency_key = operation && findIdempotencyKey(ctx);
    const repeatable =
      operation && idempotency_key !== undefined ? { operation, key: idempotency_key } : undefined;
    // Missing, malformed, unknown and revoked answer the same bytes: nothing to learn from.
    const caller =
      key === undefined ? undefined : await findCaller(dependencies, key, rate, repeatable);
    if (!caller) {
      // A stranger is answered the same bytes each time.
      ctx.remove('Idempotency-Key');
      throw new ApiError('unauthorized', { headers: { 'WWW-Authenticate': 'Bearer' } });
    }
    ctx.state.caller = caller;
    setRateLimitHeaders(ctx, caller, rate);
    if (!caller.allowed) throw rateLimited(caller);
    return next();
  };
}

async function findCaller(
  { db, leases }: Dependencies,
  key: string,
  rate: 'read' | 'write',
  repeatable: RepeatableKey | undefined,
): Promise<Caller | undefined> {
  const hash = hashApiKey(key);
  const lease_key = hash.toString('base64');
  const remaining = leases.spend(lease_key, rate === 'write');
  if (remaining) {
    // Still asked at every call: a revoked key is refused at once, lease or not.
    const identity = await identify(db, hash, repeatable);
    return identity && { ...identity, ...remaining };
  }
  const may_lease = leases.claim(lease_key);
  try {
    const asked_at = performance.now();
    const counted = await countAndIdentify(db, hash, rate === 'write', { repeatable, may_lease });
    if (counted?.allowed) leases.keep(lease_key, counted, asked_at);
    return counted;
  } finally {
    if (may_lease) leases.release(lease_key);
  }
}

// Only this header, once: a key in a URL ends up in logs, and of two headers a proxy may have checked
// the other one.
function readKey(ctx: ApiContext, prefixes: readonly string[]): string | undefined {
  const { authorization = [] } = ctx.req.headersDistinct;
  const key = authorization.length === 1 ? BEARER.exec(authorization[0]!)?.[1] : undefined;
  return key !== undefined && isWellFormedApiKey(key, prefixes) ? key : undefined;
}

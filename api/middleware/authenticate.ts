// Who is calling, and may they call now: one statement answers both, before the body is read.

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
import { findIdempotencyKey } from './idempotency';
import { setRateLimitHeaders, rateLimited } from '../rate-limits/headers';

const BEARER = /^Bearer +([^\s]+)$/i;

type Dependencies = Pick<ApiDependencies, 'db' | 'config' | 'leases'>;

export function authenticate(
  dependencies: Dependencies,
  rate: 'read' | 'write',
  /** The operation whose idempotency keys this route takes. */
  operation?: OperationKey['operation'],
): ApiMiddleware {
  return async (ctx, next) => {
    const key = readKey(ctx, dependencies.config.key_prefixes);
    if (key === undefined) throw unauthorized(ctx);
    const hash = hashApiKey(key);
    const spent = dependencies.leases.spend(hash.toString('base64'), rate === 'write');
    if (spent && rate === 'read') return readMeanwhile(dependencies, ctx, next, { hash, spent });

    const idempotency_key = operation && findIdempotencyKey(ctx);
    const repeatable =
      operation && idempotency_key !== undefined ? { operation, key: idempotency_key } : undefined;
    const caller = spent
      ? await confirm(dependencies, hash, spent, repeatable)
      : await count(dependencies, hash, rate, repeatable);
    letIn(ctx, caller, rate);
    return next();
  };
}

// A read changes nothing, so it is made while its caller is being identified, for whom the key stood
// when this call was counted, a second ago at most. Its answer leaves only when the key still stands:
// one wait for Postgres instead of two.
async function readMeanwhile(
  dependencies: Dependencies,
  ctx: ApiContext,
  next: () => Promise<unknown>,
  { hash, spent }: { hash: Buffer; spent: Caller },
): Promise<void> {
  ctx.state.caller = spent;
  const [confirmed, read] = await Promise.allSettled([confirm(dependencies, hash, spent), next()]);
  ctx.state.caller = undefined;
  if (confirmed.status === 'rejected') throw confirmed.reason;
  letIn(ctx, confirmed.value, 'read');
  if (read.status === 'rejected') throw read.reason;
}

function letIn(ctx: ApiContext, caller: Caller | undefined, rate: 'read' | 'write'): void {
  if (!caller) throw unauthorized(ctx);
  ctx.state.caller = caller;
  setRateLimitHeaders(ctx, caller, rate);
  if (!caller.allowed) throw rateLimited(caller);
}

// Missing, malformed, unknown and revoked answer the same bytes: nothing to learn from.
function unauthorized(ctx: ApiContext): ApiError {
  // A stranger is answered the same bytes each time.
  ctx.remove('Idempotency-Key');
  return new ApiError('unauthorized', { headers: { 'WWW-Authenticate': 'Bearer' } });
}

// Asked at every call that was counted in advance: a revoked key is refused at once, lease or not.
async function confirm(
  { db }: Dependencies,
  hash: Buffer,
  spent: Caller,
  repeatable?: OperationKey,
): Promise<Caller | undefined> {
  const identity = await identify(db, hash, repeatable);
  return identity && { ...spent, ...identity };
}

async function count(
  { db, leases }: Dependencies,
  hash: Buffer,
  rate: 'read' | 'write',
  repeatable: OperationKey | undefined,
): Promise<Caller | undefined> {
  const lease_key = hash.toString('base64');
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

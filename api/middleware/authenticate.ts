// One statement finds the caller and tells whether they may call now, before the body is read.

import {
  authenticate as countAndIdentify,
  identify,
  type Caller,
  type OperationKey,
} from '../../db/keys/api-keys';
import { hashApiKey, isWellFormedApiKey } from '../../secrets/api-key';
import { KEY_PREFIX } from '../../domain/ids';
import { laterBy } from '../../domain/instant';
import { Refusal } from '../../domain/refusal';
import type { Scope } from '../../domain/scopes';
import { HttpError } from '../../http/http-error';
import { PREFIX } from '../../http/prefix';
import type { ApiDependencies } from '../context';
import type { Route } from '../route';
import type { HttpContext, HttpMiddleware } from '../../http/context';
import { strangerLimited } from '../../http/strangers';
import { rateLimited, setRateLimitHeaders } from '../rate-limits/headers';
import { findIdempotencyKey } from './idempotency';

const BEARER = /^Bearer +([^\s]+)$/i;

type Dependencies = Pick<ApiDependencies, 'db' | 'reservations' | 'strangers'>;

interface GuardedRoute extends Pick<Route, 'idempotent' | 'sandbox_only' | 'scope'> {
  readonly rate: 'read' | 'write';
}

export function authenticate(
  dependencies: Dependencies,
  { rate, scope, idempotent: operation, sandbox_only }: GuardedRoute,
): HttpMiddleware {
  return async (ctx, next) => {
    const api_key = readApiKey(ctx);
    if (typeof api_key !== 'string') throw refuse(dependencies, ctx, api_key.fault);
    const hash = hashApiKey(api_key);
    const secret = hash.toString('base64');
    const call = {
      hash,
      secret,
      address: ctx.state.ip,
      is_write: rate === 'write',
      operation_key: operation && operationKey(ctx, operation),
    };
    ctx.state.is_counted = true;
    let fault: KeyFault = 'unknown';
    const caller = await dependencies.strangers.lookUp(ctx.state.ip, secret, async () => {
      const found = await findCaller(dependencies, call);
      if (!found || (found.is_address_allowed && !found.is_revoked && !found.is_expired)) {
        return found;
      }
      // The caller counts as an anonymous one. The access log has the key, so that its account sees who still uses it.
      ctx.state.refused_key_id = found.key_id;
      if (found.is_expired) fault = 'expired';
      if (found.is_revoked) fault = 'revoked';
      return undefined;
    });
    if (typeof caller !== 'object') throw unauthorized(ctx, fault, caller);
    ctx.state.caller = caller;
    setRateLimitHeaders(ctx, caller, rate);
    if (caller.clock_seconds) ctx.set('Sandbox-Clock', laterBy(caller.now, caller.clock_seconds));
    if (!caller.allowed) throw rateLimited(caller);
    if (caller.is_frozen) throw new HttpError('account_frozen');
    if (sandbox_only && caller.environment === 'live') throw sandboxOnly();
    if (scope !== null && !caller.scopes.includes(scope)) throw outOfScope(scope);
    return next();
  };
}

/**
 * A call that no route took, such as one with a mistyped path, is counted and logged as its key's; without a valid
 * key it is left to `countTheRest`. The response stays, unless the key is over its limit.
 */
export function authenticateTheRest(
  dependencies: Dependencies,
  words: ReadonlySet<string>,
): HttpMiddleware {
  const name = authenticate(dependencies, { rate: 'read', scope: null });
  return async (ctx, next) => {
    try {
      await next();
    } finally {
      const isRest = ctx.state.is_counted !== true && ctx.path.startsWith(PREFIX);
      if (isRest && typeof readApiKey(ctx) === 'string') {
        ctx.state.words = words;
        await name(ctx, () => Promise.resolve()).catch(ignoreAllButLimits);
      }
    }
  };
}

function ignoreAllButLimits(error: unknown): void {
  if (error instanceof Refusal && error.code === 'rate_limited') throw error;
}

export function outOfScope(scope: Scope): HttpError {
  return new HttpError('forbidden', {
    param: 'scope',
    message: `This API key lacks the scope ${scope}. Use a key that has it, or change this one in the dashboard under API keys.`,
  });
}

function sandboxOnly(): HttpError {
  return new HttpError('forbidden', { message: 'Only the sandbox has this. Use a test key.' });
}

/** Why a key is not taken. */
type KeyFault = 'missing' | 'malformed' | 'unknown' | 'revoked' | 'expired';

// The key is read from this header only, and only once: a key in a URL ends up in logs, and of two
// headers a proxy may have checked the other one.
function readApiKey(ctx: HttpContext): string | { readonly fault: KeyFault } {
  const { authorization = [] } = ctx.req.headersDistinct;
  if (authorization.join('') === '') return { fault: 'missing' };
  const key = authorization.length === 1 ? BEARER.exec(authorization[0]!)?.[1] : undefined;
  return key !== undefined && isWellFormedApiKey(key) ? key : { fault: 'malformed' };
}

function refuse(dependencies: Dependencies, ctx: HttpContext, fault: KeyFault): Refusal {
  ctx.state.is_counted = true;
  const seconds = dependencies.strangers.take('request', ctx.state.ip);
  return unauthorized(ctx, fault, seconds || undefined);
}

// A refusal says no more than the caller knows: whether a key was sent and has the form of one. Only the holder of a
// key, who has its 190 random bits, learns that it was revoked or has expired. A key from an address that it does not
// allow is called unknown: a thief does not learn that it is worth another try from elsewhere. A generated
// Idempotency-Key would differ each time.
function unauthorized(
  ctx: HttpContext,
  fault: KeyFault,
  retry_after_seconds: number | undefined,
): Refusal {
  ctx.remove('Idempotency-Key');
  if (retry_after_seconds !== undefined) return strangerLimited(retry_after_seconds);
  return new HttpError('unauthorized', {
    message: KEY_FAULTS[fault],
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

const KEY_FAULTS: Readonly<Record<KeyFault, string>> = {
  missing: `No API key was sent. Send one as a bearer token, "Authorization: Bearer ${KEY_PREFIX}_test_…" or "${KEY_PREFIX}_live_…".`,
  malformed: `The header Authorization has no complete API key. Send one, as a bearer token and as it was shown: "Authorization: Bearer ${KEY_PREFIX}_test_…" or "${KEY_PREFIX}_live_…".`,
  unknown:
    'There is no such API key, or it may not be used from this address. The dashboard lists your keys under API keys.',
  expired:
    'This API key has expired. Use another one, or make a new one in the dashboard under API keys.',
  revoked:
    'This API key was revoked. Use another one, or make a new one in the dashboard under API keys.',
};

function operationKey(
  ctx: HttpContext,
  operation: OperationKey['operation'],
): OperationKey | undefined {
  const key = findIdempotencyKey(ctx);
  return key === undefined ? undefined : { operation, key };
}

interface Call {
  readonly hash: Buffer;
  /** The hash in base64. */
  readonly secret: string;
  readonly address: string;
  readonly is_write: boolean;
  readonly operation_key: OperationKey | undefined;
}

/** Undefined when the key is unknown. */
async function findCaller(
  { db, reservations }: Dependencies,
  { hash, secret, address, is_write, operation_key }: Call,
): Promise<Caller | undefined> {
  const reserved = reservations.spend(secret, is_write);
  // A reserved call is still identified: a revoked key and a frozen account are refused at once.
  const identity = reserved && (await identify(db, hash, operation_key));
  if (reserved && identity) return { ...reserved, ...identity };
  return reservations.count(secret, (may_reserve) =>
    countAndIdentify(db, hash, is_write, { address, operation_key, may_reserve }),
  );
}

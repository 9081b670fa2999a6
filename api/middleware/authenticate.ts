// Who is calling, and may they call now: one statement tells both, before the body is read.

import {
  authenticate as countAndIdentify,
  identify,
  type Caller,
  type OperationKey,
} from '../../db/keys/api-keys';
import { hashApiKey, isWellFormedApiKey } from '../../secrets/api-key';
import type { Refusal } from '../../domain/refusal';
import { HttpError } from '../../http/http-error';
import type { ApiDependencies } from '../context';
import type { HttpContext, HttpMiddleware } from '../../http/context';
import { strangerLimited } from '../../http/strangers';
import { rateLimited, setRateLimitHeaders } from '../rate-limits/headers';
import { findIdempotencyKey } from './idempotency';

const BEARER = /^Bearer +([^\s]+)$/i;

type Dependencies = Pick<ApiDependencies, 'db' | 'config' | 'reservations' | 'strangers'>;

export function authenticate(
  dependencies: Dependencies,
  rate: 'read' | 'write',
  /** The operation whose idempotency keys this route takes. */
  operation?: OperationKey['operation'],
): HttpMiddleware {
  return async (ctx, next) => {
    const api_key = readApiKey(ctx, dependencies.config.key_prefixes);
    if (api_key === undefined) throw refuse(dependencies, ctx);
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
    const caller = await dependencies.strangers.lookUp(ctx.state.ip, secret, async () => {
      const found = await findCaller(dependencies, call);
      if (found?.is_address_allowed !== false) return found;
      // A stranger for the caller. Operators see in the access log why: no other 401 has a key.
      ctx.state.refused_key_id = found.key_id;
      return undefined;
    });
    if (typeof caller !== 'object') throw unauthorized(ctx, caller);
    ctx.state.caller = caller;
    setRateLimitHeaders(ctx, caller, rate);
    if (!caller.allowed) throw rateLimited(caller);
    if (caller.is_frozen) throw new HttpError('account_frozen');
    if (caller.is_read_only && !READING.has(ctx.method)) throw readOnly();
    return next();
  };
}

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);

function readOnly(): HttpError {
  return new HttpError('forbidden', {
    message: 'This API key may only read. Use a key that may also write.',
  });
}

// The key is read from this header only, and only once: a key in a URL ends up in logs, and of two
// headers a proxy may have checked the other one.
function readApiKey(ctx: HttpContext, prefixes: readonly string[]): string | undefined {
  const { authorization = [] } = ctx.req.headersDistinct;
  const key = authorization.length === 1 ? BEARER.exec(authorization[0]!)?.[1] : undefined;
  return key !== undefined && isWellFormedApiKey(key, prefixes) ? key : undefined;
}

function refuse({ strangers }: Dependencies, ctx: HttpContext): Refusal {
  ctx.state.is_counted = true;
  return unauthorized(ctx, strangers.take('request', ctx.state.ip) || undefined);
}

// Missing, malformed, unknown and revoked keys, and keys from an address that they do not allow,
// get the same bytes and headers, so that a stranger learns nothing. A generated Idempotency-Key
// would differ each time.
function unauthorized(ctx: HttpContext, retry_after_seconds: number | undefined): Refusal {
  ctx.remove('Idempotency-Key');
  if (retry_after_seconds !== undefined) return strangerLimited(retry_after_seconds);
  return new HttpError('unauthorized', { headers: { 'WWW-Authenticate': 'Bearer' } });
}

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

/** Undefined when the key is unknown or revoked. */
async function findCaller(
  { db, reservations }: Dependencies,
  { hash, secret, address, is_write, operation_key }: Call,
): Promise<Caller | undefined> {
  const reserved = reservations.spend(secret, is_write);
  if (!reserved) {
    return reservations.count(secret, (may_reserve) =>
      countAndIdentify(db, hash, is_write, { address, operation_key, may_reserve }),
    );
  }
  // A reserved call is still identified: a revoked key and a frozen account are refused at once.
  const identity = await identify(db, hash, operation_key);
  return identity && { ...reserved, ...identity };
}

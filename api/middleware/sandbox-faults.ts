// Makes go wrong what a caller in the sandbox has ordered to: by the header of this request, or before it for its
// operation. A live request pays for the look at one header.

import { Readable } from 'node:stream';
import type { Caller } from '../../db/keys/api-keys';
import {
  beginBusyKey,
  orderGatewayFault,
  takeFault,
  takeGatewayFault,
  uncountCall,
  type FaultTaker,
  type GatewaySubject,
} from '../../db/sandbox/faults';
import { ERRORS } from '../../domain/errors';
import {
  FAULT_FORMS,
  isGatewayFault,
  misfitOf,
  readFault,
  type Fault,
  type Misfit,
} from '../../domain/fault';
import { invalidRequest, Refusal } from '../../domain/refusal';
import type { HttpContext, HttpMiddleware } from '../../http/context';
import { uuidOf } from '../../secrets/hash';
import {
  inProgress,
  notBegun,
  outcomeUnknown,
  unavailable,
} from '../../use-cases/requests/failures';
import type { ApiDependencies } from '../context';
import { rateLimited, setRateLimitHeaders } from '../rate-limits/headers';
import { operationOf, type Route } from '../route';

const HEADER = 'Sandbox-Fault';

type Dependencies = Pick<ApiDependencies, 'db' | 'slow_requests'>;
type Next = () => Promise<unknown>;

/** Comes right before the handler: the body was read, and the request is valid. */
export function sandboxFaults(dependencies: Dependencies, route: Route): HttpMiddleware {
  return (ctx, next) => {
    const header = ctx.req.headers['sandbox-fault'];
    if (header === undefined && ctx.state.caller!.has_faults !== true) return next();
    return spoil(dependencies, route, { ctx, next });
  };
}

async function spoil(
  dependencies: Dependencies,
  route: Route,
  { ctx, next }: { readonly ctx: HttpContext; readonly next: Next },
): Promise<unknown> {
  const header = ctx.req.headers['sandbox-fault'];
  const caller = ctx.state.caller!;
  const request = { ctx, caller, route, taker: takerOf(ctx, caller, route) };
  const fault =
    header === undefined
      ? await nextFault(dependencies, request)
      : await faultOf(dependencies, request, String(header));
  return fault ? carryOut(dependencies, request, fault, next) : next();
}

interface Faulty {
  readonly ctx: HttpContext;
  readonly caller: Caller;
  readonly route: Route;
  readonly taker: FaultTaker;
}

function takerOf({ state }: HttpContext, { user_id }: Caller, route: Route): FaultTaker {
  const key = state.has_own_key === true ? (state.idempotency_key ?? null) : null;
  return { user_id, operation: operationOf(route), key };
}

async function faultOf(
  { db }: Dependencies,
  { ctx, caller, route, taker }: Faulty,
  header: string,
): Promise<Fault | undefined> {
  if (caller.environment === 'live') {
    throw invalidRequest(HEADER, 'Faults are for test keys: nothing goes wrong on order in live.');
  }
  const fault = readFault(header);
  if (!fault) throw invalidRequest(HEADER, `${HEADER} must be one of ${FAULT_FORMS}.`);
  const { kind } = fault;
  const misfit = misfitOf(route, kind);
  if (misfit) throw invalidRequest(HEADER, MISFITS[misfit](kind));
  if (ctx.state.is_body_large === true && isSlow(kind)) throw invalidRequest(HEADER, TOO_LARGE);
  if (kind === 'in-progress') {
    if (taker.key === null) throw invalidRequest(HEADER, 'in-progress needs an Idempotency-Key.');
    return (await beginBusyKey(db, taker)) ? fault : undefined;
  }
  // The key has its response: no gateway is called any more.
  return isGatewayFault(kind) && caller.stored ? undefined : fault;
}

/** All accounts share the places of large bodies, and a wait would keep one from the others. */
const TOO_LARGE = 'slow and slow-after are for bodies of 64 KiB at most.';

function isSlow(kind: Fault['kind']): kind is 'slow' | 'slow-after' {
  return kind === 'slow' || kind === 'slow-after';
}

export const MISFITS: Readonly<Record<Misfit, (kind: Fault['kind']) => string>> = {
  takes_no_key: (kind) => `${kind} is for operations that take an Idempotency-Key.`,
  calls_no_gateway: (kind) =>
    `${kind} is for operations that call a gateway: payment intents, attempts to pay them, their cancellation and refunds, and payouts.`,
};

async function nextFault(
  { db }: Dependencies,
  { ctx, caller, taker }: Faulty,
): Promise<Fault | undefined> {
  const unfit = [
    ...(ctx.state.is_body_large === true ? ['slow%'] : []),
    ...(taker.key === null ? ['in-progress'] : []),
    ...(caller.stored ? ['gateway-down', 'gateway-unknown'] : []),
  ];
  const text = await takeFault(db, taker, unfit);
  return text === undefined ? undefined : readFault(text);
}

async function carryOut(
  dependencies: Dependencies,
  request: Faulty,
  fault: Fault,
  next: Next,
): Promise<unknown> {
  const { ctx, caller, route } = request;
  const { idempotency_key, has_own_key } = ctx.state;
  const { slow_requests, db } = dependencies;
  const refused = (): Refusal =>
    idempotency_key === undefined ? unavailable() : notBegun(has_own_key === true);
  if (fault.kind === 'slow' || fault.kind === 'slow-after') {
    return slow_requests.run(caller.user_id, ctx.res, async (wait) => {
      tellApplied(ctx, `${fault.kind}=${fault.ms}`);
      if (fault.kind === 'slow-after') {
        try {
          return await next();
        } finally {
          await wait(fault.ms);
        }
      }
      const begun = performance.now();
      if (!(await wait(fault.ms))) throw refused();
      // Deadlines begin when the request is begun.
      const now = Date.parse(caller.now) + performance.now() - begun;
      ctx.state.caller = { ...caller, now: new Date(now).toISOString() };
      return next();
    });
  }
  tellApplied(ctx, fault.kind);
  switch (fault.kind) {
    case 'unavailable':
      throw refused();
    case 'unavailable-after':
      await next().catch(ignoreRefusal);
      dropResponse(ctx);
      throw idempotency_key === undefined ? unavailable(MAY_BE_DONE) : outcomeUnknown();
    case 'lost-response':
      ctx.respond = false;
      await next().finally(() => {
        dropResponse(ctx);
        ctx.req.socket.destroy();
      });
      return undefined;
    case 'in-progress':
      throw inProgress();
    case 'rate-limited': {
      if (slow_requests.mayUncount(caller.user_id)) {
        await uncountCall(db, caller.key_id, route.rate === 'write');
      }
      const none = { request_remaining: 0, write_remaining: 0, retry_after_seconds: 1 };
      const limited = { ...caller, ...none, allowed: false };
      setRateLimitHeaders(ctx, limited, route.rate!);
      throw rateLimited(limited);
    }
    case 'gateway-down':
    case 'gateway-unknown': {
      const subject = subjectOf(request);
      const id = await orderGatewayFault(db, caller.user_id, subject, fault.kind);
      try {
        return await next();
      } catch (error) {
        // A refused request calls no gateway, and a later one must not meet its fault.
        if (id !== undefined && isRefused(error)) await takeGatewayFault(db, id);
        throw error;
      }
    }
  }
}

const MAY_BE_DONE = 'The outcome of this request is not known: look before you repeat it.';

function tellApplied(ctx: HttpContext, fault: string): void {
  ctx.state.is_fault_ordered = true;
  ctx.set('Sandbox-Fault-Applied', fault);
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Refusal)) throw error;
}

function isRefused(error: unknown): boolean {
  return error instanceof Refusal && ERRORS[error.code].status < 500;
}

/** A file that is not sent must not wait for its reader. */
function dropResponse(ctx: HttpContext): void {
  if (ctx.body instanceof Readable) ctx.body.destroy();
  ctx.remove('Idempotent-Replayed');
}

/** One key makes one row, whose id every use case derives from it in this way. */
function subjectOf({ ctx, caller, route }: Faulty): GatewaySubject {
  const kind = route.gateway!;
  if (kind !== 'created') {
    const names = Object.values(ctx['params'] as Readonly<Record<string, string>>);
    return { kind, name: names.at(-1) ?? '' };
  }
  const { environment, user_id } = caller;
  const key = ctx.state.idempotency_key ?? '';
  return { kind, name: uuidOf(`${environment}/${user_id}/${route.idempotent!}/${key}`) };
}

// The simulator's API for payment services: JSON in and out. Every call is signed, and the secret that signed it decides
// the account.

import Router from '@koa/router';
import type { Context } from 'koa';
import { ENVIRONMENTS, type Environment } from '../../../domain/environment';
import { FieldFault, readFields } from '../../../gateway/fields';
import { signedText } from '../../../gateway/sandbox/call';
import { GATEWAY_SIGNATURE_HEADER, isGatewaySignature } from '../../../secrets/gateway-signature';
import { readRawBody } from '../raw-body';
import { LOST, ok, refusal, route, type ApiResponse, type Call, type Route } from './calls';
import { chargeRoutes } from './charges-api';
import type { Desk } from './desk';
import { readFaults, resetConnection, type FaultSwitch } from './faults';
import { paymentRoutes } from './payments-api';
import { payoutRoutes } from './payouts-api';

export interface ApiParts {
  readonly desk: Desk;
  /** The secrets of each account: several during a rotation. The first one signs. */
  readonly secrets: Readonly<Record<Environment, readonly string[]>>;
  readonly faults: Readonly<Record<Environment, FaultSwitch>>;
  /** Where customers find the simulator's pages, once it listens. */
  readonly origin: () => string;
}

export function createApiRouter(parts: ApiParts): Router {
  const { desk, faults, origin } = parts;
  const faultRoute = route('post', '/faults', null, ({ environment, body }) => {
    const switched = readFaults(body());
    faults[environment].set(switched);
    return ok(switched);
  });
  const router = new Router();
  const routes = [...paymentRoutes(desk, origin), ...payoutRoutes(desk)];
  for (const one of [...routes, ...chargeRoutes(desk, origin), faultRoute]) {
    router[one.method](one.path, async (ctx) => {
      const call = await authenticate(parts, ctx);
      if (!call) return;
      const work = async (): Promise<void> => write(ctx, await respond(desk, one, call));
      if (one.operation === null) return work();
      return faults[call.environment].run(one.operation, ctx, work);
    });
  }
  return router;
}

/** Returns the account; undefined when the call was refused and answered. */
async function authenticate({ secrets }: ApiParts, ctx: Context): Promise<Call | undefined> {
  const raw = await readRawBody(ctx.req);
  if (raw === undefined) {
    // The rest of the body is never read, so the connection cannot be used again.
    ctx.set('Connection', 'close');
    write(ctx, refusal('The body is too large.', 413, 'payload_too_large'));
    return undefined;
  }
  const text = signedText(ctx.method, ctx.url, raw);
  const header = ctx.headers[GATEWAY_SIGNATURE_HEADER];
  const environment = ENVIRONMENTS.find((one) => isGatewaySignature(text, header, secrets[one]));
  if (environment === undefined) {
    write(ctx, refusal('The signature is missing or wrong.', 401, 'unauthorized'));
    return undefined;
  }
  const query = Object.fromEntries(new URLSearchParams(ctx.querystring));
  const params = ctx['params'] as Call['params'];
  return { environment, params, query, body: () => readFields(raw).value };
}

/** Reads wait for the disk too: what they show may have been recorded a moment ago. */
async function respond(desk: Desk, { handle }: Route, call: Call): Promise<ApiResponse> {
  try {
    const response = await handle(call);
    await desk.journal.flushed();
    return response;
  } catch (error) {
    if (error instanceof FieldFault) return refusal(error.message, 422, 'invalid_request');
    throw error;
  }
}

function write(ctx: Context, response: ApiResponse): void {
  if (response === LOST) return resetConnection(ctx);
  ctx.status = response.status;
  ctx.body = response.body;
}

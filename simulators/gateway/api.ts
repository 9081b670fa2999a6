// The simulator's API: what a payment service asks a gateway. JSON in and out, every call signed, the
// secret decides the account. Amounts are minor units as text, as in domain/payment.ts.

import Router from '@koa/router';
import type { Context } from 'koa';
import { ENVIRONMENTS, type Environment } from '../../domain/environment';
import { GATEWAY_SIGNATURE_HEADER, isGatewaySignature } from '../../secrets/gateway-signature';
import { signedText } from '../../gateway/sandbox/call';
import { readFaults, type FaultSwitch, type Operation } from './faults';
import {
  currencyField,
  FieldFault,
  instantField,
  integerField,
  minorField,
  optionalText,
  readFields,
  textField,
} from '../../gateway/sandbox/fields';
import { readRawBody } from './raw-body';
import type { Decision, OpenTerms, RefundTerms, Till } from './till';

export interface ApiParts {
  readonly till: Till;
  /** Several of each during a rotation; the first signs. */
  readonly secrets: Readonly<Record<Environment, readonly string[]>>;
  readonly faults: Readonly<Record<Environment, FaultSwitch>>;
  readonly checkoutUrl: (session_id: string) => string;
}

interface Call {
  readonly environment: Environment;
  readonly raw: Buffer;
  readonly ctx: Context;
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

const MAX_NUMBER = 1_000_000;

export function createApiRouter(parts: ApiParts): Router {
  const { till, checkoutUrl } = parts;
  const router = new Router();
  const route = (
    method: 'get' | 'post',
    path: string,
    operation: Operation,
    handle: (call: Call) => Promise<Answer>,
  ): void => {
    router[method](path, async (ctx) => {
      const call = await authenticate(parts, ctx);
      if (!call) return;
      await parts.faults[call.environment].run(operation, ctx, async () => {
        write(ctx, await answered(() => handle(call)));
      });
    });
  };

  route('post', '/checkouts', 'open', async ({ environment, raw }) =>
    decided(await till.open(environment, readOpenTerms(raw)), ({ session_id, expires_at }) => ({
      session_id,
      checkout_url: checkoutUrl(session_id),
      lapses_at: expires_at,
    })),
  );
  route('get', '/checkouts/:session_id', 'find', async ({ environment, ctx }) =>
    ok(await till.find(environment, sessionId(ctx))),
  );
  route('post', '/checkouts/:session_id/close', 'close', async ({ environment, ctx }) =>
    ok(await till.close(environment, sessionId(ctx))),
  );
  route('post', '/refunds', 'refund', async ({ environment, raw }) =>
    decided(await till.refund(environment, readRefundTerms(raw)), ({ refund_id }) => ({
      refund_id,
    })),
  );
  route('get', '/payments', 'list', async ({ environment }) => ok(await till.list(environment)));

  // Outside of the faults: it must be possible to end them.
  router.post('/faults', async (ctx) => {
    const call = await authenticate(parts, ctx);
    if (!call) return;
    const set = async (): Promise<Answer> => {
      const faults = readFaults(readFields(call.raw));
      parts.faults[call.environment].set(faults);
      return ok(faults);
    };
    write(ctx, await answered(set));
  });
  return router;
}

/** Undefined when it has been answered already. */
async function authenticate({ secrets }: ApiParts, ctx: Context): Promise<Call | undefined> {
  const raw = await readRawBody(ctx.req);
  if (raw === undefined) {
    // The rest of the body is never read, so the connection cannot be used again.
    ctx.set('Connection', 'close');
    write(ctx, refusal(413, 'payload_too_large', 'The body is too large.'));
    return undefined;
  }
  const text = signedText(ctx.method, ctx.url, raw);
  const header = ctx.headers[GATEWAY_SIGNATURE_HEADER];
  const environment = ENVIRONMENTS.find((one) => isGatewaySignature(text, header, secrets[one]));
  if (environment === undefined) {
    write(ctx, refusal(401, 'unauthorized', 'The signature is missing or wrong.'));
    return undefined;
  }
  return { environment, raw, ctx };
}

async function answered(handle: () => Promise<Answer>): Promise<Answer> {
  try {
    return await handle();
  } catch (error) {
    if (error instanceof FieldFault) return refusal(422, 'invalid_request', error.message);
    throw error;
  }
}

function readOpenTerms(raw: Buffer): OpenTerms {
  const { value } = readFields(raw);
  const currency = currencyField(value);
  return {
    intent_id: textField(value, 'intent_id', 200),
    number: integerField(value, 'number', 1, MAX_NUMBER),
    reference: textField(value, 'reference', 200),
    amount_minor: minorField(value, currency),
    currency,
    description: optionalText(value, 'description', 5_000),
    customer_email: optionalText(value, 'customer_email', 500),
    return_url: urlField(value, 'return_url'),
    expires_at: instantField(value, 'expires_at'),
  };
}

function readRefundTerms(raw: Buffer): RefundTerms {
  const { value } = readFields(raw);
  const currency = currencyField(value);
  return {
    provider_payment_id: textField(value, 'provider_payment_id', 200),
    amount_minor: minorField(value, currency),
    currency,
    idempotency_key: textField(value, 'idempotency_key', 255),
  };
}

function urlField(object: Readonly<Record<string, unknown>>, name: string): string {
  const text = textField(object, name, 2_000);
  // Anything else, `javascript:` above all, is no place to send a customer.
  const isWeb = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  if (!isWeb) throw new FieldFault(`${name} must be an http or https URL`);
  return new URL(text).href;
}

function sessionId(ctx: Context): string {
  return (ctx['params'] as { readonly session_id: string }).session_id;
}

function ok(body: object): Answer {
  return { status: 200, body };
}

function decided<Value>(decision: Decision<Value>, present: (value: Value) => object): Answer {
  return decision.ok ? ok(present(decision.value)) : refusal(409, 'refused', decision.refused);
}

function refusal(status: number, code: string, message: string): Answer {
  return { status, body: { error: { code, message } } };
}

function write(ctx: Context, { status, body }: Answer): void {
  ctx.status = status;
  ctx.body = body;
}

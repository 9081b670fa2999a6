// The simulator's API for payment services: JSON in and out. Every call is signed, and the secret
// that signed it decides the account. Amounts are minor units as text, as in domain/payment.ts.

import Router from '@koa/router';
import type { Context } from 'koa';
import { ENVIRONMENTS, type Environment } from '../../../domain/environment';
import { GATEWAY_SIGNATURE_HEADER, isGatewaySignature } from '../../../secrets/gateway-signature';
import { signedText } from '../../../gateway/sandbox/call';
import { readFaults, resetConnection, type FaultSwitch } from './faults';
import {
  currencyField,
  FieldFault,
  instantField,
  integerField,
  minorField,
  optionalText,
  readFields,
  textField,
  urlField,
} from '../../../gateway/sandbox/fields';
import {
  decided,
  LOST,
  ok,
  readListTerms,
  refusal,
  type AddControl,
  type AddRoute,
  type ApiResponse,
  type Call,
} from './calls';
import type { Charges } from './charges';
import { addChargeRoutes } from './charges-api';
import { readRawBody } from './raw-body';
import type { OpenTerms, Payments } from './payments';
import type { Payouts } from './payouts';
import { addPayoutRoutes } from './payouts-api';
import type { RefundTerms } from './refunds';

export interface ApiParts {
  readonly payments: Payments;
  readonly payouts: Payouts;
  readonly charges: Charges;
  /** The secrets of each account: several during a rotation. The first one signs. */
  readonly secrets: Readonly<Record<Environment, readonly string[]>>;
  readonly faults: Readonly<Record<Environment, FaultSwitch>>;
  /** Where customers find the simulator's pages, once it listens. */
  readonly origin: () => string;
}

const MAX_NUMBER = 1_000_000;

export function createApiRouter(parts: ApiParts): Router {
  const { payments, payouts, charges, origin } = parts;
  const router = new Router();
  const route: AddRoute = (method, path, operation, handle) => {
    router[method](path, async (ctx) => {
      const call = await authenticate(parts, ctx);
      if (!call) return;
      await parts.faults[call.environment].run(operation, ctx, async () => {
        write(ctx, await respond(() => handle(call)));
      });
    });
  };
  const control: AddControl = (path, handle) => {
    router.post(path, async (ctx) => {
      const call = await authenticate(parts, ctx);
      if (call) write(ctx, await respond(() => handle(call)));
    });
  };

  route('post', '/checkouts', 'open', async ({ environment, raw }) =>
    decided(await payments.open(environment, readOpenTerms(raw)), ({ session_id, expires_at }) => ({
      session_id,
      checkout_url: `${origin()}/checkout/${session_id}`,
      lapses_at: expires_at,
    })),
  );
  route('get', '/checkouts/:session_id', 'find', async ({ environment, ctx }) =>
    ok(await payments.find(environment, sessionId(ctx))),
  );
  route('post', '/checkouts/:session_id/close', 'close', async ({ environment, ctx }) =>
    ok(await payments.close(environment, sessionId(ctx))),
  );
  route('post', '/refunds', 'refund', async ({ environment, raw }) =>
    decided(await payments.refund(environment, readRefundTerms(raw)), (refund) => refund),
  );
  route('get', '/refunds/:refund_id', 'refund', async ({ environment, ctx }) => {
    const { refund_id } = ctx['params'] as { readonly refund_id: string };
    const refund = await payments.findRefund(environment, refund_id);
    return refund ? ok(refund) : refusal(404, 'not_found', 'No such refund was made.');
  });
  route('get', '/disputes/:dispute_id', 'find', async ({ environment, ctx }) => {
    const { dispute_id } = ctx['params'] as { readonly dispute_id: string };
    const dispute = await payments.disputes.find(environment, dispute_id);
    return dispute ? ok(dispute) : refusal(404, 'not_found', 'There is no such dispute.');
  });
  route('get', '/payments', 'list', async ({ environment, ctx }) => {
    const terms = readListTerms(ctx);
    return ok(
      terms === undefined
        ? await payments.list(environment)
        : await payments.listTaken(environment, terms),
    );
  });
  route('get', '/payments/:payment_id', 'list', async ({ environment, ctx }) => {
    const { payment_id } = ctx['params'] as { readonly payment_id: string };
    return ok(await payments.findTaken(environment, payment_id));
  });
  route('get', '/refunds', 'list', async ({ environment, ctx }) => {
    const terms = readListTerms(ctx);
    if (terms === undefined) throw new FieldFault('from is required');
    return ok(await payments.listRefunds(environment, terms));
  });

  addPayoutRoutes(route, control, payouts);
  addChargeRoutes({ route, control }, charges, origin);

  control('/faults', async ({ environment, raw }) => {
    const faults = readFaults(readFields(raw));
    parts.faults[environment].set(faults);
    return ok(faults);
  });
  return router;
}

/** Returns the account; undefined when the call was refused and answered. */
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

async function respond(handle: () => Promise<ApiResponse>): Promise<ApiResponse> {
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
    merchant_name: optionalText(value, 'merchant_name', 500),
    merchant_country: optionalCountry(value),
    merchant_contact: optionalText(value, 'merchant_contact', 500),
    logo_url: (value['logo_url'] ?? null) === null ? null : urlField(value, 'logo_url'),
    return_url: urlField(value, 'return_url'),
    cancel_url: urlField(value, 'cancel_url'),
    expires_at: instantField(value, 'expires_at'),
  };
}

/** Reads an ISO 3166-1 alpha-2 code. @throws FieldFault */
function optionalCountry(value: Readonly<Record<string, unknown>>): string | null {
  const country = optionalText(value, 'merchant_country', 2);
  if (country === null || /^[A-Z]{2}$/.test(country)) return country;
  throw new FieldFault('merchant_country must be a country code, such as SN');
}

function readRefundTerms(raw: Buffer): RefundTerms {
  const { value } = readFields(raw);
  const currency = currencyField(value);
  return {
    provider_payment_id: textField(value, 'provider_payment_id', 200),
    amount_minor: minorField(value, currency),
    currency,
    idempotency_key: textField(value, 'idempotency_key', 255),
    reference: optionalText(value, 'reference', 200),
  };
}

function sessionId(ctx: Context): string {
  return (ctx['params'] as { readonly session_id: string }).session_id;
}

function write(ctx: Context, response: ApiResponse): void {
  if (response === LOST) return resetConnection(ctx);
  const { status, body } = response;
  ctx.status = status;
  ctx.body = body;
}

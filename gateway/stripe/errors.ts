// Translates Stripe's errors into the port's three faults. Messages go into logs and workflow
// histories, so they contain no key and no address, and carry no cause that might.

import Stripe from 'stripe';
import { GatewayError } from '../../domain/gateway-error';

const { errors } = Stripe;

// The code that Node and Stripe's library give to a request that exceeded its timeout.
const TIMEOUT_CODE = 'ETIMEDOUT';
const LONGEST_TEXT = 300;

export function gatewayError(error: unknown): unknown {
  if (!(error instanceof errors.StripeError)) return error;
  if (error instanceof errors.StripeConnectionError) return connectionError(error);
  const said = `Stripe responded with ${describe(error)}`;
  // Stripe's message for these two contains the end of the key.
  if (
    error instanceof errors.StripeAuthenticationError ||
    error instanceof errors.StripePermissionError
  ) {
    const why = `${said}: it does not accept our secret key for this`;
    return new GatewayError('refused', why, { is_about_access: true });
  }
  const is_final =
    error instanceof errors.StripeInvalidRequestError ||
    error instanceof errors.StripeCardError ||
    error instanceof errors.StripeIdempotencyError;
  // All others are retryable: too many calls, a call with this key in progress, a fault of Stripe.
  return new GatewayError(
    is_final ? 'refused' : 'unreachable',
    `${said}: ${masked(error.message)}`,
    // An object that another account has looks like one that does not exist.
    { is_about_access: isUnknownToStripe(error) },
  );
}

/**
 * Stripe answers 404 for an unknown object in the path, and maybe 400 for one in the parameters.
 */
export function isUnknownToStripe(error: unknown): boolean {
  return (
    error instanceof errors.StripeInvalidRequestError &&
    (error.statusCode === 404 || error.code === 'resource_missing')
  );
}

/** Whether an earlier request had this idempotency key and other parameters. */
export function isOfAnotherRequest(error: unknown): boolean {
  return error instanceof errors.StripeIdempotencyError;
}

export function isAlreadyRefunded(error: unknown): boolean {
  return (
    error instanceof errors.StripeInvalidRequestError && error.code === 'charge_already_refunded'
  );
}

/** Whether this is the stored response to an earlier request with the same idempotency key. */
export function isReplayed(error: unknown): boolean {
  return error instanceof errors.StripeError && error.headers?.['idempotent-replayed'] === 'true';
}

function connectionError(error: InstanceType<typeof errors.StripeConnectionError>): GatewayError {
  const detail: unknown = error.detail;
  const codes = [codeOf(detail), codeOf((detail as { cause?: unknown } | undefined)?.cause)];
  if (codes.includes(TIMEOUT_CODE)) {
    return new GatewayError('timeout', 'Stripe did not respond in time');
  }
  const code = codes.find((candidate) => candidate !== undefined) ?? 'no connection';
  return new GatewayError('unreachable', `Stripe could not be reached (${code})`);
}

function codeOf(detail: unknown): string | undefined {
  const code = (detail as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

function describe(error: InstanceType<typeof errors.StripeError>): string {
  const parts = [error.statusCode, error.code ?? error.rawType, error.param, error.requestId];
  return parts.filter((part) => part !== undefined).join(' ') || 'something that is not JSON';
}

function masked(text: string): string {
  return text
    .replace(/\b(sk|rk|pk|ek|whsec)_[\w*.]+/g, '[key]')
    .replace(/[^\s@]+@[^\s@]+/g, '[address]')
    .slice(0, LONGEST_TEXT);
}

// Stripe's errors as the port's three faults. Their messages go into logs and histories: they carry
// no key and no address, and no cause that might.

import Stripe from 'stripe';
import { GatewayError } from '../port';

const { errors } = Stripe;

// Node's and the library's own word for a request that took longer than it may.
const TIMEOUT_CODE = 'ETIMEDOUT';
const LONGEST_TEXT = 300;

export function gatewayError(error: unknown): unknown {
  if (!(error instanceof errors.StripeError)) return error;
  if (error instanceof errors.StripeConnectionError) return connectionError(error);
  const said = `Stripe answered ${describe(error)}`;
  // The text of these two names the key, masked but for its end.
  if (
    error instanceof errors.StripeAuthenticationError ||
    error instanceof errors.StripePermissionError
  ) {
    return new GatewayError('refused', `${said}: it does not accept our secret key for this`);
  }
  const is_final =
    error instanceof errors.StripeInvalidRequestError ||
    error instanceof errors.StripeCardError ||
    error instanceof errors.StripeIdempotencyError;
  // The rest is too many calls, a call with the same key still under way, or Stripe's own fault.
  return new GatewayError(
    is_final ? 'refused' : 'unreachable',
    `${said}: ${masked(error.message)}`,
  );
}

export function isUnknownToStripe(error: unknown): boolean {
  return error instanceof errors.StripeInvalidRequestError && error.statusCode === 404;
}

export function isAlreadyRefunded(error: unknown): boolean {
  return (
    error instanceof errors.StripeInvalidRequestError && error.code === 'charge_already_refunded'
  );
}

/** The answer to an earlier request with the same idempotency key, and not to this one. */
export function isReplayed(error: unknown): boolean {
  return error instanceof errors.StripeError && error.headers?.['idempotent-replayed'] === 'true';
}

function connectionError(error: InstanceType<typeof errors.StripeConnectionError>): GatewayError {
  const detail: unknown = error.detail;
  const codes = [codeOf(detail), codeOf((detail as { cause?: unknown } | undefined)?.cause)];
  if (codes.includes(TIMEOUT_CODE)) {
    return new GatewayError('timeout', 'Stripe did not answer in time');
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
  return parts.filter((part) => part !== undefined).join(' ') || 'what is no JSON';
}

function masked(text: string): string {
  return text
    .replace(/\b(sk|rk|pk|ek|whsec)_[\w*.]+/g, '[key]')
    .replace(/[^\s@]+@[^\s@]+/g, '[address]')
    .slice(0, LONGEST_TEXT);
}

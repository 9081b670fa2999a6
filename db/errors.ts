// What an error of Postgres or of its connection means for the caller
// (codes: https://www.postgresql.org/docs/18/errcodes-appendix.html).

import { DatabaseError } from 'pg';

/** True when Postgres could not be reached, or gave up in a way that a later try may not. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isOfStandby(error)) return true;
  const code = codeOf(error);
  if (typeof code === 'string') {
    // Classes 08 connection, 53 resources, 57 operator intervention (incl. statement timeout);
    // 40001 and 40P01 call for another try; 55P03 is a lock.
    if (/^(08|53|57)...$/.test(code)) return true;
    if (['40001', '40P01', '55P03'].includes(code)) return true;
    if (/^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/.test(code))
      return true;
  }
  // knex's pool and pg's socket report these without a code; knex puts its statement before them.
  return (
    error.name === 'KnexTimeoutError' ||
    error.name === 'AggregateError' ||
    /(^| - )(Connection terminated|timeout expired|Query read timeout|Client (has encountered a connection error|was closed))/.test(
      error.message,
    )
  );
}

/**
 * A server that recovers or stands by serves reads only: after a restore, or in the middle of a failover. It
 * has no unlogged tables either, of which Postgres says so while it plans, without a code of its own.
 */
function isOfStandby(error: Error): boolean {
  const code = codeOf(error);
  const { routine } = error as { readonly routine?: unknown };
  return code === '25006' || (code === '0A000' && routine === 'get_relation_info');
}

/** True when Postgres refused the statement: it did nothing, and would do nothing next time. */
export function isRefused(error: unknown): boolean {
  return error instanceof DatabaseError && !isDatabaseUnavailable(error);
}

// Connection exception, operator intervention that ends the session, idle in a transaction.
const SESSION_IS_OVER = /^(08|57P|25P03)/;

/**
 * True when the connection that failed with this error must not be used again. A server that shuts
 * down reports it before it closes the socket, and a server that fell silent never closes it: in
 * between, the connection looks sound and would be given to one more caller.
 */
export function isSessionOver(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return true;
  // A new connection may lead to the server that has taken over.
  return SESSION_IS_OVER.test(error.code ?? '') || isOfStandby(error);
}

/** A unique constraint or index, this one or any, refused a row. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const isOfConstraint =
    constraint === undefined || (error as { constraint?: unknown }).constraint === constraint;
  return codeOf(error) === '23505' && isOfConstraint;
}

/** A check constraint, this one or any, or a function that raises check_violation, refused the change. */
export function isCheckViolation(error: unknown, constraint?: string): boolean {
  const isOfConstraint =
    constraint === undefined || (error as { constraint?: unknown }).constraint === constraint;
  return codeOf(error) === '23514' && isOfConstraint;
}

/** A second operator has to approve this (refuse_without_approval): nothing was done. */
export function isApprovalRequired(error: unknown): boolean {
  return codeOf(error) === 'AP001';
}

/** It is about an account to which the operator belongs (refuse_own_account): nothing was done. */
export function isOwnAccount(error: unknown): boolean {
  return codeOf(error) === 'AP002';
}

/** The connection's role may not do this. */
export function isPermissionDenied(error: unknown): boolean {
  return codeOf(error) === '42501';
}

/** A function of the database found none where it requires a row. */
export function isNoDataFound(error: unknown): boolean {
  return codeOf(error) === 'P0002';
}

/** A text is not of the type that it was cast to. */
export function isInvalidText(error: unknown): boolean {
  return codeOf(error) === '22P02';
}

// Data exceptions quote the value at fault: `invalid input syntax for type uuid: "…"`.
const QUOTES_VALUES = /^22/;

/**
 * The same error, and no value in what logs and histories get of it, its message and its stack. `detail`,
 * which nothing prints, names the values of a row.
 */
export function hideValues<E>(error: E): E {
  if (!(error instanceof DatabaseError) || !QUOTES_VALUES.test(error.code ?? '')) return error;
  const { message, stack } = error;
  const hidden = `${error.code}, a value that Postgres refused (${error.routine ?? 'unknown'})`;
  error.message = hidden;
  // The first lines of a stack are the message, as it was when the error was made.
  if (stack !== undefined) error.stack = `error: ${hidden}${framesOf(stack, message)}`;
  return error;
}

function framesOf(stack: string, message: string): string {
  const end = message.length === 0 ? 0 : stack.indexOf('\n    at ');
  return end < 0 ? '' : stack.slice(end);
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | null)?.code;
}

/** Postgres has no room on its disk for what this needs. */
export function isDiskFull(error: unknown): boolean {
  return codeOf(error) === '53100';
}

/** The statement took longer than `statement_timeout` allows, or was cancelled by hand. */
export function isStatementTimeout(error: unknown): boolean {
  return codeOf(error) === '57014';
}

// The meaning of an error of Postgres, or of its connection, for the caller
// (codes: https://www.postgresql.org/docs/18/errcodes-appendix.html).

import { DatabaseError } from 'pg';

/**
 * What may be done after an error of Postgres.
 *
 * - `refused`: the database has decided about the data. The statement did nothing, and would do nothing the next time.
 * - `away`: the same statement may succeed in a moment, maybe on another server. Callers are told to come again.
 * - `session over`: the same, on another connection.
 * - `at fault`: the program, its schema or the server's files are. Callers are told so, and work that is kept is
 *   repeated until an operator has mended it.
 */
type Meaning = 'refused' | 'away' | 'session over' | 'at fault';

// The longest line that an SQLSTATE begins with counts. An item of payroll that is failed by
// mistake stays failed, and one that is repeated costs a statement: so what is not listed is `at
// fault`, and repeated.
const MEANINGS: Readonly<Record<string, Meaning>> = {
  '08': 'session over', // connection exception
  '21': 'refused', // cardinality violation
  '22': 'refused', // data exception
  '23': 'refused', // integrity constraint violation; our functions raise it too
  '23505': 'at fault', // another session was first: the next try sees what it did
  '25': 'away', // invalid transaction state
  '25006': 'session over', // a standby, or a server that recovers: reads only
  '25P03': 'session over', // the process stood still in a transaction
  '25P04': 'session over', // the transaction took too long
  '26': 'session over', // a statement that was prepared in another session, as behind some poolers
  '28': 'away', // a password that is being replaced
  '3D': 'away', // a database that is being restored
  '40': 'away', // rolled back: serialization, deadlock
  '44': 'refused', // check option of a view
  '53': 'away', // no room: on the disk, in memory, for connections
  '54': 'away', // a limit of the program: transaction ids that run out, among others
  '55': 'away', // an object in use, a lock that was not to be had
  '57': 'away', // a timeout, a cancellation
  '57P': 'session over', // a server that shuts down or starts
  AP: 'refused', // our own: a second operator is needed, their own account, an operator's login
  P0001: 'refused', // a function of ours, without a code
  P0002: 'refused', // a row that a function requires
  P0003: 'refused', // more rows than a function can use
};

function meaningOf(error: DatabaseError): Meaning {
  // A standby has no unlogged tables, of which Postgres says so while it plans, without a code of its own.
  if (error.code === '0A000' && error.routine === 'get_relation_info') return 'session over';
  const code = error.code ?? '';
  for (const length of [5, 3, 2]) {
    const meaning = MEANINGS[code.slice(0, length)];
    if (meaning !== undefined) return meaning;
  }
  return 'at fault';
}

/** True when Postgres could not be reached, or gave up in a way that a later try may not. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DatabaseError) return ['away', 'session over'].includes(meaningOf(error));
  // Node's errors of the line. knex's pool and pg's socket report some without a code; knex puts its statement before them.
  return (
    /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/.test(
      String(codeOf(error)),
    ) ||
    error.name === 'AggregateError' ||
    /(^| - )(Connection terminated|timeout exceeded|timeout expired|Query read timeout|Client (has encountered a connection error|was closed))/.test(
      error.message,
    )
  );
}

/** True when Postgres refused the statement for good: it did nothing, and would do nothing next time. */
export function isRefused(error: unknown): boolean {
  return error instanceof DatabaseError && meaningOf(error) === 'refused';
}

/**
 * True when the connection that failed with this error must not be used again. A server that shuts
 * down reports it before it closes the socket, and a server that fell silent never closes it: in
 * between, the connection looks sound and would be given to one more caller.
 */
export function isSessionOver(error: unknown): boolean {
  // A new connection may lead to the server that has taken over.
  return !(error instanceof DatabaseError) || meaningOf(error) === 'session over';
}

/** A unique constraint or index, this one or any, refused a row. */
export const isUniqueViolation = violates('23505');

/** A check constraint, this one or any, or a function that raises check_violation, refused the change. */
export const isCheckViolation = violates('23514');

/** A second operator has to approve this (refuse_without_approval): nothing was done. */
export const isApprovalRequired = hasCode('AP001');

/** It is about an account to which the operator belongs (refuse_own_account): nothing was done. */
export const isOwnAccount = hasCode('AP002');

/** Only the operators' role writes what an operator signs in with (guard_operators_login): nothing was done. */
export const isOperatorsLogin = hasCode('AP003');

/** The connection's role may not do this. */
export const isPermissionDenied = hasCode('42501');

/** A function of the database found none where it requires a row. */
export const isNoDataFound = hasCode('P0002');

/** A text is not of the type that it was cast to. */
export const isInvalidText = hasCode('22P02');

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

function hasCode(code: string): (error: unknown) => boolean {
  return (error) => codeOf(error) === code;
}

function violates(code: string): (error: unknown, constraint?: string) => boolean {
  return (error, constraint) =>
    codeOf(error) === code &&
    (constraint === undefined || (error as { constraint?: unknown }).constraint === constraint);
}

/** Postgres has no room on its disk for what this needs. */
export const isDiskFull = hasCode('53100');

/** The statement took longer than `statement_timeout` allows, or was cancelled by hand. */
export const isStatementTimeout = hasCode('57014');

/** The account has as many active keys as it may. */
export const isTooManyKeys = hasCode('KY001');

/** The operators want a live key that pays out to have addresses: nothing was done. */
export const isAddressesRequired = hasCode('KY002');

// One pool per process, through knex, and beside it a few shared lines for short look-ups. Statements
// on the hot path are prepared once per connection, because parsing and planning them again would
// cost more than running them.

import knex, { type Knex } from 'knex';
import { DatabaseError, types, type ClientConfig, type QueryConfig, type QueryResult } from 'pg';
import { isSessionOver, openLines, type Lines } from './lines';

export interface Db extends Knex {
  readonly lines: Lines;
}
/** A transaction: functions that write more than one statement take this, so they cannot forget it. */
export type Tx = Knex.Transaction;

/** Longest a statement may run, in ms: well below the API's own deadlines. */
export const STATEMENT_TIMEOUT_MS = 3_000;
/** Longest a request waits for a connection of the pool, in ms. */
const ACQUIRE_TIMEOUT_MS = 2_000;

const OPTIONS = '-c timezone=UTC';
// A look-up is planned once, for all values, and goes by index. Left to choose, Postgres weighs that
// plan against one for the values at hand, prefers the latter where a value is null, and so planned
// `identify` anew at each call: 180 µs of processor time instead of 60.
const PLANS_OF_LOOK_UPS = '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off';

export interface ConnectOptions {
  readonly url: string;
  readonly pool_size: number;
  /** Shown in pg_stat_activity. */
  readonly name: string;
}

export function connectDatabase({ url, pool_size, name }: ConnectOptions): Db {
  const connection: ClientConfig = {
    connectionString: url,
    application_name: name,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    connectionTimeoutMillis: ACQUIRE_TIMEOUT_MS,
    // A peer that vanished without a word must not hold locks or pool places for long.
    idle_in_transaction_session_timeout: 10_000,
    keepAlive: true,
    options: OPTIONS,
    types: { getTypeParser: ourTypeParser as typeof types.getTypeParser },
  };
  const pool = knex({
    client: 'pg',
    connection: connection as Knex.PgConnectionConfig,
    pool: { min: 0, max: pool_size },
    acquireConnectionTimeout: ACQUIRE_TIMEOUT_MS,
    // Whoever asked is told by an error. knex would also print it to standard output, between the
    // lines of the access log.
    log: { warn: ignore, error: ignore, deprecate: ignore, debug: ignore },
  });
  const lines = openLines({ ...connection, options: `${OPTIONS} ${PLANS_OF_LOOK_UPS}` });
  // Closed with the pool, by the one call that everybody knows: `db.destroy()`.
  const client = pool.client as { destroy: () => Promise<void> };
  const destroyPool = client.destroy.bind(client);
  client.destroy = async () => {
    await lines.close();
    await destroyPool();
  };
  return Object.assign(pool, { lines }) as Db;
}

function ignore(): void {}

/** A statement whose text never changes; the name is its key in each connection's cache. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

interface RawConnection {
  query(config: QueryConfig): Promise<QueryResult>;
  /** knex's mark for a connection that its pool must not give out again. */
  __knex__disposed?: unknown;
}

/** Runs a prepared statement on a connection of the pool, or the transaction's own. */
export async function run<Row>(
  db: Db | Tx,
  statement: Statement,
  values: unknown[],
): Promise<Row[]> {
  const client = db.client as Knex.Client;
  const connection = (await client.acquireConnection()) as RawConnection;
  try {
    const result = await connection.query({ ...statement, values });
    return result.rows as Row[];
  } catch (error) {
    if (isSessionOver(error)) connection.__knex__disposed = error;
    throw error;
  } finally {
    await client.releaseConnection(connection);
  }
}

/**
 * Runs a prepared statement on a shared line: for look-ups and other statements that wait for no
 * lock of long hold and need no transaction.
 */
export async function ask<Row>(
  db: Db,
  { name, text }: Statement,
  values: unknown[],
): Promise<Row[]> {
  const result = await db.lines.query(name, text, values);
  return result.rows as Row[];
}

/** The same in company: the statement answers many at once, as `AskTogether` in together.ts says. */
export async function askTogether<Row>(
  db: Db,
  { name, text }: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  return (await db.lines.askTogether(name, text, values)) as Row[];
}

// On our connections only, never on pg's global table: other code in the process keeps its own meaning.
const INT8 = 20;
const TIMESTAMPTZ = 1184;

function ourTypeParser(oid: number, format?: 'text' | 'binary'): unknown {
  if (format === 'binary') return types.getTypeParser(oid, 'binary');
  if (oid === INT8) return BigInt;
  if (oid === TIMESTAMPTZ) return isoTimestamp;
  return types.getTypeParser(oid, 'text');
}

/** `2026-11-21 04:39:12.1234+00` → `2026-11-21T04:39:12.123400Z`: a Date would drop microseconds. */
function isoTimestamp(text: string): string {
  const match = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00$/.exec(text);
  if (!match) return text;
  return `${match[1]}T${match[2]}.${(match[3] ?? '').padEnd(6, '0')}Z`;
}

/** True when Postgres could not be asked, or gave up in a way that a later try may not. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string') {
    // Classes 08 connection, 53 resources, 57 operator intervention (incl. statement timeout);
    // 40001 and 40P01 ask for another try; 25006 is a failover's read-only standby; 55P03 a lock.
    if (/^(08|53|57)...$/.test(code)) return true;
    if (['40001', '40P01', '25006', '55P03'].includes(code)) return true;
    if (/^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/.test(code))
      return true;
  }
  // knex's pool and pg's socket say these without a code.
  return (
    error.name === 'KnexTimeoutError' ||
    error.name === 'AggregateError' ||
    /^(Connection terminated|timeout expired|Query read timeout|Client (has encountered a connection error|was closed))/.test(
      error.message,
    )
  );
}

/** True when Postgres answered that it will not: the statement did nothing, and would not next time. */
export function isRefused(error: unknown): boolean {
  return error instanceof DatabaseError && !isDatabaseUnavailable(error);
}

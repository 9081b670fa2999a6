// One pool per process, through knex, and beside it a few pipelined connections for short look-ups.
// Statements on the hot path are prepared once per connection, because parsing and planning them again
// would cost more than running them. A statement is sent in one of three ways: `execute`, `lookUp` and
// `lookUpBatched`.

import knex, { type Knex } from 'knex';
import { types, type ClientConfig, type QueryConfig, type QueryResult } from 'pg';
import { Connection } from './connection';
import { hideValues, isSessionOver } from './errors';
import { openPipeline, type Pipeline } from './pipelined-connections';
import { createLineWatch } from './watched-connections';

export interface Db extends Knex {
  readonly pipeline: Pipeline;
}

/** Runs a statement in a span of its name, where a trace is open. */
export type TraceStatement = <T>(name: string, run: () => Promise<T>) => Promise<T>;

/** A transaction: functions that write more than one statement take this, so they cannot forget it. */
export type Tx = Knex.Transaction;

/** Longest a statement may run, in ms: well below the API's own deadlines. */
const STATEMENT_TIMEOUT_MS = 3_000;
/** Longest a request waits for a connection of the pool, in ms. */
const ACQUIRE_TIMEOUT_MS = 2_000;

/**
 * A line that nobody uses is probed after so many ms, and closed when ten probes, a second apart,
 * stay without an answer. The system's own default is two hours.
 */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 5_000 } as const;

// The functions lock first and read then what was committed meanwhile, which only this level shows. A
// server, a database or a role may have another default.
// Lists are read in the order of one index, whatever the planner thinks of the others (list-filters.ts): sorting
// within a part of another index's order is cheap for most accounts, and reads all rows of one that has millions.
const OPTIONS =
  '-c timezone=UTC -c default_transaction_isolation=read\\ committed -c enable_incremental_sort=off';
// A look-up is planned once, for all values, and by index. By default Postgres compares that plan with
// one for the actual values, prefers the latter where a value is null, and so planned `identify`
// (db/api-keys.ts) again at each call: 180 µs of processor time instead of 60.
const LOOK_UP_OPTIONS = '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off';

export interface ConnectOptions {
  readonly url: string;
  readonly pool_size: number;
  /** Shown in pg_stat_activity. */
  readonly name: string;
  /**
   * For commands whose statements may take minutes: a connection that stays silent is not closed.
   * The command also has to lift `statement_timeout`.
   */
  readonly is_patient?: boolean;
  /** Longest a statement may run, in ms; three seconds by default. */
  readonly statement_timeout_ms?: number;
  /** Longest to wait for a connection, in ms; two seconds by default. */
  readonly acquire_timeout_ms?: number;
  /** For statements that belong to a trace. */
  readonly trace?: TraceStatement | undefined;
}

export function connectDatabase({
  url,
  pool_size,
  name,
  is_patient,
  statement_timeout_ms = STATEMENT_TIMEOUT_MS,
  acquire_timeout_ms = ACQUIRE_TIMEOUT_MS,
  trace,
}: ConnectOptions): Db {
  const connection: ClientConfig = {
    connectionString: url,
    application_name: name,
    statement_timeout: statement_timeout_ms,
    connectionTimeoutMillis: acquire_timeout_ms,
    // A process that is frozen or vanishes between two statements must not hold locks or connections for
    // long: no longer than a statement may. Money moves in single statements, which this does not end.
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    ...KEEP_ALIVE,
    options: OPTIONS,
    types: { getTypeParser: ourTypeParser as typeof types.getTypeParser },
  };
  const pool = knex({
    client: 'pg',
    connection: connection as Knex.PgConnectionConfig,
    pool: { min: 0, max: pool_size },
    acquireConnectionTimeout: acquire_timeout_ms,
    // Errors name the statement without the values: they end in logs.
    compileSqlOnError: false,
    // Knex does not read it. A transaction has this object too.
    ...(trace ? { trace } : {}),
    // The caller gets the error. knex would also print it to standard output, among the lines of the
    // access log.
    log: { warn: ignore, error: ignore, deprecate: ignore, debug: ignore },
  });
  pool.on('query-error', hideValues);
  const pipeline = openPipeline({ ...connection, options: `${OPTIONS} ${LOOK_UP_OPTIONS}` });
  const client = pool.client as PoolClient;
  client.driver = { ...client.driver, Client: is_patient ? Connection : createLineWatch() };
  // `db.destroy()`, which every owner of a pool calls, closes both.
  const destroyPool = client.destroy.bind(client);
  client.destroy = async () => {
    await pipeline.close();
    await destroyPool();
  };
  return Object.assign(pool, { pipeline }) as Db;
}

/** Of knex: the pool's client, whose driver opens the connections. */
interface PoolClient {
  driver: object;
  destroy: () => Promise<void>;
}

function ignore(): void {}

/** A statement whose text never changes; the name is its key in each connection's cache. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** With what its places stand for. */
export interface BoundStatement {
  readonly statement: Statement;
  readonly values: unknown[];
}

interface RawConnection {
  query(config: QueryConfig): Promise<QueryResult>;
  /** knex's mark for a connection that its pool must not give out again. */
  __knex__disposed?: unknown;
}

/** Runs a prepared statement on a connection of the pool, or on the transaction's own. */
export function execute<Row>(db: Db | Tx, statement: Statement, values: unknown[]): Promise<Row[]> {
  return inSpan(db, statement, () => runStatement(db, statement, values));
}

async function runStatement<Row>(
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
    throw pointAtCaller(hideValues(error), statement.name);
  } finally {
    await client.releaseConnection(connection);
  }
}

/** Runs a function of the database that returns whether it did something, as the column `done`. */
export async function isDone(
  db: Db | Tx,
  statement: Statement,
  values: unknown[],
): Promise<boolean> {
  return (await execute<{ readonly done: boolean }>(db, statement, values))[0]!.done;
}

/**
 * Runs a prepared statement on a pipelined connection: for look-ups, and other short statements that
 * wait for no long-held lock and need no transaction.
 */
export function lookUp<Row>(db: Db, statement: Statement, values: unknown[]): Promise<Row[]> {
  return inSpan(db, statement, () => runLookUp(db, statement, values));
}

async function runLookUp<Row>(
  db: Db,
  { name, text }: Statement,
  values: unknown[],
): Promise<Row[]> {
  try {
    const result = await db.pipeline.query(name, text, values);
    return result.rows as Row[];
  } catch (error) {
    throw pointAtCaller(error, name);
  }
}

/** As lookUp, in one statement with the same look-up of other callers; see batched-queries.ts. */
export function lookUpBatched<Row>(
  db: Db,
  statement: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  return inSpan(db, statement, () => runBatched(db, statement, values));
}

async function runBatched<Row>(
  db: Db,
  { name, text }: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  try {
    return (await db.pipeline.queryBatched(name, text, values)) as Row[];
  } catch (error) {
    throw pointAtCaller(error, name);
  }
}

function inSpan<T>(db: Db | Tx, { name }: Statement, run: () => Promise<T>): Promise<T> {
  const { trace } = (db.client as { readonly config: Pick<ConnectOptions, 'trace'> }).config;
  return trace ? trace(name, run) : run();
}

/**
 * Lets an error's stack name the statement, the function of the database that raised it, and our
 * code that asked. Costs nothing until there is an error.
 */
function pointAtCaller(error: unknown, statement: string): unknown {
  if (!(error instanceof Error)) return error;
  const { where = '' } = error as { readonly where?: string };
  const raised_in = where.split('\n').find((line) => line.startsWith('PL/pgSQL function'));
  const places = [`statement ${statement}`, ...(raised_in === undefined ? [] : [raised_in])];
  // Made here, because this turn knows who waits for the result; without the frames of this file.
  const frames = (new Error().stack ?? '')
    .split('\n')
    .filter((line) => line.startsWith('    at ') && !line.includes(__filename));
  error.stack = [`${error.name}: ${error.message} (${places.join(', ')})`, ...frames].join('\n');
  return error;
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

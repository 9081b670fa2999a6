// Two pools of pg's per process, each behind knex: one for everything, and a small one for look-ups, whose sessions
// plan by index. Statements on the hot path are prepared once per connection, because parsing and planning them
// again would cost more than running them. A statement is sent by `execute`, `lookUp` or `lookUpBatched`, and the call of
// a function by `call` or `callValue`.

import knex, { type Knex } from 'knex';
import { Pool, types, type PoolConfig, type QueryConfig, type QueryResult } from 'pg';
import { inSpan, SpanKind, traceId } from '../telemetry/spans';
import { batchQueries, type BatchedQuery } from './batched-queries';
import {
  applySettings,
  Connection,
  createLineWatch,
  type ConnectionOptions,
  type Settings,
} from './connection';
import { hideValues, isSessionOver } from './errors';
import { hostsOf } from './hosts';

export interface Db extends Knex {
  readonly lookUps: Knex;
  readonly queryBatched: BatchedQuery;
  /** For reads that may take long; see standby.ts. */
  readonly standby: Db | undefined;
  /** For statements that lift `statement_timeout`; undefined where none of this pool's do. */
  readonly patient: Db | undefined;
  /** Its connections, those for look-ups left out. */
  readonly pool: Pick<Pool, 'totalCount' | 'idleCount' | 'waitingCount'>;
}

/** A transaction: functions that write more than one statement take this, so they cannot forget it. */
export type Tx = Knex.Transaction;

/** Longest a statement may run, in ms: well below the API's own deadlines. */
const STATEMENT_TIMEOUT_MS = 3_000;
/** Longest a request waits for a connection of the pool, in ms. */
const ACQUIRE_TIMEOUT_MS = 2_000;
/** How long a connection that is not needed is kept, in ms. */
const IDLE_TIMEOUT_MS = 30_000;
/** Connections for look-ups, which take some tenths of a millisecond each. */
const LOOK_UPS = 4;
/** For files and statements, of which each process reads four at a time. */
const STANDBY_POOL_SIZE = 4;
/** For files that an operator uploads, and reports. */
const PATIENT_POOL_SIZE = 2;
/** Batches of look-ups that are under way at once: two, so that both processor cores of a small server have work. */
const BATCHES = 2;

/**
 * An idle line is probed after so many ms, and closed when ten probes, a second apart, stay without
 * an answer. The system's own default is two hours.
 */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 5_000 } as const;

// The functions lock first and read then what was committed meanwhile, which only this level shows. A
// server, a database or a role may have another default.
// Lists are read in the order of one index, whatever the planner thinks of the others (list-filters.ts): sorting
// within a part of another index's order is cheap for most accounts, and reads all rows of one that has millions.
const SETTINGS: Settings = {
  timezone: 'UTC',
  default_transaction_isolation: 'read committed',
  enable_incremental_sort: 'off',
  // A process that is frozen or vanishes between two statements must not hold locks or connections for
  // long: no longer than a statement may. Money moves in single statements, which this does not end.
  idle_in_transaction_session_timeout: String(STATEMENT_TIMEOUT_MS),
};
// A look-up is planned once, for all values, and by index. By default Postgres compares that plan with
// one for the actual values, prefers the latter where a value is null, and so planned `identify`
// (db/keys/api-keys.ts) again at each call: 180 µs of processor time instead of 60.
// Compiling a plan that is estimated too dear takes longer than it runs.
const LOOK_UP_SETTINGS: Settings = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  jit: 'off',
};

export interface ConnectOptions {
  readonly url: string;
  /** A standby's address. */
  readonly read_url?: string | undefined;
  readonly pool_size: number;
  /** Shown in pg_stat_activity. */
  readonly name: string;
  /**
   * Set for commands whose statements may take minutes: a connection that stays silent is not
   * closed. The command also has to lift `statement_timeout`.
   */
  readonly is_patient?: boolean;
  /** Set for a pool beside which some statements take as long, on two connections of their own. */
  readonly has_patient?: boolean;
  /** Longest a statement may run, in ms; three seconds by default. */
  readonly statement_timeout_ms?: number;
  /** Longest to wait for a connection, in ms; two seconds by default. */
  readonly acquire_timeout_ms?: number;
}

export function connectDatabase({
  url,
  read_url,
  pool_size,
  name,
  is_patient = false,
  has_patient = false,
  statement_timeout_ms = STATEMENT_TIMEOUT_MS,
  acquire_timeout_ms = ACQUIRE_TIMEOUT_MS,
}: ConnectOptions): Db {
  const config: PoolConfig & ConnectionOptions = {
    ...hostsOf(url),
    application_name: name,
    connectionTimeoutMillis: acquire_timeout_ms,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    ...KEEP_ALIVE,
    types: { getTypeParser: ourTypeParser as typeof types.getTypeParser },
  };
  const settings = { ...SETTINGS, statement_timeout: String(statement_timeout_ms) };
  const everything = openPool({ ...config, max: pool_size }, settings, is_patient);
  const look_ups = openPool(
    { ...config, max: LOOK_UPS },
    { ...settings, ...LOOK_UP_SETTINGS },
    false,
  );
  const lookUps = withKnex(look_ups);
  const queryBatched = batchQueries(
    (statement, values) => runStatement(lookUps, statement, values),
    BATCHES,
  );
  const standby =
    read_url === undefined
      ? undefined
      : connectDatabase({ url: read_url, pool_size: STANDBY_POOL_SIZE, name: `${name}-reads` });
  const patient = has_patient
    ? connectDatabase({ url, pool_size: PATIENT_POOL_SIZE, name: `${name}-long`, is_patient: true })
    : undefined;
  // knex closes no pool that it was given, and pg refuses to close one twice.
  let closing: Promise<unknown> | undefined;
  const destroy = (): Promise<unknown> =>
    (closing ??= Promise.all([
      everything.end(),
      look_ups.end(),
      standby?.destroy(),
      patient?.destroy(),
    ]));
  return Object.defineProperties(withKnex(everything), {
    lookUps: { value: lookUps },
    queryBatched: { value: queryBatched },
    standby: { value: standby },
    patient: { value: patient },
    destroy: { value: destroy },
    pool: { value: everything },
  }) as Db;
}

function openPool(
  config: PoolConfig & ConnectionOptions,
  settings: Settings,
  is_patient: boolean,
): Pool {
  const watch = createLineWatch();
  const onConnect: unknown = async (client: Connection): Promise<void> => {
    await applySettings(client, settings);
    if (!is_patient) watch(client);
  };
  // pg's types leave out that the pool waits for its promise.
  const hook = { onConnect: onConnect as () => void };
  return new Pool({ ...config, Client: Connection, ...hook }).on('error', ignore);
}

/** Serves transactions, migrations and trivial reads. */
function withKnex(pool: Pool): Knex {
  const db = knex({
    client: 'pg',
    connectionPool: pool,
    // Errors name the statement without the values: they end in logs.
    compileSqlOnError: false,
    // The caller gets the error. knex would also print it to standard output, among the lines of the
    // access log.
    log: { warn: ignore, error: ignore, deprecate: ignore, debug: ignore },
  });
  return db.on('query-error', hideValues);
}

function ignore(): void {}

/** A statement whose text never changes; the name is its key in each connection's cache. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** A statement with the values of its places. */
export interface BoundStatement {
  readonly statement: Statement;
  readonly values: unknown[];
}

interface RawConnection {
  query(config: QueryConfig): Promise<QueryResult>;
  end(): Promise<void>;
}

/** Runs a prepared statement on a connection of the pool, or on the transaction's own. */
export function execute<Row>(
  db: Knex | Tx,
  statement: Statement,
  values: unknown[],
): Promise<Row[]> {
  return traced(statement, () => runStatement(db, statement, values));
}

/** Calls a function of the database; the rows have its columns. */
export function call<Row>(db: Knex | Tx, name: string, values: unknown[]): Promise<Row[]> {
  return execute(db, { name, text: `select * from ${callOf(name, values)}` }, values);
}

/** Calls a function of the database that returns one value, or none. */
export async function callValue<Value>(
  db: Knex | Tx,
  name: string,
  values: unknown[],
): Promise<Value> {
  return (await callValues<Value>(db, name, values))[0]!;
}

/** A function of the database that returns one value, or none, as a function of ours. */
export function calls<Fn extends (...values: never[]) => unknown>(name: string) {
  return (db: Knex | Tx, ...values: Parameters<Fn>): Promise<ReturnType<Fn>> =>
    callValue(db, name, values);
}

/** Calls a function of the database that returns a set of values. */
export async function callValues<Value>(
  db: Knex | Tx,
  name: string,
  values: unknown[],
): Promise<Value[]> {
  const text = `select ${callOf(name, values)} as value`;
  const rows = await execute<{ readonly value: Value }>(db, { name, text }, values);
  return rows.map(({ value }) => value);
}

function callOf(name: string, values: readonly unknown[]): string {
  return `${name}(${values.map((_, index) => `$${index + 1}`).join(', ')})`;
}

async function runStatement<Row>(
  db: Knex | Tx,
  statement: Statement,
  values: unknown[],
): Promise<Row[]> {
  const client = db.client as Knex.Client;
  const connection = (await client.acquireConnection()) as RawConnection;
  try {
    const result = await connection.query({ ...statement, values });
    return result.rows as Row[];
  } catch (error) {
    // A pool gives no connection out that has ended.
    if (isSessionOver(error)) void connection.end().catch(ignore);
    throw pointAtCaller(hideValues(error), statement.name);
  } finally {
    await client.releaseConnection(connection);
  }
}

/**
 * Runs a look-up that needs no transaction, on a connection that plans by index: what finds an account's few rows
 * among many of others belongs here, because another plan may read all of them.
 */
export function lookUp<Row>(db: Db, statement: Statement, values: unknown[]): Promise<Row[]> {
  return execute(db.lookUps, statement, values);
}

/** Runs a look-up in one statement with the same look-up of other callers; see batched-queries.ts. */
export function lookUpBatched<Row>(
  db: Db,
  statement: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  return traced(statement, async () => {
    try {
      return (await db.queryBatched(statement, values)) as Row[];
    } catch (error) {
      throw pointAtCaller(error, statement.name);
    }
  });
}

const SPAN = { kind: SpanKind.CLIENT, attributes: { 'db.system.name': 'postgresql' } };

// Work that a process does by itself is no part of a trace, nor is what a request leaves behind for later, such as
// the rows of the access log: one write for many requests.
function traced<T>({ name }: Statement, run: () => Promise<T>): Promise<T> {
  return traceId() === undefined ? run() : inSpan(name, SPAN, run);
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

// Parsers are set on our connections only, never on pg's global table: other code in the process
// keeps its own meaning.
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

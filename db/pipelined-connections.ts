// Pipelined connections, shared by all requests, for short statements that wait for no lock:
// look-ups, and the counting of calls. The statements of many requests are sent on one connection
// without waiting for each other's results (pg's pipeline mode), which halves the cost of a look-up on
// both sides: measured with 16 at a time, identify and list_wallets together take 130 µs of processor
// time instead of 290.
//
// A statement that may wait for a long-held lock, or that belongs to a transaction, runs on a
// connection of the pool instead (`execute`): here it would delay every statement behind it.

import type { Client, ClientConfig, QueryResult } from 'pg';
import { batchQueries, type BatchedQuery, type Query } from './batched-queries';
import { Connection } from './connection';
import { hideValues, isSessionOver } from './errors';

/** Two, so that both processor cores of a small server have work. */
const CONNECTIONS = 2;
/** Longer than Postgres' own limit for a statement: only a server that fell silent exceeds it. */
const QUERY_TIMEOUT_MS = 5_000;

export interface Pipeline {
  readonly query: Query;
  readonly queryBatched: BatchedQuery;
  close(): Promise<void>;
}

export function openPipeline(config: ClientConfig): Pipeline {
  const connections = Array.from({ length: CONNECTIONS }, () => openConnection(config));
  let next = 0;
  return {
    query(...statement) {
      next = (next + 1) % CONNECTIONS;
      return connections[next]!.query(...statement);
    },
    queryBatched: batchQueries(connections.map((connection) => connection.send)),
    async close() {
      await Promise.all(connections.map((connection) => connection.close()));
    },
  };
}

interface PipelinedConnection {
  /** Sent in one write with the other queries of this turn of the event loop. */
  readonly query: Query;
  /** Sent at once. */
  readonly send: Query;
  close(): Promise<void>;
}

// Opened at its first use, and opened again after it broke. The statements under way on a connection
// that breaks fail with it; their requests are answered 503 and may be retried.
function openConnection(config: ClientConfig): PipelinedConnection {
  let current: Promise<Client> | undefined;
  const connect = (): Promise<Client> => {
    const client = new Connection({ ...config, pipeline: true, query_timeout: QUERY_TIMEOUT_MS });
    const connecting = client.connect().then(() => client);
    const drop = (): void => {
      if (current === connecting) current = undefined;
    };
    client.on('error', drop);
    client.on('end', drop);
    connecting.catch(drop);
    return connecting;
  };
  const send = async (
    prepare: (client: Client) => void,
    ...[name, text, values]: Parameters<Query>
  ): Promise<QueryResult> => {
    const used = (current ??= connect());
    const client = await used;
    prepare(client);
    try {
      return await client.query({ name, text, values });
    } catch (error) {
      if (isSessionOver(error) && current === used) {
        current = undefined;
        void client.end();
      }
      throw hideValues(error);
    }
  };
  return {
    query: (...statement) => send(corkUntilEndOfTurn, ...statement),
    send: (...statement) => send(() => {}, ...statement),
    async close() {
      const closing = current;
      current = undefined;
      // A connection that never came up has nothing to close.
      const client = await closing?.catch(() => undefined);
      await client?.end();
    },
  };
}

interface Corkable {
  cork(): void;
  uncork(): void;
}

const corked = new WeakSet<Corkable>();

// The queries of several requests in one turn of the event loop are sent in one write: the system
// call is half of what a look-up costs this process.
function corkUntilEndOfTurn(client: Client): void {
  // pg has no name for its socket; it is the one public object of the connection that it wraps.
  const { stream } = (client as unknown as { connection: { stream: Corkable } }).connection;
  if (corked.has(stream)) return;
  corked.add(stream);
  stream.cork();
  setImmediate(() => {
    corked.delete(stream);
    stream.uncork();
  });
}

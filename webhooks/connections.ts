// HTTP connections: a limited number per origin, and of them for each account, each with one
// request at a time. So a request can be aborted by closing its connection, without harm to any
// other.

import { Client } from 'undici';
import { createLimit, type Limit } from '../domain/limit';
import type { Cancel, Connect } from './connect';

/** The limit of all headers together; the same as Node's own for a server. */
const MAX_HEADER_BYTES = 16 * 1_024;
// How long an idle connection is kept: less than most servers' own limit. If the receiver names its
// limit (Keep-Alive: timeout=…), two seconds less than that, and at most a minute.
const IDLE_MS = 4_000;
const MAX_IDLE_MS = 60_000;
/**
 * The name is resolved again after a minute: a receiver that moves need not wait until its
 * connections are idle.
 */
const MAX_AGE_MS = 60_000;

export interface Connection {
  readonly client: Client;
  /**
   * True when it has carried a request before: the receiver may have closed it, and we may not know
   * yet.
   */
  readonly is_reused: boolean;
}

export interface ConnectionUse {
  readonly origin: string;
  readonly account: string;
  /** A request that still waits for a connection then gets none. */
  readonly signal: AbortSignal;
  /**
   * One request and its response. `complete`: the connection can be used again. `stale`: it was
   * closed before, and the request goes to a new one.
   */
  readonly exchange: (connection: Connection) => Promise<'complete' | 'broken' | 'stale'>;
}

export interface Connections {
  /** Calls `exchange` at once, or when a connection is free. */
  use(use: ConnectionUse): void;
  /** Resolves when no connection is in use any more. */
  close(): Promise<void>;
}

interface PooledConnection extends Connection {
  is_reused: boolean;
  /** The receiver has closed it. */
  is_over: boolean;
  readonly opened_at: number;
  /** Closes it, also while it is still opening. */
  readonly close: () => void;
}

interface Origin {
  readonly name: string;
  readonly limit: Limit;
  /** The last one used is last and taken first, so that the others may time out. */
  readonly idle: PooledConnection[];
  /** How many requests are under way, or wait. */
  requests: number;
}

export interface ConnectionLimits {
  readonly max_per_origin: number;
  /** The most connections of one account to one origin. */
  readonly max_per_account: number;
}

export function createConnections(
  connect: Connect,
  { max_per_origin, max_per_account }: ConnectionLimits,
): Connections {
  const origins = new Map<string, Origin>();
  const under_way = new Set<Promise<void>>();
  let is_closed = false;

  const originOf = (name: string): Origin => {
    const known = origins.get(name);
    if (known) return known;
    const limit = createLimit({ at_once: max_per_origin, each: max_per_account });
    const origin: Origin = { name, limit, idle: [], requests: 0 };
    origins.set(name, origin);
    return origin;
  };
  const forgetUnused = ({ name, idle, requests }: Origin): void => {
    if (requests === 0 && idle.length === 0) origins.delete(name);
  };
  const open = (origin: Origin): PooledConnection =>
    openConnection(origin.name, connect, (connection) => {
      const at = origin.idle.indexOf(connection);
      if (at >= 0) origin.idle.splice(at, 1);
      forgetUnused(origin);
    });

  const exchangeOn = async (origin: Origin, { signal, exchange }: ConnectionUse): Promise<void> => {
    if (signal.aborted) return;
    let connection = takeIdle(origin) ?? open(origin);
    let end = await exchange(connection);
    if (end === 'stale') {
      connection.close();
      connection = open(origin);
      end = await exchange(connection);
    }
    if (end !== 'complete' || connection.is_over || is_closed) return connection.close();
    connection.is_reused = true;
    origin.idle.push(connection);
  };

  return {
    use(use) {
      const origin = originOf(use.origin);
      origin.requests += 1;
      const used = origin.limit
        .run(() => exchangeOn(origin, use), use.account)
        .finally(() => {
          origin.requests -= 1;
          forgetUnused(origin);
          under_way.delete(used);
        });
      under_way.add(used);
    },
    async close() {
      is_closed = true;
      for (const { idle } of origins.values()) for (const one of idle.splice(0)) one.close();
      await Promise.all(under_way);
    },
  };
}

function openConnection(
  origin: string,
  connect: Connect,
  onOver: (connection: PooledConnection) => void,
): PooledConnection {
  let cancelConnect: Cancel = () => {};
  const client = new Client(origin, {
    connect: (target, callback) => {
      cancelConnect = connect(target, callback);
    },
    maxHeaderSize: MAX_HEADER_BYTES,
    // The sender has one deadline for the whole attempt.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: MAX_IDLE_MS,
  });
  const connection: PooledConnection = {
    client,
    is_reused: false,
    is_over: false,
    opened_at: performance.now(),
    close() {
      // The client alone would wait until the socket is open.
      cancelConnect();
      void client.destroy();
    },
  };
  client.on('disconnect', () => {
    connection.is_over = true;
    connection.close();
    onOver(connection);
  });
  return connection;
}

function takeIdle({ idle }: Origin): PooledConnection | undefined {
  const connection = idle.pop();
  if (!connection || performance.now() - connection.opened_at <= MAX_AGE_MS) return connection;
  connection.close();
  return undefined;
}

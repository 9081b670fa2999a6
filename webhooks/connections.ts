// A pool of HTTP connections: a limited number per origin, and of them for each account, each with one request
// at a time. So a request can be aborted by closing its connection, without harm to any other.

import { Client } from 'undici';
import type { Cancel, Connect } from './connect';

/** Of all headers together; the same as Node's own limit for a server. */
const MAX_HEADER_BYTES = 16 * 1_024;
// How long an idle connection is kept: less than most servers' own limit. If the receiver names its
// limit (Keep-Alive: timeout=…), two seconds less than that, and at most a minute.
const IDLE_MS = 4_000;
const MAX_IDLE_MS = 60_000;
/**
 * Then the name is resolved again: a receiver that moves need not wait until its connections are
 * idle.
 */
const MAX_AGE_MS = 60_000;

export interface Connection {
  readonly client: Client;
  /** It has carried a request before: the receiver may have closed it, and we may not know yet. */
  readonly is_reused: boolean;
}

export interface ConnectionRequest {
  readonly origin: string;
  /** Whose request it is. */
  readonly account: string;
  /** Only a new connection will do. */
  readonly fresh: boolean;
  /** Called at once, or when a connection is free. */
  readonly ready: (connection: Connection) => void;
}

export interface Connections {
  request(wanted: ConnectionRequest): void;
  cancel(wanted: ConnectionRequest): void;
  /** After a complete response: the connection is used again. */
  release(connection: Connection): void;
  /** After anything else: the connection is closed, also while it is still opening. */
  destroy(connection: Connection): void;
  /** Resolves when no connection is in use any more. */
  close(): Promise<void>;
}

interface PooledConnection extends Connection {
  is_reused: boolean;
  readonly origin: Origin;
  readonly opened_at: number;
  /** Who uses it; undefined while it is idle. */
  account: string | undefined;
  readonly closeSocket: () => void;
}

interface Origin {
  readonly name: string;
  /** Idle, in use, and being opened. */
  readonly open: Set<PooledConnection>;
  /** The last one used is last and taken first, so that the others may time out. */
  readonly idle: PooledConnection[];
  /** How many connections each account uses. */
  readonly used: Map<string, number>;
  readonly waiting: ConnectionRequest[];
}

export interface ConnectionLimits {
  readonly max_per_origin: number;
  /** Of those to one origin. */
  readonly max_per_account: number;
}

export function createConnections(
  connect: Connect,
  { max_per_origin, max_per_account }: ConnectionLimits,
): Connections {
  const origins = new Map<string, Origin>();
  let onEmpty: (() => void) | undefined;

  function destroy(connection: PooledConnection): void {
    remove(connection);
    serve(connection.origin);
  }

  function serve(origin: Origin): void {
    for (;;) {
      const at = origin.waiting.findIndex(
        ({ account }) => usedBy(origin, account) < max_per_account,
      );
      const wanted = origin.waiting[at];
      if (!wanted) break;
      const idle = takeIdle(origin, wanted.fresh);
      if (!idle && origin.open.size >= max_per_origin) break;
      origin.waiting.splice(at, 1);
      const connection = idle ?? open(origin, connect, destroy);
      connection.account = wanted.account;
      origin.used.set(wanted.account, usedBy(origin, wanted.account) + 1);
      wanted.ready(connection);
    }
    if (origin.open.size === 0 && origin.waiting.length === 0) origins.delete(origin.name);
    if (origins.size === 0) onEmpty?.();
  }

  return {
    request(wanted) {
      let origin = origins.get(wanted.origin);
      if (!origin) {
        origin = { name: wanted.origin, open: new Set(), idle: [], used: new Map(), waiting: [] };
        origins.set(wanted.origin, origin);
      }
      origin.waiting.push(wanted);
      serve(origin);
    },

    cancel(wanted) {
      const origin = origins.get(wanted.origin);
      const at = origin?.waiting.indexOf(wanted) ?? -1;
      if (origin && at >= 0) origin.waiting.splice(at, 1);
    },

    release(released) {
      const connection = released as PooledConnection;
      if (onEmpty) return destroy(connection);
      giveBack(connection);
      connection.origin.idle.push(connection);
      serve(connection.origin);
    },

    destroy: (connection) => destroy(connection as PooledConnection),

    close() {
      return new Promise((resolve) => {
        onEmpty = resolve;
        for (const { idle } of [...origins.values()]) [...idle].forEach(destroy);
        if (origins.size === 0) resolve();
      });
    },
  };
}

function open(
  origin: Origin,
  connect: Connect,
  destroy: (connection: PooledConnection) => void,
): PooledConnection {
  let cancelConnect: Cancel = () => {};
  const client = new Client(origin.name, {
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
    ...{ client, is_reused: false, origin, opened_at: performance.now(), account: undefined },
    closeSocket: () => {
      // The client alone would wait until the socket is open.
      cancelConnect();
      void client.destroy();
    },
  };
  client.on('disconnect', () => {
    if (origin.idle.includes(connection)) destroy(connection);
  });
  origin.open.add(connection);
  return connection;
}

function takeIdle(origin: Origin, fresh: boolean): PooledConnection | undefined {
  const idle = origin.idle.at(-1);
  if (!idle) return undefined;
  if (fresh || performance.now() - idle.opened_at > MAX_AGE_MS) {
    // Makes room for a new one.
    remove(idle);
    return undefined;
  }
  idle.is_reused = true;
  return origin.idle.pop();
}

function usedBy({ used }: Origin, account: string): number {
  return used.get(account) ?? 0;
}

function giveBack(connection: PooledConnection): void {
  const { account, origin } = connection;
  if (account === undefined) return;
  connection.account = undefined;
  const left = usedBy(origin, account) - 1;
  if (left > 0) origin.used.set(account, left);
  else origin.used.delete(account);
}

/** Without serving the requests that wait. */
function remove(connection: PooledConnection): void {
  const { open: all, idle } = connection.origin;
  giveBack(connection);
  all.delete(connection);
  const at = idle.indexOf(connection);
  if (at >= 0) idle.splice(at, 1);
  connection.closeSocket();
}

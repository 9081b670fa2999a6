// Connections that are kept for the next request: at most so many to one origin, each with one request
// at a time. So what goes wrong with a request is ended by ending its connection, and nobody else's.

import { Client } from 'undici';
import type { Cancel, Connect } from './connect';

/** Node's own limit for what it is sent: status and reason apart, all headers together. */
const MAX_HEADER_BYTES = 16 * 1_024;
// Without a word from the receiver: shorter than what servers usually wait before they close. With
// one (Keep-Alive: timeout=…), two seconds less than it says, and at most a minute.
const IDLE_MS = 4_000;
const MAX_IDLE_MS = 60_000;
/** Then the name is resolved again: who moves a receiver need not wait until it rests. */
const MAX_AGE_MS = 60_000;

export interface Connection {
  readonly client: Client;
  /** It has carried a request before: the receiver may have closed it, and we not know yet. */
  readonly is_reused: boolean;
}

export interface Wish {
  readonly origin: string;
  /** Not one that has been used before. */
  readonly fresh: boolean;
  /** Called at once, or when a connection has become free. */
  readonly ready: (connection: Connection) => void;
}

export interface Connections {
  take(wish: Wish): void;
  withdraw(wish: Wish): void;
  /** After a whole answer: it may be used again. */
  giveBack(connection: Connection): void;
  /** After anything else: it is closed, or given up while it opens. */
  drop(connection: Connection): void;
  /** Resolves when every connection that is in use has come back. */
  close(): Promise<void>;
}

interface Open extends Connection {
  is_reused: boolean;
  readonly origin: Origin;
  readonly opened_at: number;
  readonly destroy: () => void;
}

interface Origin {
  readonly name: string;
  /** Idle, in use, and being opened. */
  readonly open: Set<Open>;
  /** The one that rested the shortest is last, and taken first: the others may then time out. */
  readonly idle: Open[];
  readonly waiting: Wish[];
}

export function createConnections(connect: Connect, max_per_origin: number): Connections {
  const origins = new Map<string, Origin>();
  let onEmpty: (() => void) | undefined;

  function open(origin: Origin): Open {
    let cancelConnect: Cancel = () => {};
    const client = new Client(origin.name, {
      connect: (target, callback) => {
        cancelConnect = connect(target, callback);
      },
      maxHeaderSize: MAX_HEADER_BYTES,
      // One deadline runs for the whole attempt, elsewhere.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: MAX_IDLE_MS,
    });
    const destroy = (): void => {
      // The client alone would wait for the socket to open first.
      cancelConnect();
      void client.destroy();
    };
    const opened_at = performance.now();
    const connection: Open = { client, is_reused: false, origin, opened_at, destroy };
    client.on('disconnect', () => {
      if (origin.idle.includes(connection)) drop(connection);
    });
    origin.open.add(connection);
    return connection;
  }

  /** Closes without looking who waits. */
  function discard(connection: Open): void {
    const { open: all, idle } = connection.origin;
    all.delete(connection);
    const at = idle.indexOf(connection);
    if (at >= 0) idle.splice(at, 1);
    connection.destroy();
  }

  function drop(connection: Open): void {
    discard(connection);
    serve(connection.origin);
  }

  function takeIdle(origin: Origin, fresh: boolean): Open | undefined {
    const idle = origin.idle.at(-1);
    if (!idle) return undefined;
    if (fresh || performance.now() - idle.opened_at > MAX_AGE_MS) {
      // Makes room for a new one.
      discard(idle);
      return undefined;
    }
    idle.is_reused = true;
    return origin.idle.pop();
  }

  function serve(origin: Origin): void {
    for (;;) {
      const wish = origin.waiting[0];
      if (!wish) break;
      const idle = takeIdle(origin, wish.fresh);
      if (!idle && origin.open.size >= max_per_origin) break;
      origin.waiting.shift();
      wish.ready(idle ?? open(origin));
    }
    if (origin.open.size === 0 && origin.waiting.length === 0) origins.delete(origin.name);
    if (origins.size === 0) onEmpty?.();
  }

  return {
    take(wish) {
      let origin = origins.get(wish.origin);
      if (!origin) {
        origin = { name: wish.origin, open: new Set(), idle: [], waiting: [] };
        origins.set(wish.origin, origin);
      }
      origin.waiting.push(wish);
      serve(origin);
    },

    withdraw(wish) {
      const origin = origins.get(wish.origin);
      const at = origin?.waiting.indexOf(wish) ?? -1;
      if (origin && at >= 0) origin.waiting.splice(at, 1);
    },

    giveBack(given) {
      const connection = given as Open;
      if (onEmpty) return drop(connection);
      connection.origin.idle.push(connection);
      serve(connection.origin);
    },

    drop: (connection) => drop(connection as Open),

    close() {
      return new Promise((resolve) => {
        onEmpty = resolve;
        for (const { idle } of [...origins.values()]) [...idle].forEach(drop);
        if (origins.size === 0) resolve();
      });
    },
  };
}

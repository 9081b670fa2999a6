// Connections of the pool that notice when their host is gone without a word. A host that dies, or
// whose address moved to another one, sends neither an answer nor a reset, and the system would send
// the statement again and again for a quarter of an hour. So a connection that has sent a statement
// and hears nothing for longer than any statement may take is closed, which fails its statement and
// gives its place in the pool free. It must not be used again: its transaction may still be open.
//
// Pipelined connections have a limit for each statement instead (pipelined-connections.ts).

import type { Client, ClientConfig } from 'pg';
import { Connection, lineOf } from './connection';

/** Longer than Postgres' own limit for a statement (`statement_timeout`), in ms. */
const SILENCE_MS = 5_000;

const SILENT = new Error('Connection terminated: Postgres stayed silent');

/** A part of pg's client that its types leave out; its version is pinned. */
interface Internals {
  /** False while a statement waits for its result. */
  readonly readyForQuery: boolean;
}

/** A class of connections, for one pool: the driver that knex gets. */
export function createLineWatch(): typeof Client {
  const connected = new Set<WatchedConnection>();

  class WatchedConnection extends Connection {
    /** knex's mark for a connection that its pool must not give out again. */
    __knex__disposed?: unknown;

    constructor(config?: string | ClientConfig) {
      super(config);
      this.once('connect', () => {
        connected.add(this);
        // By the socket, which costs nothing a statement: each byte in or out starts the time anew.
        const line = lineOf(this);
        line.setTimeout(SILENCE_MS);
        // Not by the callback of `setTimeout`, which is for the first time only: an idle line is quiet as well.
        line.on('timeout', () => {
          if (isWaiting(this)) closeSilent(this);
        });
      });
      this.once('end', () => connected.delete(this));
    }
  }

  // The idle ones lead to the same host. Each would cost one more caller the same wait.
  function closeSilent(silent: WatchedConnection): void {
    for (const connection of connected) {
      if (connection !== silent && isWaiting(connection)) continue;
      // At once: the end of the connection is noticed a moment later, and a caller may come first.
      connection.__knex__disposed = SILENT;
      lineOf(connection).destroy();
    }
  }

  return WatchedConnection;
}

function isWaiting(client: Client): boolean {
  return !(client as unknown as Internals).readyForQuery;
}

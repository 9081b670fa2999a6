// Shared connections for short statements that wait for nobody: look-ups, and the counting of calls.
// Statements of many requests travel on one connection without waiting for each other's answers
// (pg's pipeline mode), which halves what a look-up costs on both sides: measured with 16 at a time,
// identify and list_wallets together take 130 µs of processor time instead of 290.
//
// Whatever may wait for a lock of long hold, or belongs to a transaction, takes a connection of the
// pool instead (`run`): here it would hold up everyone behind it.

import { Client, DatabaseError, type ClientConfig, type QueryResult } from 'pg';
import { gatherQuestions, type AskTogether, type Query } from './together';

// Connection exception, operator intervention that ends the session, idle in a transaction.
const SESSION_IS_OVER = /^(08|57P|25P03)/;

/**
 * True when the connection that failed so is of no more use. A server that shuts down says so before
 * it closes the socket, and one that fell silent never does: in between, a connection looks sound
 * and would be given to one more caller.
 */
export function isSessionOver(error: unknown): boolean {
  return !(error instanceof DatabaseError) || SESSION_IS_OVER.test(error.code ?? '');
}

/** Two, so that both processor cores of a small server have work. */
const LINES = 2;
/** Longer than Postgres' own limit for a statement: only a server that says nothing runs into it. */
const ANSWER_WITHIN_MS = 5_000;

export interface Lines {
  readonly query: Query;
  /** For questions that one statement may answer together; see together.ts. */
  readonly askTogether: AskTogether;
  close(): Promise<void>;
}

export function openLines(config: ClientConfig): Lines {
  const lines = Array.from({ length: LINES }, () => openLine(config));
  let next = 0;
  return {
    query(...statement) {
      next = (next + 1) % LINES;
      return lines[next]!.query(...statement);
    },
    askTogether: gatherQuestions(lines.map((line) => line.send)),
    async close() {
      await Promise.all(lines.map((line) => line.close()));
    },
  };
}

interface Line {
  /** Leaves with what else is asked in this turn of the event loop. */
  readonly query: Query;
  /** Leaves at once. */
  readonly send: Query;
  close(): Promise<void>;
}

// One connection, made at its first use and made again after it broke. Statements under way on a
// connection that breaks fail with it; their requests are answered 503 and may be repeated.
function openLine(config: ClientConfig): Line {
  let current: Promise<Client> | undefined;
  const connect = (): Promise<Client> => {
    const client = new Client({ ...config, pipeline: true, query_timeout: ANSWER_WITHIN_MS });
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
    const line = (current ??= connect());
    const client = await line;
    prepare(client);
    try {
      return await client.query({ name, text, values });
    } catch (error) {
      if (isSessionOver(error) && current === line) {
        current = undefined;
        void client.end();
      }
      throw error;
    }
  };
  return {
    query: (...statement) => send(sendTogether, ...statement),
    send: (...statement) => send(() => {}, ...statement),
    async close() {
      const closing = current;
      current = undefined;
      // A line that never came up has nothing to close.
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

// What several requests ask in one turn of the event loop leaves in one write: the system call is
// half of what a look-up costs this process.
function sendTogether(client: Client): void {
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

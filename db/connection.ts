// A connection to Postgres has more here than pg's: the settings that it asked for, and an end also when the server
// hangs or its host is gone without a word.

import {
  Client,
  escapeIdentifier,
  escapeLiteral,
  type ClientBase,
  type ClientConfig,
  type QueryResult,
} from 'pg';
import type { Hosts } from './hosts';

/** Parts of pg's client that its types leave out; its version is pinned. */
interface Internals {
  readonly connection: { readonly stream: Line };
  /** False while a statement waits for its result. */
  readonly readyForQuery: boolean;
}

/** The part of Node's socket that is used. */
export interface Line {
  setTimeout(ms: number): void;
  on(event: 'timeout', listener: () => void): void;
  destroy(): void;
}

/** Read when it is needed: a TLS connection has replaced its socket by then. */
export function lineOf(client: ClientBase): Line {
  return (client as unknown as Internals).connection.stream;
}

/** How long a server has to close the line, in ms. One that hangs would keep the process that stops for ever. */
const CLOSE_WITHIN_MS = 1_000;

export interface ConnectionOptions {
  /** Undefined: the host of the configuration. */
  readonly hosts?: Hosts;
}

type Connected = (error?: Error) => void;

export class Connection extends Client {
  /** Where pg connects to. Its types make them constant. */
  declare host: string;
  declare port: number;
  readonly hosts: Hosts | undefined;

  constructor(config: ClientConfig & ConnectionOptions = {}) {
    super(config);
    this.hosts = config.hosts;
    // A statement fails with it, and the pool has a listener of its own. Without any listener the error would end the
    // process, and between the end of `connect` and the first statement there is no other.
    this.on('error', () => undefined);
  }

  override connect(): Promise<this>;
  override connect(onConnected: Connected): void;
  override connect(onConnected?: Connected): Promise<this> | void {
    const connected = this.connectToHost();
    if (!onConnected) return connected;
    connected.then(() => onConnected(), onConnected);
  }

  private async connectToHost(): Promise<this> {
    const { hosts } = this;
    if (hosts) {
      // It may end because its server is no primary any more, or fail because that is gone: the next one looks anew.
      this.once('end', () => hosts.forget());
      ({ host: this.host, port: this.port } = await hosts.find());
    }
    await super.connect();
    return this;
  }

  override end(): Promise<void>;
  override end(onEnd: (error: Error) => void): void;
  override end(onEnd?: (error: Error) => void): Promise<void> | void {
    const limit = setTimeout(() => lineOf(this).destroy(), CLOSE_WITHIN_MS).unref();
    this.once('end', () => clearTimeout(limit));
    return onEnd ? super.end(onEnd) : super.end();
  }
}

/** Longer than Postgres' own limit for a statement (`statement_timeout`), in ms. */
const SILENCE_MS = 5_000;

const SILENT = new Error('Connection terminated: Postgres stayed silent');
const MOVED = new Error('Connection terminated: another host of Postgres takes writes now');

/**
 * Closes connections of one pool whose host is silent. pg has a time-out for each statement, but leaves the
 * connection open, with its transaction and its place in the pool; and a host that is gone sends neither an answer
 * nor a reset, so that the system would send the statement again for a quarter of an hour.
 */
export function createLineWatch(): (client: Connection) => void {
  const connected = new Set<Connection>();

  // The idle ones lead to the same host. Each would cost one more caller the same wait.
  function closeSilent(silent: ClientBase): void {
    for (const client of connected) {
      if (client !== silent && isWaiting(client)) continue;
      close(client, SILENT);
    }
  }

  function close(client: ClientBase, reason: Error): void {
    // The pool hears of an idle one at once: the end of the line is noticed a moment later.
    client.emit('error', reason);
    lineOf(client).destroy();
  }

  return (client) => {
    for (const other of connected) {
      // The primary has moved. A server that it left behind may go on answering reads for a moment.
      if (other.host !== client.host || other.port !== client.port) close(other, MOVED);
    }
    connected.add(client);
    client.once('end', () => connected.delete(client));
    // The socket measures the silence at no cost to a statement: each byte in or out starts the time anew.
    const line = lineOf(client);
    line.setTimeout(SILENCE_MS);
    // The callback of `setTimeout` is for the first time only, and an idle line is quiet as well.
    line.on('timeout', () => {
      if (isWaiting(client)) closeSilent(client);
    });
  };
}

function isWaiting(client: ClientBase): boolean {
  return !(client as unknown as Internals).readyForQuery;
}

/** Names of Postgres' settings in small letters, and their values as `pg_settings` shows them: times in ms. */
export type Settings = Readonly<Record<string, string>>;

/** Longest that a server may take for the settings, in ms. */
const SETTINGS_WITHIN_MS = 5_000;
/** A setting that only we know. It tells a session that we have used before from a fresh one. */
const MARK = 'payments.session';

const WANTED =
  'Connect to Postgres itself, or through a pooler in session mode that resets its sessions ' +
  '(pgbouncer: pool_mode = session, server_reset_query = DISCARD ALL).';

/**
 * Sets them in one round trip, and refuses a session that does not keep them: without its time-outs, a process that
 * is frozen would hold its locks for ever. They are not in the packet that opens the connection, because poolers
 * refuse it when it has settings that they do not know.
 */
export async function applySettings(client: Connection, settings: Settings): Promise<void> {
  const names = Object.keys(settings);
  const text = [
    `select current_setting('${MARK}', true) as mark, current_setting('transaction_read_only') as reads_only`,
    `set ${MARK} = 'used'`,
    ...names.map((name) => `set ${escapeIdentifier(name)} = ${escapeLiteral(settings[name]!)}`),
    `select lower(name) as name, setting from pg_settings
      where lower(name) in (${names.map(escapeLiteral).join(', ')})`,
  ].join('; ');
  const results = (await client.query({
    text,
    query_timeout: SETTINGS_WITHIN_MS,
  } as { text: string })) as unknown as QueryResult<Record<string, string | null>>[];
  const { mark, reads_only } = results[0]!.rows[0]!;
  if (reads_only === 'on' && client.hosts?.takes_writes === true) {
    throw new Error('Connection terminated: this host of Postgres takes no writes any more');
  }
  if (mark) {
    throw new Error(`Another connection has used this session of Postgres before. ${WANTED}`);
  }
  const shown = new Map(results.at(-1)!.rows.map(({ name, setting }) => [name, setting]));
  const lost = names.filter((name) => shown.get(name) !== settings[name]);
  if (lost.length > 0) {
    throw new Error(`This session of Postgres did not keep: ${lost.join(', ')}. ${WANTED}`);
  }
}

// A connection that closes also when its server hangs.

import { Client } from 'pg';

/** Parts of pg's client that its types leave out; its version is pinned. */
interface Internals {
  readonly connection: { readonly stream: Line };
}

/** Of Node's socket. */
export interface Line {
  setTimeout(ms: number): void;
  on(event: 'timeout', listener: () => void): void;
  destroy(): void;
}

/** How long a server has to close the line, in ms. One that hangs would keep the process that stops for ever. */
const CLOSE_WITHIN_MS = 1_000;

export class Connection extends Client {
  override end(): Promise<void>;
  override end(onEnd: (error: Error) => void): void;
  override end(onEnd?: (error: Error) => void): Promise<void> | void {
    const limit = setTimeout(() => lineOf(this).destroy(), CLOSE_WITHIN_MS).unref();
    this.once('end', () => clearTimeout(limit));
    return onEnd ? super.end(onEnd) : super.end();
  }
}

/** Read when it is needed: a TLS connection has replaced its socket by then. */
export function lineOf(client: Client): Line {
  return (client as unknown as Internals).connection.stream;
}

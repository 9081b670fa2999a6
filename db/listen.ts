// Listens to notification channels of Postgres on one connection. What is notified while the connection is lost never
// arrives: `onConnected` says when it is back, so that the caller can poll.

import { KEEP_ALIVE } from './connect';
import { Connection } from './connection';
import { hostsOf } from './hosts';

export interface ListenOptions {
  readonly url: string;
  /** Called with each message of the channel. */
  readonly channels: Readonly<Record<string, (payload: string) => void>>;
  /** Called after each connection, the first included. */
  readonly onConnected: () => void;
}

const CONNECT_WITHIN_MS = 2_000;
const RETRY_MS = { first: 100, longest: 5_000 };

/** Connects in the background, again and again until it is closed. */
export function listen(options: ListenOptions): { close(): Promise<void> } {
  let is_closed = false;
  let current: Connection | undefined;
  let retry: NodeJS.Timeout | undefined;
  let wait = RETRY_MS.first;

  const reconnect = (lost: Connection): void => {
    if (is_closed || lost !== current) return;
    current = undefined;
    retry = setTimeout(() => void connect(), wait);
    wait = Math.min(wait * 2, RETRY_MS.longest);
  };
  const connect = async (): Promise<void> => {
    const client = new Connection({
      ...hostsOf(options.url),
      application_name: 'payment-listener',
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
      ...KEEP_ALIVE,
    });
    current = client;
    // Either event says that the connection is lost. Keep-alive detects a peer that has vanished.
    client.on('error', () => reconnect(client));
    client.on('end', () => reconnect(client));
    client.on('notification', ({ channel, payload = '' }) => options.channels[channel]?.(payload));
    try {
      await client.connect();
      for (const channel of Object.keys(options.channels)) {
        await client.query(`listen ${client.escapeIdentifier(channel)}`);
      }
    } catch {
      // The next try may connect; until then the caller polls.
      reconnect(client);
      void client.end().catch(() => undefined);
      return;
    }
    wait = RETRY_MS.first;
    options.onConnected();
  };

  void connect();
  return {
    async close() {
      is_closed = true;
      clearTimeout(retry);
      await current?.end().catch(() => undefined);
    },
  };
}

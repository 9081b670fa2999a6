// Hears what commits say on a channel of Postgres. What is said while the connection is away is lost:
// whoever listens is told when it is back, and looks for himself.

import { Client } from 'pg';

export interface ListenOptions {
  readonly url: string;
  readonly channel: string;
  readonly onMessage: (payload: string) => void;
  /** After each connection, the first included. */
  readonly onConnected: () => void;
}

const CONNECT_WITHIN_MS = 2_000;
const RETRY_MS = { first: 100, longest: 5_000 };

/** Keeps trying until it is closed; nobody waits for it. */
export function listen(options: ListenOptions): { close(): Promise<void> } {
  let is_closed = false;
  let current: Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  let wait = RETRY_MS.first;

  const again = (lost: Client): void => {
    if (is_closed || lost !== current) return;
    current = undefined;
    retry = setTimeout(() => void connect(), wait);
    wait = Math.min(wait * 2, RETRY_MS.longest);
  };
  const connect = async (): Promise<void> => {
    const client = new Client({
      connectionString: options.url,
      application_name: 'payment-listener',
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
      keepAlive: true,
    });
    current = client;
    // Both say that the connection is over; a peer that vanished is found out by keep-alive.
    client.on('error', () => again(client));
    client.on('end', () => again(client));
    client.on('notification', ({ payload = '' }) => options.onMessage(payload));
    try {
      await client.connect();
      await client.query(`listen ${client.escapeIdentifier(options.channel)}`);
    } catch {
      // It may be back at the next try; meanwhile whoever listens looks by himself.
      again(client);
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

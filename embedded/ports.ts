// Free ports on the loopback interface: a default port gives way to another, a chosen one never does.

import { connect, createServer } from 'node:net';
import { EmbeddedError } from './error';

// The only interface on which embedded parts listen.
export const LOOPBACK = '127.0.0.1';

export async function isPortFree(port: number): Promise<boolean> {
  return (await listenOnce(port)) !== undefined;
}

/**
 * Whether somebody listens there. It connects, and never takes the port for a moment as `isPortFree`
 * does: a server that starts meanwhile would find it in use, and give up.
 */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: LOOPBACK, port });
    const end = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}

/** The preferred port if it is free, else one that the system picks. */
export async function pickPort(preferred: number): Promise<number> {
  const port = (await listenOnce(preferred)) ?? (await listenOnce(0));
  if (port === undefined) throw new Error('the system has no free port');
  return port;
}

export interface WantedPort {
  /** The name of the setting. */
  readonly name: string;
  readonly port: number;
  readonly is_chosen: boolean;
  readonly say: (text: string) => void;
}

/** A default port that is in use is replaced; a chosen one is an error. */
export async function settlePort({ name, port, is_chosen, say }: WantedPort): Promise<number> {
  if (is_chosen) {
    if (await isPortFree(port)) return port;
    throw new EmbeddedError(
      `Port ${port} (${name}) is in use. Stop the program that uses it, or set ${name}.`,
    );
  }
  const picked = await pickPort(port);
  if (picked !== port)
    say(`Port ${port} is in use: using ${picked} instead (set ${name} to choose).`);
  return picked;
}

function listenOnce(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ host: LOOPBACK, port, exclusive: true }, () => {
      const address = server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : undefined;
      server.close(() => resolve(bound));
    });
  });
}

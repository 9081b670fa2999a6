// Free ports on the loopback interface: a default port gives way to another, a chosen one never does.

import { connect, createServer } from 'node:net';
import { EmbeddedError } from './error';

// The only interface on which embedded parts listen.
export const LOOPBACK = '127.0.0.1';

// A port that is free when it is picked may be taken when its server binds it. That happens once in a
// hundred starts or less, so five tries in a row fail only when something else is wrong.
const PORT_ATTEMPTS = 5;

/** Another program listens on a port that a server was to listen on. */
export class PortTakenError extends EmbeddedError {
  readonly port: number;

  constructor(server: string, port: number) {
    super(`Port ${port} on ${LOOPBACK} is in use: ${server} cannot listen on it.`);
    this.port = port;
  }
}

export async function isPortFree(port: number): Promise<boolean> {
  return (await listenOnce(port)) !== undefined;
}

/**
 * True when a server listens there. It connects, and never takes the port for a moment as
 * `isPortFree` does: a server that starts meanwhile would find it in use, and give up.
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

/**
 * Starts a server on the preferred port, or another one when it is in use. When another program
 * takes the port before the server does, the server is started on another one.
 */
export async function startOnFreePort<Server>(
  preferred: number,
  start: (port: number) => Promise<Server>,
  say: (text: string) => void = () => {},
): Promise<Server> {
  for (let attempt = 1; ; attempt++) {
    const port = await pickPort(attempt === 1 ? preferred : 0);
    try {
      return await start(port);
    } catch (error) {
      const is_taken = error instanceof PortTakenError && error.port === port;
      if (!is_taken || attempt === PORT_ATTEMPTS) throw error;
      say(`Port ${port} was taken meanwhile: trying another one.`);
    }
  }
}

/** The same for a server that may be started again: it keeps its first port, which others know by then. */
export function keepFreePort<Server>(
  preferred: number,
  start: (port: number) => Promise<Server>,
  say?: (text: string) => void,
): () => Promise<Server> {
  let kept: number | undefined;
  return async () => {
    if (kept !== undefined) return start(kept);
    const open = async (port: number): Promise<Server> => {
      const server = await start(port);
      kept = port;
      return server;
    };
    return startOnFreePort(preferred, open, say);
  };
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

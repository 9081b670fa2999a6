// The two servers below the service, each of which an experiment may kill and start again on the
// same files and the same port.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { keepFreePort } from '../../../dev/embedded/ports';
import { signalTree } from '../../../dev/embedded/process';
import { startPostgres, type EmbeddedPostgres } from '../../../dev/embedded/postgres';
import { startTemporal, type EmbeddedTemporal } from '../../../dev/embedded/temporal';
import { acquireTemporalBinary } from '../../../dev/embedded/temporal-binary';
import { anyTestPort } from '../../support/ports';

export interface ServerNode<Server> {
  readonly current: () => Server;
  isRunning(): boolean;
  start(): Promise<void>;
  /** SIGKILL for it and every process it has started; resolves when it is gone. */
  kill(): Promise<void>;
  /** SIGSTOP: connections stay open, and no response comes. */
  freeze(): void;
  thaw(): void;
  /** Ends it for good, and cleanly. */
  stop(): Promise<void>;
}

export function postgresFolder(folder: string): string {
  return join(folder, 'postgres');
}

/** @param settings asked for at each start */
export async function openPostgres(
  folder: string,
  settings: () => Readonly<Record<string, string>> = () => ({}),
): Promise<ServerNode<EmbeddedPostgres>> {
  const directory = postgresFolder(folder);
  const log_file = join(folder, 'postgres.log');
  return openServer(
    keepFreePort(anyTestPort(), (port) =>
      startPostgres({ directory, port, log_file, settings: settings() }),
    ),
  );
}

/** Deletes everything that Temporal knows, while it is down. */
export function loseTemporalData(folder: string): void {
  rmSync(temporalFolder(folder), { recursive: true });
}

export function temporalFolder(folder: string): string {
  return join(folder, 'temporal');
}

export async function openTemporal(folder: string): Promise<ServerNode<EmbeddedTemporal>> {
  const log = (message: string): void => console.error(message);
  const binary = await acquireTemporalBinary({ env: process.env, log });
  return openServer(
    keepFreePort(anyTestPort(), (port) =>
      startTemporal({
        binary,
        database_file: join(temporalFolder(folder), 'temporal.db'),
        port,
        ui_port: null,
        namespace: 'default',
        log_file: join(folder, 'temporal.log'),
        say: log,
      }),
    ),
  );
}

interface Startable {
  readonly pid: number;
  readonly exited: Promise<unknown>;
  stop(): Promise<void>;
}

async function openServer<Server extends Startable>(
  begin: () => Promise<Server>,
): Promise<ServerNode<Server>> {
  let running = true;
  const open = async (): Promise<Server> => {
    const fresh = await begin();
    // One that has ended by itself, for want of room, is started again when all is healed.
    void fresh.exited.then(() => {
      if (fresh === server) running = false;
    });
    return fresh;
  };
  let server = await open();
  let isClosed = false;
  let starting: Promise<unknown> = Promise.resolve();
  return {
    current: () => server,
    isRunning: () => running,
    async start() {
      if (isClosed) throw new Error('it was stopped for good');
      const fresh = open();
      // The caller of start gets the failure; a stop only waits for the end of it.
      starting = fresh.catch(() => undefined);
      server = await fresh;
      running = true;
    },
    async kill() {
      running = false;
      signalTree(server.pid, 'SIGKILL');
      await server.exited;
    },
    freeze: () => signalTree(server.pid, 'SIGSTOP'),
    thaw: () => signalTree(server.pid, 'SIGCONT'),
    async stop() {
      isClosed = true;
      await starting;
      if (!running) return;
      signalTree(server.pid, 'SIGCONT');
      await server.stop();
    },
  };
}

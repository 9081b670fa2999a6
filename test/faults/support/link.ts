// A TCP link between the service and the gateway that can be cut, fall silent, delay and lose responses.
// With several targets it is a load balancer: a target that does not listen is passed over.

import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { withResolvers, type Resolvers } from '../../../domain/promises';
import { pickTestPort } from '../../support/ports';

export interface LinkFaults {
  /**
   * `cut`: connections are reset, new ones too. `silent`: everything is taken and kept, and arrives
   * late, when its sender may have gone.
   */
  readonly line: 'up' | 'cut' | 'silent';
  /** Delays each piece, both ways. */
  readonly delay_ms: number;
  /** Called for each piece of a response; true ends the connection in its place. */
  readonly loseAnswer: () => boolean;
}

export interface Link {
  readonly url: string;
  /** A fault that is not named is off. */
  set(faults: Partial<LinkFaults>): void;
  /** How many connections were cut under way, and responses lost. */
  readonly broken: () => number;
  close(): Promise<void>;
}

const NO_FAULTS: LinkFaults = { line: 'up', delay_ms: 0, loseAnswer: () => false };
const HOST = '127.0.0.1';

export async function openLink(targets: () => readonly number[]): Promise<Link> {
  const port = await pickTestPort();
  const sockets = new Set<Socket>();
  let faults = NO_FAULTS;
  let mended: Resolvers<void> | undefined;
  let turn = 0;
  let broken = 0;

  /** Keeps the order, and delays each piece as the line does at that moment. */
  const pump = (from: Socket, to: Socket, isLost: () => boolean): void => {
    let last = Promise.resolve();
    from.on('data', (piece: Buffer) => {
      last = last.then(async () => {
        if (faults.delay_ms > 0) await delay(faults.delay_ms);
        await mended?.promise;
        if (to.destroyed) return;
        if (isLost()) {
          broken += 1;
          from.destroy();
          to.destroy();
        } else {
          to.write(piece);
        }
      });
    });
    // Pieces that were sent arrive, also when the sender does not wait for its response.
    from.on('close', () => {
      sockets.delete(from);
      void last.then(() => to.end());
    });
  };
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.setNoDelay(true);
    // Followed by `close`, which is enough to know.
    socket.on('error', () => undefined);
  };
  const server = createServer((client) => {
    keep(client);
    if (faults.line === 'cut') return void client.resetAndDestroy();
    void connectTo(rotate(targets(), turn)).then((upstream) => {
      if (upstream === undefined || client.destroyed) {
        upstream?.destroy();
        return client.destroy();
      }
      keep(upstream);
      pump(client, upstream, () => false);
      pump(upstream, client, () => faults.loseAnswer());
      return undefined;
    });
    turn += 1;
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(port, HOST, () => resolve()));

  const set = (changed: Partial<LinkFaults>): void => {
    faults = { ...NO_FAULTS, ...changed };
    if (faults.line === 'silent') {
      mended ??= withResolvers();
    } else {
      mended?.resolve();
      mended = undefined;
    }
    if (faults.line !== 'cut') return;
    broken += sockets.size / 2;
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    url: `http://${HOST}:${port}`,
    set,
    broken: () => Math.round(broken),
    async close() {
      set({});
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function rotate(ports: readonly number[], turn: number): number[] {
  const start = turn % Math.max(1, ports.length);
  return [...ports.slice(start), ...ports.slice(0, start)];
}

/** The first that listens; undefined when none does. */
async function connectTo(ports: readonly number[]): Promise<Socket | undefined> {
  for (const port of ports) {
    const socket = connect(port, HOST);
    const isConnected = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    if (isConnected) return socket;
  }
  return undefined;
}

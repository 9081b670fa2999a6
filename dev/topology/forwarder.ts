// What Docker's DNS does for a service with several containers: one address, and each new connection goes to
// one of those that are up.

import { connect, createServer, type Socket } from 'node:net';
import { LOOPBACK } from '../../embedded/ports';

export interface Forwarder {
  readonly port: number;
  close(): Promise<void>;
}

export async function openForwarder(port: number, targets: readonly number[]): Promise<Forwarder> {
  const sockets = new Set<Socket>();
  let turn = 0;
  const server = createServer((caller) => {
    track(caller, sockets);
    turn += 1;
    forward(caller, targets, turn, sockets);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: LOOPBACK, port, exclusive: true }, resolve);
  });
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** To the next one whose connection is accepted. */
function forward(
  caller: Socket,
  targets: readonly number[],
  turn: number,
  sockets: Set<Socket>,
  tries = 0,
): void {
  if (tries === targets.length) return void caller.destroy();
  const target = connect({ host: LOOPBACK, port: targets[(turn + tries) % targets.length]! });
  track(target, sockets);
  const onRefused = (): void => forward(caller, targets, turn, sockets, tries + 1);
  target.once('error', onRefused);
  target.once('connect', () => {
    target.off('error', onRefused);
    for (const [from, to] of [
      [caller, target],
      [target, caller],
    ] as const) {
      from.setNoDelay(true);
      from.pipe(to);
      from.once('close', () => to.destroy());
    }
  });
}

function track(socket: Socket, sockets: Set<Socket>): void {
  sockets.add(socket);
  // A broken connection closes; both ends hear of it then.
  socket.on('error', () => undefined);
  socket.once('close', () => sockets.delete(socket));
}

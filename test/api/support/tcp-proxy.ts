// A TCP proxy between the service and one of its servers, which a test can cut and restore.

import { connect, createServer, type Server, type Socket } from 'node:net';
import { closeAfterFile } from '../../support/cleanup';
import { pickTestPort } from '../../support/ports';

export interface TcpProxy {
  readonly host: string;
  readonly port: number;
  /** Refuses new connections and resets the open ones. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  /** Resets a connection when a chunk with this text is sent; the text never arrives. */
  dropIf(text: string | undefined): void;
  /** How often clients have sent this text. */
  countSent(text: string): number;
}

const HOST = '127.0.0.1';

export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const port = await pickTestPort();
  const sockets = new Set<Socket>();
  let dropped: string | undefined;
  const sent: Buffer[] = [];
  let server: Server | undefined;

  const join = (client: Socket): void => {
    const upstream = connect(target.port, target.host);
    const pair = [client, upstream];
    const close = (): void => {
      for (const socket of pair) {
        socket.destroy();
        sockets.delete(socket);
      }
    };
    for (const socket of pair) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', close);
      socket.on('close', close);
    }
    client.on('data', (piece: Buffer) => {
      sent.push(piece);
      if (dropped !== undefined && piece.includes(dropped)) close();
      else upstream.write(piece);
    });
    upstream.on('data', (piece: Buffer) => client.write(piece));
  };
  const restore = async (): Promise<void> => {
    if (server) return;
    const fresh = createServer(join);
    server = fresh;
    await new Promise<void>((resolve) => fresh.listen(port, HOST, resolve));
  };
  const cut = async (): Promise<void> => {
    const old = server;
    server = undefined;
    for (const socket of sockets) socket.resetAndDestroy();
    if (old) await new Promise<void>((resolve) => old.close(() => resolve()));
  };
  await restore();
  closeAfterFile(cut);
  return {
    host: HOST,
    port,
    cut,
    restore,
    countSent: (text) => Buffer.concat(sent).toString('latin1').split(text).length - 1,
    dropIf: (text) => {
      dropped = text;
    },
  };
}

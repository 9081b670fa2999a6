// A TCP proxy between the service and one of its servers, which a test can cut and restore.

import { connect, createServer, type Server, type Socket } from 'node:net';
import { closeAfterFile } from '../../support/cleanup';
import type { TestDatabase } from '../../support/database';
import { pickTestPort } from '../../support/ports';
import { readStack } from '../../support/stack';

export interface TcpProxy {
  readonly host: string;
  readonly port: number;
  /** Refuses new connections and resets the open ones. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  /** Resets a connection when a chunk with this text is sent; the text never arrives. */
  dropIf(text: string | undefined): void;
  /** How often clients have sent this text, also when it was lost. */
  countSent(text: string): number;
  /**
   * Loses all that is sent in this direction from now on, and closes no connection: a host that
   * vanished, or whose answers are lost. New connections are accepted and get no answer.
   */
  vanish(lost: 'everything' | 'answers'): void;
  /** Serves new connections. What was lost stays lost, and the old connections with it. */
  reappear(): void;
}

const HOST = '127.0.0.1';

export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const port = await pickTestPort();
  const sockets = new Set<Socket>();
  let dropped: string | undefined;
  const sent: Buffer[] = [];
  let server: Server | undefined;
  // Each connection has what was lost on it; those of one time share an object.
  let loss: { lost: 'nothing' | 'everything' | 'answers' } = { lost: 'nothing' };

  const join = (client: Socket): void => {
    const upstream = connect({ ...target, allowHalfOpen: true });
    const pair = [client, upstream];
    const joined_at = loss;
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
      // A goodbye is lost as well.
      socket.on('end', () => {
        if (joined_at.lost !== 'everything') close();
      });
    }
    client.on('data', (piece: Buffer) => {
      sent.push(piece);
      if (joined_at.lost === 'everything') return;
      if (dropped !== undefined && piece.includes(dropped)) close();
      else upstream.write(piece);
    });
    upstream.on('data', (piece: Buffer) => {
      if (joined_at.lost === 'nothing') client.write(piece);
    });
  };
  const restore = async (): Promise<void> => {
    if (server) return;
    const fresh = createServer({ allowHalfOpen: true }, join);
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
    vanish: (lost) => {
      loss.lost = lost;
    },
    reappear: () => {
      loss = { lost: 'nothing' };
    },
  };
}

export interface PostgresProxy extends TcpProxy {
  /** Leads the application's role through it. */
  readonly url: string;
}

export async function startPostgresProxy({
  app_url,
}: Pick<TestDatabase, 'app_url'>): Promise<PostgresProxy> {
  const url = new URL(app_url);
  const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
  url.host = `${proxy.host}:${proxy.port}`;
  return { ...proxy, url: url.href };
}

export interface TemporalProxy extends TcpProxy {
  readonly address: string;
}

export async function startTemporalProxy(): Promise<TemporalProxy> {
  const [host = '', port = ''] = readStack().temporal_address.split(':');
  const proxy = await startTcpProxy({ host, port: Number(port) });
  return { ...proxy, address: `${proxy.host}:${proxy.port}` };
}

// Receivers of webhooks: a good one, and sockets on which a test writes what it likes.

import { once } from 'node:events';
import {
  createServer as createTcpServer,
  type AddressInfo,
  type Server,
  type Socket,
} from 'node:net';
import { networkInterfaces } from 'node:os';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { closeAfterFile } from '../../support/cleanup';

export interface Receiver {
  readonly port: number;
  /** TCP connections, with or without a request. */
  readonly connections: number;
  readonly open: ReadonlySet<Socket>;
  readonly most_open: number;
  /** Whole requests as they came, headers and body. */
  readonly requests: readonly string[];
}

export interface ReceiverOptions {
  /** Called for each whole request; the default answers `200 ok`. */
  readonly onRequest?: (socket: Socket, request: string) => void;
  /** Called for each connection, before anything has come. */
  readonly onConnection?: (socket: Socket) => void;
  readonly tls?: TlsOptions;
  readonly host?: string;
  readonly port?: number;
}

/** Every address of this machine, those of IPv6 too where it has some. */
export const EVERYWHERE = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .some(({ family }) => family === 'IPv6')
  ? '::'
  : '0.0.0.0';

export const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const { onRequest = (socket) => void socket.write(OK), onConnection, tls, host } = options;
  const requests: string[] = [];
  const open = new Set<Socket>();
  let connections = 0;
  let most_open = 0;

  const serve = (socket: Socket): void => {
    let text = '';
    // Errors of a receiver after the sender hung up do not matter.
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      text += bytes.toString('utf8');
      for (let end = requestEnd(text); end !== undefined; end = requestEnd(text)) {
        const request = text.slice(0, end);
        text = text.slice(end);
        requests.push(request);
        onRequest(socket, request);
      }
    });
    onConnection?.(socket);
  };
  const server: Server = tls ? createTlsServer(tls, serve) : createTcpServer(serve);
  server.on('connection', (socket: Socket) => {
    connections += 1;
    open.add(socket);
    most_open = Math.max(most_open, open.size);
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
  });
  server.on('tlsClientError', () => {});
  server.listen(options.port ?? 0, host ?? '127.0.0.1');
  await once(server, 'listening');
  closeAfterFile(async () => {
    for (const socket of open) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    open,
    get connections() {
      return connections;
    },
    get most_open() {
      return most_open;
    },
  };
}

/** All texts in the tests are ASCII: characters are bytes. */
function requestEnd(text: string): number | undefined {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return undefined;
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(text.slice(0, head + 2))?.[1] ?? '0';
  const end = head + 4 + Number(length);
  return text.length < end ? undefined : end;
}

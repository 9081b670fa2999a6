// A keep-alive HTTP/1.1 client that costs as little as possible: on two cores every microsecond of
// the client is taken from the server under test.

import { connect, type Socket } from 'node:net';

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

export interface HttpConnection {
  send(head: string, body?: string): Promise<HttpAnswer>;
  close(): void;
}

export async function openConnection(port: number): Promise<HttpConnection> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  return readAnswers(socket);
}

function readAnswers(socket: Socket): HttpConnection {
  let waiting:
    { resolve: (answer: HttpAnswer) => void; reject: (error: Error) => void } | undefined;
  let received = '';
  // Answers here are ASCII, so that characters are bytes.
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    received += chunk;
    const end = received.indexOf('\r\n\r\n');
    if (end < 0) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(received.slice(0, end))?.[1] ?? 0);
    if (received.length < end + 4 + length) return;
    const answer = {
      status: Number(received.slice(9, 12)),
      body: received.slice(end + 4, end + 4 + length),
    };
    received = '';
    const { resolve } = waiting!;
    waiting = undefined;
    resolve(answer);
  });
  const fail = (error: Error): void => waiting?.reject(error);
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('connection closed')));
  return {
    send: (head, body = '') =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
      }),
    close: () => socket.destroy(),
  };
}

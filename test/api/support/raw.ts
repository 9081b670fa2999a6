// HTTP as bytes on a socket, for what no well-behaved client would send.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { closeAfterFile } from '../../support/cleanup';
import type { TestService } from '../../support/service';

export interface RawResponse {
  readonly status: number;
  /** Names are in lower case; a repeated header has its last value. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly json: any; // oxlint-disable-line typescript/no-explicit-any -- tests name its fields
}

export interface RawConnection {
  readonly socket: Socket;
  write(bytes: string | Uint8Array): void;
  /** The next response on this connection. */
  response(): Promise<RawResponse>;
  /** Resets the connection. */
  abort(): void;
}

export async function openConnection({
  config,
}: Pick<TestService, 'config'>): Promise<RawConnection> {
  const socket = connect(config.port, config.host);
  closeAfterFile(() => void socket.destroy());
  let received = Buffer.alloc(0);
  let failure: Error | undefined;
  let isOver = false;
  // A refused upload ends in a reset; the response before it counts.
  socket.on('error', (error) => {
    failure = error;
  });
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    socket.emit('progress');
  });
  socket.on('close', () => {
    isOver = true;
    socket.emit('progress');
  });
  await once(socket, 'connect');
  return {
    socket,
    write(bytes) {
      socket.write(bytes);
    },
    async response() {
      for (;;) {
        const found = readResponse(received, isOver);
        if (found) {
          received = received.subarray(found.length);
          return found.response;
        }
        if (isOver)
          throw new Error(
            `No response: ${failure?.message ?? 'closed'}, got ${received.toString()}`,
          );
        await once(socket, 'progress');
      }
    },
    abort() {
      socket.resetAndDestroy();
    },
  };
}

/** One request and one response, on a connection of its own. */
export async function sendRaw(
  service: Pick<TestService, 'config'>,
  ...parts: readonly (string | Uint8Array)[]
): Promise<RawResponse> {
  const connection = await openConnection(service);
  for (const part of parts) connection.write(part);
  const response = await connection.response();
  connection.socket.destroy();
  return response;
}

/** The head of a request: the request line and the headers, with the Host that HTTP/1.1 requires. */
export function requestHead(
  { config }: Pick<TestService, 'config'>,
  line: string,
  headers: readonly string[] = [],
): string {
  return [`${line} HTTP/1.1`, `Host: ${config.host}:${config.port}`, ...headers, '', ''].join(
    '\r\n',
  );
}

function readResponse(
  bytes: Buffer,
  isOver: boolean,
): { response: RawResponse; length: number } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(first.split(' ')[1]);
  if (status === 100) return readResponse(bytes.subarray(end + 4), isOver);
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const start = end + 4;
  const stop = endOfBody(bytes, start, headers) ?? (isOver ? bytes.length : undefined);
  if (stop === undefined || bytes.length < stop) return undefined;
  const text = bytes.subarray(start, stop).toString('utf8');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // Not every response to a broken request is JSON.
  }
  return { response: { status, headers, text, json }, length: stop };
}

/** Undefined when the body ends with the connection. */
function endOfBody(
  bytes: Buffer,
  start: number,
  headers: Readonly<Record<string, string>>,
): number | undefined {
  const length = headers['content-length'];
  if (length !== undefined) return start + Number(length);
  if (headers['transfer-encoding'] !== 'chunked') return undefined;
  const last = bytes.indexOf('0\r\n\r\n', start);
  return last < 0 ? undefined : last + 5;
}

// Receivers that are broken, slow or hostile (experiment F10 of the research): every attempt ends
// at its deadline or before, returns its outcome, and leaves no connection behind.

import { createServer as createHttpServer } from 'node:http';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { MAX_RESPONSE_BYTES } from '../../webhooks/response';
import type { SendResult, WebhookSenderOptions } from '../../webhooks/send';
import { signCertificate } from '../support/certificate';
import { closeAfterFile } from '../support/cleanup';
import { waitFor } from '../support/wait';
import { startDnsServer } from './support/dns-server';
import { startReceiver, type Receiver, type ReceiverOptions } from './support/receivers';
import { LOOPBACK, NAME, open, openByName, startSender, webhookTo } from './support/sender';

/** An attempt that is not hurried ends before. */
const DEADLINE_MS = 10_000;
const HURRIED = { deadline_ms: 500 };
/** The machine may be busy. */
const MARGIN_MS = 10_000;

/** One attempt: it ends in time, and its connection with it. */
async function attempt(url: string, options?: Partial<WebhookSenderOptions>): Promise<SendResult> {
  const sender = startSender({ deadline_ms: DEADLINE_MS, ...options });
  const began = performance.now();
  const result = await sender.send(webhookTo(url));
  const took = performance.now() - began;
  expect(took).toBeLessThan((options?.deadline_ms ?? DEADLINE_MS) + MARGIN_MS);
  expect(Math.abs(result.duration_ms - took)).toBeLessThan(MARGIN_MS);
  return result;
}

async function attemptAt(
  receives: ReceiverOptions,
  options?: Partial<WebhookSenderOptions>,
): Promise<[SendResult, Receiver]> {
  const receiver = await startReceiver(receives);
  const result = await attempt(`http://127.0.0.1:${receiver.port}/`, options);
  if (result.outcome !== 'delivered') await waitFor(() => receiver.open.size === 0);
  return [result, receiver];
}

const NOTHING = { status: null, response_body: null, response_truncated: false };

/** Writes as fast as it is read. */
function flood(socket: Socket, chunk: Buffer | string): void {
  const write = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', write);
  write();
}

/** The begin of a body without end, and a piece of it. */
const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
const CHUNK = `10000\r\n${'a'.repeat(65_536)}\r\n`;

describe('S9 a receiver that', () => {
  const LENGTH = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n';
  const LATE = { outcome: 'timeout', ...NOTHING };
  const CUT = { outcome: 'delivered', status: 200, response_truncated: true };

  /** Says this at once, and the rest piece by piece. */
  const drips = (head: string, piece: string) => (socket: Socket) => {
    socket.write(head);
    const timer = setInterval(() => socket.write(piece), 50);
    socket.on('close', () => clearInterval(timer));
  };
  const floods = (head: string, piece: string) => (socket: Socket) => {
    socket.write(head);
    flood(socket, piece);
  };

  it.each([
    ['never responds is a timeout', () => {}, LATE],
    ['drips its headers is a timeout', drips('HTTP/1.1 200 OK\r\nx: ', 'a'), LATE],
    ['drips its body is delivered', drips(LENGTH, 'a'), CUT],
    ['drips its body in chunks is delivered', drips(CHUNKED, '1\r\na\r\n'), CUT],
    ['never ends its body is delivered', drips(`${LENGTH}ok`, ''), { ...CUT, response_body: 'ok' }],
    ['sends anything but a body is delivered', floods(`${CHUNKED}1;`, 'a'.repeat(1_024)), CUT],
  ])('%s at its deadline', async (_case, onRequest, seen) => {
    const [result] = await attemptAt({ onRequest }, HURRIED);
    expect(result).toMatchObject(seen);
  });

  it.each([200, 500])(
    'responds with %d and without end is cut, and not read any further',
    async (status) => {
      let written = 0;
      const [result, receiver] = await attemptAt({
        onConnection: (socket) => socket.on('close', () => (written = socket.bytesWritten)),
        onRequest: floods(CHUNKED.replace('200', String(status)), CHUNK),
      });
      expect(result).toMatchObject({
        outcome: status === 200 ? 'delivered' : 'refused',
        status,
        response_body: 'a'.repeat(MAX_RESPONSE_BYTES),
        response_truncated: true,
      });
      await waitFor(() => receiver.open.size === 0);
      // The two sockets' buffers take this, and no more is sent.
      await waitFor(() => written > 0);
      expect(written).toBeLessThan(16 * 1_024 * 1_024);
    },
  );

  it('has no end takes no memory, however often', async () => {
    const { receiver, send } = await open({ onRequest: floods(CHUNKED, CHUNK) });
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const keptAfter100 = async (): Promise<number> => {
      for (let i = 0; i < 100; i += 1) {
        expect(await send()).toMatchObject({ response_truncated: true });
      }
      await waitFor(() => receiver.open.size === 0);
      collect();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    // The first round warms up. A leak grows in every round, other things of the process in some.
    const growths: number[] = [];
    for (let before = await keptAfter100(); growths.length < 3;) {
      const after = await keptAfter100();
      growths.push(after - before);
      before = after;
    }
    // A chunk of each request alone would be 6.4 MiB a round.
    expect(Math.min(...growths)).toBeLessThan(3 * 1_024 * 1_024);
  });

  it('sends a gzip bomb is not decompressed, and was not asked for gzip', async () => {
    const bomb = gzipSync(Buffer.alloc(10 * 1_024 * 1_024));
    const head = `content-encoding: gzip\r\ncontent-length: ${bomb.length}`;
    const [result, receiver] = await attemptAt({
      onRequest: (socket) => {
        socket.write(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n`);
        socket.write(bomb);
      },
    });
    expect(bomb.length).toBeLessThan(MAX_RESPONSE_BYTES);
    expect(result).toMatchObject({ outcome: 'delivered', status: 200 });
    expect(Buffer.byteLength(result.response_body ?? '')).toBeLessThanOrEqual(MAX_RESPONSE_BYTES);
    expect(receiver.requests[0]).not.toMatch(/accept-encoding/i);
  });

  const OK_WITH = (headers: string): string => `HTTP/1.1 200 OK\r\n${headers}\r\nok`;

  it.each([
    ['responds with 100,000 headers', OK_WITH('a: b\r\n'.repeat(100_000))],
    ['responds with a header of 100 KB', OK_WITH(`a: ${'b'.repeat(100_000)}\r\n`)],
    ['responds with two lengths', OK_WITH('content-length: 2\r\ncontent-length: 3\r\n')],
    ['responds with a length that is none', OK_WITH('content-length: two\r\n')],
    ['responds with a header that is none', OK_WITH('what is this\r\n')],
    ['speaks another protocol', 'SSH-2.0-x\r\n'],
    ['sends interim responses for ever', 'HTTP/1.1 103 x\r\na: b\r\n\r\n'.repeat(1_000)],
  ])('%s is invalid_response', async (_case, said) => {
    const [result] = await attemptAt({ onRequest: (socket) => flood(socket, said) });
    expect(result).toMatchObject({ outcome: 'invalid_response', ...NOTHING });
  });

  // Its status is what says whether the receiver has the event.
  it.each([
    ['promises more than it sends', '200 OK\r\ncontent-length: 100\r\n\r\nok', 'ok'],
    ['ends within a chunk', '201 Created\r\ntransfer-encoding: chunked\r\n\r\n10\r\nok', 'ok'],
    ['sends a body where there is none', '204 No Content\r\ncontent-length: 2\r\n\r\nok', ''],
    [
      'refuses and ends within a chunk',
      '500 x\r\ntransfer-encoding: chunked\r\n\r\n10\r\nno',
      'no',
    ],
  ])('%s has the outcome of its status', async (_case, head, response_body) => {
    const [result] = await attemptAt({ onRequest: (socket) => socket.end(`HTTP/1.1 ${head}`) });
    const status = Number(head.slice(0, 3));
    const outcome = status < 300 ? 'delivered' : 'refused';
    expect(result).toMatchObject({ outcome, status, response_body });
  });

  it('sends more than it promises is read as far as it promised', async () => {
    const [result, receiver] = await attemptAt({
      onRequest: (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokay then'),
    });
    expect(result).toMatchObject({ outcome: 'delivered', response_body: 'ok' });
    await waitFor(() => receiver.open.size === 0);
  });

  const SWITCHING = 'HTTP/1.1 101 x\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n';

  it.each<[string, ReceiverOptions]>([
    ['resets the connection at once', { onConnection: (socket) => socket.resetAndDestroy() }],
    ['closes the connection at once', { onConnection: (socket) => socket.end() }],
    ['wants to speak another protocol', { onRequest: (socket) => socket.write(SWITCHING) }],
  ])('%s is connection_failed', async (_case, receives) => {
    const [result] = await attemptAt(receives);
    expect(result).toMatchObject({ outcome: 'connection_failed', ...NOTHING });
  });

  it('responds with anything at all gets a result, and the next request is not affected', async () => {
    const pieces = fc.constantFrom(
      'HTTP/1.1 200 OK\r\n',
      'HTTP/1.1 100 Continue\r\n',
      'HTTP/1.0 500 x\r\n',
      'HTTP/1.1 ',
      'content-length: 2\r\n',
      'content-length: 9\r\n',
      'transfer-encoding: chunked\r\n',
      'connection: close\r\n',
      'connection: upgrade\r\nupgrade: x\r\n',
      'retry-after: 5\r\n',
      '\r\n',
      '\n',
      'ok',
      '2\r\nok\r\n',
      '0\r\n\r\n',
      '0\r\na: b\r\n',
      '\0',
      'a'.repeat(20_000),
    );
    const endings = fc.constantFrom('open', 'end', 'reset');
    let answer: { readonly parts: readonly string[]; readonly ending: string };
    const onRequest = (socket: Socket): void => {
      const { parts, ending } = answer;
      for (const part of parts) socket.write(part);
      if (ending === 'end') socket.end();
      if (ending === 'reset') socket.resetAndDestroy();
    };
    const { send } = await open({ onRequest }, { max_per_origin: 1 });
    const good = { parts: ['HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'], ending: 'open' };
    const parts = fc.array(pieces, { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fc.record({ parts, ending: endings }), async (bad) => {
        answer = bad;
        const result = await send('/', 50);
        const is_answered = ['delivered', 'refused'].includes(result.outcome);
        expect([result.status !== null, result.response_body !== null]).toEqual([
          is_answered,
          is_answered,
        ]);
        answer = good;
        expect(await send()).toMatchObject({ outcome: 'delivered', response_body: 'ok' });
      }),
      { numRuns: 200 },
    );
  });

  it('never ends its TLS handshake is a timeout, and its connection is closed', async () => {
    const receiver = await startReceiver();
    const result = await attempt(`https://127.0.0.1:${receiver.port}/`, HURRIED);
    expect(result).toMatchObject({ outcome: 'timeout', ...NOTHING });
    expect(receiver.connections).toBe(1);
    await waitFor(() => receiver.open.size === 0);
  });

  it('never accepts is a timeout, and leaves no socket behind', async () => {
    // Its one thread sleeps, and the system's accept queue is full: further connections stay open.
    const worker = new Worker(
      `const { parentPort } = require('node:worker_threads');
       const server = require('node:net').createServer();
       server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
         parentPort.postMessage(server.address().port);
         Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
       });`,
      { eval: true },
    );
    closeAfterFile(async () => void (await worker.terminate()));
    const port = await new Promise<number>((resolve) => worker.once('message', resolve));
    const results = await Promise.all(
      Array.from({ length: 5 }, () => attempt(`http://127.0.0.1:${port}/`, HURRIED)),
    );
    for (const result of results) expect(result).toMatchObject({ outcome: 'timeout', ...NOTHING });
    const opening = (): number =>
      process.getActiveResourcesInfo().filter((name) => /TCP(Connect|Socket)Wrap/.test(name))
        .length;
    await waitFor(() => opening() === 0);
  });

  it('has a name that no DNS server answers for is a timeout', async () => {
    const dns = await startDnsServer(() => 'silence');
    const sender = startSender({ ...HURRIED, dns_servers: [dns.address] });
    expect(await sender.send(webhookTo('https://hooks.example.test/'))).toMatchObject({
      outcome: 'timeout',
      ...NOTHING,
    });
  });
});

describe('S12 TLS', () => {
  const good = signCertificate({ addresses: ['127.0.0.1'] });
  const expired = signCertificate({ addresses: ['127.0.0.1'], is_expired: true });
  const other = signCertificate({ names: ['other.example.test'], addresses: ['127.0.0.2'] });

  it('with a certificate that is trusted, of this host and in its time is taken', async () => {
    const receiver = await startReceiver({ tls: good });
    const result = await attempt(`https://127.0.0.1:${receiver.port}/`, { ca: good.cert });
    expect(result).toMatchObject({ outcome: 'delivered' });
  });

  it.each([
    ['that has expired', expired, expired.cert],
    ['of another host', other, other.cert],
    ['that nobody vouches for', good, undefined],
    ['that another vouches for', good, other.cert],
  ])('with a certificate %s is tls_failed, and nothing is sent', async (_case, tls, ca) => {
    const receiver = await startReceiver({ tls });
    const options = ca === undefined ? {} : { ca };
    const result = await attempt(`https://127.0.0.1:${receiver.port}/`, options);
    expect(result).toMatchObject({ outcome: 'tls_failed', ...NOTHING });
    expect(receiver.requests).toEqual([]);
  });

  it('is verified by name too, whatever the environment variables are', async () => {
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    try {
      const { receiver, send, sender, dns } = await openByName();
      expect(await send()).toMatchObject({ outcome: 'delivered' });
      const other_name = webhookTo(`https://third.example.test:${receiver.port}/`);
      expect(await sender.send(other_name)).toMatchObject({ outcome: 'tls_failed' });
      const strict = startSender({
        policy: { ...LOOPBACK, ports: [receiver.port] },
        dns_servers: [dns.address],
      });
      const webhook = webhookTo(`https://${NAME}:${receiver.port}/`);
      expect(await strict.send(webhook)).toMatchObject({ outcome: 'tls_failed' });
    } finally {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
    }
  });

  it('of version 1.1 is tls_failed', async () => {
    const old = { minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    const receiver = await startReceiver({ tls: { ...good, ...old, maxVersion: 'TLSv1.1' } });
    const result = await attempt(`https://127.0.0.1:${receiver.port}/`, { ca: good.cert });
    expect(result).toMatchObject({ outcome: 'tls_failed', ...NOTHING });
    // The receiver works: a client that accepts the old version gets through.
    const protocol = await new Promise((resolve, reject) => {
      const socket = connectTls({ ...old, host: '127.0.0.1', port: receiver.port, ca: good.cert });
      socket.on('error', reject);
      socket.on('secureConnect', () => {
        resolve(socket.getProtocol());
        socket.destroy();
      });
    });
    expect(protocol).toBe('TLSv1.1');
  });

  it('to a receiver that speaks none is tls_failed', async () => {
    const server = createHttpServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closeAfterFile(() => void server.close());
    const { port } = server.address() as { port: number };
    expect(await attempt(`https://127.0.0.1:${port}/`)).toMatchObject({ outcome: 'tls_failed' });
  });
});

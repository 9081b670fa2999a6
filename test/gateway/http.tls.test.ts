// What a call that had no response is known to have done, at a provider behind TLS: nothing before the handshake has
// ended, and nobody knows what once the request was written.

import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import tls from 'node:tls';
import { exchange } from '../../gateway/http';
import { makeAuthority, signCertificate } from '../support/certificate';
import { closeAfterFile } from '../support/cleanup';
import { errorOf } from './support/errors';

const AUTHORITY = makeAuthority();
const MINE = AUTHORITY.issue({ addresses: ['127.0.0.1'] });
const OF_ANOTHER_NAME = AUTHORITY.issue({ names: ['other.example'] });
const EXPIRED = AUTHORITY.issue({ addresses: ['127.0.0.1'], is_expired: true });
const UNTRUSTED = signCertificate({ addresses: ['127.0.0.1'] });
const CALL = { method: 'POST', path: '/payouts', body: { amount: '5000' } } as const;

// The trust of the process is Node's own, and cannot be set from within.
const { connect } = tls;
jest
  .spyOn(tls, 'connect')
  .mockImplementation(((options: tls.ConnectionOptions) =>
    connect({ ...options, ca: AUTHORITY.cert })) as typeof tls.connect);

async function portOf(server: Server): Promise<number> {
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  closeAfterFile(() => void server.close());
  return (server.address() as AddressInfo).port;
}

function send(port: number): Promise<unknown> {
  return exchange({ url: `https://127.0.0.1:${port}`, timeout_ms: 5_000 }, CALL, () => ({}));
}

/** A provider that takes the request, and does what the test says. */
function provider(
  certificate: tls.TlsOptions,
  answer: (socket: tls.TLSSocket) => void,
): { readonly server: tls.Server; readonly received: string[] } {
  const received: string[] = [];
  const server = tls.createServer(certificate, (socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      received.push(chunk.toString());
      answer(socket);
    });
  });
  return { server, received };
}

const respond = (socket: tls.TLSSocket): void => {
  socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
};

it('a request goes to a provider whose certificate is trusted', async () => {
  const { server, received } = provider(MINE, respond);
  expect(await send(await portOf(server))).toMatchObject({ status: 200 });
  expect(received.join('')).toContain('POST /payouts');
});

it.each([
  ['of another authority', UNTRUSTED, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ['for another address', OF_ANOTHER_NAME, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['that has expired', EXPIRED, 'CERT_HAS_EXPIRED'],
])('a certificate %s is refused before anything is sent: not done', async (_, own, code) => {
  const { server, received } = provider(own, respond);
  const error = await errorOf(send(await portOf(server)));
  expect(error).toMatchObject({ fault: 'unreachable', outcome: 'not_done', cause: { code } });
  expect(received).toEqual([]);
});

it.each([
  ['a port without TLS', 'HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n'],
  ['a handshake that is cut', ''],
])('%s has got no request: not done', async (_, words) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(words));
  });
  const error = await errorOf(send(await portOf(server)));
  expect(error).toMatchObject({ fault: 'unreachable', outcome: 'not_done' });
});

it('a connection that is cut after the request was written leaves an order unknown', async () => {
  const { server, received } = provider(MINE, (socket) => socket.destroy());
  const error = await errorOf(send(await portOf(server)));
  expect(error).toMatchObject({ fault: 'unreachable', outcome: 'unknown' });
  expect(received).not.toEqual([]);
});

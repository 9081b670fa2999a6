// deploy/caddy/Caddyfile and a request that a replica does not answer: the real Caddy in front of two servers that
// break the first connection over which a request arrives.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { makeAuthority, writeCertificate } from '../support/certificate';
import { startChild } from '../../dev/embedded/child';
import { isListening, LOOPBACK } from '../../dev/embedded/ports';
import { closeAfterFile } from '../support/cleanup';
import { pickTestPort } from '../support/ports';
import { waitFor } from '../support/wait';
import { localCaddyfile } from './harness/local';
import { acquirePrograms } from './harness/programs';
import { START_LIMIT_MS, temporaryFolder } from './support/topology';

let origin: string;
let agent: Agent;
/** The bodies of the requests that arrived at any replica. */
let arrived: string[];
/** A replica does this with the first of them. */
let first: 'break' | 503;

beforeAll(async () => {
  const folder = temporaryFolder();
  const programs = await acquirePrograms(join(folder, 'tools'));
  const authority = makeAuthority();
  const files = { cert_file: join(folder, 'caddy.crt'), key_file: join(folder, 'caddy.key') };
  writeCertificate(files, authority.issue({ names: ['localhost'] }));
  const https_port = await pickTestPort();
  const config = join(folder, 'Caddyfile');
  const text = localCaddyfile({
    ...files,
    https_port,
    http_port: await pickTestPort(),
    api_ports: [await startReplica(), await startReplica()],
    gateway_port: await pickTestPort(),
  });
  writeFileSync(config, text);
  const child = await startChild({
    name: 'caddy',
    command: programs.caddy,
    cwd: folder,
    args: ['run', '--config', config, '--adapter', 'caddyfile'],
    env: {
      HOME: folder,
      DOMAIN: `localhost:${https_port}`,
      SANDBOX_DOMAIN: `localhost:${await pickTestPort()}`,
    },
    log_file: join(folder, 'caddy.log'),
    stop_steps: [{ signal: 'SIGTERM', wait_seconds: 50 }],
  });
  closeAfterFile(() => child.stop());
  await waitFor(() => isListening(https_port), 60_000);
  origin = `https://localhost:${https_port}`;
  agent = new Agent({ connect: { ca: authority.cert } });
  closeAfterFile(() => agent.destroy());
}, START_LIMIT_MS);

async function startReplica(): Promise<number> {
  const server: Server = createServer((received, response) => {
    let body = '';
    received.setEncoding('utf8').on('data', (text: string) => (body += text));
    received.on('end', () => {
      arrived.push(body);
      if (arrived.length > 1) response.end(body);
      else if (first === 'break') received.socket.destroy();
      else response.writeHead(first).end('no');
    });
  });
  await new Promise<void>((resolve) => server.listen({ host: LOOPBACK, port: 0 }, resolve));
  closeAfterFile(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

beforeEach(() => {
  arrived = [];
  first = 'break';
});

interface Sent {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly key?: string;
  readonly body?: string;
}

async function send({ method, key, body }: Sent): Promise<{ status: number; text: string }> {
  const answer = await request(`${origin}/anything`, {
    method,
    dispatcher: agent,
    body: body ?? null,
    headers: key === undefined ? {} : { 'idempotency-key': key },
  });
  return { status: answer.statusCode, text: await answer.body.text() };
}

const SMALL = '{"amount":5}';
const LARGE = 'x'.repeat(65_536);

it.each<readonly [string, Sent]>([
  ['one that changes nothing', { method: 'GET' }],
  ['one whose key lets it happen once', { method: 'POST', key: 'order-1', body: SMALL }],
  ['such a one with the largest body', { method: 'POST', key: 'order-1', body: LARGE.slice(1) }],
])('asks another replica: %s', async (_, sent) => {
  expect(await send(sent)).toEqual({ status: 200, text: sent.body ?? '' });
  expect(arrived).toEqual([sent.body ?? '', sent.body ?? '']);
});

it.each<readonly [string, Sent]>([
  ['one without a key', { method: 'POST', body: SMALL }],
  ['one without a key or a body', { method: 'DELETE' }],
  ['one whose body is too large to be kept', { method: 'POST', key: 'order-1', body: LARGE }],
])('leaves it to the caller whether to send again: %s', async (_, sent) => {
  expect(await send(sent)).toEqual({ status: 502, text: '' });
  expect(arrived).toEqual([sent.body ?? '']);
});

it.each<readonly [string, Sent]>([
  ['one that changes nothing', { method: 'GET' }],
  ['one with a key', { method: 'POST', key: 'order-1', body: SMALL }],
])('passes any response on: %s', async (_, sent) => {
  first = 503;
  expect(await send(sent)).toEqual({ status: 503, text: 'no' });
  expect(arrived).toHaveLength(1);
});

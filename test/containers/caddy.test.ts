// deploy/caddy/Caddyfile and a request that an API process does not answer: Caddy's container in front of one that breaks
// the first connection over which a request arrives.

import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCaller, type Call, type Send } from './harness/company';
import { DOMAIN, makeDeployment } from './harness/deployment';
import { PROJECT } from './harness/stand-ins';
import { waitFor } from '../support/wait';

let send: Send;

beforeAll(async () => {
  const deployment = await makeDeployment('caddy');
  const api = {
    image: '${STAND_IN_NODE}',
    command: ['node', '/replica.js'],
    volumes: [`${join(PROJECT, 'test', 'containers', 'replica.js')}:/replica.js:ro`],
    deploy: { replicas: 1 },
  };
  const file = join(deployment.folder, '.test', 'replica.json');
  writeFileSync(file, JSON.stringify({ services: { api } }));
  deployment.override(file);
  await deployment.run('docker compose up --detach --no-deps api caddy');
  send = openCaller(deployment);
  const isUp = (): Promise<boolean> =>
    send({ method: 'GET', path: `https://${DOMAIN}/arrived/nothing` }).then(
      ({ status }) => status === 200,
      () => false,
    );
  await waitFor(isUp);
}, 900_000);

interface Sent {
  readonly method: Call['method'];
  readonly key?: string;
  readonly body?: string;
}

/** Sends it to a path of its own; `first` is what happens to the first that arrives there. */
async function ask(first: 'break' | 'refuse', { method, key, body }: Sent) {
  const id = randomUUID();
  const answer = await send({
    method,
    path: `https://${DOMAIN}/${first}/${id}`,
    ...(key === undefined ? {} : { idempotency_key: key }),
    ...(body === undefined ? {} : { body }),
  });
  const { json } = await waitFor(async () => {
    const told = await send({ method: 'GET', path: `https://${DOMAIN}/arrived/${id}` });
    return told.status === 200 && told;
  });
  return {
    status: answer.status,
    text: answer.text,
    arrived: (json as { bodies: string[] }).bodies,
  };
}

const SMALL = '{"amount":5}';
const LARGE = 'x'.repeat(65_536);

it.each<readonly [string, Sent]>([
  ['one that changes nothing', { method: 'GET' }],
  ['one whose key lets it happen once', { method: 'POST', key: 'order-1', body: SMALL }],
  ['such a one with the largest body', { method: 'POST', key: 'order-1', body: LARGE.slice(1) }],
])('asks again: %s', async (_, sent) => {
  const body = sent.body ?? '';
  expect(await ask('break', sent)).toEqual({ status: 200, text: body, arrived: [body, body] });
});

it.each<readonly [string, Sent]>([
  ['one without a key', { method: 'POST', body: SMALL }],
  ['one without a key or a body', { method: 'DELETE' }],
  ['one whose body is too large to be kept', { method: 'POST', key: 'order-1', body: LARGE }],
])('leaves it to the caller whether to send again: %s', async (_, sent) => {
  const arrived = [sent.body ?? ''];
  expect(await ask('break', sent)).toEqual({ status: 502, text: '', arrived });
});

it.each<readonly [string, Sent]>([
  ['one that changes nothing', { method: 'GET' }],
  ['one with a key', { method: 'POST', key: 'order-1', body: SMALL }],
])('passes any response on: %s', async (_, sent) => {
  const arrived = [sent.body ?? ''];
  expect(await ask('refuse', sent)).toEqual({ status: 503, text: 'no', arrived });
});

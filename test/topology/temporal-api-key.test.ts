// A Temporal that demands an API key, a token signed by a key that it trusts, over TLS: our processes take
// theirs from TEMPORAL_API_KEY, and get in with it only.

import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Topology } from './harness/topology';
import { closeAfterFile } from '../support/cleanup';
import {
  buildCompany,
  expectBooksVerify,
  payALink,
  transfer,
  type Company,
} from './support/journey';
import { securedBy } from './support/temporal-security';
import { runProgram, START_LIMIT_MS, startTestTopology } from './support/topology';

const trusted = generateKeyPairSync('rsa', { modulusLength: 2048 });
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });
/** Our processes have one namespace, in which they register search attributes. */
const OWN_NAMESPACE = ['payments:admin'];

let topology: Topology;
let company: Company;

beforeAll(async () => {
  const keys_url = await serveKeys();
  const security = await securedBy({
    kind: 'api_key',
    keys_url,
    // The program that creates the namespace may do more.
    keyOf: (service) =>
      token(
        trusted.privateKey,
        service === 'temporal-namespace' ? ['temporal-system:admin'] : OWN_NAMESPACE,
      ),
  });
  topology = await startTestTopology(security);
  company = await buildCompany(topology);
}, START_LIMIT_MS);

/** Serves JSON Web Keys, where Temporal looks for them. */
async function serveKeys(): Promise<string> {
  const jwk = { ...trusted.publicKey.export({ format: 'jwk' }), kid: 'test', alg: 'RS256' };
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ keys: [{ ...jwk, use: 'sig' }] }));
  });
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  closeAfterFile(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`;
}

function token(key: KeyObject, permissions: readonly string[], expires_in = 3_600): string {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const exp = Math.floor(Date.now() / 1000) + expires_in;
  const text = [
    encode({ alg: 'RS256', typ: 'JWT', kid: 'test' }),
    encode({ sub: 'payment-api', permissions, exp }),
  ].join('.');
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}

it('the whole job runs with API keys that open one namespace', async () => {
  await transfer(company);
  await payALink(company);
  await expectBooksVerify(company);
});

it.each([
  ['no API key', undefined],
  ['an API key that somebody else has signed', token(stranger.privateKey, OWN_NAMESPACE)],
  ['an API key of another namespace', token(trusted.privateKey, ['others:admin'])],
  ['an API key that has expired', token(trusted.privateKey, OWN_NAMESPACE, -60)],
])('a worker and an API with %s do not get in, and end', async (_, key) => {
  const { TEMPORAL_API_KEY: _own, ...env } = topology.environment('worker');
  // A key implies TLS; without one the setting asks for it.
  const settings = {
    ...env,
    ...(key === undefined ? { TEMPORAL_TLS: 'true' } : { TEMPORAL_API_KEY: key }),
  };
  for (const program of ['worker.js', 'api.js']) {
    const { status, stderr } = await runProgram(program, settings);
    expect({ program, status }).toEqual({ program, status: 1 });
    expect(stderr).not.toContain('"log":"ready"');
    expect(stderr).toMatch(/PERMISSION_DENIED|Request unauthorized|permission denied/i);
  }
});

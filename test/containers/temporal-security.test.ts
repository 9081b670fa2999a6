// A Temporal that lets no caller in without credentials, as a cluster outside of closed networks should be, and as
// Temporal Cloud is: our containers take theirs from Temporal's own variables, and get in with them only.

import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeAuthority, writeCertificate, type Authority } from '../support/certificate';
import { buildCompany, expectBooksVerify, payALink, transfer } from './harness/company';
import { makeDeployment, type Deployment } from './harness/deployment';

type Variables = Readonly<Record<string, string>>;

const START_LIMIT_MS = 900_000;
const SERVERS = ['temporal-frontend', 'temporal-history', 'temporal-matching', 'temporal-worker'];
const CLIENTS = ['api', 'worker', 'cli', 'temporal-namespace'];
const SERVER_NAME = 'temporal';
const CA = '/certs/ca.pem';
const FRONTEND = {
  TEMPORAL_TLS_FRONTEND_CERT: '/certs/temporal.crt',
  TEMPORAL_TLS_FRONTEND_KEY: '/certs/temporal.key',
  TEMPORAL_TLS_FRONTEND_SERVER_NAME: SERVER_NAME,
};
const TRUST = {
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: CA,
  TEMPORAL_TLS_SERVER_NAME: SERVER_NAME,
};

interface Security {
  readonly server: Variables;
  readonly frontend?: Variables;
  client(service: string): Variables;
}

/** A deployment with the settings beside docker-compose.yml, and the certificates that they name. */
async function deploy(
  name: string,
  security: Security,
  files: (folder: string, authority: Authority) => void,
): Promise<Deployment> {
  const deployment = await makeDeployment(name);
  const folder = join(deployment.folder, '.test', 'certs');
  mkdirSync(folder, { recursive: true });
  const authority = makeAuthority();
  writeFileSync(join(folder, 'ca.pem'), authority.cert);
  certify(folder, authority, SERVER_NAME);
  files(folder, authority);
  const volumes = [`${folder}:/certs:ro`];
  const servers = SERVERS.map((service) => {
    const own = service === 'temporal-frontend' ? security.frontend : {};
    return [service, { environment: { ...FRONTEND, ...security.server, ...own }, volumes }];
  });
  const clients = CLIENTS.map((service) => {
    return [service, { environment: { ...TRUST, ...security.client(service) }, volumes }];
  });
  const serve = `require('node:http').createServer((_, response) => response.setHeader('Content-Type', 'application/json')
    .end(require('node:fs').readFileSync('/certs/keys.json'))).listen(8080)`;
  const keys = {
    image: '${STAND_IN_NODE}',
    init: true,
    command: ['node', '-e', serve],
    volumes,
    networks: ['temporal'],
  };
  const file = join(deployment.folder, '.test', 'security.json');
  writeFileSync(
    file,
    JSON.stringify({ services: { ...Object.fromEntries([...servers, ...clients]), keys } }),
  );
  deployment.override(file);
  // Servers look for keys when they start.
  await deployment.run('docker compose up --detach keys && docker compose up --build --detach');
  return deployment;
}

/** The processes in containers are other users than the one who runs the tests. */
function certify(folder: string, authority: Authority, name: string): void {
  const files = { cert_file: join(folder, `${name}.crt`), key_file: join(folder, `${name}.key`) };
  writeCertificate(files, authority.issue({ names: [name] }));
  chmodSync(files.key_file, 0o644);
}

/** An API or a worker with other settings, until it ends by itself. */
async function expectRefused(
  deployment: Deployment,
  settings: Variables,
  why: RegExp,
): Promise<void> {
  const given = Object.entries(settings).map(([name, value]) => `-e ${name}='${value}'`);
  for (const service of ['api', 'worker']) {
    const run = `docker compose run --rm --no-deps -T ${given.join(' ')} ${service}`;
    const { status, stdout, stderr } = await deployment.shell(run);
    const said = stdout + stderr;
    expect({ service, status, is_ready: said.includes('"log":"ready"') }).toEqual({
      service,
      status: 1,
      is_ready: false,
    });
    expect(said).toMatch(why);
  }
}

async function expectWholeJob(deployment: Deployment): Promise<void> {
  const company = await buildCompany(deployment);
  await transfer(company);
  await payALink(company);
  await expectBooksVerify(company);
}

describe('client certificates', () => {
  let deployment: Deployment;
  beforeAll(async () => {
    const own = {
      TEMPORAL_TLS_CLIENT_CERT_PATH: '/certs/payment-api.crt',
      TEMPORAL_TLS_CLIENT_KEY_PATH: '/certs/payment-api.key',
    };
    const server = {
      TEMPORAL_TLS_REQUIRE_CLIENT_AUTH: 'true',
      // The template names both.
      TEMPORAL_TLS_CLIENT1_CA_CERT: CA,
      TEMPORAL_TLS_CLIENT2_CA_CERT: CA,
      // Temporal's own processes use these among themselves.
      TEMPORAL_TLS_SERVER_CA_CERT: CA,
      TEMPORAL_TLS_SERVER_CERT: '/certs/temporal.crt',
      TEMPORAL_TLS_SERVER_KEY: '/certs/temporal.key',
      TEMPORAL_TLS_INTERNODE_SERVER_NAME: SERVER_NAME,
    };
    deployment = await deploy('mtls', { server, client: () => own }, (folder, authority) => {
      certify(folder, authority, 'payment-api');
      certify(folder, makeAuthority(), 'stranger');
    });
  }, START_LIMIT_MS);

  afterAll(() => deployment.remove());

  it('the whole job runs with them', () => expectWholeJob(deployment));

  it.each([
    ['no certificate', { TEMPORAL_TLS_CLIENT_CERT_PATH: '', TEMPORAL_TLS_CLIENT_KEY_PATH: '' }],
    [
      'a certificate of another authority',
      {
        TEMPORAL_TLS_CLIENT_CERT_PATH: '/certs/stranger.crt',
        TEMPORAL_TLS_CLIENT_KEY_PATH: '/certs/stranger.key',
      },
    ],
  ])('a worker and an API with %s do not get in, and end', (_, settings) =>
    expectRefused(deployment, settings, /certificate|tls|transport error|connect/i),
  );
});

describe('API keys', () => {
  const trusted = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });
  /** Our processes have one namespace, in which they register search attributes. */
  const OWN_NAMESPACE = ['payments:admin'];

  function token(key: KeyObject, permissions: readonly string[], expires_in = 3_600): string {
    const encode = (part: object): string =>
      Buffer.from(JSON.stringify(part)).toString('base64url');
    const exp = Math.floor(Date.now() / 1000) + expires_in;
    const text = [
      encode({ alg: 'RS256', typ: 'JWT', kid: 'test' }),
      encode({ sub: 'payment-api', permissions, exp }),
    ].join('.');
    return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
  }

  let deployment: Deployment;
  beforeAll(async () => {
    const security: Security = {
      server: {
        TEMPORAL_ALLOW_NO_AUTH: 'false',
        TEMPORAL_AUTH_AUTHORIZER: 'default',
        TEMPORAL_AUTH_CLAIM_MAPPER: 'default',
        TEMPORAL_JWT_KEY_SOURCE1: 'http://keys:8080/keys.json',
        // Temporal's own workflows have no token: they use a frontend that its processes alone know.
        USE_INTERNAL_FRONTEND: 'true',
      },
      frontend: { TEMPORAL_SERVICES: 'frontend,internal-frontend' },
      client: (service) => {
        // The program that creates the namespace may do more.
        const may = service === 'temporal-namespace' ? ['temporal-system:admin'] : OWN_NAMESPACE;
        return { TEMPORAL_API_KEY: token(trusted.privateKey, may) };
      },
    };
    deployment = await deploy('keys', security, (folder) => {
      const jwk = { ...trusted.publicKey.export({ format: 'jwk' }), kid: 'test', alg: 'RS256' };
      writeFileSync(join(folder, 'keys.json'), JSON.stringify({ keys: [{ ...jwk, use: 'sig' }] }));
    });
  }, START_LIMIT_MS);

  afterAll(() => deployment.remove());

  it('the whole job runs with keys that open one namespace', () => expectWholeJob(deployment));

  it.each([
    ['no API key', ''],
    ['an API key that a stranger has signed', token(stranger.privateKey, OWN_NAMESPACE)],
    ['an API key of another namespace', token(trusted.privateKey, ['others:admin'])],
    ['an API key that has expired', token(trusted.privateKey, OWN_NAMESPACE, -60)],
  ])('a worker and an API with %s do not get in, and end', (_, key) =>
    // A key implies TLS; without one the setting asks for it.
    expectRefused(
      deployment,
      { TEMPORAL_API_KEY: key, ...(key === '' ? { TEMPORAL_TLS: 'true' } : {}) },
      /PERMISSION_DENIED|Request unauthorized|permission denied/i,
    ),
  );
});

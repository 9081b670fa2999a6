// docker-compose.yml as the topology needs it: what runs, how often, with which settings, after what.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { safeLoad } from 'js-yaml';
import { EmbeddedError } from '../../embedded/error';
import { PROJECT } from './project';

export type Variables = Readonly<Record<string, string>>;
export type Condition = 'service_started' | 'service_healthy' | 'service_completed_successfully';

export interface ComposeService {
  readonly name: string;
  /** Without its digest. */
  readonly image: string;
  readonly command: readonly string[];
  readonly entrypoint: readonly string[];
  readonly environment: Variables;
  readonly replicas: number;
  /** Started by hand only. */
  readonly is_optional: boolean;
  /** Runs once, and must succeed. */
  readonly is_task: boolean;
  readonly depends_on: Readonly<Record<string, Condition>>;
  readonly networks: readonly string[];
  readonly ports: readonly string[];
}

interface RawService {
  readonly image: string;
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly environment?: Readonly<Record<string, string | number | boolean>>;
  readonly deploy?: { readonly replicas?: number };
  readonly profiles?: readonly string[];
  readonly restart?: string;
  readonly depends_on?: Readonly<Record<string, { condition: Condition }>> | readonly string[];
  readonly networks?: readonly string[] | Readonly<Record<string, unknown>>;
  readonly ports?: readonly string[];
}

export interface ComposeFile {
  readonly services: readonly ComposeService[];
  /** Those that no container can leave. */
  readonly internal_networks: readonly string[];
}

/** @throws EmbeddedError when a variable that the file requires is not given */
export function readCompose(variables: Variables): ComposeFile {
  const text = readFileSync(join(PROJECT, 'docker-compose.yml'), 'utf8');
  const { services, networks } = interpolateAll(safeLoad(text), variables) as {
    readonly services: Readonly<Record<string, RawService>>;
    readonly networks: Readonly<Record<string, { internal?: boolean } | null>>;
  };
  return {
    services: Object.entries(services).map(([name, raw]) => serviceOf(name, raw)),
    internal_networks: Object.entries(networks)
      .filter(([, network]) => network?.internal === true)
      .map(([name]) => name),
  };
}

function serviceOf(name: string, raw: RawService): ComposeService {
  const { depends_on = {}, networks = [] } = raw;
  return {
    name,
    image: raw.image.split('@')[0]!,
    command: raw.command ?? [],
    entrypoint: raw.entrypoint ?? [],
    environment: Object.fromEntries(
      Object.entries(raw.environment ?? {}).map(([key, value]) => [key, String(value)]),
    ),
    replicas: raw.deploy?.replicas ?? 1,
    is_optional: raw.profiles !== undefined,
    is_task: raw.restart?.startsWith('on-failure') === true,
    depends_on: isList(depends_on)
      ? Object.fromEntries(depends_on.map((other) => [other, 'service_started' as const]))
      : Object.fromEntries(Object.entries(depends_on).map(([other, it]) => [other, it.condition])),
    networks: isList(networks) ? networks : Object.keys(networks),
    ports: raw.ports ?? [],
  };
}

function isList<T>(value: readonly T[] | object): value is readonly T[] {
  return Array.isArray(value);
}

function interpolateAll(node: unknown, variables: Variables): unknown {
  if (typeof node === 'string') return interpolate(node, variables);
  if (Array.isArray(node)) return node.map((one) => interpolateAll(one, variables));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, interpolateAll(value, variables)]),
  );
}

/** As Compose does it: `${A}`, and what follows `:-` (default), `:?` (required), `:+` (if it is set). */
export function interpolate(text: string, variables: Variables): string {
  return text.replace(
    /\$\{(\w+)(?::([-?+])([^}]*))?\}/g,
    (_, name: string, operator: string | undefined, rest: string) => {
      // Empty counts as unset.
      const value = variables[name] ?? '';
      if (operator === '+') return value === '' ? '' : rest;
      if (value !== '') return value;
      if (operator === '?') throw new EmbeddedError(`docker-compose.yml requires ${name}.`);
      return operator === '-' ? rest : '';
    },
  );
}

/** What the image of the service sets, from the Dockerfile's last stage. */
export function readImageEnvironment(): Variables {
  const stage = readFileSync(join(PROJECT, 'Dockerfile'), 'utf8')
    .split(/^FROM /m)
    .at(-1)!;
  const lines = stage.split('\n').filter((line) => line.startsWith('ENV '));
  const pairs = lines.flatMap((line) => line.slice('ENV '.length).split(' '));
  // A value may contain further equals signs.
  return Object.fromEntries(
    pairs.map((pair) => [pair.split('=', 1)[0]!, pair.slice(pair.indexOf('=') + 1)]),
  );
}

/** What the image runs when the service names no command. */
export function readImageCommand(): readonly string[] {
  const text = readFileSync(join(PROJECT, 'Dockerfile'), 'utf8');
  return JSON.parse(/^CMD (\[.*\])$/m.exec(text)![1]!) as string[];
}

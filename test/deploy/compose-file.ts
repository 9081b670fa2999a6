// docker-compose.yml as its test needs it: what runs, with which settings, in which networks.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const PROJECT = join(__dirname, '..', '..');

type Variables = Readonly<Record<string, string>>;

interface Raw {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string | number | boolean>>;
  readonly networks?: Readonly<Record<string, unknown>> | readonly string[];
  readonly ports?: readonly string[];
}

export interface ComposeService {
  readonly name: string;
  /** Leaves out the version and the digest. */
  readonly image: string;
  readonly version: string;
  readonly environment: Variables;
  readonly networks: readonly string[];
  readonly ports: readonly string[];
}

export interface ComposeFile {
  readonly services: readonly ComposeService[];
  /** Networks that no container can leave. */
  readonly internal_networks: readonly string[];
}

/** @throws when a variable that the file requires is not given */
export function readCompose(variables: Variables): ComposeFile {
  // Each text of it as Compose reads it.
  const raw = JSON.stringify(parse(read('docker-compose.yml'), { merge: true }));
  const { services, networks } = JSON.parse(raw, (_, value: unknown) =>
    typeof value === 'string' ? interpolate(value, variables) : value,
  ) as {
    readonly services: Readonly<Record<string, Raw>>;
    readonly networks: Readonly<Record<string, { internal?: boolean } | null>>;
  };
  return {
    services: Object.entries(services).map(([name, raw]) => serviceOf(name, raw)),
    internal_networks: Object.keys(networks).filter((name) => networks[name]?.internal === true),
  };
}

function serviceOf(name: string, raw: Raw): ComposeService {
  const [image, version] = raw.image.split('@')[0]!.split(':') as [string, string];
  const environment = Object.entries(raw.environment ?? {});
  return {
    name,
    image,
    version,
    environment: Object.fromEntries(environment.map(([key, value]) => [key, String(value)])),
    networks: namesIn(raw.networks),
    ports: raw.ports ?? [],
  };
}

function namesIn(list: Raw['networks'] = []): readonly string[] {
  return Array.isArray(list) ? (list as readonly string[]) : Object.keys(list);
}

/** Replaces `${A}` as Compose does, with `:-` (default), `:?` (required), `:+` (if it is set). */
export function interpolate(text: string, variables: Variables): string {
  return text.replace(
    /\$\{(\w+)(?::([-?+])([^}]*))?\}/g,
    (_, name: string, operator: string | undefined, rest: string) => {
      // Empty counts as unset.
      const value = variables[name] ?? '';
      if (operator === '+') return value === '' ? '' : rest;
      if (value !== '') return value;
      if (operator === '?') throw new Error(`docker-compose.yml requires ${name}.`);
      return operator === '-' ? rest : '';
    },
  );
}

/** Our own image's settings. */
export function readImage(): Variables {
  const stage = read('Dockerfile')
    .split(/^FROM /m)
    .at(-1)!;
  const pairs = /^ENV (.*)$/m.exec(stage)![1]!.split(' ');
  // A value may contain further equals signs.
  return Object.fromEntries(pairs.map((pair) => /^(.*?)=(.*)$/.exec(pair)!.slice(1)));
}

export function read(file: string): string {
  return readFileSync(join(PROJECT, file), 'utf8');
}

// What a process has instead of a container: a program of this machine, addresses on the loopback interface
// and files in the topology's folder. Every other setting is the one in docker-compose.yml.

import { join } from 'node:path';
import { LOOPBACK } from '../../embedded/ports';
import {
  readImageCommand,
  readImageEnvironment,
  type ComposeService,
  type Variables,
} from './compose-file';
import { PROJECT } from './project';

interface Listeners {
  readonly main: number;
  /** Of Temporal's own talk between its processes. */
  readonly membership: number;
  readonly http: number;
}

/** Of one process. */
export interface Ports extends Listeners {
  /** Of a second frontend in the process, where Temporal's own calls need one. */
  readonly internal: Listeners;
}

export interface Place {
  readonly folder: string;
  /** By process name, such as `api-2`. */
  readonly ports: Readonly<Record<string, Ports>>;
  /** By the names that the compose file uses, `postgres:5432`. */
  readonly addresses: Variables;
  readonly ca_file: string;
  readonly programs: Programs;
}

export interface Programs {
  /** A folder with `temporal` and `temporal-sql-tool`, as in the image of Temporal's tools. */
  readonly tools: string;
  readonly temporal_server: string;
  readonly caddy: string;
}

export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
}

/** By image: what runs in the place of a container of it. The others have no process of this kind. */
const COMMAND_LINES: Readonly<
  Record<string, (service: ComposeService, place: Place, folder: string) => CommandLine>
> = {
  'payment-api': ({ command, entrypoint }, _, folder) => {
    const [, script, ...args] = [
      ...entrypoint,
      ...(command.length > 0 ? command : readImageCommand()),
    ];
    return { command: process.execPath, args: [join(folder, script!), ...args] };
  },
  caddy: (_, { programs, folder }) => ({
    command: programs.caddy,
    args: ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'],
  }),
  'temporalio/server': (_, { programs }) => ({
    command: programs.temporal_server,
    args: ['start'],
  }),
  'temporalio/admin-tools': ({ entrypoint: [shell, script] }) => ({
    command: shell!,
    args: [join(PROJECT, 'deploy', 'temporal', script!.replace('/deploy/', ''))],
  }),
};

export function imageOf({ image }: ComposeService): string {
  return image.split(':')[0]!;
}

/** @param folder has the `dist` of our own programs */
export function commandLine(service: ComposeService, place: Place, folder = PROJECT): CommandLine {
  return COMMAND_LINES[imageOf(service)]!(service, place, folder);
}

/** The service's variables with addresses of this machine, and what only this machine needs. */
export function environmentOf(service: ComposeService, name: string, place: Place): Variables {
  const image = imageOf(service) === 'payment-api' ? readImageEnvironment() : {};
  const deployed = Object.fromEntries(
    Object.entries(service.environment).map(([key, value]) => [
      key,
      placed(value, place.addresses),
    ]),
  );
  return { ...image, ...deployed, ...localSettings(service, name, place) };
}

function placed(value: string, addresses: Variables): string {
  return Object.entries(addresses).reduce(
    (text, [name, address]) => text.replace(new RegExp(`(?<![\\w.-])${name}\\b`, 'g'), address),
    value,
  );
}

/** Where this process listens and keeps its files: what a container has of its own. */
export function localSettings(service: ComposeService, name: string, place: Place): Variables {
  const port = String(place.ports[name]?.main ?? 0);
  const [postgres_host, postgres_port] = place.addresses['postgres:5432']!.split(':') as [
    string,
    string,
  ];
  switch (imageOf(service)) {
    case 'caddy':
      return { HOME: place.folder, XDG_DATA_HOME: place.folder, XDG_CONFIG_HOME: place.folder };
    case 'temporalio/server':
      return {
        ...temporalPorts(service, name, place),
        POSTGRES_SEEDS: postgres_host,
        DB_PORT: postgres_port,
        BIND_ON_IP: LOOPBACK,
        // The image's entry point finds it.
        TEMPORAL_BROADCAST_ADDRESS: LOOPBACK,
        DYNAMIC_CONFIG_FILE_PATH: join(PROJECT, 'deploy', 'temporal', 'dynamic-config.yaml'),
      };
    case 'temporalio/admin-tools':
      return service.environment['SQL_HOST'] === undefined
        ? {}
        : { SQL_HOST: postgres_host, SQL_PORT: postgres_port };
    default:
      if (service.name === 'sandbox-gateway') {
        return {
          HOST: LOOPBACK,
          SANDBOX_GATEWAY_HOST: LOOPBACK,
          SANDBOX_GATEWAY_PORT: port,
          SANDBOX_GATEWAY_FILE: join(place.folder, 'sandbox-gateway.jsonl'),
          // Its notifications come back through Caddy, over TLS.
          NODE_EXTRA_CA_CERTS: place.ca_file,
        };
      }
      return { HOST: LOOPBACK, ...(place.ports[name] === undefined ? {} : { PORT: port }) };
  }
}

/** On one address the processes of a kind need ports of their own; they tell each other which. */
function temporalPorts({ environment }: ComposeService, name: string, place: Place): Variables {
  const kind = environment['TEMPORAL_SERVICES']!.toUpperCase();
  const { main, membership, http } = place.ports[name]!;
  return {
    [`${kind}_GRPC_PORT`]: String(main),
    [`${kind}_MEMBERSHIP_PORT`]: String(membership),
    ...(kind === 'FRONTEND' ? { FRONTEND_HTTP_PORT: String(http) } : {}),
  };
}

// A process has these instead of a container: a program of this machine, addresses on the loopback interface and files
// in the topology's folder. Every other setting is the one in docker-compose.yml.

import { join } from 'node:path';
import { LOOPBACK } from '../../../dev/embedded/ports';
import { PROJECT, read, readImage, type ComposeService, type Variables } from './compose-file';
import type { Programs } from './programs';

export interface Ports {
  readonly main: number;
  /** Temporal's processes find each other there. */
  readonly membership: number;
  readonly http: number;
}

export interface Place {
  readonly folder: string;
  /** Keys are process names, such as `api-2`. */
  readonly ports: Readonly<Record<string, Ports>>;
  /** Keys are the names that the compose file uses, `postgres:5432`. */
  readonly addresses: Variables;
  readonly ca_file: string;
  readonly programs: Programs;
}

export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
}

export function commandLine({ image, command }: ComposeService, place: Place): CommandLine {
  const { programs, folder } = place;
  switch (image) {
    case 'payment-api': {
      const [, script, ...args] = command.length > 0 ? command : readImage().command;
      return { command: process.execPath, args: [join(PROJECT, script!), ...args] };
    }
    case 'caddy': {
      const config = join(folder, 'Caddyfile');
      return {
        command: programs.caddy,
        args: ['run', '--config', config, '--adapter', 'caddyfile'],
      };
    }
    case 'temporalio/server':
      return { command: programs.temporal_server, args: ['start'] };
    case 'temporalio/admin-tools':
      return {
        command: command[0]!,
        args: [join(PROJECT, 'deploy', 'temporal', command[1]!.slice(8))],
      };
    default:
      throw new Error(`No process runs in the place of ${image}.`);
  }
}

/** The service's variables with addresses of this machine, and what this machine alone needs. */
export function environmentOf(service: ComposeService, name: string, place: Place): Variables {
  const image = service.image === 'payment-api' ? readImage().environment : {};
  const deployed = Object.entries(service.environment).map(([key, value]) => [
    key,
    placed(value, place.addresses),
  ]);
  return { ...image, ...Object.fromEntries(deployed), ...localSettings(service, name, place) };
}

function placed(value: string, addresses: Variables): string {
  return Object.entries(addresses).reduce(
    (text, [name, address]) => text.replace(new RegExp(`(?<![\\w.-])${name}\\b`, 'g'), address),
    value,
  );
}

/** Says where this process listens and keeps its files, as its own container would. */
function localSettings(service: ComposeService, name: string, place: Place): Variables {
  const { folder, ports, addresses, ca_file } = place;
  // A task and the command line listen nowhere.
  const port = String(ports[name]?.main ?? '');
  const [host, postgres_port] = addresses['postgres:5432']!.split(':') as [string, string];
  switch (service.image) {
    case 'caddy':
      return { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    case 'temporalio/server': {
      // Processes of a kind share an address and need their own ports; they tell each other which.
      const kind = service.environment['TEMPORAL_SERVICES']!.toUpperCase();
      const { membership, http } = ports[name]!;
      return {
        [`${kind}_GRPC_PORT`]: port,
        [`${kind}_MEMBERSHIP_PORT`]: String(membership),
        ...(kind === 'FRONTEND' ? { FRONTEND_HTTP_PORT: String(http) } : {}),
        POSTGRES_SEEDS: host,
        DB_PORT: postgres_port,
        BIND_ON_IP: LOOPBACK,
        // The image's entry point finds it.
        TEMPORAL_BROADCAST_ADDRESS: LOOPBACK,
        DYNAMIC_CONFIG_FILE_PATH: join(PROJECT, 'deploy', 'temporal', 'dynamic-config.yaml'),
      };
    }
    case 'temporalio/admin-tools':
      if (service.environment['SQL_HOST'] === undefined) return {};
      return { SQL_HOST: host, SQL_PORT: postgres_port };
    default:
      if (service.name !== 'sandbox-gateway') return { HOST: LOOPBACK, PORT: port };
      return {
        HOST: LOOPBACK,
        SANDBOX_GATEWAY_HOST: LOOPBACK,
        SANDBOX_GATEWAY_PORT: port,
        SANDBOX_GATEWAY_FILE: join(folder, 'sandbox-gateway.jsonl'),
        // Its notifications come back through Caddy, over TLS.
        NODE_EXTRA_CA_CERTS: ca_file,
      };
  }
}

export interface CaddyPlan {
  readonly http_port: number;
  readonly https_port: number;
  readonly cert_file: string;
  readonly key_file: string;
  readonly api_ports: readonly number[];
  readonly gateway_port: number;
}

/**
 * The deployed Caddyfile with other ports, a certificate of our own, and addresses instead of names.
 *
 * @throws when the file has changed so that a place is not found
 */
export function localCaddyfile(plan: CaddyPlan): string {
  const { http_port, https_port, cert_file, key_file, api_ports, gateway_port } = plan;
  const options = [
    'admin off',
    'persist_config off',
    'skip_install_trust',
    `default_bind ${LOOPBACK}`,
    `http_port ${http_port}`,
    `https_port ${https_port}`,
  ].map((line) => `\t${line}\n`);
  const apis = api_ports.map((port) => `${LOOPBACK}:${port}`).join(' ');
  const changes: readonly (readonly [RegExp, string, number])[] = [
    [/^\tauto_https disable_redirects$/gm, `${options.join('')}$&`, 1],
    [/^\t\tdynamic a \{[^}]*\}$/gm, `\t\tto ${apis}`, 1],
    [/^http:\/\/\{\$DOMAIN\}/gm, `http://localhost:${http_port}`, 1],
    [/^\ttls \{$/gm, `\ttls "${cert_file}" "${key_file}" {`, 2],
    [/sandbox-gateway:8090/g, `${LOOPBACK}:${gateway_port}`, 1],
  ];
  return changes.reduce((text, [place, instead, count]) => {
    const found = text.match(place)?.length ?? 0;
    if (found !== count) {
      throw new Error(`deploy/caddy/Caddyfile has ${place.source} ${found} times, not ${count}.`);
    }
    return text.replace(place, instead);
  }, read('deploy/caddy/Caddyfile'));
}

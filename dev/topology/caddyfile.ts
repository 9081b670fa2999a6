// deploy/caddy/Caddyfile for processes on one machine: other ports, a certificate of our own, and addresses
// instead of names. Everything else stays as it is deployed.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedError } from '../../embedded/error';
import { LOOPBACK } from '../../embedded/ports';
import { PROJECT } from './project';

export interface CaddyPlan {
  readonly http_port: number;
  readonly https_port: number;
  readonly cert_file: string;
  readonly key_file: string;
  readonly api_ports: readonly number[];
  readonly gateway_port: number;
}

/** @throws EmbeddedError when the deployed file has changed so that a place is not found */
export function localCaddyfile(plan: CaddyPlan): string {
  const apis = plan.api_ports.map((port) => `${LOOPBACK}:${port}`).join(' ');
  const changes: readonly (readonly [RegExp, string, number])[] = [
    [/^\tauto_https disable_redirects$/gm, `${globalOptions(plan)}\n$&`, 1],
    [/^\t\tdynamic a \{[^}]*\}$/gm, `\t\tto ${apis}`, 1],
    [/^http:\/\/\{\$DOMAIN\}/gm, `http://localhost:${plan.http_port}`, 1],
    [/^\ttls \{$/gm, `\ttls "${plan.cert_file}" "${plan.key_file}" {`, 2],
    [/sandbox-gateway:8090/g, `${LOOPBACK}:${plan.gateway_port}`, 1],
  ];
  const deployed = readFileSync(join(PROJECT, 'deploy', 'caddy', 'Caddyfile'), 'utf8');
  return changes.reduce((text, [place, instead, count]) => {
    const found = text.match(place)?.length ?? 0;
    if (found !== count) {
      throw new EmbeddedError(
        `deploy/caddy/Caddyfile has ${place.source} ${found} times, not ${count}: ` +
          'dev/topology/caddyfile.ts has to follow.',
      );
    }
    return text.replace(place, instead);
  }, deployed);
}

function globalOptions({ http_port, https_port }: CaddyPlan): string {
  const options = [
    'admin off',
    'persist_config off',
    'skip_install_trust',
    `default_bind ${LOOPBACK}`,
    `http_port ${http_port}`,
    `https_port ${https_port}`,
  ];
  return options.map((line) => `\t${line}`).join('\n');
}

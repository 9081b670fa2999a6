// What users of a topology find in its folder: where it is, which processes it has, and the settings of its command
// line.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Topology } from './topology';

export interface Description {
  /** For `node --env-file`. */
  readonly cli_file: string;
  readonly ca_file: string;
}

export function writeDescription(topology: Topology): Description {
  const { folder, origin, sandbox_origin, temporal_address } = topology;
  const cli_file = join(folder, 'cli.env');
  const lines = Object.entries(topology.environment('cli')).map(
    ([name, value]) => `${name}=${value}`,
  );
  writeFileSync(cli_file, `${lines.join('\n')}\n`, { mode: 0o600 });
  const processes = topology.processes.map((one) => ({ name: one.name, pid: one.pid() }));
  const list = { origin, sandbox_origin, temporal_address, processes };
  writeFileSync(join(folder, 'topology.json'), `${JSON.stringify(list, null, 2)}\n`);
  return { cli_file, ca_file: join(folder, 'ca.pem') };
}

// `npm run topology`: the processes of docker-compose.yml on this machine, until Ctrl-C.

import { join, resolve } from 'node:path';
import { fail, stopSignal } from '../../bin/process';
import { PREFIX } from '../../api/prefix';
import { writeDescription } from './description';
import { acquirePrograms } from './programs';
import { startTopology, type Topology } from './topology';

const FIRST_PORT = 8440;

export async function runTopology(): Promise<void> {
  const { env } = process;
  const folder = resolve(env['DATA_DIRECTORY'] || '.data', 'topology');
  const say = (text: string): void => void process.stdout.write(`${text}\n`);
  const stopped = stopSignal();
  try {
    const programs = await acquirePrograms(join(folder, 'tools'), { env, log: say });
    const starting = startTopology({ folder, programs, say, first_port: FIRST_PORT });
    // Ctrl-C during the start stops what has started, once the start has come to its end.
    const topology = await starting;
    describe(topology, say);
    await stopped;
    say('Stopping …');
    await topology.stop();
    say('Stopped. The data is kept: npm run topology continues from here.');
    process.exit(0);
  } catch (error) {
    fail(error);
  }
}

function describe(topology: Topology, say: (text: string) => void): void {
  const { folder, origin, sandbox_origin, temporal_address, processes } = topology;
  const { cli_file, ca_file } = writeDescription(topology);
  say(`
The processes of docker-compose.yml run: ${processes.length} of them, and ${folder}/topology.json names them.

  API          ${origin}${PREFIX}
  Simulator    ${sandbox_origin}
  Certificate  ${ca_file} (curl --cacert)
  Temporal     ${temporal_address}, the namespace payments
  Logs         ${join(folder, 'logs')}

  curl -s --cacert ${ca_file} ${origin}${PREFIX}/health
  node --env-file=${cli_file} dist/bin/cli.js users list

Kill any of them: it is started again. Ctrl-C stops everything; the data stays.`);
}

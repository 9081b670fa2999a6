// The end-to-end suite on a topology that runs, as `npm run test:e2e` does it: by its files, through Caddy, and
// with no trust in any other authority.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { writeDescription } from '../../dev/topology/description';
import { PROJECT } from '../../dev/topology/project';
import { START_LIMIT_MS, startTestTopology } from './support/topology';

it(
  'the main job, from sign-up to the ledger, through TLS',
  async () => {
    const topology = await startTestTopology();
    const { ca_file } = writeDescription(topology);
    const jest = join(PROJECT, 'node_modules', 'jest', 'bin', 'jest.js');
    const { PATH } = process.env;
    const child = spawn(process.execPath, [jest, '--config', 'test/e2e/jest.config.js'], {
      cwd: PROJECT,
      env: { PATH, NODE_EXTRA_CA_CERTS: ca_file, E2E_TOPOLOGY: topology.folder, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let told = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (told += text));
    }
    const [status] = (await once(child, 'close')) as [number | null];
    expect({ status, told }).toEqual({ status: 0, told: expect.stringContaining('1 passed') });
  },
  START_LIMIT_MS,
);

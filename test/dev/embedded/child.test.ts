// The logs of the embedded servers are for their owner: statements and addresses are in them.

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { startChild } from '../../../dev/embedded/child';
import { tempFolder } from './temp-folder';

const parent = tempFolder();

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

async function run(log_file: string): Promise<void> {
  const child = await startChild({
    name: 'a child',
    command: process.execPath,
    args: ['-e', 'console.log("said")'],
    cwd: '/',
    env: {},
    log_file,
    stop_steps: [],
  });
  await child.exited;
}

it('a log and its folder can be read by their owner only, also under an open umask', async () => {
  const umask = process.umask(0);
  try {
    const folder = join(parent, 'logs');
    const file = join(folder, 'child.log');
    await run(file);
    expect([modeOf(folder), modeOf(file)]).toEqual(['700', '600']);
    expect(readFileSync(file, 'utf8')).toBe('said\n');
  } finally {
    process.umask(umask);
  }
});

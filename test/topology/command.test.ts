// `npm run topology` itself: what it leaves behind when it is killed, and what it finds when it comes back.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isSameProcess, processIdentity } from '../../embedded/process';
import { PROJECT } from '../../dev/topology/project';
import { closeAfterFile } from '../support/cleanup';
import { waitFor } from '../support/wait';
import { runProgram, START_LIMIT_MS, temporaryFolder, type Ended } from './support/topology';

const data = temporaryFolder();
const folder = join(data, 'topology');

interface Running {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly processes: readonly {
    readonly name: string;
    readonly pid: number;
    readonly identity: string;
  }[];
}

async function start(): Promise<Running> {
  const list = join(folder, 'topology.json');
  rmSync(list, { force: true });
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [join(PROJECT, 'dist', 'bin', 'topology.js')], {
    env: { PATH, HOME, XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'], DATA_DIRECTORY: data },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  closeAfterFile(() => void child.kill('SIGKILL'));
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  await waitFor(() => {
    if (child.exitCode !== null) throw new Error(`It ended: ${stdout}`);
    return stdout.includes('Ctrl-C stops everything') && existsSync(list);
  }, START_LIMIT_MS);
  const { processes } = JSON.parse(readFileSync(list, 'utf8')) as {
    processes: { name: string; pid: number }[];
  };
  return {
    child,
    stdout: () => stdout,
    processes: processes.map((one) => ({ ...one, identity: processIdentity(one.pid)! })),
  };
}

function left({ processes }: Running): string[] {
  return processes
    .filter(({ pid, identity }) => isSameProcess(pid, identity))
    .map(({ name }) => name);
}

/** By the command that it prints. */
function operate(...args: string[]): Promise<Ended> {
  const lines = readFileSync(join(folder, 'cli.env'), 'utf8').trim().split('\n');
  const env = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  return runProgram('cli.js', { ...env, OPERATOR: 'awa' }, args, 'correct horse battery');
}

it(
  'kill -9 of the command ends all of its processes; the next start has the data; SIGTERM ends it cleanly',
  async () => {
    const first = await start();
    expect(first.processes.length).toBeGreaterThan(10);
    expect(left(first)).toEqual(first.processes.map(({ name }) => name));
    const created = await operate(
      ...['users', 'create', '--username', 'awa', '--email', 'awa@example.com'],
      ...['--password-stdin', '--country', 'SN'],
    );
    expect(created).toMatchObject({ status: 0 });

    first.child.kill('SIGKILL');
    await waitFor(() => left(first).length === 0, 60_000);

    const second = await start();
    const listed = await operate('users', 'list', '--json');
    expect(listed.stdout).toContain('"awa"');
    second.child.kill('SIGTERM');
    const [status] = (await once(second.child, 'close')) as [number | null];
    expect(status).toBe(0);
    expect(left(second)).toEqual([]);
    expect(second.stdout()).toContain('Stopped. The data is kept');
  },
  START_LIMIT_MS,
);

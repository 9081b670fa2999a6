// A Docker engine: the one that answers on this machine, or one of our own, whose images stay in the cache.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CHILD_PATH, startChild, waitUntilReady } from '../../../dev/embedded/child';
import { EmbeddedError } from '../../../dev/embedded/error';

export interface Engine {
  /** The value of DOCKER_HOST; undefined for the place where Docker looks by itself. */
  readonly host: string | undefined;
  stop(): Promise<void>;
}

const START_SECONDS = 60;
/** It stops each container that is left, which takes up to a minute. */
const STOP_STEPS = [
  { signal: 'SIGTERM', wait_seconds: 120 },
  { signal: 'SIGKILL', wait_seconds: 10 },
] as const;
/** Some machines may not raise these for containers. */
const LIMITS = ['nofile=4096:4096', 'nproc=4096:4096'];

/** @param folder keeps the data of our own engine */
export async function findEngine(folder: string): Promise<Engine> {
  const given = process.env['DOCKER_HOST'];
  if (await answers(given)) return { host: given, stop: () => Promise.resolve() };
  if (given !== undefined) throw new EmbeddedError(`No Docker engine answers at ${given}.`);
  const host = `unix://${folder}/docker.sock`;
  const log_file = join(folder, 'docker.log');
  const engine = await startChild({
    name: 'dockerd',
    command: 'dockerd',
    args: [
      `--data-root=${join(folder, 'data')}`,
      `--exec-root=${join(folder, 'exec')}`,
      `--host=${host}`,
      `--pidfile=${join(folder, 'docker.pid')}`,
      ...LIMITS.flatMap((limit) => ['--default-ulimit', limit]),
    ],
    cwd: folder,
    env: { PATH: CHILD_PATH },
    log_file,
    stop_steps: STOP_STEPS,
  });
  const explain = (): EmbeddedError =>
    new EmbeddedError(
      `No Docker engine starts here:\n${readFileSync(log_file, 'utf8').slice(-2_000)}`,
    );
  await waitUntilReady(engine, START_SECONDS, () => answers(host), explain);
  return { host, stop: () => engine.stop() };
}

async function answers(host: string | undefined): Promise<boolean> {
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], DOCKER_HOST: host };
  return promisify(execFile)('docker', ['version', '--format', '{{.Server.Version}}'], {
    env,
  }).then(
    () => true,
    () => false,
  );
}
